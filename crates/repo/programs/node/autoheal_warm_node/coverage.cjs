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
    const file = name.startsWith('file:') ? fileURLToPath(name) : name;
    const map = mapAddress === '' ? null : readMap(file, mapAddress);
    const own = pathInRoot(file);
    // Where each word of it stands in which file. A bracket that closes what did not run says nothing.
    this.offsets = [];
    this.places = [];
    // One object for each line, so that they can be compared.
    const known = new Map();
    let line = 0;
    let start = 0;
    for (const { index } of source.matchAll(/\n|[\w$'"`]+/g)) {
      if (source[index] === '\n') {
        line += 1;
        start = index + 1;
        continue;
      }
      const place = map === null ? { file: own, line: line + 1 } : originalPlace(file, map.findEntry(line, index - start));
      if (place === null || place.file === null) continue;
      const name = `${place.line} ${place.file}`;
      if (!known.has(name)) known.set(name, place);
      this.offsets.push(index);
      this.places.push(known.get(name));
    }
  }

  /**
   * Adds the lines of which anything ran: the innermost range around it says so. That a file was loaded runs the text around its functions,
   * and says nothing of a function on the same line that did not run.
   */
  add(functions, files) {
    for (const { ranges } of functions) ranges[0].isFunction = true;
    const ranges = functions.flatMap((each) => each.ranges);
    ranges.sort((left, right) => left.startOffset - right.startOffset || right.endOffset - left.endOffset);
    const [ran, loaded, idle] = [new Set(), new Set(), new Set()];
    const outer = [];
    let at = 0;
    const upTo = (end) => {
      const inner = outer[outer.length - 1];
      if (inner !== undefined && inner.count > 0) this.addPlaces(at, end, outer.length === 1 ? loaded : ran);
      else if (inner !== undefined && inner.isFunction) this.addPlaces(at, end, idle);
      at = Math.max(at, end);
    };
    const leave = (next) => {
      while (outer.length > 0 && outer[outer.length - 1].endOffset <= next) {
        upTo(outer[outer.length - 1].endOffset);
        outer.pop();
      }
    };
    for (const range of ranges) {
      leave(range.startOffset);
      upTo(range.startOffset);
      outer.push(range);
    }
    leave(Infinity);
    for (const place of loaded) if (!idle.has(place)) ran.add(place);
    for (const { file, line } of ran) {
      if (files[file] === undefined) files[file] = new Set();
      files[file].add(line);
    }
  }

  addPlaces(start, end, places) {
    for (let word = this.firstFrom(start); word < this.offsets.length && this.offsets[word] < end; word += 1) {
      places.add(this.places[word]);
    }
  }

  firstFrom(offset) {
    let low = 0;
    let high = this.offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsets[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
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

/** Where a word of what was compiled comes from; null: from nowhere. */
function originalPlace(file, { originalSource, originalLine }) {
  if (originalSource === undefined) return null;
  try {
    return { file: pathInRoot(fileURLToPath(new URL(originalSource, pathToFileURL(file)))), line: originalLine + 1 };
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
      // Where tests run elsewhere, they were watched there.
      ended(id, outcome, seconds, lines) {
        tell({ job: job.id, said: { test: id, lines: lines || watch.take() } });
        return false;
      },
    });
  } finally {
    watch.end();
  }
  return {};
}

module.exports = { Watch, coverage };
