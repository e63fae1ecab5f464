'use strict';
// jest: its own command line prepares everything; our runner (`jest_runner.cjs`) in the place of its own then waits for work. Every file
// of tests gets fresh modules from jest itself; what is kept is the configuration, what files there are, and what was compiled.
const path = require('path');
const { createRequire } = require('module');
const { idOf, fileOf, Numbered } = require('./identity.cjs');
const { pathInRoot } = require('./project.cjs');

exports.nodeOptions = () => [];

const OUTCOMES = { passed: 'passed', failed: 'failed' };

function takeOver(words) {
  const own = createRequire(path.join(process.cwd(), 'package.json'));
  const ours = ['--runInBand', '--ci', '--coverage=false', '--watch=false', '--watchAll=false', '--bail=0', '--passWithNoTests=false'];
  ours.push(`--runner=${path.join(__dirname, 'jest_runner.cjs')}`);
  return new Promise((resolve, reject) => {
    process[Symbol.for('autoheal.jest')] = resolve;
    const jest = own('jest');
    // Each package finds what it needs itself.
    const inside = ['jest', '@jest/core', 'jest-config'].reduce((from, name) => createRequire(from.resolve(name)), own);
    exports.Runner = inside('jest-runner').default || inside('jest-runner');
    jest.run([...words, ...ours]).then(() => reject(new Error('jest found no tests')), reject);
  });
}

exports.prepare = async function prepare(words) {
  return new Suite(await takeOver(words));
};

class Suite {
  constructor({ globalConfig, context, tests }) {
    Object.assign(this, { globalConfig, context, tests });
  }

  /** How many tests each file has is not known before they run. */
  async list() {
    return Object.fromEntries(this.tests.map((test) => [pathInRoot(test.path), 1]));
  }

  /** Gives how long loading computed at most, in seconds: each file is loaded by itself, and its tests run at once. */
  async run({ files, only, timeout, began, ended, fileEnded }) {
    const wanted = this.tests.filter((test) => !files || files.includes(pathInRoot(test.path)));
    const config = { ...this.globalConfig, bail: 0, silent: true, verbose: false, collectCoverage: false };
    if (timeout) config.testTimeout = Math.min(timeout, config.testTimeout || 5000);
    let load = 0;
    for (const test of wanted) {
      const ids = only && only.filter((id) => fileOf(id) === pathInRoot(test.path));
      if (ids && ids.length === 0) continue;
      if (began) {
        await this.watch(config, test, ids, { began, ended });
        continue;
      }
      const before = process.cpuUsage();
      const result = await runFile({ ...config, testNamePattern: patternOf(ids) }, this.context, test);
      load = Math.max(load, loadingOf(result, process.cpuUsage(before)));
      if (tellFile(test, result, new Set(only), { ended, fileEnded })) break;
    }
    return { load };
  }

  /** Runs these tests of a file, and says when each begins and has ended. */
  async watch(config, test, ids, { began, ended }) {
    const events = watchEvents(test, { began, ended });
    await runFile({ ...config, testNamePattern: patternOf(ids) }, this.context, test);
    if (events.end() > 0) return;
    // What ran the tests before jest 27 says nothing of each: each is run alone.
    for (const id of ids) {
      began();
      await runFile({ ...config, testNamePattern: patternOf([id]) }, this.context, test);
      ended(id);
    }
  }
}

/** What was not computed by tests, in seconds. */
function loadingOf(result, { user, system }) {
  if (result === null || !result.testResults) return 0;
  const testing = result.testResults.reduce((sum, one) => sum + (one.duration || 0), 0);
  return Math.max(0, (user + system) / 1e6 - testing / 1000);
}

/** What jest tells of a file; null: it could not be run. */
async function runFile(config, context, test) {
  const watcher = { isInterrupted: () => false, isWatchMode: () => false, on() {} };
  const runner = new exports.Runner(config, context);
  let result = null;
  const take = (_, given) => (result = given);
  if (runner.runTests.length > 3) {
    // Before jest 28.
    await runner.runTests([test], watcher, () => {}, take, () => {}, { serial: true });
  } else {
    runner.on('test-file-success', ([, given]) => take(null, given));
    await runner.runTests([test], watcher, { serial: true });
  }
  return result;
}

/** Tells what the tests of a file did; whether that is enough. */
function tellFile(test, result, only, { ended, fileEnded }) {
  const whole = idOf(test.path, []);
  if (result === null || result.testExecError || (result.failureMessage && result.testResults.length === 0)) {
    return ended(whole, 'failed', 0);
  }
  if (fileEnded) fileEnded(whole);
  const numbered = new Numbered();
  let isStopped = false;
  for (const one of result.testResults) {
    const id = numbered.next(idOf(test.path, [...one.ancestorTitles, one.title]));
    if (only.size > 0 && !only.has(id)) continue;
    isStopped = ended(id, OUTCOMES[one.status] || 'skipped', (one.duration || 0) / 1000) || isStopped;
  }
  return isStopped;
}

/**
 * A pattern for the names of these tests, and few others: ids have lost their brackets, and titles hold what they like. Empty: all.
 */
function patternOf(ids) {
  if (!ids || ids.some((id) => !id.includes('::') || id.endsWith('::') || id.includes('\n[...]\n'))) return '';
  const names = ids.map((id) => {
    const titles = id.slice(id.indexOf('::') + 2).replace(/ #\d+$/, '');
    return titles.replace(/[^a-zA-Z0-9 _]/g, '[^]').replaceAll(' [^] ', '(?: | [^] )');
  });
  return `^(?:${names.join('|')})`;
}

/** Hears of each test when it begins and ends, at that very moment. */
function watchEvents(test, { began, ended }) {
  const module = require(test.context.config.testEnvironment);
  const { prototype } = module.TestEnvironment || module.default || module;
  const own = Object.getOwnPropertyDescriptor(prototype, 'handleTestEvent');
  const { handleTestEvent } = prototype;
  const numbered = new Numbered();
  let heard = 0;
  prototype.handleTestEvent = function (event, state) {
    if (event.name === 'test_start') began();
    if (event.name === 'test_done' || event.name === 'test_skip' || event.name === 'test_todo') {
      heard += 1;
      const id = numbered.next(idOf(test.path, titlesOf(event.test)));
      if (event.name === 'test_done') ended(id);
    }
    return handleTestEvent ? handleTestEvent.call(this, event, state) : undefined;
  };
  return {
    /** Stops, and gives how many were heard of. */
    end() {
      if (own) Object.defineProperty(prototype, 'handleTestEvent', own);
      else delete prototype.handleTestEvent;
      return heard;
    },
  };
}

function titlesOf(test) {
  const titles = [];
  // The outermost block has a name of its own.
  for (let at = test; at && at.parent; at = at.parent) titles.unshift(at.name);
  return titles;
}
