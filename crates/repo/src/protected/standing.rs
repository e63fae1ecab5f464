//! Standing of each file of a repository towards its tests. Judges are files that only tests load, unless the
//! tests are about them.
//!
//! "Only tests load it" is also true of the modules of most small libraries, so that alone does not make a
//! file a judge. The rules, in order:
//!
//! 1. A test is a judge: a file with the name or the folder of one, or one that tests were collected from.
//! 2. The files that the package's manifest names, the files that load no test and that no test loads, and
//!    everything that those files load, are the program.
//! 3. A file that a test of the same name loads (`test_price.py`: `price.py`), itself or by its package, is what that test is about,
//!    together with the files that it loads, except those that rule 4 recognises by more than their names:
//!    these files may be edited.
//! 4. Files that settings of test runners name (`setupFiles`, `--require`, `pytest_plugins`), files in a
//!    folder with a conventional name for support code, files with the name of a test helper, and files that
//!    use what test frameworks provide for judging, are judges.
//! 5. A file that holds only values, and that tests and judges load but the program does not, holds what they
//!    expect, and is a judge.
//! 6. A file that defines how its objects compare, and that neither the program nor a tested file loads, is
//!    what tests expect, and a judge.
//! 7. Every other file that only tests load is unclear: it may be edited, unless it raised the failed
//!    assertion itself, and a fix of it is examined more closely.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use autoheal_code::imports::Imports;
use autoheal_code::test_regions::TestRegions;
use autoheal_code::{LanguageId, Sources, judging, languages};
use regex::Regex;

use super::{Protection, protection};

/// Folders that hold what tests need, anywhere.
const SUPPORT: [&str; 13] = [
    "spec",
    "specs",
    "testing",
    "fixtures",
    "test_helpers",
    "test-helpers",
    "testhelpers",
    "test_utils",
    "test-utils",
    "testutils",
    "test_support",
    "cypress",
    "mocks",
];

/// Folders that do so at the top of a repository, or below a folder of tests.
const SUPPORT_OF_TESTS: [&str; 4] = ["support", "features", "step_definitions", "helpers"];

/// Whole names, or the first or last word of names, of files that tests need.
const HELPERS: [&str; 20] = [
    "testing",
    "testutil",
    "testutils",
    "testhelper",
    "testhelpers",
    "testlib",
    "fixture",
    "fixtures",
    "factories",
    "mocks",
    "stubs",
    "fakes",
    "matchers",
    "assertions",
    "asserts",
    "expectations",
    "harness",
    "conftest",
    "custommatchers",
    "testcase",
];

/// Standing of a file: its relation to the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Standing {
    /// Part of the program.
    Program,
    /// Loaded by tests only, one of which is about it.
    Tested,
    /// Loaded by tests only, without a sign of what it is.
    Unclear,
    /// It decides what green means.
    Judge,
}

/// Standing of each source file of a repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standings(BTreeMap<String, Standing>);

