'use strict';
// What a worker does with its tests.

const PASSED = 'passed';

/** Tells what each test does. */
async function allOutcomes(suite, job, tell) {
  const { load } = await suite.run({
    files: job.files,
    ended(id, outcome, seconds) {
      tell({ job: job.id, said: { test: id, outcome, seconds } });
      return false;
    },
  });
  return { complete: true, load };
}

/**
 * Runs the tests that have to pass until one does not. `only`: ids, others are not run; null: all are.
 *
 * A test that is skipped or does not run any more is no better than one that fails.
 */
async function attempt(suite, job, tell) {
  const first = new Set(job.first);
  const passing = new Set(job.passing);
  const others = new Set(job.rest);
  const passed = new Set();
  let outcome = null;
  await suite.run({
    files: job.files,
    only: job.only,
    timeout: job.timeout,
    loaded: () => tell({ job: job.id, loaded: true }),
    // A file that could not be loaded at all is a test of its own.
    fileEnded: (id) => void passed.add(id),
    ended(id, end) {
      if (end === PASSED) passed.add(id);
      else if (first.has(id)) outcome = 'failed';
      // What is known of no test before is a hook that fails now, or a test that was not there.
      else if (outcome === null && (passing.has(id) || (end === 'failed' && !others.has(id)))) outcome = 'broke';
      return outcome !== null;
    },
  });
  if (outcome !== null) return { outcome };
  if (job.first.some((id) => !passed.has(id))) return { outcome: 'failed' };
  if (job.passing.some((id) => !passed.has(id))) return { outcome: 'broke' };
  return { outcome: 'passed', still: job.rest.filter((id) => !passed.has(id)) };
}

module.exports = { allOutcomes, attempt };
