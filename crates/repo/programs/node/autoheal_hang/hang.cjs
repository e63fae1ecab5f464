'use strict';
// Ends a test that computes without end: it costs its own result, and not those of all others. The variable and the rules are those of
// Python's (autoheal_hang.py). A test that waits for something has the time limit of its runner; what computes after it has waited is left to
// the time limit of the suite.
//
// Loaded before anything else in every Node that runs tests of jest or `node --test` (`--require`): it changes what these call their tests with.
// Mocha's and vitest's tests are given their limit by our reporters.
const Module = require('module');
const { AsyncResource } = require('async_hooks');
const vm = require('vm');

const PATIENCE = 20;
const SHORTEST = 1000;

// How long a test may compute, in milliseconds; whoever runs tests may say less.
const limit = { most: 1000 * Number(process.env.AUTOHEAL_ONE_TEST_SECONDS || 0), slowest: 0 };

const LIMITED = Symbol('limited');

// What is to be called is taken at once: a test may run others.
let pending = null;
const KEY = Symbol.for('autoheal.hang');
Object.defineProperty(globalThis, KEY, {
  value: () => {
    const work = pending;
    pending = null;
    work();
  },
});
const script = new vm.Script("globalThis[Symbol.for('autoheal.hang')]()", { filename: __filename });

/** Calls a function, which may compute as long as the limit allows. */
function run(work) {
  let end = null;
  pending = () => {
    try {
      const value = work();
      end = () => value;
    } catch (error) {
      end = () => {
        throw error;
      };
    }
  };
  const timeout = Math.ceil(Math.max(limit.most, PATIENCE * limit.slowest));
  const began = process.hrtime.bigint();
  try {
    script.runInThisContext({ timeout, displayErrors: false });
  } catch (error) {
    if (!error || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    limit.most = Math.min(limit.most, SHORTEST);
    // The same words however long it was: it is the same failure.
    throw new Error('TestHangs: the test did not end');
  }
  limit.slowest = Math.max(limit.slowest, Number(process.hrtime.bigint() - began) / 1e6);
  return end();
}

/** The same function with the limit. What gives values one by one is left as it is. */
function limited(fn) {
  if (typeof fn !== 'function' || limit.most <= 0 || fn[LIMITED] || /Generator/.test(fn.constructor.name)) return fn;
  const own = function (...given) {
    return run(() => fn.apply(this, given));
  };
  // Runners look at how many parameters there are, and show the text.
  Object.defineProperties(own, { length: { value: fn.length }, name: { value: fn.name }, [LIMITED]: { value: true } });
  own.toString = () => fn.toString();
  return own;
}

/** Gives each test and hook of mocha's its limit, just before it is called. */
function limitMocha(runner) {
  for (const about of ['test', 'hook']) {
    runner.on(about, (called) => {
      called.fn = limited(called.fn);
    });
  }
}

function ofJest(real) {
  return function (globalConfig, config, environment, ...rest) {
    const { handleTestEvent } = environment;
    environment.handleTestEvent = function (event, state) {
      const called = { test_fn_start: event.test, hook_start: event.hook }[event.name];
      if (called) called.fn = limited(called.fn);
      return handleTestEvent ? handleTestEvent.call(this, event, state) : undefined;
    };
    return real.call(this, globalConfig, config, environment, ...rest);
  };
}

function install() {
  const { _load: load } = Module;
  Module._load = function (request, ...rest) {
    const loaded = load.call(this, request, ...rest);
    if (!/[\\/]jest-circus[\\/](?:build[\\/])?runner(?:\.js)?$/.test(request)) return loaded;
    if (typeof loaded === 'function') return ofJest(loaded);
    // What says that it is a module of its kind cannot be listed, and belongs to it.
    return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(loaded), default: { value: ofJest(loaded.default) } });
  };
  // Node's own runner calls its tests as what they are: a piece of work of their own.
  const { runInAsyncScope } = AsyncResource.prototype;
  AsyncResource.prototype.runInAsyncScope = function (fn, ...given) {
    const isTest = this.constructor.name === 'Test' && fn === this.fn;
    return runInAsyncScope.call(this, isTest ? limited(fn) : fn, ...given);
  };
}

if (limit.most > 0) install();

module.exports = { limited, limitMocha };
