//! Tests inside a file of the program: functions, classes and examples in docstrings, blocks that only a test
//! runner enters, and code that serves only these. The rest of the file is program and can be edited.
//!
//! Each language provides the statements at the top level of a file ([`Unit`]); the analysis of them is shared.

use std::collections::{BTreeMap, BTreeSet};

use crate::edit::{Candidate, Edit, FileEdit, origin};
use crate::language::units::{Unit, UnitKind, Units};
use crate::languages;
use crate::sources::Sources;
use crate::span::Span;

/// For each file that contains tests, its surroundings and the regions of the tests.
type Regions = BTreeMap<String, (Surroundings, TestRegions)>;

/// Context of a file: its use by the rest of the program and by a test runner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// The names that the rest of the program loads from it; `*`: all that it offers.
    pub(crate) loaded: BTreeSet<String>,
    /// True if a test runner collected tests from it.
    pub(crate) is_collected: bool,
}

/// The parts of a file of the program that are never edited, because they judge it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestRegions {
    spans: Vec<Span>,
    /// Names that the regions bind.
    names: BTreeSet<String>,
    /// Names that the regions use.
    uses: BTreeSet<String>,
    /// Parts that are surely program: others than tests need them.
    certain: Vec<Span>,
    has_tests: bool,
    has_program: bool,
}

/// Names through which a module configures test runners.
const SWITCHES: [&str; 12] = [
    "__test__",
    "__doc__",
    "__unittest_skip__",
    "pytestmark",
    "pytest_plugins",
    "collect_ignore",
    "collect_ignore_glob",
    "load_tests",
    "setUpModule",
    "tearDownModule",
    "globals",
    "globalThis",
];

/// Names of every program that tests lean on without a definition in sight.
const BUILTINS: [&str; 40] = [
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "filter",
    "float",
    "frozenset",
    "getattr",
    "hasattr",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "open",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "type",
    "zip",
    "Array",
    "JSON",
    "Math",
    "Number",
    "Object",
    "String",
];

impl TestRegions {
    pub(crate) fn of(file: &str, text: &str, around: &Surroundings) -> Self {
        Self::from_units(&read(file, text, around), around)
    }

    fn from_units(read: &Units, around: &Surroundings) -> Self {
        let units = &read.all;
        let is_test = |unit: &Unit| matches!(unit.kind, UnitKind::Test | UnitKind::Framework);
        let has_tests = !read.examples.is_empty() || units.iter().any(|unit| unit.kind == UnitKind::Test);
        let is_loaded = |unit: &Unit| {
            unit.binds.iter().any(|name| around.loaded.contains(name)) || unit.is_offered && around.loaded.contains("*")
        };
        // What surely is program: what others load, what runs when the module is loaded, and what those need.
        let runs = |unit: &Unit| unit.kind == UnitKind::Other && unit.binds.is_empty();
        let certain = reached(units, |unit| !is_test(unit) && (is_loaded(unit) || runs(unit)), &is_test);
        let mut tested: BTreeSet<&str> = read.examples.iter().flat_map(|(_, uses)| uses).map(String::as_str).collect();
        let of_tests = reached(units, is_test, &|_| false);
        for (unit, is_of_tests) in units.iter().zip(&of_tests) {
            if *is_of_tests {
                tested.extend(unit.uses.iter().map(String::as_str));
            }
        }
        let serves = |unit: &Unit| unit.binds.iter().any(|name| tested.contains(name.as_str()));
        // What tests use and nothing says of what it is, is what they are about, unless it looks like a judge.
        let is_about = |unit: &Unit| match unit.kind {
            UnitKind::Test | UnitKind::Framework => false,
            UnitKind::Definition => true,
            UnitKind::Helper => unit.is_offered || !serves(unit),
            UnitKind::Value | UnitKind::Other => !serves(unit),
        };
        let program =
            reached(units, |unit| is_about(unit) || !is_test(unit) && (is_loaded(unit) || runs(unit)), &is_test);
        let mut regions = Self { has_tests, ..Self::default() };
        if !has_tests {
            return regions;
        }
        for (index, unit) in units.iter().enumerate() {
            if is_test(unit) || !program[index] && serves(unit) {
                regions.spans.push(unit.span);
                regions.names.extend(unit.binds.iter().cloned());
                regions.uses.extend(unit.uses.iter().cloned());
            } else {
                regions.has_program |=
                    !unit.binds.is_empty() && unit.kind != UnitKind::Other && unit.kind != UnitKind::Value;
                if certain[index] {
                    regions.certain.push(unit.span);
                }
            }
        }
        for (span, uses) in &read.examples {
            if !regions.spans.iter().any(|region| region.contains(*span)) {
                regions.spans.push(*span);
                regions.uses.extend(uses.iter().cloned());
            }
        }
        regions.spans.sort();
        regions
    }

