'use strict';
// mocha: its own command line prepares everything; where it would load the files of tests, work is waited for instead.
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');
const { pathToFileURL } = require('url');
const { idOf, Numbered } = require('./identity.cjs');
const { pathInRoot } = require('./project.cjs');
const registry = require('./registry.cjs');
const { limitMocha } = require('../autoheal_hang/hang.cjs');

function find() {
  const own = createRequire(path.join(process.cwd(), 'package.json'));
  const main = own.resolve('mocha');
  return { main, part: (name) => path.join(path.dirname(own.resolve('mocha/package.json')), 'lib', name) };
}

/** Options of Node that mocha would start another process with. */
exports.nodeOptions = function nodeOptions(words) {
  const { part } = find();
  const { loadOptions } = require(part('cli/options.js'));
  const { isNodeFlag, unparseNodeFlags } = require(part('cli/node-flags.js'));
  const flags = {};
  const options = loadOptions(words);
  for (const [name, value] of Object.entries(options)) {
    const plain = name !== 'v8-options' && name.startsWith('v8-') ? name.slice(3) : name;
    if (isNodeFlag(plain)) flags[plain] = value;
  }
  const given = [].concat(options['node-option'] || []).map((option) => `--${option}`);
  return given.length > 0 ? given : unparseNodeFlags(flags);
};

/** Modules of the project come from our registry, whoever asks for them in which way. */
function loadAnew(part) {
  const parts = ['nodejs/esm-utils.js', 'esm-utils.js'].map(part);
  const own = require(parts.find((name) => fs.existsSync(name)));
  const load = own.requireOrImport;
  own.requireOrImport = async (file, ...more) => {
    if (!path.isAbsolute(file) || pathInRoot(file) === null) return load(file, ...more);
    if (!registry.isModule(file)) return require(file);
    registry.watchModules();
    const names = await import(registry.nameOf(pathToFileURL(file).href));
    return path.extname(file) === '.mjs' || !names.default ? { ...names } : names.default;
  };
}

/** Starts the command line and takes over before the tests are loaded. */
function takeOver(main, part, words) {
  const Mocha = require(main);
  const { loadFiles, loadFilesAsync, run } = Mocha.prototype;
  const ours = ['--no-parallel', '--no-watch', '--no-bail', '--no-exit', '--no-diff', '--no-color'];
  process.argv = [process.execPath, path.join(part('..'), 'bin', 'mocha'), ...words];
  return new Promise((resolve) => {
    const taken = function () {
      Object.assign(Mocha.prototype, { loadFiles, loadFilesAsync, run });
      resolve({ Mocha, files: this.files.map((file) => path.resolve(file)), options: this.options });
      return new Promise(() => {});
    };
    Object.assign(Mocha.prototype, { loadFiles: taken, loadFilesAsync: taken, run: taken });
    require(part('cli/cli.js')).main([...words, ...ours]);
  });
}

exports.prepare = async function prepare(words) {
  const { main, part } = find();
  loadAnew(part);
  return new Suite(await takeOver(main, part, words), require(part('cli/run-helpers.js')));
};

class Suite {
  constructor({ Mocha, files, options }, helpers) {
    Object.assign(this, { Mocha, files, options, helpers });
  }

  /** Loads test files into a suite that has not run. */
  async load(files) {
    const plugins = (await this.helpers.handleRequires([].concat(this.options.require || []))) || {};
    const mocha = new this.Mocha({ ...this.options, ...plugins, reporter: function Silent() {}, bail: false });
    mocha.files = files || this.files;
    await mocha.loadFilesAsync();
    mocha.files = [];
    return mocha;
  }

  /** How many tests each file has, by its name relative to the project. */
  async list() {
    const mocha = await this.load(null);
    const counts = Object.fromEntries(this.files.map((file) => [pathInRoot(file), 0]));
    for (const [test] of identified(mocha)) {
      const file = test.file && pathInRoot(test.file);
      if (file in counts) counts[file] += 1;
    }
    return counts;
  }

  async run({ files, only, timeout, loaded, began, ended }) {
    const mocha = await this.load(files && this.files.filter((file) => files.includes(pathInRoot(file))));
    const ids = identified(mocha);
    if (only) keep(mocha.suite, ids, new Set(only));
    if (timeout) limit(mocha.suite, timeout);
    if (loaded) loaded();
    const hooks = new Numbered();
    const start = new Map();
    const idOfTest = (test) => {
      const known = ids.get(test) || (typeof test.retriedTest === 'function' && ids.get(test.retriedTest()));
      return known || idOf(fileOfTest(test), titlesOf(test));
    };
    let runner = null;
    await new Promise((resolve) => {
      runner = mocha.run(resolve);
      const end = (test, outcome, id) => {
        const since = start.get(test);
        const seconds = since === undefined ? 0 : Number(process.hrtime.bigint() - since) / 1e9;
        if (ended(id, outcome, seconds)) runner.abort();
      };
      // A try has its own limit, and may be given more.
      if (!timeout) limitMocha(runner);
      runner.on('test', (test) => {
        start.set(test, process.hrtime.bigint());
        if (began) began(idOfTest(test));
      });
      runner.on('pass', (test) => end(test, 'passed', idOfTest(test)));
      runner.on('pending', (test) => end(test, 'skipped', idOfTest(test)));
      runner.on('fail', (test) => {
        const isHook = test.type === 'hook';
        end(test, 'failed', isHook ? hooks.next(idOf(fileOfTest(test), titlesOf(test))) : idOfTest(test));
      });
    });
    if (typeof runner.dispose === 'function') runner.dispose();
    return { load: 0 };
  }
}

const fileOfTest = (test) => test.file || (test.parent && test.parent.file) || null;

const titlesOf = (test) => (typeof test.titlePath === 'function' ? test.titlePath() : [test.fullTitle()]);

/** The ids of all tests that a run comes to, in its order. */
function identified(mocha) {
  const ids = new Map();
  const numbered = new Numbered();
  const { grep, invert } = mocha.options;
  const pattern = typeof grep === 'string' ? new RegExp(grep.replace(/[|\\{}()[\]^$+*?.]/g, '\\$&')) : grep;
  if (typeof mocha.suite.hasOnly === 'function' && mocha.suite.hasOnly()) mocha.suite.filterOnly();
  const walk = (suite) => {
    suite._onlyTests = [];
    suite._onlySuites = [];
    for (const test of suite.tests) {
      if (pattern && pattern.test(test.fullTitle()) === Boolean(invert)) continue;
      ids.set(test, numbered.next(idOf(fileOfTest(test), titlesOf(test))));
    }
    suite.suites.forEach(walk);
  };
  walk(mocha.suite);
  return ids;
}

function keep(suite, ids, wanted) {
  suite.tests = suite.tests.filter((test) => wanted.has(ids.get(test)));
  for (const inner of suite.suites) keep(inner, ids, wanted);
}

/** Nothing waits longer than this many milliseconds for a test. */
function limit(suite, most) {
  for (const test of suite.tests) if (test.timeout() === 0 || test.timeout() > most) test.timeout(most);
  for (const inner of suite.suites) limit(inner, most);
}
