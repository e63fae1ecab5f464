'use strict';
// Writes what every test did, one JSON object a line and at once: what a crash leaves behind can be read, and what tests print
// does not mix in. The same for every version of mocha.
const fs = require('fs');
const util = require('util');

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
  runner.on('pass', (test) => write(entry(test, 'passed')));
  runner.on('pending', (test) => write(entry(test, 'skipped')));
  runner.on('fail', (test, error) => {
    // A hook is no test: the tests that it stands before are not run, and not reported.
    write(entry(test, test.type === 'hook' ? 'not_loaded' : 'failed', error));
  });
  runner.on('end', () => write({ end: true }));
};
