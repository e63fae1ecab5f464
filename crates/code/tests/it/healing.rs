//! The fixers on small projects: the text that stood there before is among the first candidates.

use autoheal_code::environment::Runtime;
use autoheal_code::languages::fixers;
use autoheal_code::python::report::findings::findings_from;
use autoheal_code::report::{Look, junit};
use autoheal_code::{Candidate, Environment, FixContext, Sources};
use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use proptest::prelude::*;

const SHAPES: &str = "\
from collections import OrderedDict


class Shape:
    def __init__(self, name, corners):
        self.name = name
        self.corners = corners

    def describe(self):
        return self.label() + ' has ' + str(self.corners)

    def label(self):
        return self.name.upper()


def largest(shapes):
    by_corners = OrderedDict()
    for shape in shapes:
        by_corners[shape.corners] = shape
    return by_corners[max(by_corners)]


def report(shapes):
    return largest(shapes).describe()
";

const PACKAGE: &str = "from .shapes import Shape, largest, report\n";

const TEST: &str = "from geometry import Shape, report\n\n\ndef test_report():\n    report([Shape('square', 4)])\n";

fn environment() -> Environment {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect();
    let runtime = Runtime {
        version: (3, 11),
        standard_library: words("collections os sys re json itertools functools typing"),
        builtins: words("str int len max min print range list dict property staticmethod"),
        exports: [("collections".to_owned(), words("OrderedDict deque Counter namedtuple"))].into(),
        members: [("str".to_owned(), words("upper lower title strip join split"))].into(),
        ..Runtime::default()
    };
    Environment::default().with(autoheal_code::python::ID, runtime)
}

/// The candidates of every fixer for a broken `shapes.py`, cheapest first.
fn candidates(broken: &str, package: &str, file: &str, line: u32, error: &str) -> (Sources, Vec<Candidate>) {
    let mut sources = Sources::new(vec![String::new()]);
    sources.insert("geometry/__init__.py", package, false);
    sources.insert("geometry/shapes.py", broken, false);
    sources.insert("tests/test_shapes.py", TEST, true);
    let finding = Finding {
        source: Source::Test,
        category: Category::TypeError,
        file: Some(file.to_owned()),
        location: Some(Location { line, column: None }),
        message: error.to_owned(),
        stack: Some(format!(
            "Traceback (most recent call last):\n  File \"/s/tests/test_shapes.py\", line 5, in test_report\n    report()\n  \
             File \"/s/{file}\", line {line}, in f\n    x\n{error}\n"
        )),
    };
    let environment = environment();
    let context = FixContext {
        finding: &finding,
        all_findings: std::slice::from_ref(&finding),
        sources: &sources,
        environment: &environment,
    };
    let mut found: Vec<Candidate> = fixers(&finding).iter().flat_map(|fixer| fixer.candidates(&context)).collect();
    found.sort_by_key(|candidate| candidate.cost);
    let mut seen = Vec::new();
    found.retain(|candidate| {
        let is_new = !seen.contains(&candidate.files);
        seen.push(candidate.files.clone());
        is_new
    });
    (sources, found)
}

/// Returns the rank of the original, from 1; `None` when it is not among the candidates.
fn rank(original: &str, replacement: &str, line: Option<u32>, error: &str) -> Option<usize> {
    let at = SHAPES.find(original).expect("the original is in the text");
    let broken = SHAPES.replacen(original, replacement, 1);
    let own_line = u32::try_from(SHAPES[..at].matches('\n').count()).expect("a line") + 1;
    let (sources, found) = candidates(&broken, PACKAGE, "geometry/shapes.py", line.unwrap_or(own_line), error);
    position(&sources, &found, "geometry/shapes.py", SHAPES)
}

fn position(sources: &Sources, found: &[Candidate], file: &str, wanted: &str) -> Option<usize> {
    let restores = |candidate: &Candidate| {
        candidate.files.iter().all(|edit| {
            edit.file == file && edit.apply(sources.text(file).unwrap_or_default()).is_ok_and(|text| text == wanted)
        })
    };
    found.iter().position(restores).map(|position| position + 1)
}

