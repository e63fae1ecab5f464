'use strict';
// Which lines of the project each test runs, as V8 counts them.
const fs = require('fs');
const inspector = require('inspector');
const { SourceMap } = require('module');
const path = require('path');
const { fileURLToPath, pathToFileURL } = require('url');
const { pathInRoot } = require('./project.cjs');

class Watch {
  constructor() {
    this.session = new inspector.Session();
    this.session.connect();
    this.scripts = new Map();
    this.session.on('Debugger.scriptParsed', ({ params }) => this.scripts.set(params.scriptId, params));
    this.ask('Debugger.enable');
    this.ask('Debugger.setSkipAllPauses', { skip: true });
    this.ask('Profiler.enable');
    this.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    this.texts = new Map();
  }

  ask(method, params) {
    let answer = null;
    this.session.post(method, params, (error, result) => {
      if (error) throw new Error(`${method}: ${error.message}`);
      answer = result;
    });
    return answer;
  }

  /** The lines that ran since it was asked last, by file of the project. */
  take() {
    const files = {};
    for (const { scriptId, url, functions } of this.ask('Profiler.takePreciseCoverage').result) {
      if (!url || url.startsWith('node:')) continue;
      const name = url.split('?')[0];
      if ((name.startsWith('file:') || path.isAbsolute(name)) && pathInRoot(name) !== null) {
        this.textOf(scriptId, name).add(functions, files);
      }
    }
    return Object.fromEntries(Object.entries(files).map(([file, lines]) => [file, [...lines]]));
  }

  textOf(scriptId, name) {
    let text = this.texts.get(scriptId);
    if (text === undefined) {
      const source = this.ask('Debugger.getScriptSource', { scriptId }).scriptSource;
      const told = this.scripts.get(scriptId);
      text = new Text(name, source, (told && told.sourceMapURL) || '');
      this.texts.set(scriptId, text);
    }
    return text;
  }

  end() {
    this.session.disconnect();
  }
}

/** What V8 runs: the file's own text, or what was made of it. */
class Text {
  constructor(name, source, mapAddress) {
    this.file = name.startsWith('file:') ? fileURLToPath(name) : name;
    this.source = source;
    this.starts = [0];
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.starts.push(at + 1);
    this.map = mapAddress === '' ? null : readMap(this.file, mapAddress);
    this.own = pathInRoot(this.file);
  }

  add(functions, files) {
    for (const line of this.ran(functions)) {
      if (this.map === null) {
        add(files, this.own, line + 1);
        continue;
      }
      // A line is made of several, or of a part of one.
      const end = line + 1 < this.starts.length ? this.starts[line + 1] : this.source.length;
      const seen = new Set();
      for (let column = 0; column <= end - this.starts[line]; column += 1) {
        const entry = this.map.findEntry(line, column);
        if (entry.originalSource === undefined || entry.generatedLine !== line) continue;
        const place = `${entry.originalSource}:${entry.originalLine}`;
        if (seen.has(place)) continue;
        seen.add(place);
        add(files, originalFile(this.file, entry.originalSource), entry.originalLine + 1);
      }
    }
  }

  /** Lines from 0 of which anything ran: the innermost range around it says so. */
  ran(functions) {
    const ranges = functions.flatMap((each) => each.ranges);
    ranges.sort((left, right) => left.startOffset - right.startOffset || right.endOffset - left.endOffset);
    const lines = new Set();
    const outer = [];
    let at = 0;
    const upTo = (end) => {
      const inner = outer[outer.length - 1];
      if (inner !== undefined && inner.count > 0 && end > at) this.addLines(at, end, lines);
      at = Math.max(at, end);
    };
    for (const range of ranges) {
      while (outer.length > 0 && outer[outer.length - 1].endOffset <= range.startOffset) {
        upTo(outer[outer.length - 1].endOffset);
        outer.pop();
      }
      upTo(range.startOffset);
      outer.push(range);
    }
    while (outer.length > 0) {
      upTo(outer[outer.length - 1].endOffset);
      outer.pop();
    }
    return lines;
  }

  addLines(start, end, lines) {
    let line = this.lineOf(start);
    for (; line < this.starts.length && this.starts[line] < end; line += 1) {
      const from = Math.max(start, this.starts[line]);
      const to = Math.min(end, line + 1 < this.starts.length ? this.starts[line + 1] : this.source.length);
      // A bracket that closes what did not run says nothing.
      if (/[\w$'"`]/.test(this.source.slice(from, to))) lines.add(line);
    }
  }

  lineOf(offset) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function add(files, file, line) {
  if (file === null) return;
  if (files[file] === undefined) files[file] = new Set();
  files[file].add(line);
}

function readMap(file, address) {
  try {
    const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/s.exec(address);
    const text = inline
      ? inline[1] ? Buffer.from(inline[2], 'base64').toString() : decodeURIComponent(inline[2])
      : fs.readFileSync(fileURLToPath(new URL(address, pathToFileURL(file))), 'utf8');
    return new SourceMap(JSON.parse(text));
  } catch {
    return null;
  }
}

function originalFile(file, source) {
  try {
    return pathInRoot(fileURLToPath(new URL(source, pathToFileURL(file))));
  } catch {
    return null;
  }
}

/** Tells the lines that each test runs. */
async function coverage(suite, job, tell) {
  const watch = new Watch();
  try {
    await suite.run({
      files: job.files,
      only: job.tests,
      began: () => void watch.take(),
      ended(id) {
        tell({ job: job.id, said: { test: id, lines: watch.take() } });
        return false;
      },
    });
  } finally {
    watch.end();
  }
  return {};
}

module.exports = { coverage };
