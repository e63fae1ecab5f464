//! Everything that CI runs: several suites, packages, programs; and what is not run, which is never green.

use std::path::Path;

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_repo::repo_config::Version;
use autoheal_repo::request::CiMode;
use autoheal_repo::toolchain::python::interpreter::{Surroundings, candidates};
use autoheal_testkit::repository::TestRepository;

use crate::driver::{Healed, heal};

const LIBRARY: &str = "import json\n\n\ndef told(lines):\n    return json.dumps({\"lines\": len(lines)})\n\n\n\
                       def twice(number):\n    return number * 2\n";
const TEST_TOLD: &str =
    "from shop.library import told\n\n\ndef test_told():\n    assert told([1]) == '{\"lines\": 1}'\n";
const TEST_TWICE: &str = "from shop.library import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n";

/// A workflow of steps that run in the top folder.
fn workflow(commands: &[&str]) -> String {
    let steps: String = commands.iter().flat_map(|command| ["      - run: ", command, "\n"]).collect();
    format!(
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install pytest\n{steps}"
    )
}

/// A shop whose library is `library` since its last commit.
fn shop(workflow: &str, more: &[(&str, &str)], library: &str) -> TestRepository {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/library.py", LIBRARY),
        ("tests/test_told.py", TEST_TOLD),
        ("tests/test_twice.py", TEST_TWICE),
        ("pytest.ini", "[pytest]\npythonpath = .\n"),
        (".github/workflows/ci.yml", workflow),
    ];
    let repository = TestRepository::with_files(&[&files, more].concat());
    if library != LIBRARY {
        repository.write("shop/library.py", library).commit("break it");
    }
    repository
}

async fn healed(repository: &TestRepository) -> Option<Healed> {
    heal(HealRequest::new(repository.path().display().to_string())).await
}

fn on_branch(repository: &TestRepository, file: &str) -> String {
    repository.git(&["show", &format!("AUTOHEAL_BOT_AI_Fix:{file}")]) + "\n"
}

