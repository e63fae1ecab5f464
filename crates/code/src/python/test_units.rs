//! The tests in a Python module, as its statements tell them.

use std::collections::BTreeSet;

use super::judging;
use super::module::{Module, Role, StatementKind};
use crate::language::assertions::is_assertion;
use crate::language::units::{Unit, UnitKind, Units};
use crate::span::Span;

/// Functions that test runners call by their names, and names that they read.
const OF_RUNNERS: [&str; 14] = [
    "setUpModule",
    "tearDownModule",
    "setup_module",
    "teardown_module",
    "setup_function",
    "teardown_function",
    "load_tests",
    "pytest_plugins",
    "pytestmark",
    "collect_ignore",
    "collect_ignore_glob",
    "__test__",
    "autoheal_other_value",
    "python_files",
];

/// Calls that start a test runner.
const STARTS: [&str; 6] =
    ["unittest.main", "doctest.testmod", "doctest.testfile", "pytest.main", "testmod(", "TextTestRunner"];

/// Reads the statements at the top of a module. `is_collected`: a test runner found tests in it, so that its naming rules hold.
pub(crate) fn read(text: &str, is_collected: bool) -> Units {
    let module = Module::read(text);
    let mut tops: Vec<Span> = Vec::new();
    for statement in &module.statements {
        if tops.last().is_none_or(|last| statement.span.start >= last.end) {
            tops.push(statement.span);
        }
    }
    let reader = Reader { text, module: &module, is_collected };
    let examples = reader.examples();
    let cases = reader.cases();
    let units = tops.into_iter().map(|span| reader.unit(span, &examples, &cases)).collect();
    let words = module.words.iter().map(|word| (word.text.clone(), word.span)).collect();
    Units { all: units, examples, words }
}

/// Number of tests and examples that begin in a text that may not parse, by their first lines.
pub(crate) fn begun(text: &str, is_collected: bool) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_definition = |line: &&str| ["def ", "async def ", "class "].iter().any(|word| line.starts_with(word));
    let asserts = |index: usize| {
        let own = lines.iter().skip(index + 1).take_while(|line| !is_definition(line));
        own.into_iter().any(|line| ["assert", "raises", "fail("].iter().any(|word| line.contains(word)))
    };
    let begins = |(index, line): &(usize, &&str)| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.starts_with(">>> ")
            || line == ">>>"
            || line.starts_with("def test") && (is_collected || asserts(*index))
            || line.starts_with("class ") && line.contains(if is_collected { "Test" } else { "TestCase" })
    };
    lines.iter().enumerate().filter(begins).count()
}

struct Reader<'a> {
    text: &'a str,
    module: &'a Module,
    is_collected: bool,
}