    /// Returns whether the file contains both tests and the program that they are about.
    pub fn are_in_program(&self) -> bool {
        self.has_tests && self.has_program
    }

    /// Returns whether there are tests in the file.
    pub fn hold_tests(&self) -> bool {
        self.has_tests
    }

    /// Returns whether a byte lies in one of the regions.
    pub fn contain(&self, at: usize) -> bool {
        self.spans.iter().any(|span| span.start <= at && at < span.end)
    }

    /// Returns whether an edit changes something within one of the regions.
    pub(crate) fn are_touched_by(&self, edit: &Edit) -> bool {
        let replaced = Span { start: edit.start, end: edit.end };
        self.spans.iter().any(|span| span.overlaps(replaced) || span.start < edit.start && edit.start < span.end)
    }

    /// Returns whether a byte lies in a part of the program that others than the tests need, too.
    pub fn is_surely_program(&self, at: usize) -> bool {
        self.certain.iter().any(|span| span.start <= at && at <= span.end)
    }
}

/// Returns the units that satisfy `is_root`, and the units that bind names used by reached units. Units for
/// which `is_closed` is true are skipped, unless they satisfy `is_root`.
fn reached(units: &[Unit], is_root: impl Fn(&Unit) -> bool, is_closed: &dyn Fn(&Unit) -> bool) -> Vec<bool> {
    let mut found: Vec<bool> = units.iter().map(is_root).collect();
    let mut queue: Vec<usize> = (0..units.len()).filter(|index| found[*index]).collect();
    while let Some(index) = queue.pop() {
        for (other, unit) in units.iter().enumerate() {
            let is_used = || unit.binds.iter().any(|name| units[index].uses.contains(name));
            if !found[other] && !is_closed(unit) && is_used() {
                found[other] = true;
                queue.push(other);
            }
        }
    }
    found
}

/// Returns whether an edit of a file of the program leaves the tests in it as they are, and as much in use:
/// the same regions, still statements at the top, with the same text; none of their names is bound or used
/// elsewhere more often than before, and nothing else is added that makes a test runner leave them out.
pub(crate) fn are_kept(around: &Surroundings, before: &str, edit: &FileEdit, after: &str) -> bool {
    let file = edit.file.as_str();
    let (units_before, units_after) = (read(file, before, around), read(file, after, around));
    let (old, new) = (TestRegions::from_units(&units_before, around), TestRegions::from_units(&units_after, around));
    let is_readable = languages::check(file, before).is_ok();
    let texts = |regions: &TestRegions, text: &str| -> Vec<String> {
        regions.spans.iter().map(|span| span.text(text).to_owned()).collect()
    };
    let is_same = if is_readable {
        texts(&old, before) == texts(&new, after)
    } else {
        are_whole(around, before, edit, after, &new)
    };
    if !is_same || !old.has_tests && !new.has_tests {
        return is_same;
    }
    let names: BTreeSet<&str> = old.names.iter().chain(&new.names).map(String::as_str).chain(SWITCHES).collect();
    let count = |units: &Units, regions: &TestRegions, name: &str| {
        units.words.iter().filter(|(word, span)| word == name && !regions.contain(span.start)).count()
    };
    let is_told_otherwise = |name: &&str| count(&units_after, &new, name) > count(&units_before, &old, name);
    let binds = |units: &Units, name: &str| units.all.iter().any(|unit| unit.binds.contains(name));
    let is_shadowed =
        |name: &&str| old.uses.contains(*name) && binds(&units_after, name) && !binds(&units_before, name);
    let is_told = is_readable && names.iter().any(is_told_otherwise);
    !is_told && !BUILTINS.iter().any(is_shadowed)
}

