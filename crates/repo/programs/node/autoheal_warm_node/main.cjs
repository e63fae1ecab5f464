'use strict';
// Tries changes of a project's files against its tests without starting the test runner for each.
//
// usage: node main.cjs mocha|jest|vitest|node_test JOBS ROOT [arguments of the test runner]
//
// Requests are lines of JSON on standard input, answers are lines of JSON on standard output (see `crate::warm`, which has
// their types). Node cannot fork, so there are two kinds of process:
//
// - the *server* (this one) reads requests, gives work to at most JOBS workers at a time, and ends those that take too long;
// - a *worker* (`worker.cjs`) has the test runner and whatever else is installed loaded, and for each change loads the
//   project's own modules and tests anew, with the changed text. It sees when something that outlives that was changed
//   (globals, what belongs to Node, something that still runs), and is then replaced.
//
// What passes in a worker that was used before is run again in one that was not, with all other tests.
const { Server } = require('./server.cjs');

new Server(process.argv.slice(2)).serve();
