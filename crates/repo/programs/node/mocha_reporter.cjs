'use strict';
// Writes what every test did, one JSON object a line and at once: what a crash leaves behind can be read, and what tests print
// does not mix in. The same for every version of mocha.
const fs = require('fs');
const util = require('util');
const { limitMocha } = require('./autoheal_hang/hang.cjs');

// How long the process may go on after the tests, in milliseconds.
const LONGEST_END = 60_000;
const SHORTEST_END = 2_000;

function told(error, depth) {
  if (!(error instanceof Error) && !(error && typeof error === 'object' && 'stack' in error)) {
    return util.inspect(error);
  }
  const head = String(error.name || 'Error') + ': ' + String(error.message || '');
  let stack = String(error.stack || '');
  if (!stack.includes(String(error.message || ''))) stack = head + '\n' + stack;
  const cause = depth < 4 && error.cause ? '\nCaused by: ' + told(error.cause, depth + 1) : '';
  return (stack || head) + cause;
}

// After tests that failed, what they began may keep the process; after tests that passed, the same would keep CI.
function endSoon(failures, write) {
  const lingering = setTimeout(() => {
    const error = 'Error: TestHangs: the tests have ended, and the process has not: something that they began goes on';
    if (failures === 0) write({ file: null, path: ['the end of the test run'], outcome: 'failed', millis: LONGEST_END, error });
    process.exit(Math.min(failures, 255) || 1);
  }, failures === 0 ? LONGEST_END : SHORTEST_END);
  // It waits only as long as something else does.
  lingering.unref();
}

// Turns the order of everything round.
function reverse(suite) {
  suite.tests.reverse();
  suite.suites.reverse();
  suite.suites.forEach(reverse);
}

module.exports = function Reporter(runner) {
  if (process.env.AUTOHEAL_ORDER === 'reversed') reverse(runner.suite);
  const write = (entry) => fs.appendFileSync(process.env.AUTOHEAL_REPORT, JSON.stringify(entry) + '\n');
  const entry = (test, outcome, error) => ({
    file: test.file || (test.parent && test.parent.file) || null,
    path: typeof test.titlePath === 'function' ? test.titlePath() : [test.fullTitle()],
    outcome,
    millis: test.duration || 0,
    error: error === undefined ? '' : told(error, 0),
  });
  limitMocha(runner);
  runner.on('pass', (test) => write(entry(test, 'passed')));
  runner.on('pending', (test) => write(entry(test, 'skipped')));
  runner.on('fail', (test, error) => {
    // A hook is no test: the tests that it stands before are not run, and not reported.
    write(entry(test, test.type === 'hook' ? 'not_loaded' : 'failed', error));
  });
  runner.on('end', () => {
    write({ end: true });
    endSoon(runner.failures, write);
  });
};
