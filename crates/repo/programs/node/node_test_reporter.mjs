// Writes what every test did, one JSON object a line, in the form of mocha_reporter.cjs.
import fs from 'node:fs';
import path from 'node:path';
import util from 'node:util';

function told(error, depth) {
  // The runner wraps what was thrown.
  const inner = error && error.code === 'ERR_TEST_FAILURE' && error.cause !== undefined ? error.cause : error;
  if (typeof inner === 'string') return inner;
  if (!inner || typeof inner !== 'object' || !('stack' in inner)) return util.inspect(inner);
  const message = String(inner.message || '');
  const stack = String(inner.stack || '');
  const text = stack.includes(message) ? stack : `${inner.name || 'Error'}: ${message}\n${stack}`;
  const cause = depth < 4 && inner.cause ? `\nCaused by: ${told(inner.cause, depth + 1)}` : '';
  return text + cause;
}

// A file stands in the report as a test by its own name: when it could not be loaded, and when no test in it was told. A title that
// merely looks like a file's name is a test's. Older versions do not say which file a test is in.
function standsForFile(data) {
  if (data.nesting !== 0) return false;
  const named = path.resolve(data.name);
  return data.file ? named === path.resolve(data.file) : /\.[cm]?[jt]sx?$/.test(data.name) && fs.existsSync(named);
}

// A file that asks for the test runner and tells of no test ended before its tests did, or is a helper; and one in which nothing can fail
// tests nothing. Neither is a pass.
function isNoTest(file) {
  try {
    const text = fs.readFileSync(file, 'utf8');
    return /['"`]node:test(?:\/[a-z]+)?['"`]/.test(text) || !/\b(?:assert|throw|expect|exit|exitCode)\b/.test(text);
  } catch {
    return true;
  }
}

export default async function* reporter(source) {
  const names = [];
  const withTests = new Set();
  let said = '';
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    } else if (type === 'test:stderr') {
      said = (said + data.message).slice(-65536);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const details = data.details || {};
      const error = details.error;
      const isFile = standsForFile(data);
      const file = data.file || (isFile ? path.resolve(data.name) : null);
      if (!isFile) withTests.add(file);
      if (details.type === 'suite' && type === 'test:pass') continue;
      if (type === 'test:fail' && error && error.failureType === 'subtestsFailed') continue;
      if (isFile && type === 'test:pass' && (withTests.has(file) || isNoTest(file))) continue;
      const isLoading = isFile && type === 'test:fail';
      const outcome = isLoading || (details.type === 'suite' && type === 'test:fail') ? 'not_loaded'
        : data.skip !== undefined || data.todo !== undefined ? 'skipped'
        : type === 'test:pass' ? 'passed' : 'failed';
      const text = type === 'test:fail' ? told(error, 0) : '';
      yield JSON.stringify({
        file,
        path: isFile ? [] : [...names.slice(0, data.nesting), data.name],
        outcome,
        millis: details.duration_ms || 0,
        error: isLoading ? `${said}\n${text}` : text,
      }) + '\n';
      if (data.nesting === 0) said = '';
    }
  }
  yield JSON.stringify({ end: true }) + '\n';
}
