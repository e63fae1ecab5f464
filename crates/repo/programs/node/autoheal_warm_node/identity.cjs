'use strict';
// What tests are called: as in the reports (`crate::report::node`), or nothing that is asked for would be found.
const { pathInRoot } = require('./project.cjs');

const LONGEST = 2048;

/** The id of a test by its file (absolute) and its titles from the outermost. */
function idOf(file, titles) {
  const title = titles.join(' > ').replace(/\[/g, '(').replace(/\]/g, ')');
  const inside = file ? pathInRoot(file) : null;
  return shortened(inside === null ? title : `${inside}::${title}`);
}

function shortened(text) {
  const bytes = Buffer.from(text);
  if (bytes.length <= LONGEST) return text;
  let head = LONGEST / 2;
  let tail = bytes.length - LONGEST / 2;
  const isInside = (at) => (bytes[at] & 0xc0) === 0x80;
  while (isInside(head)) head -= 1;
  while (isInside(tail)) tail += 1;
  return `${bytes.subarray(0, head)}\n[...]\n${bytes.subarray(tail)}`;
}

/** Numbers the ids that come again, in the order in which it is asked. */
class Numbered {
  constructor() {
    this.seen = new Map();
  }

  next(id) {
    const count = (this.seen.get(id) || 0) + 1;
    this.seen.set(id, count);
    return count > 1 ? `${id} #${count}` : id;
  }
}

/** The file that an id begins with, relative to the project. */
function fileOf(id) {
  return id.split('::')[0];
}

module.exports = { idOf, fileOf, Numbered };
