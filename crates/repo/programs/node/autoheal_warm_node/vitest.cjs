'use strict';
// vitest: its own server stays, with what it has compiled of the files that are not changed. Tests run in one thread, which loads the project's
// modules anew for each file of tests.
const fs = require('fs');
const path = require('path');
const { createRequire } = require('module');
const { idOf, fileOf, Numbered } = require('./identity.cjs');
const { pathInRoot, ROOT } = require('./project.cjs');
const changedText = require('./changed_text.cjs');

exports.nodeOptions = () => [];

const OUTCOMES = { pass: 'passed', fail: 'failed' };

// Loaded before each file of tests where it is watched which lines they run.
const WATCH = path.join(__dirname, 'vitest_watch.mjs');

// Loaded before each file of tests that are not tried: a try has its own limit, and may be given more.
const LIMIT = path.join(__dirname, '..', 'autoheal_hang', 'vitest.mjs');

exports.prepare = async function prepare(words) {
  const own = createRequire(path.join(process.cwd(), 'package.json'));
  const folder = path.dirname(own.resolve('vitest/package.json'));
  const major = Number(JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version.split('.')[0]);
  const { createVitest, parseCLI } = await import(path.join(folder, 'dist', 'node.js'));
  if (!parseCLI && words.length > 0) throw new Error('this version of vitest says nothing about what its arguments mean');
  const { filter, options } = words.length > 0 ? parseCLI(['vitest', 'run', ...words]) : { filter: [], options: {} };
  const threads = { isolate: false, singleThread: true, minThreads: 1, maxThreads: 1 };
  const ours = {
    watch: false,
    run: true,
    bail: 0,
    pool: 'threads',
    isolate: false,
    fileParallelism: false,
    reporters: [{}],
    coverage: { enabled: false },
    cache: false,
    ...(major < 4 ? { poolOptions: { threads } } : { maxWorkers: 1 }),
  };
  process.env.AUTOHEAL_VITEST = folder;
  process.env.AUTOHEAL_PROJECT = JSON.stringify(process.argv.slice(2));
  const source = new Source();
  // What we load is outside of the project.
  const server = { plugins: [source.plugin()], server: { middlewareMode: true, watch: null, fs: { strict: false } } };
  const vitest = await createVitest('test', { ...options, ...ours }, server);
  const suite = new Suite(vitest, source);
  await suite.find(filter);
  return suite;
};

/** What vitest's server reads of the project. */
class Source {
  constructor() {
    this.file = null;
  }

  plugin() {
    const own = path.join(ROOT, 'package.json');
    return {
      name: 'autoheal',
      enforce: 'pre',
      resolveId(name, importer) {
        // Ours finds what the project has installed.
        return importer === WATCH && name === 'vitest' ? this.resolve(name, own, { skipSelf: true }) : null;
      },
      load: (id) => changedText.textOf(id.split('?')[0]),
    };
  }

  /** Has the server forget what it knows of the file that is changed, and of the one that was. */
  forget(projects) {
    const file = changedText.file();
    const changed = new Set([this.file, file].filter((each) => each !== null));
    this.file = file;
    for (const project of projects) {
      const vite = project.vite || project.server;
      const environments = Object.values(vite.environments || {}).map((environment) => environment.moduleGraph);
      for (const graph of [vite.moduleGraph, ...environments]) {
        for (const name of changed) {
          for (const module of graph.getModulesByFile(name) || []) {
            graph.invalidateModule(module);
            // What was compiled is kept by the time of the last change.
            module.lastHMRTimestamp = Date.now() + 1;
          }
        }
      }
    }
  }
}

class Suite {
  constructor(vitest, source) {
    Object.assign(this, { vitest, source, specifications: [] });
  }

  async find(filter) {
    const { vitest } = this;
    const found = await (vitest.globTestSpecifications || vitest.globTestFiles).call(vitest, filter);
    // What is checked by the compiler is no test that runs.
    this.specifications = found.filter((each) => (each.pool || (each[2] && each[2].pool)) !== 'typescript');
  }

