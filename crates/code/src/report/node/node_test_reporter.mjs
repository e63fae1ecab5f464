// Writes what every test did, one JSON object a line, in the form of mocha_reporter.cjs.
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

export default async function* reporter(source) {
  const names = [];
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
      const path = [...names.slice(0, data.nesting), data.name];
      // A test file that could not be loaded is reported as a test by the file's name.
      const isFile = data.nesting === 0 && (data.name === data.file || /\.[cm]?[jt]sx?$/.test(data.name));
      if (details.type === 'suite' && type === 'test:pass') continue;
      if (type === 'test:fail' && error && error.failureType === 'subtestsFailed') continue;
      if (isFile && type === 'test:pass') continue;
      const isLoading = isFile && type === 'test:fail';
      const outcome = isLoading || (details.type === 'suite' && type === 'test:fail') ? 'not_loaded'
        : data.skip !== undefined || data.todo !== undefined ? 'skipped'
        : type === 'test:pass' ? 'passed' : 'failed';
      const text = type === 'test:fail' ? told(error, 0) : '';
      yield JSON.stringify({
        file: data.file || (isFile ? data.name : null),
        path,
        outcome,
        millis: details.duration_ms || 0,
        error: isLoading ? `${said}\n${text}` : text,
      }) + '\n';
      if (data.nesting === 0) said = '';
    }
  }
  yield JSON.stringify({ end: true }) + '\n';
}
