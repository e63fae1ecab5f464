// Prints the releases of packages, the oldest first, as JSON. Left out are pre-releases.
// `node releases.cjs FOLDER NAME...`: npm asks the registries that it would install from in the folder, by the settings there.
"use strict";
const { execFile } = require("node:child_process");

const MOST_BYTES = 256 * 1024 * 1024;
const AT_ONCE = 4;
// Registries that cannot be reached say nothing: the search is not worth a long wait.
const PATIENCE = ["--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"];
const STABLE = /^(\d+)\.(\d+)\.(\d+)(?:\+.*)?$/;

const [folder, ...names] = process.argv.slice(2);
const answer = {};

const numbers = (version) => STABLE.exec(version).slice(1, 4).map(Number);
const inOrder = (one, other) => {
  const [left, right] = [numbers(one), numbers(other)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at === -1 ? 0 : left[at] - right[at];
};

const releasesIn = (said) => {
  const { versions, time } = JSON.parse(said);
  // A single version is no list there.
  const stable = [versions ?? []].flat().filter((version) => STABLE.test(version)).sort(inOrder);
  return stable.map((version) => ({ version, released: time?.[version] ?? null }));
};

const ask = (name) =>
  new Promise((done) => {
    const words = ["view", "--json", ...PATIENCE, "--", name, "versions", "time"];
    execFile("npm", words, { cwd: folder, maxBuffer: MOST_BYTES }, (error, said) => {
      try {
        if (error) throw error;
        answer[name] = releasesIn(said);
      } catch (problem) {
        process.stderr.write(`${name}: ${problem.message}\n`);
      }
      done();
    });
  });

const work = async () => {
  while (names.length > 0) await ask(names.shift());
};
Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => process.stdout.write(JSON.stringify(answer)));
