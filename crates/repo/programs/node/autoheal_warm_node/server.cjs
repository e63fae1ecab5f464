'use strict';
// Reads requests, gives out work, and ends what takes too long.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { fileOf } = require('./identity.cjs');
const { Worker } = require('./process.cjs');
const { RUNNER, JOBS, ARGUMENTS } = require('./project.cjs');

// How many times as long as it may compute a process may take.
const PATIENCE = 5;

// How many times as long as the first time loading the tests may take, which is this long at least, in seconds.
const LOADING = 3;
const SHORTEST_LOADING = 1;

// Preparing a worker may take so many seconds at least.
const PREPARING = 30;

// How often is looked at what workers take, in milliseconds.
const LOOKING = 20;

// Names of modules that are given up are never given back.
const RENEWED = 400;

// After so many changes that no test has read none is expected to.
const UNREAD = 20;

// Waited upon, never woken.
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

// How often the preparing of a worker may fail without one that succeeds.
const FAILURES = 3;

class Server {
  constructor() {
    this.waiting = [];
    this.workers = new Set();
    this.plan = null;
    this.plans = 0;
    this.failures = 0;
    this.numbers = 0;
    this.load = SHORTEST_LOADING;
    this.options = [];
    // Whether tests run in processes that workers begin: they leave nothing behind in a worker.
    this.isApart = false;
    this.environment = {};
    // Test files without a test: they prepare others.
    this.helpers = [];
    this.isListed = false;
    // How long each test took in the unchanged project, in seconds.
    this.took = new Map();
    // How many changes no test has read; null: one was.
    this.unread = 0;
  }

  answer(message) {
    const line = Buffer.from(`${JSON.stringify(message)}\n`);
    // A pipe takes no more than it has room for.
    for (let at = 0; at < line.length;) {
      try {
        at += fs.writeSync(1, line, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        Atomics.wait(PAUSE, 0, 0, 1);
      }
    }
  }

  broken(why) {
    this.answer({ is: 'broken', why: String(why).slice(0, 500) });
    this.end(1);
  }

  serve() {
    process.on('exit', () => this.endWorkers());
    try {
      const { nodeOptions, isApart = false } = require(`./${RUNNER}.cjs`);
      this.options = nodeOptions(ARGUMENTS);
      this.isApart = isApart;
    } catch (error) {
      return this.broken(`the test runner is not to be found: ${error.message}`);
    }
    if (this.hasModules()) this.environment.AUTOHEAL_MODULES = '1';
    this.waiting.push({ do: 'list' });
    let buffer = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (data) => {
      const lines = (buffer + data).split('\n');
      buffer = lines.pop();
      for (const line of lines) this.take(JSON.parse(line));
      this.giveOut();
    });
    process.stdin.on('end', () => this.end(0));
    setInterval(() => this.look(), LOOKING);
    this.giveOut();
  }

  /** Whether modules that are not CommonJS have to be watched from the beginning. */
  hasModules() {
    // The others load modules by means of their own.
    if (RUNNER !== 'mocha') return false;
    const registry = require('./registry.cjs');
    const isLoader = (option) => /^--(?:experimental-)?(?:import|loader)\b/.test(option);
    const words = [...this.options, ...ARGUMENTS, ...(process.env.NODE_OPTIONS || '').split(' ')];
    const isNamed = words.some((word) => isLoader(word) || /\.m[jt]s$/.test(word));
    return isNamed || registry.isModule(path.join(process.cwd(), 'index.js'));
  }

  take(request) {
    if (request.do !== 'plan') {
      this.waiting.push(request);
      return;
    }
    const tests = JSON.stringify([request.first, request.rest, request.passing]);
    if (this.plan !== null && this.plan.tests === tests) {
      // The same with other limits: what workers know of these tests is true still.
      Object.assign(this.plan, { seconds: request.seconds, rest_seconds: request.rest_seconds });
      return;
    }
    this.plans += 1;
    const files = new Set(request.first.map(fileOf));
    this.plan = {
      ...request,
      tests,
      number: this.plans,
      files: [...files, ...this.helpers],
      taught: [...files],
      // What takes longer than a try may teaches nothing that is worth the time, above all where it never ends.
      teachers: request.first.filter((id) => !(this.took.get(id) > request.seconds)),
      // Whether a worker may be used again for this plan.
      isKept: true,
    };
  }

