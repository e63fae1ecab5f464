'use strict';
// A worker as the server sees it: a process group of its own that is ended when it takes too much.
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { RUNNER, JOBS, ARGUMENTS } = require('./project.cjs');

// The unit in which the system counts time on a processor, in seconds; the same everywhere.
const TICK = 0.01;

/** What a changed program may take beyond what the worker took when it began, in bytes. */
const MEMORY = 1 << 30;

// More is no answer.
const LONGEST_LINE = 1 << 26;

class Worker {
  /** `hear` gets each message, `gone` is called once when it has ended. */
  constructor(options, environment, { hear, gone }) {
    const words = [...options, path.join(__dirname, 'worker.cjs'), RUNNER, String(JOBS), process.argv[4], ...ARGUMENTS];
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'autoheal-'));
    this.child = spawn(process.execPath, words, {
      detached: true,
      env: { ...process.env, ...environment, AUTOHEAL_FOLDER: this.folder },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.isPrepared = false;
    this.since = Date.now();
    this.hasEnded = false;
    this.job = null;
    // How many jobs it has had: what it holds may come from them.
    this.used = 0;
    // For which plan it has run the unchanged project.
    this.knows = null;
    // For which plan it has done so once: what each run leaves behind shows the second time.
    this.learnt = null;
    this.gone = gone;
    let buffer = '';
    const [, , , requests, answers] = this.child.stdio;
    this.requests = requests;
    requests.on('error', () => this.end());
    answers.on('error', () => this.end());
    answers.setEncoding('utf8');
    answers.on('data', (data) => {
      const lines = (buffer + data).split('\n');
      buffer = lines.pop();
      for (const line of lines) {
        const message = read(line);
        if (message === null) return this.end();
        if (!this.hasEnded) hear(this, message);
      }
      if (buffer.length > LONGEST_LINE) this.end();
    });
    answers.on('close', () => this.end());
    this.child.on('error', () => this.end());
    this.child.on('exit', () => this.end());
  }

  give(job, allowance) {
    this.job = job;
    this.used += 1;
    this.began = this.usage();
    this.limit = { ...allowance, until: Date.now() + 1000 * allowance.wall };
    this.requests.write(`${JSON.stringify(job)}\n`);
  }

  /** From now on it may take this much more, whatever it took before. */
  allow(allowance) {
    const { memory } = this.began;
    this.began = { ...this.usage(), memory };
    this.limit = { ...allowance, until: Date.now() + 1000 * allowance.wall };
  }

  /** What it has taken, as `usageOf` gives it. */
  usage() {
    return usageOf(this.child.pid);
  }

  /** How it has passed its limits: `timeout`, `died`; null: it has not. */
  excess() {
    if (Date.now() >= this.limit.until) return 'timeout';
    const now = this.usage();
    if (now === null || this.began === null) return null;
    if (now.processor - this.began.processor > this.limit.processor) return 'died';
    // What is not a try is the unchanged project, which may take what it takes.
    return this.job.do === 'try' && now.memory - this.began.memory > MEMORY ? 'died' : null;
  }

  end() {
    if (this.hasEnded) return;
    this.hasEnded = true;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // It has never begun, or is gone.
    }
    fs.rmSync(this.folder, { recursive: true, force: true });
    this.gone(this);
  }
}

/**
 * What a process has taken: seconds on a processor, `own` and with the processes that it began, and bytes of memory of all of them; null where
 * the system does not tell.
 */
function usageOf(pid) {
  const own = usageOfOne(pid);
  if (own === null) return null;
  const begun = childrenOf(pid).map(usageOf).filter((usage) => usage !== null);
  const sum = (name, first) => begun.reduce((total, usage) => total + usage[name], first);
  return { own: own.processor, processor: sum('processor', own.processor + own.ended), memory: sum('memory', own.memory) };
}

/** The same of one process alone; `ended`: seconds of the processes that it began and that have ended. */
function usageOfOne(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const seconds = (at) => (Number(fields[at]) + Number(fields[at + 1])) * TICK;
    return { processor: seconds(11), ended: seconds(13), memory: resident(pid) };
  } catch {
    return null;
  }
}

/** The processes that a process has begun, by their numbers. */
function childrenOf(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

/** Bytes of memory that a process has. */
function resident(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1')) || [];
  return 1024 * Number(kilobytes || 0);
}

/** A message; null: something else writes to where messages come from. */
function read(line) {
  try {
    const message = JSON.parse(line);
    return message !== null && typeof message === 'object' ? message : null;
  } catch {
    return null;
  }
}

module.exports = { Worker, usageOf };