/// Returns whether the tests of a file that did not parse are in it, whole and
/// untouched, as far as their first lines show.
fn are_whole(around: &Surroundings, before: &str, edit: &FileEdit, after: &str, new: &TestRegions) -> bool {
    let is_untouched = |span: &Span| (span.start..span.end).all(|at| origin(at, &edit.edits).is_empty());
    let language = languages::of(&edit.file);
    let begun = |text: &str| language.map_or(0, |language| language.tests_begun(text, around.is_collected));
    let found: usize = new.spans.iter().map(|span| begun(span.text(after))).sum();
    new.spans.iter().all(is_untouched) && found >= begun(before)
}

fn read(file: &str, text: &str, around: &Surroundings) -> Units {
    languages::of(file).map(|language| language.units(file, text, around.is_collected)).unwrap_or_default()
}

/// Returns whether a text may contain tests at all: a quick check before it is parsed.
fn may_hold(file: &str, text: &str) -> bool {
    let signs = languages::of(file).map_or(&[][..], |language| language.signs_of_tests());
    signs.iter().any(|sign| text.contains(sign))
}

/// Parts of files that may be changed.
impl Sources {
    /// Returns the regions of tests in a file of the program; `None` if the file is not one with tests.
    pub fn test_regions(&self, file: &str) -> Option<&TestRegions> {
        self.regions().get(file).map(|(_, regions)| regions)
    }

    /// Returns whether a file that tests were collected from also contains the program that they are about.
    pub fn holds_program(&self, file: &str) -> bool {
        let Some(text) = self.text(file) else { return false };
        // Of a text that does not parse the statements are not known, but that a block of tests begins in it.
        let Some(language) = languages::of(file) else { return false };
        if language.are_tests_marked() && language.check(file, text).is_err() {
            return may_hold(file, text);
        }
        let around = Surroundings { is_collected: true, ..self.surroundings(file) };
        let regions = TestRegions::of(file, text, &around);
        // What loads another file of the repository for nothing but its tests is a test, unless the program loads it.
        let is_about_another = || {
            let imported = language.outline(self).imports(file);
            imported.iter().any(|one| one.file != file && regions.contain(one.at))
        };
        regions.are_in_program() && !(around.loaded.is_empty() && is_about_another())
    }

    /// Returns whether an edit changes nothing that is protected: no protected file, and in a file of the
    /// program with tests neither a test nor whether it runs. `after`: the file's text with the edit.
    pub fn permits(&self, edit: &FileEdit, after: &str) -> bool {
        let Some(before) = self.text(&edit.file).filter(|_| self.is_editable(&edit.file)) else { return false };
        if languages::of(&edit.file).is_some_and(|language| !language.keeps_other_parts(&edit.file, before, after)) {
            return false;
        }
        let may_hold = |text: &str| may_hold(&edit.file, text);
        if !self.is_collected(&edit.file) && !may_hold(before) && !may_hold(after) {
            return true;
        }
        let known = self.regions().get(&edit.file).map(|(around, _)| around.clone());
        are_kept(&known.unwrap_or_else(|| self.surroundings(&edit.file)), before, edit, after)
    }

    /// Returns whether a candidate changes the text of a test in a file of the program.
    pub fn touches_test(&self, candidate: &Candidate) -> bool {
        candidate.files.iter().any(|file| {
            let regions = self.test_regions(&file.file);
            regions.is_some_and(|regions| file.edits.iter().any(|edit| regions.are_touched_by(edit)))
        })
    }

    /// Returns whether a candidate changes nothing that is protected.
    pub fn allows(&self, candidate: &Candidate) -> bool {
        !self.touches_test(candidate)
            && candidate.files.iter().all(|edit| {
                let after = self.text(&edit.file).and_then(|before| edit.apply(before).ok());
                after.is_some_and(|after| self.permits(edit, &after))
            })
    }

    fn regions(&self) -> &Regions {
        self.derived_from_protection(|sources| {
            let may_hold = |file: &str, text: &str| sources.is_collected(file) || may_hold(file, text);
            let editable = sources.iter().filter(|(file, text)| sources.is_editable(file) && may_hold(file, text));
            let regions = editable.map(|(file, text)| {
                let around = sources.surroundings(file);
                let regions = TestRegions::of(file, text, &around);
                (file.to_owned(), (around, regions))
            });
            regions.filter(|(_, (_, regions))| regions.hold_tests()).collect()
        })
    }

