'use strict';

// A source file read once, and the edits that break it.

const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { parse } = require('@babel/parser');

/** Numbers that look random and are the same for the same words. */
class Random {
  constructor(words) {
    this.state = crypto.createHash('sha256').update(words).digest().readUInt32LE(0);
  }

  /** From 0 to below 1 (mulberry32). */
  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  choice(values) {
    return values[Math.floor(this.next() * values.length)];
  }

  shuffle(values) {
    for (let at = values.length - 1; at > 0; at -= 1) {
      const other = Math.floor(this.next() * (at + 1));
      [values[at], values[other]] = [values[other], values[at]];
    }
    return values;
  }
}

function plugins(file) {
  return [/\.[cm]?tsx?$/.test(file) && 'typescript', /\.(js|jsx|tsx)$/.test(file) && 'jsx'].filter(Boolean);
}

/** Scripts stay scripts: what only a module may hold is an error in them. */
function read(file, text, sourceType) {
  const sourceTypes = sourceType ? [sourceType] : ['script', 'module'];
  for (const type of sourceTypes) {
    try {
      return { type, tree: parse(text, { sourceType: type, plugins: plugins(file), tokens: true, allowReturnOutsideFunction: true }) };
    } catch (error) {
      if (type === sourceTypes[sourceTypes.length - 1]) throw error;
    }
  }
  return undefined;
}

/** One source file: text, tokens, tree. An edit is `[start, end, new]`. */
class Module {
  constructor(root, file) {
    this.root = root;
    this.path = file;
    this.text = fs.readFileSync(path.join(root, file), 'utf8');
    const { type, tree } = read(file, this.text);
    this.type = type;
    this.tree = tree.program;
    this.tokens = tree.tokens.filter((token) => token.type !== 'CommentLine' && token.type !== 'CommentBlock' && token.end > token.start);
    this.all = [];
    this.#walk(tree.program, null);
  }

  #walk(node, parent) {
    Object.defineProperty(node, 'parent', { value: parent, enumerable: false });
    this.all.push(node);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'loc' || key === 'extra' || key.endsWith('Comments')) continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child.type === 'string' && typeof child.start === 'number') this.#walk(child, node);
      }
    }
  }

  nodes(...types) {
    return this.all.filter((node) => types.includes(node.type));
  }

  functions() {
    return this.all.filter((node) => /Function|ObjectMethod|ClassMethod/.test(node.type) && Array.isArray(node.params));
  }

  source(node) {
    return this.text.slice(node.start, node.end);
  }

  word(token) {
    return this.text.slice(token.start, token.end);
  }

  parses(text) {
    try {
      return Boolean(read(this.path, text, this.type));
    } catch {
      return false;
    }
  }

  lineStart(at) {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  /** Behind the line's end. */
  lineEnd(at) {
    const newline = this.text.indexOf('\n', at);
    return newline < 0 ? this.text.length : newline + 1;
  }

  indent(node) {
    return this.text.slice(this.lineStart(node.start), node.start);
  }

  /** Whether a statement has its lines for itself. */
  isWholeLine(node) {
    const after = this.text.slice(node.end, this.lineEnd(node.end));
    return !this.indent(node).trim() && !after.replace(/\/\/.*|;/, '').trim();
  }

  withoutLines(node) {
    return [this.lineStart(node.start), this.lineEnd(node.end), ''];
  }

  /** Lists of statements. */
  blocks() {
    return this.all.filter((node) => ['Program', 'BlockStatement'].includes(node.type)).map((node) => ({ node, body: node.body }));
  }

  /** Imports of either kind: the statement, where the module is named, and the names taken from it. */
  imports() {
    const found = [];
    for (const node of this.all) {
      if (node.type === 'ImportDeclaration' || ((node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') && node.source)) {
        const names = (node.specifiers || []).filter((one) => one.type === 'ImportSpecifier' || one.type === 'ExportSpecifier');
        found.push({ node, source: node.source, names: names.map((one) => ({ node: one, key: one.imported || one.local })) });
      } else if (node.type === 'CallExpression' && node.callee.name === 'require' && node.arguments[0]?.type === 'StringLiteral') {
        let statement = node;
        while (statement.parent && !['Program', 'BlockStatement'].includes(statement.parent.type)) statement = statement.parent;
        const pattern = node.parent.type === 'VariableDeclarator' && node.parent.id.type === 'ObjectPattern' ? node.parent.id.properties : [];
        const names = pattern.filter((one) => one.type === 'ObjectProperty' && !one.computed);
        found.push({ node: statement, source: node.arguments[0], call: node, names: names.map((one) => ({ node: one, key: one.key })) });
      }
    }
    return found;
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KEYWORDS = new Set(
  ('break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let new '
  + 'return super switch this throw try typeof var void while with yield async await of static get set null true false').split(' '),
);

/** The word as a hurried person types it: a letter too few, too many, wrong, or two swapped. */
function typo(word, random) {
  for (let tries = 0; tries < 20; tries += 1) {
    const at = Math.floor(random.next() * word.length);
    const changed = random.choice([
      word.slice(0, at) + word.slice(at + 1),
      word.slice(0, at) + word[at] + word.slice(at),
      word.slice(0, at) + random.choice(LETTERS) + word.slice(at + 1),
      word.slice(0, at) + word.slice(at + 1, at + 2) + word[at] + word.slice(at + 2),
    ]);
    if (changed !== word && /^[\w$][\w$./-]*$/.test(changed) && !/^\d/.test(changed) && !KEYWORDS.has(changed)) return changed;
  }
  return word + word[word.length - 1];
}

module.exports = { KEYWORDS, Module, Random, typo };
