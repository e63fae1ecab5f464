// Writes what every test did, one JSON object a line, in the form of mocha_reporter.cjs. Vitest 1 to 4.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

function told(error, depth) {
  if (!error || typeof error !== 'object') return String(error);
  const head = `${error.name || 'Error'}: ${error.message || ''}`;
  const stack = String(error.stack || error.stackStr || '');
  const place = error.loc && (error.id || error.loc.file)
    ? `\n${error.id || error.loc.file}:${error.loc.line}:${error.loc.column}` : '';
  const text = stack.includes(String(error.message || '')) ? stack : `${head}\n${stack}`;
  const cause = depth < 4 && error.cause ? `\nCaused by: ${told(error.cause, depth + 1)}` : '';
  return `${text}${place}${error.frame ? `\n${error.frame}` : ''}${cause}`;
}

const write = (entry) => fs.appendFileSync(process.env.AUTOHEAL_REPORT, `${JSON.stringify(entry)}\n`);

function walk(task, file, path) {
  const here = task === file ? path : [...path, task.name];
  const result = task.result || {};
  const errors = (result.errors || []).map((error) => told(error, 0)).join('\n');
  const entry = (outcome) => write({ file: file.filepath, path: here, outcome, millis: result.duration || 0, error: errors });
  if (task.type === 'test' || task.type === 'custom') {
    if (result.state === 'pass') entry('passed');
    else if (result.state === 'fail') entry('failed');
    else entry('skipped');
    return;
  }
  // The errors of a file or a suite are those of its loading and its hooks: its tests did not run.
  if (errors !== '') entry('not_loaded');
  for (const inner of task.tasks || []) walk(inner, file, here);
}

function finish(files, errors) {
  for (const file of files) walk(file, file, []);
  for (const error of errors || []) {
    write({ file: null, path: ['unhandled error'], outcome: 'not_loaded', millis: 0, error: told(error, 0) });
  }
  write({ end: true });
}

// What ends tests that hang is loaded before each file of them.
const LIMIT = fileURLToPath(new URL('./autoheal_hang/vitest.mjs', import.meta.url));

function limitTests(vitest) {
  if (!process.env.AUTOHEAL_ONE_TEST_SECONDS) return;
  process.env.AUTOHEAL_VITEST = path.dirname(createRequire(path.join(vitest.config.root, 'package.json')).resolve('vitest/package.json'));
  for (const project of new Set([vitest, ...(vitest.projects || [])])) {
    project.config.setupFiles = [LIMIT, ...[].concat(project.config.setupFiles || [])];
    // A file outside of the project is read for tests of browsers only when that is allowed.
    (project.vite || project.server).config.server.fs.allow.push(path.dirname(LIMIT));
  }
}

export default class Reporter {
  onInit(vitest) {
    try {
      limitTests(vitest);
    } catch {
      // Tests that hang are left to the time limit of the suite.
    }
  }

  onFinished(files, errors) {
    if (!this.isDone) finish(files || [], errors);
    this.isDone = true;
  }

  onTestRunEnd(modules, errors) {
    if (!this.isDone) finish(modules.map((module) => module.task), errors);
    this.isDone = true;
  }
}