  /** As much work as there is room for. */
  giveOut() {
    while (this.waiting.length > 0 && this.hasRoomFor(this.waiting[0])) {
      const job = this.waiting[0];
      const worker = this.workerFor(job);
      if (worker === null) return;
      if (this.needsTeaching(worker, job)) {
        this.teach(worker);
        continue;
      }
      this.waiting.shift();
      this.begin(worker, job);
    }
    // The next that has to be a new one is there when it is needed.
    if (this.isListed && this.workers.size <= JOBS && ![...this.workers].some((worker) => worker.used === 0)) this.start();
  }

  busy() {
    return [...this.workers].filter((worker) => worker.job !== null);
  }

  hasRoomFor(job) {
    const busy = this.busy();
    const isAlone = job.alone || busy.some((worker) => worker.job.alone);
    return isAlone ? busy.length === 0 : busy.length < JOBS;
  }

  /** Whether a piece of work needs a worker that has had none: what is seen in one that was used may be what that left behind. */
  needsNew(job) {
    return job.do === 'all' || job.do === 'coverage' || (job.do === 'try' && (job.stage === 'confirm' || !this.plan.isKept));
  }

  /** A worker that is free for it; null: not yet. */
  workerFor(job) {
    const free = [...this.workers].filter((worker) => worker.isPrepared && worker.job === null);
    const needsNew = this.needsNew(job);
    const fitting = free.filter((worker) => !needsNew || worker.used === 0);
    fitting.sort((left, right) => right.used - left.used);
    if (fitting.length > 0) return fitting[0];
    const isComing = [...this.workers].some((worker) => !worker.isPrepared);
    if (isComing) return null;
    if (this.workers.size > JOBS) free.sort((left, right) => right.used - left.used)[0]?.end();
    this.start();
    return null;
  }

  start() {
    const worker = new Worker(this.options, this.environment, {
      hear: (from, message) => this.hear(from, message),
      gone: (from) => this.lose(from),
    });
    this.workers.add(worker);
  }

  /** Whether a worker has to know first what the unchanged project leaves behind in it. */
  needsTeaching(worker, job) {
    if (this.isApart || job.do !== 'try' || job.stage === 'confirm') return false;
    return this.plan.isKept && worker.knows !== this.plan.number;
  }

  /** Has a worker run the unchanged project until it knows what that leaves behind. */
  teach(worker) {
    const { first, passing, rest, number, taught, teachers } = this.plan;
    const inFiles = passing.filter((id) => taught.includes(fileOf(id)));
    const job = { do: 'try', stage: 'unchanged', isUnchanged: true, teaches: number, first: [], passing: inFiles, rest: [...first, ...rest] };
    this.begin(worker, { ...job, files: this.plan.files, only: [...teachers, ...inFiles] });
  }

  begin(worker, job) {
    this.numbers += 1;
    const work = { ...job, id: this.numbers, folder: fs.mkdtempSync(path.join(os.tmpdir(), 'autoheal-')) };
    if (job.do === 'try') {
      const { first, rest, passing, files, seconds } = this.plan;
      if (job.stage === undefined) Object.assign(work, { stage: 'first', first, only: first, files, passing: [], rest: [], timeout: 1000 * PATIENCE * seconds });
      if (work.stage === 'confirm') Object.assign(work, { first, passing, rest });
    }
    const needed = work.stage === 'first' ? this.plan.seconds : work.do === 'try' ? this.plan.rest_seconds : job.seconds || 60;
    // A try may wait for something; what is done once has its time and no more.
    const time = needed + LOADING * this.load;
    worker.give(work, { processor: time, wall: job.do === 'try' ? PATIENCE * time : time });
    worker.said = [];
  }

  hear(worker, message) {
    if (message.prepared === true) {
      worker.isPrepared = true;
      this.failures = 0;
      return this.giveOut();
    }
    if (typeof message.failed === 'string') {
      worker.why = message.failed;
      return worker.end();
    }
    const job = worker.job;
    // What comes when nothing was asked was said by somebody else.
    if (job === null) return worker.end();
    if (message.job === job.id && message.said !== undefined) worker.said.push(message.said);
    if (message.job === job.id && message.loaded && job.stage === 'first') {
      worker.allow({ processor: this.plan.seconds, wall: PATIENCE * this.plan.seconds });
    }
    if (message.done === job.id) this.finish(worker, message);
  }

