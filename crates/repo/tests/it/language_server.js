#!/usr/bin/env node
// A language server that says `naem` is wrong, wherever it stands, or misbehaves as MODE says.
'use strict';
const mode = 'MODE';
const { stdin, stdout } = process;
const raw = (bytes) => stdout.write(bytes);
const frame = (body, length = Buffer.byteLength(body)) =>
  raw(`Content-Length: ${length}\r\n\r\n${body}`);
const send = (message) => frame(JSON.stringify({ jsonrpc: '2.0', ...message }));
const tell = (method, params) => send({ method, params });

const place = (line, character) => ({ start: { line, character }, end: { line, character: character + 4 } });
const errors = (text) =>
  text.split('\n').flatMap((line, number) => {
    const character = line.indexOf('naem');
    const error = { severity: 1, code: 2304, source: 'double', message: "Cannot find name 'naem'." };
    return character < 0 ? [] : [{ range: place(number, Buffer.byteLength(line.slice(0, character))), ...error }];
  });

const documents = new Map();
const refused = new Set();
const answers = new Map();

function opened({ uri, text }) {
  documents.set(uri, text);
  if (mode === 'pushes' || mode === 'forgets') {
    // Piece by piece, as some do: nothing, and then everything.
    tell('textDocument/publishDiagnostics', { uri, diagnostics: [] });
    tell('textDocument/publishDiagnostics', { uri, diagnostics: errors(text) });
  } else if (mode === 'elsewhere') {
    for (const other of ['file:///etc/passwd', uri + '/../../../../etc/passwd', 'untitled:naem', uri + '%00']) {
      tell('textDocument/publishDiagnostics', { uri: other, diagnostics: errors('naem') });
    }
    tell('textDocument/publishDiagnostics', { uri, diagnostics: [] });
  } else if (mode === 'floods') {
    const flood = () => {
      while (frame('{"jsonrpc":"2.0","method":"$/noise"}')) {}
      stdout.once('drain', flood);
    };
    flood();
  } else if (mode === 'shouts') {
    const shout = () => {
      while (raw('x'.repeat(65536))) {}
      stdout.once('drain', shout);
    };
    shout();
  } else if (mode === 'dies') {
    process.stderr.write('it hurts\n');
    process.exit(3);
  } else if (mode === 'lies') {
    frame('{"jsonrpc":"2.0","method":"$/noise"}', 10);
  } else if (mode === 'huge') {
    raw('Content-Length: 99999999999999999999\r\n\r\n');
  } else if (mode === 'prints') {
    raw('hello\n');
  } else if (mode === 'mumbles') {
    frame('hello');
  } else if (mode === 'nonsense') {
    tell('textDocument/publishDiagnostics', { uri: 7, diagnostics: 'many' });
  }
}

function asked({ id, method, params }) {
  if (method === 'initialize') {
    if (mode === 'forgets' && params.rootUri.endsWith('/before')) process.exit(3);
    if (mode === 'refuses') return send({ id, error: { code: -32603, message: 'not today' } });
    if (!params.capabilities.general.positionEncodings.includes('utf-8')) process.exit(4);
    const capabilities = { positionEncoding: 'utf-8', textDocumentSync: 1 };
    if (mode === 'pulls') capabilities.diagnosticProvider = { interFileDependencies: true, workspaceDiagnostics: false };
    return send({ id, result: { capabilities } });
  }
  if (method === 'textDocument/diagnostic') {
    const { uri } = params.textDocument;
    if (!refused.has(uri)) {
      refused.add(uri);
      return send({ id, error: { code: -32802, message: 'busy', data: { retriggerRequest: true } } });
    }
    return send({ id, result: { kind: 'full', items: errors(documents.get(uri)) } });
  }
  return send({ id, result: null });
}

// It has questions of its own, and goes on only when every one was answered as the protocol says.
const questions = [
  ['workspace/configuration', { items: [{ section: 'a' }, { section: 'b' }] }, '[null,null]'],
  ['window/workDoneProgress/create', { token: 't' }, 'null'],
  ['workspace/applyEdit', { edit: { changes: {} } }, '{"applied":false}'],
  ['nobody/knows', {}, undefined],
];

function received(message) {
  if (mode === 'hangs') return;
  if (message.method && 'id' in message) asked(message);
  else if (message.method === 'textDocument/didOpen') opened(message.params.textDocument);
  else if (message.method === 'exit') process.exit(0);
  else if (message.method === 'initialized' && mode === 'pulls-later') {
    questions.forEach(([method, params], index) => send({ id: `q${index}`, method, params }));
  } else if (typeof message.id === 'string' && message.id.startsWith('q')) {
    answers.set(message.id, JSON.stringify(message.result));
    const isRight = questions.every(([, , answer], index) => answers.has(`q${index}`) && answers.get(`q${index}`) === answer);
    const registrations = [{ id: 'd', method: 'textDocument/diagnostic' }];
    if (isRight) send({ id: 'register', method: 'client/registerCapability', params: { registrations } });
  }
}

let buffer = Buffer.alloc(0);
stdin.on('data', (piece) => {
  buffer = Buffer.concat([buffer, piece]);
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < end + 4 + length) return;
    const body = buffer.subarray(end + 4, end + 4 + length).toString();
    buffer = buffer.subarray(end + 4 + length);
    received(JSON.parse(body));
  }
});