#[tokio::test]
async fn a_fault_that_only_the_second_suite_sees_is_healed() {
    let steps = workflow(&["pytest tests/test_twice.py", "pytest tests/test_told.py"]);
    let repository = shop(&steps, &[], &LIBRARY.replace("json.dumps", "jsn.dumps"));
    let Some(healed) = healed(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(healed.results.commands.len(), 2, "{:?}", healed.results.commands);
    assert_eq!(on_branch(&repository, "shop/library.py"), LIBRARY);
}

#[tokio::test]
async fn a_fault_of_logic_in_the_second_suite_is_searched_for_there() {
    let steps = workflow(&["pytest tests/test_told.py", "pytest tests/test_twice.py"]);
    let repository = shop(&steps, &[], &LIBRARY.replace("number * 2", "number - 2"));
    let Some(healed) = healed(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert!(healed.results.searches.iter().all(|search| search.not_warm.is_none()), "{}", healed.report);
}

#[tokio::test]
async fn both_languages_of_a_repository_are_healed() {
    let steps = workflow(&["pytest tests", "cd web && npm test"]);
    let (sum, page) = ("exports.sum = (a, b) => a + b;\n", "exports.title = (name) => name.trim().toUpperCase();\n");
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { sum } = require('../sum');\n\
                const { title } = require('../page');\ntest('sum', () => {\n  assert.strictEqual(sum(2, 3), 5);\n  \
                assert.strictEqual(sum(4, 4), 8);\n});\ntest('title', () => assert.strictEqual(title(' a '), 'A'));\n";
    let web = [
        ("web/package.json", r#"{"name": "web", "version": "1.0.0", "scripts": {"test": "node --test test/"}}"#),
        ("web/sum.js", sum),
        ("web/page.js", page),
        ("web/test/all.test.js", test),
    ];
    let repository = shop(&steps, &web, LIBRARY);
    repository.write("shop/library.py", LIBRARY.replace("json.dumps", "jsn.dumps"));
    repository.write("web/sum.js", sum.replace('+', "-"));
    repository.write("web/page.js", page.replace("toUpperCase", "toUperCase")).commit("break both");
    repository.write("NOTES.md", "Nothing.\n").commit("notes");
    let Some(healed) = healed(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(healed.results.commands, ["python -m pytest tests", "node --test test/ (in web)"]);
    for (file, text) in [("shop/library.py", LIBRARY), ("web/sum.js", sum), ("web/page.js", page)] {
        assert_eq!(on_branch(&repository, file), text, "{}", healed.report);
    }
    assert!(healed.results.searches.iter().all(|search| search.not_warm.is_none()), "{}", healed.report);
}

#[tokio::test]
async fn each_package_that_a_matrix_names_is_tested_in_its_folder() {
    let workflow = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        package: [alpha, beta]\n    \
                    steps:\n      - run: pytest\n        working-directory: packages/${{ matrix.package }}\n";
    for workflow in [Some(workflow), None] {
        let repository = packages(workflow);
        let Some(healed) = healed(&repository).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
        assert_eq!(healed.results.fixes_applied, 2, "{}", healed.report);
    }
}

/// Two packages, each with a fault, and tests of the same names.
fn packages(workflow: Option<&str>) -> TestRepository {
    let module = |name: &str| format!("def name():\n    return '{name}'\n\n\ndef length():\n    return len(name())\n");
    let test = |name: &str, length: usize| {
        format!("from {name}.core import length\n\n\ndef test_length():\n    assert length() == {length}\n")
    };
    let manifest = |name: &str| {
        format!("[project]\nname = '{name}'\nversion = '1'\n[tool.pytest.ini_options]\npythonpath = ['src']\n")
    };
    let mut files = Vec::new();
    for (name, length) in [("alpha", 5), ("beta", 4)] {
        files.push((format!("packages/{name}/src/{name}/__init__.py"), String::new()));
        files.push((format!("packages/{name}/src/{name}/core.py"), module(name)));
        files.push((format!("packages/{name}/tests/test_core.py"), test(name, length)));
        files.push((format!("packages/{name}/pyproject.toml"), manifest(name)));
    }
    files.extend(workflow.map(|text| (".github/workflows/ci.yml".to_owned(), text.to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let repository = TestRepository::with_files(&files);
    repository
        .write("packages/alpha/src/alpha/core.py", module("alpha").replace("def length():", "def length()"))
        .write("packages/beta/src/beta/core.py", module("beta").replace("len(name())", "len(nmae())"))
        .commit("break both");
    repository
}

#[tokio::test]
async fn a_program_of_the_repository_has_to_end_well() {
    let receipt = "import json\n\nprint(json.dumps({}))\n";
    for command in ["python -m shop.receipt", "bash scripts/ci.sh", "make check"] {
        let more = [
            ("shop/receipt.py", receipt),
            ("scripts/ci.sh", "set -e\npython shop/receipt.py\n"),
            ("Makefile", "check:\n\tpython shop/receipt.py\n"),
        ];
        let repository = shop(&workflow(&["pytest", command]), &more, LIBRARY);
        repository.write("shop/receipt.py", "print(json.dumps({}))\n").commit("forget the import");
        let Some(healed) = healed(&repository).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::Green, "{command}\n{}", healed.report);
        let text = on_branch(&repository, "shop/receipt.py");
        assert!(text.contains("import json") && text.contains("json.dumps"), "{text}");
    }
}

#[tokio::test]
async fn a_module_that_the_last_commit_broke_is_healed_though_no_test_loads_it() {
    let extra = "def extra():\n    return 1\n";
    let more = [("shop/extra.py", extra), ("shop/old.py", "print 'two'\n")];
    let repository = shop(&workflow(&["pytest"]), &more, LIBRARY);
    repository
        .write("shop/extra.py", "def extra()\n    return 1\n")
        .write("shop/old.py", "print 'three'\n")
        .commit("break it");
    let Some(healed) = healed(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(on_branch(&repository, "shop/extra.py"), extra);
    assert_eq!(on_branch(&repository, "shop/old.py"), "print 'three'\n");
}

#[tokio::test]
async fn what_ended_badly_before_is_said_and_does_not_hold_up() {
    let more = [("shop/upload.py", "raise SystemExit('no network')\n")];
    let broken = LIBRARY.replace("json.dumps", "jsn.dumps");
    let repository = shop(&workflow(&["pytest", "python -m shop.upload"]), &more, &broken);
    let Some(healed) = healed(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::PartlyChecked, "{}", healed.report);
    assert!(healed.results.not_run[0].contains("shop.upload"), "{:?}", healed.results.not_run);
    assert_eq!(on_branch(&repository, "shop/library.py"), LIBRARY);
}

#[tokio::test]
async fn with_something_that_is_not_run_nothing_is_green() {
    for command in
        ["bandit -r shop", "python -m build", "sphinx-build docs out", "pytest --cov=shop --cov-fail-under=90"]
    {
        let steps = workflow(&["pytest", command]);
        for library in [LIBRARY.to_owned(), LIBRARY.replace("json.dumps", "jsn.dumps")] {
            let repository = shop(&steps, &[], &(library + "\n"));
            let Some(healed) = healed(&repository).await else { return };
            assert_eq!(healed.results.stop_reason, StopReason::PartlyChecked, "{command}\n{}", healed.report);
            assert!(
                healed.results.not_run.iter().any(|not_run| not_run.contains(command)),
                "{:?}",
                healed.results.not_run
            );
        }
    }
}

#[tokio::test]
async fn what_prepares_prints_or_delivers_decides_nothing() {
    let steps = workflow(&[
        "echo begin",
        "git config user.name ci",
        "mkdir -p out",
        "export A=1",
        "pytest",
        "coverage report",
        "codecov",
        "poetry install",
        "uv sync",
    ]);
    let repository = shop(&steps, &[], &LIBRARY.replace("json.dumps", "jsn.dumps"));
    let Some(healed) = healed(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{:?}\n{}", healed.results.not_run, healed.report);
}

#[tokio::test]
async fn a_second_run_beside_a_branch_that_waits_says_so() {
    let repository = shop(&workflow(&["pytest"]), &[], &LIBRARY.replace("json.dumps", "jsn.dumps"));
    let Some(first) = healed(&repository).await else { return };
    assert_eq!(first.results.stop_reason, StopReason::Green, "{}", first.report);
    let Some(second) = healed(&repository).await else { return };
    assert_eq!(second.results.stop_reason, StopReason::Unmerged, "{}", second.report);
    assert_eq!(second.results.branch_name, first.results.branch_name);
}

#[tokio::test]
async fn a_branch_that_nobody_verified_is_not_green() {
    let repository = shop(&workflow(&["pytest"]), &[], &LIBRARY.replace("json.dumps", "jsn.dumps"));
    let request = HealRequest { ci: CiMode::None, ..HealRequest::new(repository.path().display().to_string()) };
    let Some(healed) = heal(request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::PartlyChecked, "{}", healed.report);
    assert!(healed.results.error.is_none(), "{:?}", healed.results.error);
}

/// A minor version of Python 3 that this machine has and that lacks what version 3.10 brought.
fn old_python() -> Option<u8> {
    let found = (7..10).rev().find(|minor| {
        let wanted = Version { major: 3, minor: Some(*minor) };
        let around = Surroundings::of_this_process(Some(wanted));
        let programs = candidates(None, Path::new("."), "", &around);
        programs.iter().any(|python| python.program.display().to_string().contains(&format!("3.{minor}")))
    });
    if found.is_none() {
        autoheal_testkit::skip("healing for several versions of Python", "no Python from 3.7 to 3.9 is here");
    }
    found
}

#[tokio::test]
async fn a_matrix_is_healed_for_each_version_that_is_here_if_the_user_wants_it() {
    let Some(old) = old_python() else { return };
    let workflow = format!(
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        python: ['3.{old}', '3.99']\n    \
         steps:\n      - uses: actions/setup-python@v5\n        with:\n          python-version: ${{{{ matrix.python }}}}\n      \
         - run: python -m unittest discover -s tests -t .\n"
    );
    let pairs = "def pairs(names, counts):\n    return list(zip(names, counts))\n\n\n\
                 def total(counts):\n    return sum(counts) * 2\n";
    let test = "import unittest\n\nfrom shop.pairs import pairs, total\n\n\nclass Pairs(unittest.TestCase):\n    \
                def test_pairs(self):\n        self.assertEqual(pairs('ab', [1, 2]), [('a', 1), ('b', 2)])\n\n    \
                def test_total(self):\n        self.assertEqual(total([1, 2]), 6)\n        self.assertEqual(total([4, 4]), 16)\n\n    \
                @unittest.skip('later')\n    def test_later(self):\n        self.fail()\n";
    let repository = TestRepository::with_files(&[
        ("shop/__init__.py", ""),
        ("shop/pairs.py", pairs),
        ("tests/__init__.py", ""),
        ("tests/test_pairs.py", test),
        (".github/workflows/ci.yml", &workflow),
    ]);
    // The first fault is one of logic and shows with every version, the second one shows with the old one only.
    let broken = pairs.replace("* 2", "+ 2").replace("counts))", "counts, strict=True))");
    repository.write("shop/pairs.py", broken).commit("break both");
    let request = HealRequest { all_versions: true, ..HealRequest::new(repository.path().display().to_string()) };
    let Some(healed) = heal(request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(on_branch(&repository, "shop/pairs.py"), pairs, "{}", healed.report);
    let commands = healed.results.commands.join("\n");
    assert!(commands.contains(&format!("(with version 3.{old})")), "{commands}");
    assert!(healed.report.contains("CI runs the tests with Python 3.99, too"), "{}", healed.report);
    assert!(
        healed.events.iter().any(|event| format!("{event:?}").contains("with this version first")),
        "{:?}",
        healed.events
    );

    let fast = TestRepository::with_files(&[
        ("shop/__init__.py", ""),
        ("shop/pairs.py", pairs),
        ("tests/__init__.py", ""),
        ("tests/test_pairs.py", test),
        (".github/workflows/ci.yml", &workflow),
    ]);
    let Some(healed) = self::healed(&fast).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    let warning = format!("CI runs the tests with Python 3.{old}, Python 3.99, and here they ran with 3.");
    assert!(healed.report.contains(&warning), "{}", healed.report);
}