impl Standings {
    /// Reads them off the repository's text. `collected`: files that tests were collected from, and further judges that are known.
    pub(crate) fn of(sources: &Sources, collected: &BTreeSet<String>) -> Self {
        let graph = Imports::new(sources);
        let is_test = |file: &str| collected.contains(file) || protection(file) == Some(Protection::Test);
        let (tests, others): (Vec<&str>, Vec<&str>) = graph.files().partition(|file| is_test(file));
        let named = named_by_settings(sources);
        let loaded = graph.reached(tests.iter().chain(&named).copied(), |_| false);
        // Tests that stand in a file of the program say what tests say, and do not make it a test.
        let is_program = |file: &str| sources.test_regions(file).is_some_and(TestRegions::are_in_program);
        let judges = |file: &str| named.contains(file) || !is_program(file) && judging::judges(file, sources);
        let signs = |file: &str| is_support(file) || judges(file);
        let is_settings = |file: &str| protection(file).is_some();
        let manifest: BTreeSet<&str> = sources.iter().flat_map(|(file, _)| languages::entries(file, sources)).collect();
        let roots = others
            .iter()
            .copied()
            .filter(|file| manifest.contains(file) || !loaded.contains(file) && !is_settings(file) && !signs(file));
        let program = graph.reached(roots, |file| is_test(file));
        let about: BTreeSet<&str> = tests
            .iter()
            .flat_map(|test| {
                // A package's own file offers what others define.
                let offered = graph.of(test).filter(|file| is_package(file)).flat_map(|file| graph.of(file));
                graph.of(test).chain(offered).filter(|file| is_about(test, file))
            })
            .collect();
        let served = graph.reached(about.iter().copied(), |file| is_test(file) || judges(file));
        let mut standings: BTreeMap<String, Standing> = BTreeMap::new();
        for file in &others {
            let standing = if program.contains(file) {
                Standing::Program
            } else if about.contains(file) || served.contains(file) {
                Standing::Tested
            } else if signs(file) || judging::compares(file, sources) {
                Standing::Judge
            } else {
                Standing::Unclear
            };
            standings.insert((*file).to_owned(), standing);
        }
        for file in &tests {
            standings.insert((*file).to_owned(), Standing::Judge);
        }
        let mut standings = Self(standings);
        standings.add_values_of_judges(&graph, sources);
        standings
    }

    fn add_values_of_judges(&mut self, graph: &Imports<'_>, sources: &Sources) {
        let mut others: BTreeSet<&str> = BTreeSet::new();
        let mut judged: BTreeSet<&str> = BTreeSet::new();
        for file in graph.files() {
            let loaded = if self.get(file) == Standing::Judge { &mut judged } else { &mut others };
            loaded.extend(graph.of(file));
        }
        for file in judged.difference(&others) {
            if self.get(file) == Standing::Unclear && judging::holds_only_values(file, sources) {
                self.0.insert((*file).to_owned(), Standing::Judge);
            }
        }
    }

    /// Returns the standing of a file; one that is not a source file counts as part of the program.
    pub(crate) fn get(&self, file: &str) -> Standing {
        self.0.get(file).copied().unwrap_or(Standing::Program)
    }

    /// Returns all files that are judges.
    pub(crate) fn judges(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, standing)| **standing == Standing::Judge).map(|(file, _)| file.as_str())
    }
}

fn parts(file: &str) -> (Vec<String>, String) {
    let lower = file.to_lowercase();
    let mut folders: Vec<String> = lower.split('/').map(str::to_owned).collect();
    let name = folders.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default().to_owned();
    (folders, stem)
}

/// Returns whether a file has the folder or the name of code that supports tests.
fn is_support(file: &str) -> bool {
    let (folders, stem) = parts(file);
    let is_support = |folder: &String| SUPPORT.contains(&folder.as_str()) || folder.ends_with("_testing");
    let first = folders.first().is_some_and(|top| SUPPORT_OF_TESTS.contains(&top.as_str()));
    let mut words = stem.split(['_', '-']);
    let (begin, end) = (words.next().unwrap_or_default(), words.next_back().unwrap_or_default());
    let says = |word: &str| HELPERS.contains(&word);
    let plain: String = stem.chars().filter(|one| one.is_alphanumeric()).collect();
    let is_helper = says(&stem) || says(begin) || says(end) || says(&plain) || plain == "testutils";
    folders.iter().any(is_support)
        || first
        || is_helper
        || plain.starts_with("spechelper")
        || plain.starts_with("testhelper")
}

/// Returns whether a file stands for the folder that it is in.
fn is_package(file: &str) -> bool {
    matches!(parts(file).1.as_str(), "__init__" | "index")
}

