// Runs in the thread of the tests, before each file of them: which lines each test runs goes along with what became of it.
import { createRequire } from 'node:module';
import { afterEach, beforeEach } from 'vitest';

const WATCH = Symbol.for('autoheal.watch');

if (globalThis[WATCH] === undefined) {
  const { Watch } = createRequire(import.meta.url)('./coverage.cjs');
  Object.defineProperty(globalThis, WATCH, { value: new Watch(), enumerable: false });
}

const watch = globalThis[WATCH];

beforeEach(() => {
  watch.take();
});

afterEach(({ task }) => {
  task.meta.lines = watch.take();
});