  lose(worker) {
    this.workers.delete(worker);
    if (!worker.isPrepared) {
      this.failures += 1;
      const why = worker.why || 'the test runner ended before it had loaded the tests';
      if (this.failures >= FAILURES || this.plan === null) return this.broken(why);
    }
    if (worker.job !== null) this.finish(worker, { outcome: worker.how || 'died', complete: false });
    else this.giveOut();
  }

  look() {
    // One that waits for what another holds would never be prepared.
    const latest = Date.now() - 1000 * Math.max(PREPARING, PATIENCE * LOADING * this.load);
    for (const worker of this.workers) if (!worker.isPrepared && worker.since < latest) worker.end();
    for (const worker of this.busy()) {
      const excess = worker.excess();
      if (excess === null) continue;
      worker.how = excess;
      worker.end();
    }
  }

  /** A piece of work has ended, and its worker is free or gone. */
  finish(worker, became) {
    const job = worker.job;
    worker.job = null;
    fs.rmSync(job.folder, { recursive: true, force: true });
    if (job.do !== 'list' && (became.spoiled || worker.used >= RENEWED)) worker.end();
    if (job.do === 'list') this.listed(worker, became);
    else if (job.do === 'all') this.observed(worker, became);
    else if (job.do === 'coverage') this.answer({ is: 'coverage', tests: worker.said });
    else if (job.stage === 'unchanged') this.taught(worker, job, became);
    else this.tried(job, became);
    this.giveOut();
  }

  listed(worker, became) {
    if (became.files === undefined) {
      return this.broken(became.error === undefined ? 'the test runner ended while the tests were loaded' : `loading the tests failed: ${became.error}`);
    }
    // Processes that listing began may have run all tests.
    const used = worker.usage();
    if (used !== null && worker.began !== null) this.load = Math.max(SHORTEST_LOADING / LOADING, used.own - worker.began.own);
    const counts = Object.entries(became.files);
    this.isListed = true;
    this.helpers = counts.filter(([, count]) => count === 0).map(([file]) => file);
    this.answer({ is: 'ready', tests: counts.reduce((sum, [, count]) => sum + count, 0) });
  }

  observed(worker, { complete, load }) {
    if (typeof load === 'number') this.load = Math.max(this.load, load);
    for (const { test, seconds } of worker.said) this.took.set(test, seconds);
    this.answer({ is: 'all', tests: worker.said, complete: complete === true });
  }

  /** What the unchanged project does in a worker that was used is what it did in one that was not, or workers are not used again. */
  taught(worker, job, became) {
    if (job.teaches !== this.plan.number) return;
    if (became.outcome === 'passed') {
      // Twice: the second time shows what each run leaves behind.
      if (worker.learnt === this.plan.number) worker.knows = this.plan.number;
      worker.learnt = this.plan.number;
    } else if (this.plan.files !== null) {
      // Its tests need other files than those that they stand in.
      this.plan.files = null;
    } else {
      this.plan.isKept = false;
    }
  }

  tried(job, became) {
    if (became.wasRead === true) this.unread = null;
    if (became.wasRead === false && this.unread !== null && ++this.unread >= UNREAD) {
      return this.broken('the tests read none of the files that are changed: they are compiled first, or run elsewhere');
    }
    // Before a hook that failed no test was run, and others were not asked for.
    const outcome = job.stage === 'first' && became.outcome === 'broke' ? 'failed' : became.outcome;
    if (outcome === 'passed' && job.stage === 'first') {
      this.waiting.unshift({ ...request(job), stage: 'confirm', files: null, only: null });
    } else if (outcome === 'broke' && !job.alone) {
      // Two tests of two processes may have met: in a folder, at a port.
      this.waiting.unshift({ ...request(job), stage: 'confirm', files: null, only: null, alone: true });
    } else {
      const still = outcome === 'passed' ? became.still : [];
      // What could not load the tests at all says nothing but why.
      this.answer({ is: 'tried', number: job.number, outcome: outcome || 'failed', way: 'patched', still });
    }
  }

  endWorkers() {
    for (const worker of this.workers) {
      worker.gone = () => {};
      worker.end();
      if (worker.job !== null) fs.rmSync(worker.job.folder, { recursive: true, force: true });
    }
  }

  end(status) {
    this.endWorkers();
    process.exit(status);
  }
}

function request({ number, file, edits }) {
  return { do: 'try', number, file, edits };
}

module.exports = { Server };