  /** How many tests each file has is not known before they run. */
  async list() {
    return Object.fromEntries(this.specifications.map((each) => [pathInRoot(moduleOf(each)), 1]));
  }

  async run({ files, only, timeout, began, ended, fileEnded }) {
    const wanted = this.specifications.filter((each) => !files || files.includes(pathInRoot(moduleOf(each))));
    this.source.forget(this.vitest.projects);
    const known = new Set(only);
    for (const specification of wanted) {
      const ids = only && only.filter((id) => fileOf(id) === pathInRoot(moduleOf(specification)));
      if (ids && ids.length === 0) continue;
      const found = await this.runFile(specification, { ids, timeout, isWatched: Boolean(began) });
      if (tellFile(moduleOf(specification), found, known, { began, ended, fileEnded })) break;
    }
    return { load: 0 };
  }

  /** Runs these tests of a file. Returns what vitest knows of it then. */
  async runFile(specification, { ids, timeout, isWatched }) {
    const { vitest } = this;
    const { config } = projectOf(specification);
    const { setupFiles, testTimeout } = config;
    const ours = [...(isWatched ? [WATCH] : []), ...(timeout ? [] : [LIMIT])];
    config.setupFiles = [...ours, ...[].concat(setupFiles || [])];
    if (timeout) config.testTimeout = Math.min(timeout, testTimeout || 5000);
    limitTo(vitest, patternOf(ids));
    vitest.state.filesMap.clear();
    try {
      await (vitest.runTestSpecifications || vitest.runFiles).call(vitest, [specification], false);
    } finally {
      Object.assign(config, { setupFiles, testTimeout });
    }
    vitest.state.errorsSet.clear();
    return vitest.state.getFiles()[0] || null;
  }
}

const moduleOf = (specification) => specification.moduleId || specification[1];

const projectOf = (specification) => specification.project || specification[0];

function limitTo(vitest, pattern) {
  if (vitest.setGlobalTestNamePattern && pattern) vitest.setGlobalTestNamePattern(pattern);
  else if (vitest.resetGlobalTestNamePattern) vitest.resetGlobalTestNamePattern();
  else vitest.configOverride.testNamePattern = pattern || undefined;
}

/** A pattern for the full names of these tests, and few others: ids have lost their brackets. Null: all. */
function patternOf(ids) {
  if (!ids || ids.some((id) => !id.includes('::') || id.endsWith('::') || id.includes('\n[...]\n'))) return null;
  const names = ids.map((id) => {
    const titles = id.slice(id.indexOf('::') + 2).replace(/ #\d+$/, '');
    return titles.replace(/[^a-zA-Z0-9 _]/g, '[^]').replaceAll(' [^] ', '(?: | [^] )');
  });
  return new RegExp(`^\\s*(?:${names.join('|')})$`);
}

/** Tells what the tests of a file did; whether that is enough. */
function tellFile(name, file, only, { began, ended, fileEnded }) {
  const whole = idOf(name, []);
  const tests = file === null ? [] : testsOf(file, []);
  if (file === null || (tests.length === 0 && file.result && file.result.state === 'fail')) return ended(whole, 'failed', 0);
  if (fileEnded) fileEnded(whole);
  const numbered = new Numbered();
  let isStopped = false;
  for (const { test, titles } of tests) {
    const id = numbered.next(idOf(name, titles));
    if (only.size > 0 && !only.has(id)) continue;
    const { state, duration } = test.result || {};
    if (began) began();
    isStopped = ended(id, OUTCOMES[state] || 'skipped', (duration || 0) / 1000, (test.meta || {}).lines) || isStopped;
  }
  return isStopped;
}

function testsOf(task, titles) {
  return task.tasks.flatMap((inner) => {
    const own = [...titles, inner.name];
    return inner.tasks ? testsOf(inner, own) : [{ test: inner, titles: own }];
  });
}
