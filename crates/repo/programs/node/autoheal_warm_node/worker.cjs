'use strict';
// Loads and runs tests as it is told, one job after the other.
//
// usage: node worker.cjs RUNNER JOBS ROOT [arguments of the test runner]
//
// Jobs come as lines of JSON at descriptor 3, what became of them goes as lines of JSON to descriptor 4: what the project prints
// and reads is none of ours. Between two jobs it waits without letting anything else run.
const fs = require('fs');

const REQUESTS = 3;
const ANSWERS = 4;
const { readSync, writeSync } = fs;
const later = setImmediate;
const after = setTimeout;

// In milliseconds.
const SOON = 10;

const changedText = require('./changed_text.cjs');

changedText.install();

const path = require('path');
const { RUNNER, ROOT, ARGUMENTS } = require('./project.cjs');
const outliving = require('./outliving.cjs');
const registry = require('./registry.cjs');
const { attempt, allOutcomes } = require('./jobs.cjs');

function tell(message) {
  const data = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < data.length; ) at += writeSync(ANSWERS, data, at);
}

let waiting = '';
function nextJob() {
  const piece = Buffer.alloc(1 << 16);
  while (!waiting.includes('\n')) {
    const length = readSync(REQUESTS, piece, 0, piece.length, null);
    if (length === 0) process.reallyExit(0);
    waiting += piece.toString('latin1', 0, length);
  }
  const at = waiting.indexOf('\n');
  const line = Buffer.from(waiting.slice(0, at), 'latin1').toString();
  waiting = waiting.slice(at + 1);
  return JSON.parse(line);
}

/** What was there after a run of the unchanged project, and what the next such run made different. */
let known = null;
let usually = null;

/** What was there before anything of the project but what prepares its tests. */
let pristine = null;

async function work(suite, job) {
  if (job.folder) process.env.TMPDIR = job.folder;
  const file = job.file ? path.join(ROOT, job.file) : null;
  const text = file === null ? null : changedText.edited(file, job.edits);
  changedText.set(file, text, job.number || 0);
  registry.forget();
  outliving.clear(pristine);
  registry.tellModules(file, text);
  if (job.do === 'list') return { files: await suite.list() };
  if (job.do === 'all') return allOutcomes(suite, job, tell);
  if (job.do === 'coverage') return require('./coverage.cjs').coverage(suite, job, tell);
  const became = await attempt(suite, job, tell);
  const wasRead = file === null || changedText.wasRead() || registry.wasReadByModules();
  // Tests that never saw the change say nothing about it.
  return { ...became, outcome: became.outcome === 'passed' && !wasRead ? 'failed' : became.outcome, wasRead };
}

/** What still has to be done at once is done, and whatever goes on after that is seen. */
const settle = () => new Promise((resolve) => later(() => later(resolve)));

/** What is left; null: nothing. What is about to end gets the time for it. */
async function left() {
  if (known === null || usually === null) return null;
  const found = outliving.difference(known, usually);
  if (found === null || !outliving.mayEnd(found)) return found;
  await new Promise((resolve) => after(resolve, SOON));
  return outliving.difference(known, usually);
}

async function serve(suite) {
  for (;;) {
    const job = nextJob();
    let became;
    try {
      became = await work(suite, job);
    } catch (error) {
      became = { error: String((error && error.message) || error).slice(0, 500) };
    }
    changedText.set(null, null, 0);
    await settle();
    if (job.isUnchanged) {
      usually = known === null ? null : outliving.usual(known);
      known = outliving.snapshot();
    }
    tell({ ...became, done: job.id, spoiled: await left() });
  }
}

async function main() {
  registry.install();
  const { AUTOHEAL_MODULES } = process.env;
  delete process.env.AUTOHEAL_FOLDER;
  delete process.env.AUTOHEAL_MODULES;
  if (AUTOHEAL_MODULES) registry.watchModules();
  const { prepare } = require(`./${RUNNER}.cjs`);
  const suite = await prepare(ARGUMENTS);
  tell({ prepared: true });
  pristine = outliving.snapshot();
  await serve(suite);
}

main().catch((error) => {
  tell({ failed: String((error && error.stack) || error).slice(0, 500) });
  process.reallyExit(1);
});
