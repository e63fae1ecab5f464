'use strict';
// Runs before the tests do, in every Node of theirs: notes on what they depend that changes from run to run, and holds it still or
// makes it another. The variables are those of Python's (autoheal_vary/sitecustomize.py).
const crypto = require('crypto');
const dns = require('dns');
const fs = require('fs');
const net = require('net');
const vm = require('vm');

const { AUTOHEAL_TREE: TREE = '', AUTOHEAL_TOUCHED: TOUCHED, AUTOHEAL_CLOCK, AUTOHEAL_SEED, AUTOHEAL_THREADS: THREADS } = process.env;

// Who asks is found out so many times for each thing: a runner asks for the time often.
const MOST_LOOKS = 3000;
// No longer wait than this is changed: it is a limit and no rhythm.
const LONGEST = 1000;

const noted = new Map();

// Whether one of the callers nearest to ours is the repository's own.
function isAskedByTests(nearest) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 12;
  const stack = String(new Error().stack).split('\n').slice(1).filter((line) => !line.includes(__filename) && !line.includes('node:internal'));
  Error.stackTraceLimit = limit;
  return stack.slice(0, nearest).some((line) => line.includes(TREE) && !line.includes('node_modules'));
}

function write(what) {
  if (!TOUCHED || noted.get(what) === true) return;
  noted.set(what, true);
  fs.appendFileSync(TOUCHED, what + '\n');
}

function note(what) {
  const looks = noted.get(what) || 0;
  if (!TOUCHED || looks === true || looks >= MOST_LOOKS) return;
  noted.set(what, looks + 1);
  if (isAskedByTests(8)) write(what);
}

// A small generator that gives the same numbers for the same seed (mulberry32).
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const realNow = Date.now;
const began = realNow();
const host = {
  note,
  now: AUTOHEAL_CLOCK === undefined ? realNow : () => Math.floor(Number(AUTOHEAL_CLOCK) * 1000) + (realNow() - began),
  random: AUTOHEAL_SEED === undefined ? undefined : generator(Number(AUTOHEAL_SEED) * 7919 + 1),
};

// In each world of globals that there is: a runner may make one for each file of tests.
function install(host) {
  const RealDate = Date;
  const OurDate = new Proxy(RealDate, {
    construct(target, given, made) {
      host.note('clock');
      return Reflect.construct(target, given.length === 0 ? [host.now()] : given, made === OurDate ? target : made);
    },
    apply() {
      host.note('clock');
      return new RealDate(host.now()).toString();
    },
  });
  RealDate.now = () => {
    host.note('clock');
    return host.now();
  };
  RealDate.prototype.constructor = OurDate;
  globalThis.Date = OurDate;
  const realRandom = Math.random;
  Math.random = () => {
    host.note('random');
    return host.random === undefined ? realRandom() : host.random();
  };
}
install(host);

const realContext = vm.createContext;
vm.createContext = (...given) => {
  const context = realContext(...given);
  try {
    vm.runInContext(`(${install})`, context)(host);
  } catch (error) {
    // That world stays as it is.
  }
  return context;
};

function replace(object, name, made) {
  const real = object[name];
  if (typeof real === 'function') object[name] = made(real);
}

function bytes(count) {
  return Buffer.from(Array.from({ length: count }, () => Math.floor(host.random() * 256)));
}
function uuid() {
  const hex = bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
const asked = (real, seeded) =>
  function (...given) {
    note('random');
    return host.random === undefined || given.some((one) => typeof one === 'function') ? real.apply(this, given) : seeded(...given);
  };
replace(crypto, 'randomBytes', (real) => asked(real, bytes));
replace(crypto, 'randomUUID', (real) => asked(real, uuid));
replace(crypto, 'randomInt', (real) =>
  asked(real, (from, to) => {
    const [low, high] = to === undefined ? [0, from] : [from, to];
    return low + Math.floor(host.random() * (high - low));
  }),
);
if (globalThis.crypto) {
  const real = globalThis.crypto.randomUUID.bind(globalThis.crypto);
  try {
    Object.defineProperty(globalThis.crypto, 'randomUUID', { value: asked(real, uuid), configurable: true, writable: true });
  } catch (error) {
    // It stays as it is.
  }
}

const isForeign = (name) => typeof name === 'string' && name !== '' && !/^(127\.|localhost$|::1$|0\.0\.0\.0$|::$)/.test(name);
replace(dns, 'lookup', (real) => {
  const lookup = function (name, ...rest) {
    if (isForeign(name)) write('network');
    return real.call(this, name, ...rest);
  };
  return Object.assign(lookup, real);
});
replace(net.Socket.prototype, 'connect', (real) => function (...given) {
  const options = Array.isArray(given[0]) ? given[0][0] : given[0];
  const name = options && typeof options === 'object' ? options.host : given[1];
  if (isForeign(name)) write('network');
  return real.apply(this, given);
});
replace(net.Server.prototype, 'listen', (real) => function (...given) {
  const port = given[0] && typeof given[0] === 'object' ? given[0].port : given[0];
  if (Number(port) > 0) write('ports');
  return real.apply(this, given);
});
for (const name of ['spawn', 'fork', 'exec', 'execFile']) {
  replace(require('child_process'), name, (real) => function (...given) {
    note('threads');
    return real.apply(this, given);
  });
}

let timers = 0;
replace(globalThis, 'setTimeout', (real) =>
  Object.assign(
    function (callback, delay, ...rest) {
      if (delay > 0 && delay <= LONGEST) {
        note('threads');
        if (THREADS !== undefined && isAskedByTests(1)) {
          timers += 1;
          // First: what was begun first ends first. Late: the other way round.
          delay = THREADS === 'first' ? 50 : Math.max(400 - 40 * timers, 1);
        }
      }
      return real.call(this, callback, delay, ...rest);
    },
    real,
  ),
);
const custom = require('util').promisify.custom;
const wait = require('timers/promises').setTimeout;
Object.defineProperty(globalThis.setTimeout, custom, {
  value: (delay, value, options) => {
    note('threads');
    return wait(delay, value, options);
  },
});
require('timers').setTimeout = globalThis.setTimeout;
require('module').syncBuiltinESMExports();