    fn surroundings(&self, file: &str) -> Surroundings {
        let others = self.iter().map(|(other, _)| other).filter(|other| *other != file && self.is_editable(other));
        let mut loaded = BTreeSet::new();
        for other in others {
            let Some(outline) = languages::outline(other, self) else { continue };
            for imported in outline.imports(other).into_iter().filter(|imported| imported.file == file) {
                let names = if imported.is_whole { outline.words(other) } else { imported.names };
                loaded.extend(names.into_iter().map(str::to_owned));
            }
        }
        Surroundings { loaded, is_collected: self.is_collected(file) }
    }
}

#[cfg(test)]
mod tests {
    use crate::Sources;
    use crate::edit::{Edit, FileEdit};

    const UNIT: &str = "import unittest\n\nLIMIT = 10\nEXPECTED = 9\n\n\ndef clamp(value):\n    return min(value, LIMIT)\n\n\n\
                        def expect_close(a, b):\n    if abs(a - b) > 0.1:\n        raise AssertionError(a)\n\n\n\
                        class ClampTest(unittest.TestCase):\n    def test_clamp(self):\n        expect_close(clamp(11), EXPECTED)\n\n\n\
                        if __name__ == '__main__':\n    unittest.main()\n";

    const EXAMPLES: &str = "\"\"\"Sums.\"\"\"\n\n\ndef total(values):\n    \"\"\"A sum.\n\n    >>> total([1, 2])\n    3\n    \"\"\"\n    \
                            return sum(values)\n";

    const VITEST: &str = "import { readFileSync } from 'node:fs';\nexport const add = (a: number, b: number) => a + b;\n\
                          if (import.meta.vitest) {\n  const { it, expect } = import.meta.vitest;\n  it('adds', () => {\n    \
                          expect(add(1, 2)).toBe(3);\n  });\n}\n";

    fn sources(file: &str, text: &str) -> Sources {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert(file, text, false);
        sources.protect_tests_in(file);
        sources
    }

    /// Returns whether the first `search` in a text may become `replace`.
    fn permits(file: &str, text: &str, search: &str, replace: &str) -> bool {
        let start = text.find(search).unwrap();
        let edit = FileEdit::single(file, Edit::replace(start..start + search.len(), replace));
        let after = edit.apply(text).unwrap();
        sources(file, text).permits(&edit, &after)
    }

    #[test]
    fn the_program_around_tests_may_be_edited() {
        for (file, text, search, replace) in [
            ("a.py", UNIT, "min(value", "max(value"),
            ("a.py", UNIT, "LIMIT = 10", "LIMIT = 11"),
            ("a.py", UNIT, "import unittest\n", "import unittest\nimport math\n"),
            ("a.py", EXAMPLES, "sum(values)", "min(values)"),
            ("a.ts", VITEST, "a + b", "a - b"),
        ] {
            assert!(permits(file, text, search, replace), "{file}: {replace}");
        }
    }

    #[test]
    fn tests_and_what_serves_only_them_are_kept() {
        for (file, text, search, replace) in [
            ("a.py", UNIT, "EXPECTED = 9", "EXPECTED = 10"),
            ("a.py", UNIT, "> 0.1", "> 10"),
            ("a.py", UNIT, "clamp(11)", "clamp(9)"),
            ("a.py", UNIT, "test_clamp", "check_clamp"),
            ("a.py", UNIT, "class ClampTest(unittest.TestCase)", "class ClampTest"),
            ("a.py", UNIT, "class ClampTest", "@unittest.skip('')\nclass ClampTest"),
            ("a.py", UNIT, "    unittest.main()", "    pass"),
            ("a.py", EXAMPLES, "    3\n", "    1\n"),
            ("a.py", EXAMPLES, "    \"\"\"A sum", "    pass\n    \"\"\"A sum"),
            ("a.ts", VITEST, "toBe(3)", "toBe(4)"),
            ("a.ts", VITEST, "if (import.meta.vitest)", "if (false && import.meta.vitest)"),
        ] {
            assert!(!permits(file, text, search, replace), "{file}: {replace}");
        }
    }

