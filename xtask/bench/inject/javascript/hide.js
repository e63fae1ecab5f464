'use strict';

// Takes a share of the tests out of a repository, so that they can judge what was healed without them.

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { Module } = require('./module');

const SHARE = 3;

const isTestFile = (file) => /(^|\/)(tests?|spec|__tests__)(\/|\.)/.test(file) && /\.[cm]?[jt]sx?$/.test(file);

const isTest = (statement) => {
  const call = statement.type === 'ExpressionStatement' && statement.expression.type === 'CallExpression' ? statement.expression : null;
  return call && ['it', 'test'].includes(call.callee.name) && call.arguments.length > 1 ? call : null;
};

function isHidden(file, title, seed) {
  return crypto.createHash('sha256').update(`${seed}/${file}/${title}`).digest()[0] % SHARE === 0;
}

/** Removes every third test, chosen by its title and the seed, never the first of a group: a group without tests is an error. Gives how many. */
exports.hide = (root, files, seed) => {
  let hidden = 0;
  for (const file of files.filter(isTestFile)) {
    const module = new Module(root, file);
    let { text } = module;
    for (const { body } of module.blocks()) {
      for (const node of body.filter(isTest).slice(1)) {
        if (!isHidden(file, module.source(isTest(node).arguments[0]), seed)) continue;
        // A statement in its place, so that nothing moves.
        const blank = module.source(node).slice(1).replace(/[^\n]/g, ' ');
        text = `${text.slice(0, node.start)};${blank}${text.slice(node.end)}`;
        hidden += 1;
      }
    }
    fs.writeFileSync(path.join(root, file), text);
  }
  return hidden;
};
