//! The tests in a module of JavaScript or TypeScript, as its statements tell them.

use std::collections::BTreeSet;

use super::judging;
use super::module::{Module, Role};
use crate::language::assertions::is_assertion;
use crate::language::units::{Unit, UnitKind, Units};
use crate::span::Span;

/// Conditions that only a test runner meets.
const GUARDS: [&str; 3] = ["import.meta.vitest", "process.env.VITEST", "NODE_TEST_CONTEXT"];

/// Functions that declare tests.
const DECLARES: [&str; 9] =
    ["test", "it", "describe", "suite", "before", "after", "beforeEach", "afterEach", "beforeAll"];

/// Number of blocks of tests that begin in a text that may not parse, by their first lines.
pub(crate) fn begun(text: &str) -> usize {
    text.lines().filter(|line| line.contains("import.meta.vitest")).count()
}

/// Reads the statements at the top of a module. `is_collected`: a test runner found tests in it.
pub(crate) fn read(file: &str, text: &str, is_collected: bool) -> Units {
    let module = Module::read(file, text);
    let mut tops: Vec<Span> = Vec::new();
    for span in &module.statements {
        if tops.last().is_none_or(|last| span.start >= last.end) {
            tops.push(*span);
        }
    }
    let units = tops.into_iter().map(|span| unit(&module, text, span, is_collected)).collect();
    let words = module.words.iter().map(|word| (word.text.clone(), word.span)).collect();
    Units { all: units, examples: Vec::new(), words }
}

fn unit(module: &Module, text: &str, span: Span, is_collected: bool) -> Unit {
    let bindings = module.scopes.first().map(|scope| &scope.bindings);
    let binds: BTreeSet<String> = bindings
        .into_iter()
        .flatten()
        .filter(|(_, place)| span.contains(**place))
        .map(|(name, _)| name.clone())
        .collect();
    let inside = module.words.iter().filter(|word| span.contains(word.span));
    let uses = inside.filter(|word| matches!(word.role, Role::Use)).map(|word| word.text.clone()).collect();
    let offered = module.exports.names.values().chain(&module.exports.default).chain(&module.exports.whole);
    let is_exported = offered.into_iter().any(|place| span.contains(*place) || place.contains(span));
    let is_offered = is_exported || binds.iter().any(|name| module.exports.names.contains_key(name));
    Unit { span, kind: kind(module, text, span, is_offered, is_collected), binds, uses, is_offered }
}

fn kind(module: &Module, text: &str, span: Span, is_offered: bool, is_collected: bool) -> UnitKind {
    let shown = span.text(text);
    let head = shown.split(['{', '\n']).next().unwrap_or_default();
    if head.starts_with("if") && GUARDS.iter().any(|guard| head.contains(guard)) {
        return UnitKind::Test;
    }
    let called = head.split(['(', '.']).next().unwrap_or_default().trim();
    if is_collected && DECLARES.contains(&called) && head.contains(['(', '.']) {
        return UnitKind::Test;
    }
    let imports: Vec<_> = module.imports.iter().filter(|import| span.contains(import.span)).collect();
    if !imports.is_empty() {
        let is_framework = imports.iter().all(|import| judging::is_framework(&import.specifier));
        return if is_framework { UnitKind::Framework } else { UnitKind::Value };
    }
    let function = module.functions.iter().find(|function| span.contains(function.span));
    if let Some(function) = function {
        let judges = is_assertion(&function.name) || shown.contains("AssertionError");
        return if judges && !is_offered { UnitKind::Helper } else { UnitKind::Definition };
    }
    if module.classes.iter().any(|class| span.contains(class.span)) {
        return UnitKind::Definition;
    }
    let is_value = ["const ", "let ", "var "].iter().any(|word| head.starts_with(word));
    match (is_value, is_offered) {
        (_, true) => UnitKind::Definition,
        (true, false) => UnitKind::Value,
        (false, false) => UnitKind::Other,
    }
}
