'use strict';
// Where the project is, and what is its own.
const fs = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');

// A thread of a test runner has words of its own.
const { AUTOHEAL_PROJECT } = process.env;
const [RUNNER, JOBS, GIVEN_ROOT, ...ARGUMENTS] = AUTOHEAL_PROJECT ? JSON.parse(AUTOHEAL_PROJECT) : process.argv.slice(2);
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

module.exports = { RUNNER, JOBS: Number(JOBS), ROOT, ARGUMENTS, pathInRoot };
