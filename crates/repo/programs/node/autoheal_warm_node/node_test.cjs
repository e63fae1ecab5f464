'use strict';
// Node's own runner: it keeps one account of tests for each process, so that every file of tests runs in a process of its own, as it does under
// `node --test`. What is kept is which files there are.
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { idOf, fileOf, Numbered } = require('./identity.cjs');
const { pathInRoot, ROOT } = require('./project.cjs');
const { usageOf } = require('./process.cjs');
const changedText = require('./changed_text.cjs');

exports.nodeOptions = () => [];

exports.isApart = true;

const LOADED = path.join(__dirname, 'node_test_process.cjs');

// Beside the programs of this folder, as for every command.
const REPORTER = path.join(__dirname, '..', 'node_test_reporter.mjs');

/** `words`: Node's options, `--`, and the files and folders of tests. */
exports.prepare = async function prepare(words) {
  const end = words.indexOf('--');
  return new Suite(words.slice(0, end), words.slice(end + 1));
};

class Suite {
  constructor(options, named) {
    this.options = options;
    this.named = named;
    this.files = null;
  }

  /** How many tests each file has, by its name relative to the project. */
  async list() {
    const { entries } = await this.start(['--test', ...this.named]);
    const counts = {};
    for (const { file } of entries) {
      const name = file && pathInRoot(file);
      if (name) counts[name] = (counts[name] || 0) + 1;
    }
    this.files = Object.keys(counts).sort();
    return counts;
  }

  /** Gives how long loading computed at most, in seconds: each file is loaded by itself, and its tests run at once. */
  async run({ files, only, began, ended, fileEnded }) {
    // The server has listed them, and says which; only what needs all of them asks again.
    if (!files && this.files === null) await this.list();
    let load = 0;
    const known = new Set(only);
    for (const name of files || this.files) {
      const ids = only && only.filter((id) => fileOf(id) === name);
      if (ids && ids.length === 0) continue;
      if (began) {
        await this.watch(name, ids, { began, ended });
        continue;
      }
      const file = path.join(ROOT, name);
      const before = computed();
      const result = await this.start([file]);
      const testing = result.entries.reduce((sum, { millis }) => sum + millis / 1000, 0);
      load = Math.max(load, computed() - before - testing);
      if (tellFile(file, result, known, { ended, fileEnded })) break;
    }
    return { load };
  }

  /** Runs these tests of a file, each in a process of its own, and says which lines it ran. */
  async watch(name, ids, { began, ended }) {
    for (const id of ids) {
      const title = id.slice(id.indexOf('::') + 2).replace(/ #\d+$/, '').split(' > ').pop();
      const pattern = `^${title.replace(/[^a-zA-Z0-9_ ]/g, '.')}$`;
      began();
      const words = [`--test-name-pattern=${pattern}`, path.join(ROOT, name)];
      const { lines } = await this.start(words, true);
      ended(id, null, 0, lines);
    }
  }

  /** Runs a process to its end. It may take what the worker may. */
  async start(words, isWatched = false) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'autoheal-'));
    const report = path.join(folder, 'report');
    const file = changedText.file();
    // The text may be longer than a variable of the environment.
    if (file !== null) fs.writeFileSync(path.join(folder, 'text'), changedText.textOf(file));
    const job = { file, number: 0, folder, isWatched };
    const isRunner = words.includes('--test');
    const own = isRunner ? [] : ['--require', LOADED];
    const line = [...this.options, ...own, `--test-reporter=${REPORTER}`, `--test-reporter-destination=${report}`];
    const env = { ...process.env, AUTOHEAL_PROJECT: JSON.stringify(process.argv.slice(2)), AUTOHEAL_TEST: JSON.stringify(job) };
    try {
      const status = await ended(spawn(process.execPath, [...line, ...words], { env, stdio: 'ignore' }));
      const read = (name) => (fs.existsSync(path.join(folder, name)) ? fs.readFileSync(path.join(folder, name), 'utf8') : '');
      if (read('read') !== '') changedText.noteRead();
      const entries = read('report').split('\n').filter(Boolean).map((entry) => JSON.parse(entry));
      return { status, entries: entries.filter((entry) => !entry.end), isWhole: entries.some((entry) => entry.end), lines: JSON.parse(read('lines') || '{}') };
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Seconds on a processor of this process and of those that it began. */
const computed = () => (usageOf(process.pid) || { processor: 0 }).processor;

/** Waits for a process. Gives its exit code; null: it was ended. */
const ended = (child) =>
  new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('exit', resolve);
  });

const isWell = (outcome) => outcome === 'passed' || outcome === 'skipped';

/** Tells what the tests of a file did; whether that is enough. */
function tellFile(file, { status, entries, isWhole }, only, { ended, fileEnded }) {
  const whole = idOf(file, []);
  const isBroken = !isWhole || (status !== 0 && entries.every((entry) => isWell(entry.outcome)));
  if (isBroken || entries.length === 0) return ended(whole, 'failed', 0);
  if (fileEnded) fileEnded(whole);
  const numbered = new Numbered();
  let isStopped = false;
  for (const { path: titles, outcome, millis } of entries) {
    const id = numbered.next(idOf(file, titles));
    if (only.size > 0 && !only.has(id)) continue;
    isStopped = ended(id, isWell(outcome) ? outcome : 'failed', millis / 1000) || isStopped;
  }
  return isStopped;
}
