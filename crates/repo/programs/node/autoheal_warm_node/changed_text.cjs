'use strict';
// One file of the project reads as if it held another text, for everything in this process that reads it.
const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');

const real = {
  readFileSync: fs.readFileSync,
  readFile: fs.readFile,
  statSync: fs.statSync,
  realpathSync: fs.realpathSync.native,
};
const realPromise = fs.promises.readFile;

let changed = null;

/** From now on `file` (absolute) holds `text` (a Buffer); null: every file holds what it does. `number` tells texts apart. */
function set(file, text, number) {
  changed = file === null ? null : { file, text, number, base: path.basename(file), wasRead: false };
}

/** The file that is changed; null: none. */
function file() {
  return changed === null ? null : changed.file;
}

/** What a file (absolute) holds instead of what it does; null: nothing. */
function textOf(name) {
  return isChanged(name) ? text('utf8') : null;
}

/** Another process has read the text. */
function noteRead() {
  if (changed !== null) changed.wasRead = true;
}

/** Whether anybody has read the text. */
function wasRead() {
  return changed !== null && changed.wasRead;
}

function isChanged(name) {
  if (changed === null) return false;
  if (name instanceof URL) {
    if (name.protocol !== 'file:') return false;
    name = fileURLToPath(name);
  }
  if (Buffer.isBuffer(name)) name = String(name);
  if (typeof name !== 'string' || path.basename(name) !== changed.base) return false;
  if (path.resolve(name) === changed.file) return true;
  try {
    return real.realpathSync(name) === changed.file;
  } catch {
    return false;
  }
}

function text(options) {
  changed.wasRead = true;
  const encoding = typeof options === 'string' ? options : options && options.encoding;
  return encoding && encoding !== 'buffer' ? changed.text.toString(encoding) : Buffer.from(changed.text);
}

/** Before anything else is loaded: what copies functions of `fs` has to copy these. */
function install() {
  fs.readFileSync = function readFileSync(name, options) {
    return isChanged(name) ? text(options) : real.readFileSync.apply(this, arguments);
  };
  fs.readFile = function readFile(name, options, callback) {
    if (!isChanged(name)) return real.readFile.apply(this, arguments);
    const done = typeof options === 'function' ? options : callback;
    const given = text(typeof options === 'function' ? undefined : options);
    return void process.nextTick(done, null, given);
  };
  fs.promises.readFile = async function readFile(name, options) {
    return isChanged(name) ? text(options) : realPromise.apply(this, arguments);
  };
  // What is made of a file is kept by its time.
  fs.statSync = function statSync(name) {
    const stat = real.statSync.apply(this, arguments);
    if (stat && isChanged(name)) {
      const time = Number(stat.mtimeMs) + 1000 * (changed.number + 1);
      Object.defineProperty(stat, 'mtime', { value: new Date(time), configurable: true, enumerable: true });
      if (typeof stat.mtimeMs === 'number') stat.mtimeMs = time;
      if (typeof stat.size === 'number') stat.size = changed.text.length;
    }
    return stat;
  };
}

/** The text of a file with edits: first byte, byte after the last, and what stands there instead. */
function edited(file, edits) {
  let bytes = real.readFileSync(file);
  for (const [start, end, replacement] of [...edits].sort((left, right) => right[0] - left[0])) {
    bytes = Buffer.concat([bytes.subarray(0, start), Buffer.from(replacement), bytes.subarray(end)]);
  }
  return bytes;
}

module.exports = { install, set, file, textOf, noteRead, wasRead, edited };
