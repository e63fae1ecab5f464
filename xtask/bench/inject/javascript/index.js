'use strict';

// Puts one seeded defect into a JavaScript or TypeScript package; `NODE_PATH` has to lead to @babel/parser.
//
//     node javascript ROOT SOURCE... --kind KIND --seed SEED --try N   changes one file, prints what it did as JSON
//     node javascript ROOT --hide --seed SEED                          takes a third of the tests out
//     node javascript ROOT SOURCE... --preview --seed SEED             prints what each kind would do, and does nothing
//     node javascript --kinds                                          prints the kinds of each class as JSON
//
// As with Python's beside it: a kind lists every place of the sources where it could happen, the seed shuffles the places, and the N-th
// one is broken. Whoever calls this judges by running the package's own checks. No code and no table is shared with the program that is
// measured by it.

const fs = require('fs');
const path = require('path');
const { parseArgs } = require('util');
const { hide } = require('./hide');
const { Module, Random } = require('./module');

const CLASSES = {
  ...require('./syntax'), ...require('./imports'), ...require('./types'), ...require('./linting'), ...require('./logic'),
};

const KINDS = Object.fromEntries(Object.entries(CLASSES).flatMap(([name, kinds]) => {
  return Object.entries(kinds).map(([kind, places]) => [name === 'LOGIC' ? `logic_${kind}` : kind, { class: name, places }]);
}));

/** Every file below, without what is installed or belongs to git. */
function filesBelow(root, folder) {
  const top = path.join(root, folder);
  if (fs.statSync(top).isFile()) return [folder];
  const names = fs.readdirSync(top).filter((name) => !['node_modules', '.git'].includes(name)).sort();
  return names.flatMap((name) => filesBelow(root, path.posix.join(folder, name)));
}

/** Program text: tests lie elsewhere, and declarations hold no program. */
function readSources(root, sources) {
  const files = sources.flatMap((source) => filesBelow(root, source));
  const isProgram = (file) => /\.[cm]?[jt]sx?$/.test(file) && !/\.d\.[cm]?ts$|(^|\/)(tests?|spec|__tests__)\//.test(file);
  return files.filter(isProgram).map((file) => new Module(root, file));
}

function choose(modules, name, seed, attempt) {
  const random = new Random(`${seed}/${name}`);
  const places = modules.flatMap((module) => KINDS[name].places(module, random)
    .filter(([start, end, text]) => module.text.slice(start, end) !== text).map((edit) => ({ module, edit })));
  const place = random.shuffle(places)[attempt];
  if (!place) return null;
  const { module, edit: [start, end, text] } = place;
  const broken = module.text.slice(0, start) + text + module.text.slice(end);
  const defect = {
    class: KINDS[name].class,
    kind: name,
    file: module.path,
    line: module.text.slice(0, start).split('\n').length,
    parses: module.parses(broken),
    old: module.text.slice(start, end),
    new: text,
    places: places.length,
  };
  return { defect, broken };
}

function main() {
  const { values, positionals: [root, ...sources] } = parseArgs({
    allowPositionals: true,
    options: {
      kind: { type: 'string' }, seed: { type: 'string', default: '1' }, try: { type: 'string', default: '0' },
      hide: { type: 'boolean' }, kinds: { type: 'boolean' }, preview: { type: 'boolean' },
    },
  });
  const attempt = Number(values.try);
  if (values.kinds) return Object.entries(KINDS).map(([kind, { class: name }]) => ({ class: name, kind }));
  if (values.hide) return hide(root, filesBelow(root, ''), values.seed);
  const modules = readSources(root, sources);
  if (values.preview) {
    return Object.fromEntries(Object.keys(KINDS).map((name) => [name, choose(modules, name, values.seed, attempt)?.defect ?? null]));
  }
  const chosen = choose(modules, values.kind, values.seed, attempt);
  if (!chosen) return null;
  fs.writeFileSync(path.join(root, chosen.defect.file), chosen.broken);
  return chosen.defect;
}

console.log(JSON.stringify(main()));