/// Errors of a broken `shapes.py`: what stood there, what stands there now, the line that fails where it is another one, and the rank at which
/// the original has to be.
const ERRORS: &[(&str, &str, Option<u32>, &str, usize)] = &[
    ("in shapes:", "in shpaes:", None, "NameError: name 'shpaes' is not defined. Did you mean: 'shapes'?", 3),
    ("def largest(shapes)", "def largest(shaeps)", Some(18), "NameError: name 'shapes' is not defined", 3),
    ("name.upper", "name.uper", None, "AttributeError: 'str' object has no attribute 'uper'", 3),
    ("def describe", "def descrbe", Some(24), "AttributeError: 'Shape' object has no attribute 'describe'", 3),
    ("return self.name.", "return name.", None, "NameError: name 'name' is not defined", 3),
    ("str(self.corners)", "self.corners", None, "TypeError: can only concatenate str (not \"int\") to str", 3),
    ("return by_corners", "by_corners", Some(24), "AttributeError: 'NoneType' object has no attribute 'describe'", 3),
    ("self.label()", "self.label", None, "TypeError: unsupported operand type(s) for +: 'method' and 'str'", 3),
    (
        "largest(shapes).",
        "largest().",
        None,
        "TypeError: largest() missing 1 required positional argument: 'shapes'",
        1,
    ),
    (
        "def label(self)",
        "def label()",
        Some(10),
        "TypeError: Shape.label() takes 0 positional arguments but 1 was given",
        3,
    ),
    ("from collections", "from colections", None, "ModuleNotFoundError: No module named 'colections'", 1),
    (
        "import OrderedDict",
        "import OrdredDict",
        None,
        "ImportError: cannot import name 'OrdredDict' from 'collections' (/usr/lib/python3.11/collections/__init__.py)",
        1,
    ),
    ("from collections import OrderedDict\n", "", Some(16), "NameError: name 'OrderedDict' is not defined", 3),
];

#[test]
fn original_is_early_among_all_fixers() {
    for (original, replacement, line, error, within) in ERRORS {
        let rank = rank(original, replacement, *line, error);
        assert!(rank.is_some_and(|rank| rank <= *within), "{replacement:?} -> {original:?}: rank {rank:?}");
    }
}

#[test]
fn wrong_dots() {
    let package = PACKAGE.replace("from .shapes", "from ..shapes");
    let error = "ImportError: attempted relative import beyond top-level package";
    let (sources, found) = candidates(SHAPES, &package, "geometry/__init__.py", 1, error);
    assert!(position(&sources, &found, "geometry/__init__.py", PACKAGE).is_some_and(|rank| rank <= 3));
}

#[test]
fn a_lost_re_export() {
    let package = PACKAGE.replace(", report", "");
    let error = "ImportError: cannot import name 'report' from 'geometry' (/s/geometry/__init__.py)";
    let (sources, found) = candidates(SHAPES, &package, "tests/test_shapes.py", 1, error);
    assert!(position(&sources, &found, "geometry/__init__.py", PACKAGE).is_some_and(|rank| rank <= 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn candidates_keep_tests_parse_and_repeat(
        start in 0..SHAPES.len(),
        length in 0..12_usize,
        noise in "[a-z_.()\\[\\]:, 'é\n]{0,6}",
        line in 0..40_u32,
        error in "(NameError: name 'shape'|AttributeError: 'Shape' object has no attribute 'x'|TypeError: largest\\(\\) takes 1|ImportError: cannot import name 'a' from 'geometry'|ModuleNotFoundError: No module named 'b'|AssertionError|ValueError: too many values to unpack) .{0,20}",
    ) {
        let end = (start + length).min(SHAPES.len());
        let broken = format!("{}{noise}{}", &SHAPES[..start], &SHAPES[end..]);
        let (sources, first) = candidates(&broken, PACKAGE, "geometry/shapes.py", line, &error);
        let (_, second) = candidates(&broken, PACKAGE, "geometry/shapes.py", line, &error);
        prop_assert_eq!(&first, &second);
        for candidate in &first {
            for edit in &candidate.files {
                prop_assert!(sources.is_editable(&edit.file));
                let before = sources.text(&edit.file).unwrap_or_default();
                let after = edit.apply(before).expect("an edit that fits");
                prop_assert_ne!(before, after.as_str());
            }
        }
    }

    #[test]
    fn arbitrary_text_is_no_danger(text in "(?s).{0,200}", error in ".{0,80}", stack in ".{0,200}") {
        let mut sources = Sources::new(vec![String::new(), "src".to_owned()]);
        sources.insert("a.py", text.as_str(), false);
        let finding = Finding {
            source: Source::Test,
            category: Category::Import,
            file: Some("a.py".to_owned()),
            location: Some(Location { line: 3, column: None }),
            message: error,
            stack: Some(stack),
        };
        let environment = environment();
        let context =
            FixContext { finding: &finding, all_findings: &[], sources: &sources, environment: &environment };
        for fixer in fixers(&finding) {
            for candidate in fixer.candidates(&context) {
                for edit in &candidate.files {
                    prop_assert!(edit.apply(sources.text(&edit.file).unwrap_or_default()).is_ok());
                }
            }
        }
    }
}

#[test]
fn importers_count_transitively() {
    let (sources, _) = candidates(SHAPES, PACKAGE, "geometry/shapes.py", 1, "KeyError: 1");
    let importers = autoheal_code::imports::Imports::new(&sources).importers();
    assert_eq!(importers.get("geometry/shapes.py"), Some(&2));
    assert_eq!(importers.get("geometry/__init__.py"), Some(&1));
}

#[test]
fn a_report_without_failures_has_no_findings() {
    let report =
        junit::parse("<testsuites><testsuite><testcase name='a'/></testsuite></testsuites>").expect("a report");
    let sources = Sources::new(vec![String::new()]);
    let look = Look { prefixes: &[], directory: "", sources: &sources };
    assert!(report.is_green() && findings_from(&report, &look).is_empty());
}
