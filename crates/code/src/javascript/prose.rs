//! Text in a file for readers and tools rather than the engine: comments. A suppression comment, which makes a
//! tool ignore a line, belongs to that line; on another line it counts as new.

use super::tokens::{self, Kind, Token};
use crate::language::guard::Guard;

/// Texts, tokens and phrases to guard against in JavaScript and TypeScript.
pub(crate) static GUARD: Guard = Guard {
    prose: comments,
    tokens: tokens::scan,
    escapes: &["any", "unknown", "as", "never", "Function", "Object"],
    phrases: &[
        "process.exit",
        "process.exitCode",
        "process.reallyExit",
        "process.abort",
        "process.kill",
        "process.emit",
        "process.on(",
        "process.once(",
        "process.binding",
        "Deno.exit",
        "NODE_OPTIONS",
        "NODE_TEST_CONTEXT",
        "JEST_WORKER_ID",
        "VITEST",
        "MOCHA",
        "jest.",
        "vi.mock",
        "vitest",
        "mocha",
        "chai",
        "sinon",
        "'assert'",
        "\"assert\"",
        "'assert/strict'",
        "'node:assert",
        "\"node:assert",
        "'node:test",
        "\"node:test",
        "AssertionError",
        ".skip(",
        ".only(",
        ".todo(",
        "xit(",
        "xdescribe(",
        "expect.extend",
        "require.cache",
        "Module._load",
        "Module._resolveFilename",
        "globalThis.expect",
        "global.expect",
        "globalThis.it",
        "global.it",
        "prepareStackTrace",
    ],
    powers: &[
        "child_process",
        "execSync",
        "spawnSync",
        "eval(",
        "new Function(",
        "node:vm",
        "node:net",
        "http.request",
        "https.request",
        "http.get",
        "https.get",
        "fetch(",
        "XMLHttpRequest",
        "WebSocket",
        "Deno.Command",
        "rmSync",
    ],
};

/// Beginnings of the comments that make a tool ignore a part of the code, or end such a part.
const SUPPRESSIONS: [&str; 12] =
    ["@ts-", "eslint", "istanbul", "c8", "v8", "biome", "prettier", "jshint", "jslint", "tslint", "deno-", "oxlint"];

fn comments(text: &str) -> Vec<&str> {
    let tokens = tokens::scan(text);
    let comments = tokens.iter().filter(|token| token.kind == Kind::Comment);
    comments.map(|token| with_its_line(text, *token)).collect()
}

/// The comment, or with it the line that it speaks of: its own, or the next one when it stands alone.
fn with_its_line(text: &str, comment: Token) -> &str {
    let shown = comment.text(text).trim_end();
    let words = shown.trim_start_matches(['/', '*', '!', ' ', '\t']).to_ascii_lowercase();
    if !SUPPRESSIONS.iter().any(|begin| words.starts_with(begin)) {
        return shown;
    }
    let line = text.get(..comment.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let rest = text.get(comment.end..).unwrap_or_default();
    let own_end = comment.end + rest.find('\n').unwrap_or(rest.len());
    let is_alone = text.get(line..comment.start).is_some_and(|before| before.trim().is_empty())
        && text.get(comment.end..own_end).is_some_and(|after| after.trim().is_empty());
    let next = text.get(own_end + 1..).and_then(|after| after.find('\n'));
    let end = if is_alone { next.map_or(text.len(), |length| own_end + 1 + length) } else { own_end };
    text.get(line..end).unwrap_or(shown).trim()
}