/// Returns whether a test is named after a file.
fn is_about(test: &str, file: &str) -> bool {
    let (folders, stem) = parts(file);
    let (_, test) = parts(test);
    let plain = |text: &str| text.replace(['-', '_', '.'], "");
    let test = test.trim_start_matches("test_").trim_start_matches("test-");
    let test =
        ["_test", "-test", "_tests", "_spec", "-spec"].iter().find_map(|end| test.strip_suffix(end)).unwrap_or(test);
    let own = if is_package(file) { folders.last().cloned().unwrap_or_default() } else { stem };
    let around = folders.last().map(|folder| plain(folder)).unwrap_or_default();
    let (test, own) = (plain(test), plain(&own));
    !own.is_empty() && (test == own || test == format!("{around}{own}"))
}

/// Files that settings of test runners name: set up, plugins, environments, reporters.
fn named_by_settings(sources: &Sources) -> BTreeSet<&str> {
    static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let keys = "setupFiles|setupFilesAfterEnv|setupTestFrameworkScriptFile|globalSetup|globalTeardown|testEnvironment|\
                    snapshotSerializers|snapshotResolver|reporters|runner|testRunner|resolver|require|import|file|loader|\
                    pytest_plugins|addopts|-p|--require|-r|--import|--file|--setupFiles";
        Regex::new(&format!(r#"(?:^|[\s"'`,{{(])(?:{keys})["']?\s*[:=\s]\s*(\[[^\]]*\]|[^\n]*)"#)).ok()
    });
    static PATH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[@\w./<>-]+").ok());
    let Some((keys, path)) = KEYS.as_ref().zip(PATH.as_ref()) else { return BTreeSet::new() };
    let mut found = BTreeSet::new();
    for (file, text) in sources.iter() {
        let name = file.rsplit('/').next().unwrap_or(file);
        let is_manifest = matches!(name, "package.json" | "pyproject.toml" | "setup.cfg" | "pytest.ini" | "tox.ini");
        let is_settings = protection(file) == Some(Protection::Configuration) || name == "conftest.py";
        // Programs say `require` and `import`, too, and not of settings.
        let is_program = LanguageId::of(file).is_some() && !is_settings;
        if is_program || !(is_manifest || is_settings) {
            continue;
        }
        for captures in keys.captures_iter(text) {
            let whole = captures.get(0).map_or("", |whole| whole.as_str());
            if name == "package.json" && whole.contains("\"import\"") {
                // How the package is loaded, not by what it is tested.
                continue;
            }
            let named = captures.get(1).map_or("", |value| value.as_str());
            found.extend(path.find_iter(named).filter_map(|word| resolve(file, word.as_str(), sources)));
        }
    }
    found
}

