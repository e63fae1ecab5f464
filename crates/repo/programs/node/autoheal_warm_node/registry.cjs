'use strict';
// The project's modules are loaded anew for each change, and what is installed is not.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const { ROOT, pathInRoot } = require('./project.cjs');

// This worker's own.
const FOLDER = process.env.AUTOHEAL_FOLDER;

// What teaches Node to load something (`@babel/register`, `ts-node`) would teach it again and again.
const kept = new Set();
let generation = 0;
// The folder in which those who load modules are told of what is changed; null: nobody watches them.
let hooks = null;
let told = {};

/** Watches which modules of the project change how others are loaded. */
function install() {
  const load = Module.prototype.load;
  const inner = [];
  Module.prototype.load = function (filename) {
    const before = Object.values(Module._extensions);
    inner.push(false);
    try {
      return load.apply(this, arguments);
    } finally {
      const changedInside = inner.pop();
      const now = Object.values(Module._extensions);
      const isChanged = before.length !== now.length || before.some((each, place) => each !== now[place]);
      const isOwn = pathInRoot(filename) !== null;
      if (isChanged && !changedInside && isOwn) kept.add(filename);
      if (inner.length > 0 && (changedInside || (isChanged && isOwn))) inner[inner.length - 1] = true;
    }
  };
}

/** Forgets the project's modules. */
function forget() {
  generation += 1;
  const isGone = (name) => pathInRoot(name) !== null && !kept.has(name);
  for (const name of Object.keys(require.cache)) {
    if (isGone(name)) delete require.cache[name];
  }
  for (const module of Object.values(require.cache)) {
    if (module && module.children.some((child) => isGone(child.filename || child.id))) {
      module.children = module.children.filter((child) => !isGone(child.filename || child.id));
    }
  }
}

/** Whether Node loads a file of the project as a module of its own kind rather than as CommonJS. */
function isModule(file) {
  const extension = path.extname(file);
  if (extension === '.mjs' || extension === '.mts') return true;
  if (extension === '.cjs' || extension === '.cts') return false;
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    try {
      return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).type === 'module';
    } catch (error) {
      if (error.code !== 'ENOENT' || folder === path.dirname(folder)) return false;
    }
  }
}

/** Modules cannot be forgotten: each generation of them has other names, and the changed text is given by a file. */
function watchModules() {
  if (hooks !== null) return;
  if (typeof Module.register !== 'function') throw new Error('for modules it needs Node 18.19, 20.6 or later');
  hooks = FOLDER;
  const data = { folder: hooks, root: pathToFileURL(path.join(ROOT, '/')).href };
  Module.register(pathToFileURL(path.join(__dirname, 'module_hooks.cjs')).href, { data });
  writeTold();
}

/** What modules of this generation read, before any is loaded. */
function tellModules(file, text) {
  told = file === null ? {} : { url: pathToFileURL(file).href, text: String(text) };
  if (hooks !== null) writeTold();
}

function writeTold() {
  fs.writeFileSync(path.join(hooks, `${generation}.json`), JSON.stringify(told));
  fs.rmSync(path.join(hooks, `${generation - 1}.json`), { force: true });
}

/** Whether the changed text was read by them. */
function wasReadByModules() {
  return hooks !== null && fs.existsSync(path.join(hooks, `${generation}.read`));
}

/** The name that a module's file has in this generation. */
function nameOf(url) {
  const name = new URL(url);
  name.searchParams.set('autoheal', String(generation));
  return name.href;
}

module.exports = { install, forget, isModule, watchModules, tellModules, wasReadByModules, nameOf };
