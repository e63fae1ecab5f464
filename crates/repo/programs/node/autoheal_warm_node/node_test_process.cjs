'use strict';
// Loaded before a file of tests of Node's own runner: the changed file reads as it is to be tried, and it is watched which lines run.
const fs = require('fs');
const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const changedText = require('./changed_text.cjs');

const { file, number, folder, isWatched } = JSON.parse(process.env.AUTOHEAL_TEST);

if (file !== null) {
  const bytes = fs.readFileSync(path.join(folder, 'text'));
  const text = bytes.toString();
  changedText.install();
  changedText.set(file, bytes, number);
  if (typeof Module.register === 'function') {
    const data = { url: pathToFileURL(file).href, text, folder };
    Module.register(pathToFileURL(path.join(__dirname, 'changed_module.cjs')).href, { data });
  }
  process.on('exit', () => {
    if (changedText.wasRead()) fs.writeFileSync(path.join(folder, 'read'), 'yes');
  });
}

if (isWatched) {
  const { Watch } = require('./coverage.cjs');
  const watch = new Watch();
  process.on('exit', () => fs.writeFileSync(path.join(folder, 'lines'), JSON.stringify(watch.take())));
}

delete process.env.AUTOHEAL_TEST;
delete process.env.AUTOHEAL_PROJECT;