/// The file that a word of settings names: a path from them, or a module.
fn resolve<'a>(settings: &str, word: &str, sources: &'a Sources) -> Option<&'a str> {
    let path = word.trim_start_matches("<rootDir>").trim_start_matches("./").trim_start_matches('/');
    let below = settings.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joined = if below.is_empty() { path.to_owned() } else { format!("{below}/{path}") };
    let is_it = |known: &&str| {
        let rest = known.strip_prefix(joined.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.rfind('.') == Some(0) && !rest.contains('/'))
    };
    let of_path = sources.iter().map(|(known, _)| known).filter(|known| LanguageId::of(known).is_some()).find(is_it);
    of_path.or_else(|| languages::module(path, sources)).filter(|_| path.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(files: &[(&str, &str)]) -> Standings {
        let mut sources = Sources::new(vec![String::new()]);
        for (file, text) in files {
            sources.insert(*file, *text, false);
        }
        Standings::of(&sources, &BTreeSet::new())
    }

    const HELPER: &str = "def expect_close(a, b):\n    if abs(a - b) > 1:\n        raise AssertionError(a)\n";

    #[test]
    fn a_helper_of_assertions_is_a_judge_and_the_only_module_of_a_library_is_not() {
        let found = standings(&[
            ("test_all.py", "from checking import expect_close\nfrom shop.price import vat\nimport stock\n"),
            ("checking.py", "from tolerances import TOLERANCE\ndef close(a, b):\n    return abs(a - b) < TOLERANCE\n"),
            ("tolerances.py", "TOLERANCE = 0.1\n"),
            ("shop/__init__.py", ""),
            ("shop/price.py", "def vat(a):\n    assert a > 0\n    return a\n"),
            ("stock.py", "RATE = 3\ndef add(a):\n    return a\n"),
        ]);
        assert_eq!(found.get("checking.py"), Standing::Unclear, "nothing says what it is");
        let found = standings(&[
            ("test_all.py", "from checking import expect_close\nfrom shop.price import vat\nimport stock\n"),
            ("checking.py", &format!("from tolerances import TOLERANCE\nfrom stock import add\n{HELPER}")),
            ("tolerances.py", "TOLERANCE = 0.1\n"),
            ("shop/__init__.py", ""),
            ("shop/price.py", "def vat(a):\n    assert a > 0\n    return a\n"),
            ("stock.py", "RATE = 3\ndef add(a):\n    return a\n"),
        ]);
        assert_eq!(found.judges().collect::<Vec<_>>(), ["checking.py", "test_all.py", "tolerances.py"]);
        assert_eq!(found.get("shop/price.py"), Standing::Unclear);
    }

    #[test]
    fn what_the_program_loads_or_a_test_is_about_is_no_judge() {
        let found = standings(&[
            ("tests/test_api.py", "from lib import api\nfrom lib.testing import client\nfrom lib.extra import x\n"),
            ("tests/test_asserts.py", "from lib.asserts import assert_it\n"),
            ("pyproject.toml", "[project]\nname = \"lib\"\n"),
            ("lib/__init__.py", "from .api import call\n"),
            ("lib/api.py", "from .testing import client\ndef call(): pass\n"),
            ("lib/testing/__init__.py", HELPER),
            ("lib/asserts.py", HELPER),
            ("lib/extra.py", HELPER),
        ]);
        assert_eq!(found.get("lib/testing/__init__.py"), Standing::Program, "the program loads it");
        assert_eq!(found.get("lib/asserts.py"), Standing::Tested, "a test is about it");
        assert_eq!(found.get("lib/extra.py"), Standing::Judge);
        assert_eq!(found.get("lib/api.py"), Standing::Program);
    }

    #[test]
    fn what_a_package_offers_is_what_a_test_of_its_name_is_about() {
        let files = |test| {
            [
                (test, "from poly import Polynomial\n"),
                ("poly/__init__.py", "from .polynomial import Polynomial\n"),
                (
                    "poly/polynomial.py",
                    "class Polynomial:\n    def __eq__(self, other):\n        return self.a == other.a\n",
                ),
            ]
        };
        assert_eq!(standings(&files("tests/test_polynomial.py")).get("poly/polynomial.py"), Standing::Tested);
        assert_eq!(standings(&files("tests/test_all.py")).get("poly/polynomial.py"), Standing::Judge);
    }

    #[test]
    fn folders_and_settings_say_what_belongs_to_the_tests_of_javascript() {
        let found = standings(&[
            (
                "spec/price.spec.js",
                "const { close } = require('./support/expect');\nconst { vat } = require('../price');\nrequire('../lib/same');\n",
            ),
            ("spec/support/expect.js", "exports.close = (a, b) => { if (a !== b) throw new Error(a); };\n"),
            ("price.js", "const spec = require('./spec/known');\nexports.vat = (a) => a;\n"),
            ("spec/known.js", "exports.known = 1;\n"),
            ("lib/same.js", "const assert = require('assert');\nmodule.exports = (a, b) => assert(a === b);\n"),
            ("lib/hooks.js", "module.exports = 1;\n"),
            (".mocharc.yml", "require: ./lib/hooks.js\n"),
            ("package.json", r#"{"name": "x", "main": "price.js"}"#),
        ]);
        let judges: Vec<&str> = found.judges().collect();
        assert_eq!(judges, ["lib/hooks.js", "lib/same.js", "spec/price.spec.js", "spec/support/expect.js"]);
        assert_eq!(found.get("spec/known.js"), Standing::Program, "the program loads it");
    }
}
