'use strict';
// Runs beside a worker: names the project's modules by their generation, and gives the changed text.
const fs = require('fs');
const path = require('path');

const PARAMETER = 'autoheal';
let folder = '';
let root = '';
let told = { generation: null, url: null, text: null };

exports.initialize = function initialize(data) {
  ({ folder, root } = data);
};

function isOfProject(url) {
  return url.startsWith(root) && !url.includes('/node_modules/');
}

function generationOf(url) {
  return url.startsWith('file:') ? new URL(url).searchParams.get(PARAMETER) : null;
}

exports.resolve = async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const generation = context.parentURL ? generationOf(context.parentURL) : null;
  if (generation === null || !isOfProject(resolved.url) || generationOf(resolved.url) !== null) return resolved;
  const url = new URL(resolved.url);
  url.searchParams.set(PARAMETER, generation);
  return { ...resolved, url: url.href };
};

exports.load = async function load(name, context, next) {
  const generation = generationOf(name);
  if (generation === null || !isOfProject(name)) return next(name, context);
  if (told.generation !== generation) {
    told = { ...JSON.parse(fs.readFileSync(path.join(folder, `${generation}.json`), 'utf8')), generation };
  }
  const url = new URL(name);
  url.searchParams.delete(PARAMETER);
  const loaded = await next(name, context);
  // CommonJS is read by Node itself, and is no module that is known by its name here.
  if (told.url !== url.href || loaded.format === 'commonjs') return loaded;
  fs.writeFileSync(path.join(folder, `${generation}.read`), '');
  return { ...loaded, source: told.text };
};