impl Reader<'_> {
    fn unit(&self, span: Span, examples: &[(Span, BTreeSet<String>)], cases: &BTreeSet<usize>) -> Unit {
        let bindings = self.module.scopes.first().map(|scope| &scope.bindings);
        let binds: BTreeSet<String> = bindings
            .into_iter()
            .flatten()
            .filter(|(_, places)| places.iter().any(|place| span.contains(*place)))
            .map(|(name, _)| name.clone())
            .collect();
        let inside = self.module.words.iter().filter(|word| span.contains(word.span));
        let mut uses: BTreeSet<String> = inside
            .filter(|word| matches!(word.role, Role::Load | Role::Declared))
            .map(|word| word.text.clone())
            .collect();
        // A class or fixture may be named in a string or an annotation; what a test function takes is a fixture.
        let parameters = self.module.functions.iter().filter(|function| span.contains(function.span));
        let is_documented = examples.iter().any(|(example, _)| span.contains(*example));
        let kind = self.kind(span, cases);
        if kind == UnitKind::Test {
            uses.extend(parameters.flat_map(|function| &function.parameters).map(|parameter| parameter.name.clone()));
        }
        let is_offered = is_documented || binds.iter().any(|name| self.module.all.contains(name));
        Unit { span, kind, binds, uses, is_offered }
    }

    fn kind(&self, span: Span, cases: &BTreeSet<usize>) -> UnitKind {
        let shown = span.text(self.text);
        let functions = || self.module.functions.iter().filter(|function| span.contains(function.span));
        let top = || functions().filter(|function| function.class.is_none());
        let own = functions().find(|function| function.span.end == span.end && function.class.is_none());
        let binds_for_runner = |name: &String| OF_RUNNERS.contains(&name.as_str());
        let bindings = self.module.scopes.first().map(|scope| &scope.bindings);
        let is_for_runner = bindings.into_iter().flatten().any(|(name, places)| {
            (binds_for_runner(name) || name.starts_with("pytest_")) && places.iter().any(|place| span.contains(*place))
        });
        let is_fixture = |function: &super::module::Function| {
            function.decorators.iter().any(|decorator| decorator.text(self.text).contains("fixture"))
        };
        let is_test = |function: &super::module::Function| {
            function.name.starts_with("test") && (self.is_collected || self.asserts(function.span))
        };
        let holds_case =
            cases.iter().any(|class| self.module.classes.get(*class).is_some_and(|class| span.contains(class.span)));
        let is_main = shown.starts_with("if ") && STARTS.iter().any(|start| shown.contains(start));
        if is_for_runner || holds_case || top().any(|function| is_test(function) || is_fixture(function)) {
            return UnitKind::Test;
        }
        let imports: Vec<_> = self.module.imports.iter().filter(|import| span.contains(import.span)).collect();
        let roots = imports.iter().flat_map(|import| {
            let names = import.names.iter().map(|name| name.name.as_str());
            import.from.as_deref().into_iter().chain(names.filter(|_| import.from.is_none()))
        });
        let of_framework: Vec<bool> = roots.map(judging::is_framework).collect();
        if is_main || !of_framework.is_empty() && of_framework.iter().all(|is_one| *is_one) && own.is_none() {
            return UnitKind::Framework;
        }
        let is_class = self.module.classes.iter().any(|class| class.span == span);
        if let Some(function) = own {
            let is_private = function.name.starts_with('_');
            let judges = is_assertion(&function.name) || self.asserts(function.span);
            return if is_private || judges { UnitKind::Helper } else { UnitKind::Definition };
        }
        if is_class {
            let judges = shown.contains("AssertionError") || shown.contains("failureException");
            return if judges || shown.starts_with("class _") { UnitKind::Helper } else { UnitKind::Definition };
        }
        let is_assignment = self
            .module
            .statements
            .iter()
            .any(|statement| statement.span == span && matches!(statement.kind, StatementKind::Assign { .. }));
        if is_assignment || shown.split(['=', ' ']).next().is_some_and(|first| first.ends_with(':')) {
            UnitKind::Value
        } else {
            UnitKind::Other
        }
    }

    /// Returns whether the code in a span contains something that makes tests fail, such as an assertion.
    fn asserts(&self, span: Span) -> bool {
        let says = |line: &str| {
            let line = line.trim_start();
            line.starts_with("assert ") || line.starts_with("assert(") || line.contains("AssertionError")
        };
        span.text(self.text).lines().any(says)
            || self.module.words.iter().any(|word| {
                span.contains(word.span)
                    && (word.text.starts_with("assert")
                        || matches!(word.text.as_str(), "failureException" | "fail" | "raises" | "pytest"))
            })
    }

    /// Classes that hold tests, by their number.
    fn cases(&self) -> BTreeSet<usize> {
        let classes = &self.module.classes;
        let last = |base: &str| base.rsplit('.').next().unwrap_or(base).to_owned();
        let mut found: BTreeSet<usize> = BTreeSet::new();
        loop {
            let names: BTreeSet<&str> =
                found.iter().filter_map(|index| classes.get(*index)).map(|class| class.name.as_str()).collect();
            let more: Vec<usize> = classes
                .iter()
                .enumerate()
                .filter(|(index, class)| {
                    let has_tests = self.module.functions.iter().any(|function| {
                        function.class == Some(*index)
                            && function.name.starts_with("test")
                            && (self.is_collected || self.asserts(function.span))
                    });
                    let is_case = class
                        .bases
                        .iter()
                        .any(|base| last(base).ends_with("TestCase") || names.contains(last(base).as_str()));
                    is_case || has_tests && class.name.starts_with("Test")
                })
                .map(|(index, _)| index)
                .filter(|index| !found.contains(index))
                .collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    /// The docstrings that hold examples.
    fn examples(&self) -> Vec<(Span, BTreeSet<String>)> {
        let module = self.module;
        let is_text = |span: &Span| {
            let shown = span.text(self.text).trim_start_matches(['r', 'R', 'u', 'U']);
            (shown.starts_with('"') || shown.starts_with('\'')) && shown.contains(">>> ")
        };
        let first_of_module = module.statements.first().map(|statement| statement.span);
        let first_of_functions = module.functions.iter().filter_map(|function| function.body.first().copied());
        let first_of_classes = module.classes.iter().filter_map(|class| {
            let inside = module.statements.iter().map(|statement| statement.span);
            inside.filter(|span| class.span.contains(*span) && *span != class.span).min_by_key(|span| span.start)
        });
        let mut found: Vec<Span> =
            first_of_module.into_iter().chain(first_of_functions).chain(first_of_classes).filter(is_text).collect();
        found.sort();
        found.dedup();
        found.into_iter().map(|span| (span, names_in_examples(span.text(self.text)))).collect()
    }
}

/// The identifiers in the examples of a docstring.
fn names_in_examples(docstring: &str) -> BTreeSet<String> {
    let lines = docstring.lines().map(str::trim_start);
    let code =
        lines.filter_map(|line| line.split_once(">>> ").map(|(_, code)| code).or_else(|| line.strip_prefix("... ")));
    code.flat_map(|code| code.split(|one: char| !(one.is_alphanumeric() || one == '_')))
        .filter(|word| word.chars().next().is_some_and(|one| !one.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}
