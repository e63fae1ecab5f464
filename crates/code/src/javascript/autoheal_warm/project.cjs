'use strict';
// Where the project is, and what is its own.
const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');

const [RUNNER, JOBS, GIVEN_ROOT] = process.argv.slice(2);
const ROOT = fs.realpathSync(GIVEN_ROOT);

const known = new Map();

/** `name` (a path or a file's URL) relative to the project with `/`; null when it lies elsewhere or was installed. */
function pathInRoot(name) {
  let inside = known.get(name);
  if (inside === undefined) known.set(name, (inside = find(name)));
  return inside;
}

function find(name) {
  if (name.startsWith('file:')) {
    try {
      name = fileURLToPath(name);
    } catch {
      return null;
    }
  }
  const roots = [ROOT, GIVEN_ROOT].filter((root) => name.startsWith(root + path.sep));
  if (roots.length === 0) return null;
  const inside = name.slice(roots[0].length + 1).split(path.sep).join('/');
  return inside.split('/').includes('node_modules') ? null : inside;
}

module.exports = { RUNNER, JOBS: Number(JOBS), ROOT, ARGUMENTS: process.argv.slice(5), pathInRoot };
