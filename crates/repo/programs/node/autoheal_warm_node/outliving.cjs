'use strict';
// What outlives the loading of modules, and may be changed by what runs: globals, what belongs to Node, what still runs.
const builtin = require('module').builtinModules;

const BEYOND = new Set(['inspector', 'trace_events', 'wasi', 'repl', 'domain', 'sys', 'punycode', 'test']);

/** Things whose properties are shared by everything in this process. */
function shared() {
  const things = [globalThis, process];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
    const value = descriptor && descriptor.value;
    if (typeof value === 'function') things.push(value, value.prototype);
    else if (value === Math || value === JSON || value === Reflect || value === console) things.push(value);
  }
  for (const name of builtin) {
    // Only what is loaded already: loading has effects itself.
    if (BEYOND.has(name) || name.startsWith('_') || name.includes('/')) continue;
    if (!process.moduleLoadList.includes(`NativeModule ${name}`)) continue;
    const module = require(name);
    things.push(module);
    if (typeof module === 'function') things.push(module.prototype);
  }
  things.push(Object.getPrototypeOf(async () => {}), Object.getPrototypeOf([][Symbol.iterator]()));
  return things.filter((thing) => thing && (typeof thing === 'object' || typeof thing === 'function'));
}

// Change by themselves, or with every run.
const IGNORED = new Set(['_events', '_eventsCount', 'exitCode', '_exiting', 'hrtime', 'domain', 'stdin', 'stdout', 'stderr']);

function propertiesOf(thing) {
  const found = new Map();
  for (const key of Reflect.ownKeys(thing)) {
    if (thing === process && IGNORED.has(key)) continue;
    const descriptor = Object.getOwnPropertyDescriptor(thing, key);
    found.set(key, descriptor && (descriptor.get || descriptor.set || descriptor.value));
  }
  return found;
}

const RUNS = ' that runs';

/** Whether a difference is something that runs. */
const mayEnd = (found) => found.endsWith(RUNS);

const counted = (list) => list.reduce((counts, each) => counts.set(each, (counts.get(each) || 0) + 1), new Map());

const isSame = (one, other) => one === other || (one !== one && other !== other);

/** The places at which two maps differ. */
function differing(before, now) {
  const keys = new Set();
  for (const [key, value] of now) if (!before.has(key) || !isSame(before.get(key), value)) keys.add(key);
  for (const key of before.keys()) if (!now.has(key)) keys.add(key);
  return keys;
}

/** What there is now: properties by thing, and the rest by its name. */
function snapshot() {
  const things = new Map(shared().map((thing) => [thing, propertiesOf(thing)]));
  return { things, state: stateNow() };
}

function stateNow() {
  const state = new Map([['current folder', process.cwd()]]);
  for (const [name, value] of Object.entries(process.env)) if (name !== 'TMPDIR') state.set(`variable ${name}`, value);
  for (const name of process.eventNames()) state.set(`listeners of ${String(name)}`, process.listenerCount(name));
  const running = process.getActiveResourcesInfo ? process.getActiveResourcesInfo() : [];
  for (const [kind, number] of counted(running)) state.set(kind + RUNS, number);
  return state;
}

/** What a run of the unchanged project makes different each time. */
function usual(before) {
  const things = new Map([...before.things].map(([thing, properties]) => [thing, differing(properties, propertiesOf(thing))]));
  return { things, state: differing(before.state, stateNow()) };
}

/** What is not as it was, apart from what usually is not; null: nothing. */
function difference(before, usually) {
  for (const [thing, properties] of before.things) {
    for (const key of differing(properties, propertiesOf(thing))) {
      if (!usually.things.get(thing).has(key)) return `property ${String(key)}`;
    }
  }
  const state = stateNow();
  for (const key of differing(before.state, state)) {
    // What ended is nobody's concern.
    const hasEnded = mayEnd(key) && (state.get(key) || 0) < (before.state.get(key) || 0);
    if (!usually.state.has(key) && !hasEnded) return key;
  }
  return null;
}

/** Takes away what the project hung up where it outlives it: it makes that anew, and would find the old one there. */
function clear(before) {
  for (const [thing, properties] of before.things) {
    for (const key of Reflect.ownKeys(thing)) {
      if (properties.has(key) || (thing === process && IGNORED.has(key))) continue;
      const { value, configurable } = Object.getOwnPropertyDescriptor(thing, key);
      if (configurable && value !== null && typeof value === 'object') delete thing[key];
    }
  }
}

module.exports = { snapshot, usual, difference, mayEnd, clear };