    #[test]
    fn an_edit_elsewhere_does_not_switch_tests_off() {
        for (file, text, search, replace) in [
            ("a.py", UNIT, "LIMIT = 10", "LIMIT = 10\n__test__ = False"),
            ("a.py", UNIT, "LIMIT = 10", "LIMIT = 10\nload_tests = None"),
            ("a.py", UNIT, "LIMIT = 10", "LIMIT = 10\nabs = lambda value: 0"),
            ("a.py", UNIT, "\n\nif __name__", "\n\ndel ClampTest\n\nif __name__"),
            ("a.py", UNIT, "\n\nif __name__", "\n\nClampTest.test_clamp = None\n\nif __name__"),
            ("a.py", UNIT, "\n\nif __name__", "\n\ndef expect_close(a, b):\n    pass\n\nif __name__"),
            ("a.py", UNIT, "\n\nif __name__", "\n\nclass ClampTest:\n    pass\n\nif __name__"),
            ("a.py", EXAMPLES, "    return sum", "    total.__doc__ = ''\n    return sum"),
            ("a.py", EXAMPLES, "\n\ndef total", "\n\n__test__ = {}\n\ndef total"),
        ] {
            assert!(!permits(file, text, search, replace), "{file}: {replace}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_keeps_its_tests_too() {
        let broken = UNIT.replace("def clamp(value):", "def clamp(value)");
        assert!(permits("a.py", &broken, "def clamp(value)", "def clamp(value):"));
        let open = format!("{broken}'''\n");
        assert!(!permits("a.py", &open, "def clamp(value)", "def clamp(value): '''"));
        let broken = VITEST.replace("a + b;", "(a + b;");
        assert!(permits("a.ts", &broken, "(a + b;", "(a + b);"));
        assert!(!permits("a.ts", &broken, "(a + b;", "(a + b); if (0)"));
    }

    #[test]
    fn what_only_looks_like_a_test_is_in_no_fixs_way() {
        let permits = |text: &str, search: &str, replace: &str| {
            let start = text.find(search).unwrap();
            let edit = FileEdit::single("a.py", Edit::replace(start..start + search.len(), replace));
            let mut sources = Sources::new(vec![String::new()]);
            sources.insert("a.py", text, false);
            sources.permits(&edit, &edit.apply(text).unwrap())
        };
        let conflict = "def f():\n<<<<<<< HEAD\n    return 1\n=======\n    return 2\n>>>>>>> feature\n";
        assert!(permits(
            conflict,
            "<<<<<<< HEAD\n    return 1\n=======\n    return 2\n>>>>>>> feature\n",
            "    return 2\n"
        ));
        let nested = "def first(items, is_one)\n    def test(item):\n        return is_one(item)\n    return [item for item in items if test(item)]\n";
        assert!(permits(nested, "is_one)\n", "is_one):\n"));
        let class = "class TestResult\n    passed = 1\n";
        assert!(permits(class, "TestResult\n", "TestResult:\n"));
        // A function that asserts is a test, even if no runner collects it.
        let test = "def double(a)\n    return a * 2\n\ndef test_double():\n    assert double(1) == 2\n";
        assert!(permits(test, "def double(a)\n", "def double(a):\n"));
        assert!(!permits(
            test,
            "def double(a)\n    return a * 2\n\ndef test",
            "def double(a):\n    return a * 2\n\ndef no_test"
        ));
        let example = ">>> double(1)\n2\n";
        let documented = format!("def double(a)\n    \"\"\"Twice.\n\n    {example}    \"\"\"\n    return a * 2\n");
        assert!(!permits(
            &documented,
            "double(a)\n    \"\"\"Twice.\n\n    >>>",
            "double(a):\n    \"\"\"Twice.\n\n    >>>>"
        ));
    }

    #[test]
    fn a_test_about_another_file_holds_no_program() {
        assert!(sources("a.py", UNIT).holds_program("a.py"));
        let mut sources = sources(
            "checks.py",
            "from shop import vat\n\n\ndef order():\n    return 3\n\n\ndef test_vat():\n    assert vat(order()) == 3\n",
        );
        sources.insert("shop.py", "def vat(amount):\n    return amount\n", false);
        assert!(!sources.holds_program("checks.py"));
    }
}
