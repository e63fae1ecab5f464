//! The commands that decide what green is.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::path::Path;

use autoheal_repo::ci_commands::{GreenCommands, TestStep, green_commands};
use autoheal_repo::project::survey;
use autoheal_repo::test_runner::TestRunner;
use autoheal_repo::toolchain::node::{JEST, MOCHA, NODE_TEST, VITEST};
use autoheal_repo::toolchain::python::{PYTEST, UNITTEST};
use autoheal_repo::toolchain::rust::CARGO_TEST;
use autoheal_repo::toolchains::test_runners;
use proptest::prelude::*;
use proptest::sample::select;
use rstest::rstest;

use crate::discovery::write;

fn green(files: &[(&str, &str)]) -> GreenCommands {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        write(folder.path(), file, text);
    }
    of(folder.path())
}

fn of(tree: &Path) -> GreenCommands {
    let project = survey(tree);
    green_commands(tree, &project.directory, project.runner.as_ref())
}

/// A workflow of one job with this script.
fn workflow(script: &str) -> String {
    let indented: String = script.lines().flat_map(|line| ["          ", line, "\n"]).collect();
    format!(
        "name: CI\non:\n  push:\n    branches: [main]\n  pull_request:\njobs:\n  test:\n    runs-on: ubuntu-latest\n    \
         strategy:\n      matrix:\n        python: ['3.11', '3.12']\n    steps:\n      - uses: actions/checkout@v4\n      \
         - run: pip install -e .[test]\n      - run: |\n{indented}"
    )
}

fn by_ci(script: &str, others: &[(&str, &str)]) -> GreenCommands {
    let text = workflow(script);
    let mut files = vec![(".github/workflows/ci.yml", text.as_str()), ("tests/test_a.py", "import unittest\n")];
    files.extend_from_slice(others);
    green(&files)
}

fn test_of(green: &GreenCommands) -> (TestRunner, String) {
    let test: &TestStep = green.test.as_ref().unwrap();
    (test.command.runner, test.command.arguments.join(" "))
}

#[rstest]
#[case("pytest", "")]
#[case("py.test tests/", "tests/")]
#[case("python -m pytest tests -k 'not slow'", "tests -k not slow")]
#[case("python3.11 -W error -m pytest", "")]
#[case("uv run --frozen --group dev pytest tests", "tests")]
#[case("poetry run pytest --cov=pkg --cov-report xml -n auto -v", "")]
#[case("pytest --cov pkg --cov tests tests", "tests")]
#[case("pytest --cov -k x", "-k x")]
#[case("PYTHONHASHSEED=0 coverage run --source pkg -m pytest -m unit", "-m unit")]
#[case("pip install x && pytest; echo done", "")]
#[case("pytest \\\n  --junitxml=report.xml \\\n  --ignore tests/slow", "--ignore tests/slow")]
#[case("pytest -k ${{ matrix.part }} tests ${{ matrix.more }}", "tests")]
#[case("pytest # everything", "")]
#[case("sudo xvfb-run --auto-servernum pytest", "")]
fn a_run_of_pytest_is_recognised(#[case] script: &str, #[case] arguments: &str) {
    assert_eq!(test_of(&by_ci(script, &[])), (PYTEST, arguments.to_owned()), "{script}");
}

#[rstest]
#[case("python -m unittest", "")]
#[case("python -m unittest discover -v -s tests", "discover -s tests")]
#[case("coverage run -m unittest tests.test_a", "tests.test_a")]
fn a_run_of_unittest_is_recognised(#[case] script: &str, #[case] arguments: &str) {
    assert_eq!(test_of(&by_ci(script, &[])), (UNITTEST, arguments.to_owned()), "{script}");
}

#[test]
fn commands_that_stand_for_others_are_looked_up() {
    let tox = "[tox]\nenvlist = py3\n[testenv]\ndeps = pytest\ncommands =\n    pip list\n    {envpython} -m pytest {posargs:tests} --basetemp={envtmpdir}\n\
               [testenv:lint]\ncommands = flake8 pkg\n";
    assert_eq!(test_of(&by_ci("tox", &[("tox.ini", tox)])), (PYTEST, "tests".to_owned()));
    let lint = by_ci("tox -e lint", &[("tox.ini", tox)]).lint;
    assert_eq!(lint[0].words, ["flake8", "pkg"]);
    let makefile =
        ".PHONY: test\nall: test\n\ntest: build # runs them\n\t@python -m unittest discover\n\nbuild:\n\techo $(X)\n";
    assert_eq!(test_of(&by_ci("make test", &[("Makefile", makefile)])), (UNITTEST, "discover".to_owned()));
    let variables = "PYTHON ?= python3\nFOLDER = tests\nRUN := $(PYTHON) -m\n.PHONY: ci part\nci: part\n\t-@$(MAKE) --silent inner\n\
                     inner:\n\t$(RUN) unittest discover -s ${FOLDER} \\\n\t  -t .\npart: ; @echo $$HOME $(shell date)\n";
    let found = by_ci("make -j 2 ci", &[("Makefile", variables)]);
    assert_eq!(test_of(&found), (UNITTEST, "discover -s tests -t .".to_owned()));
    let found = by_ci("make FOLDER=other inner", &[("Makefile", variables)]);
    assert_eq!(test_of(&found), (UNITTEST, "discover -s other -t .".to_owned()));
    let just = "python := 'python3'\n\ntest *args: lint\n    @{{ python }} -m pytest {{args}}\n\nlint:\n    flake8\n";
    let found = by_ci("just", &[("justfile", just)]);
    assert_eq!((test_of(&found).0, found.lint.len()), (PYTEST, 1), "{:?}", found.not_understood);
    let nox = "@nox.session\ndef tests(session):\n    session.install('.')\n    session.run('pytest', \"tests\", *session.posargs)\n";
    assert_eq!(test_of(&by_ci("nox -s tests", &[("noxfile.py", nox)])), (PYTEST, "tests".to_owned()));
    let looping = "test:\n\tmake test\n";
    assert!(!by_ci("make test", &[("Makefile", looping)]).not_understood.is_empty());
}

#[test]
fn a_script_may_change_its_folder() {
    let green = by_ci("cd services/api && python -m pytest\ncd ../web\npytest -q\ncd $ELSEWHERE\ncd /tmp; pytest", &[]);
    let of = |step: &TestStep| step.directory.clone();
    let folders: Vec<String> = green.test.iter().chain(&green.other_tests).map(of).collect();
    assert_eq!(folders, ["services/api", "services/web"]);
    assert!(green.not_understood.join("\n").contains("not known here"), "{:?}", green.not_understood);
    let makefile = "test:\n\tcd libs/geo && pytest\n\tpytest tests\n";
    let green = by_ci("make test", &[("Makefile", makefile)]);
    let mut folders: Vec<String> = green.test.iter().chain(&green.other_tests).map(of).collect();
    folders.sort();
    assert_eq!(folders, ["", "libs/geo"]);
}

#[test]
fn linters_are_recognised_and_others_are_told() {
    let green = by_ci(
        "ruff check --fix --output-format=github .\nruff format --check .\nflake8 --exit-zero\nflake8 src --max-line-length=100\n\
         mypy src\nblack --check .\nblack .\nbandit -r src\npytest",
        &[],
    );
    let lint: Vec<_> = green.lint.iter().map(|step| (step.linter.name(), step.words.join(" "))).collect();
    let found: Vec<_> = lint.iter().map(|(linter, words)| (*linter, words.as_str())).collect();
    assert_eq!(
        found,
        [
            ("ruff", "ruff check ."),
            ("ruff_format", "ruff format --check ."),
            ("flake8", "flake8 src --max-line-length=100"),
            ("mypy", "mypy src"),
            ("black", "black --check ."),
        ]
    );
    assert!(green.not_understood.join("\n").contains("bandit -r src"), "{:?}", green.not_understood);
}

#[test]
fn an_action_may_stand_for_a_linter() {
    let text = "on: [push]\njobs:\n  lint:\n    steps:\n      - uses: astral-sh/ruff-action@v3\n        with:\n          src: ./pkg\n";
    let green = green(&[(".github/workflows/lint.yaml", text), ("tests/test_a.py", "import unittest\n")]);
    assert_eq!(green.lint[0].words, ["ruff", "check", "./pkg"]);
    let black = text.replace("astral-sh/ruff-action@v3", "psf/black@stable");
    let green = self::green(&[(".github/workflows/lint.yaml", &black), ("tests/test_a.py", "import unittest\n")]);
    assert_eq!((green.lint[0].linter.name(), green.lint[0].words.join(" ").as_str()), ("black", "black --check ./pkg"));
}

#[test]
fn what_needs_a_shell_is_reported_and_never_split() {
    for script in [
        "pytest | tee log",
        "pytest > log 2>&1",
        "for x in a b; do pytest $x; done",
        "pytest $(ls tests)",
        "pytest `ls`",
        "(cd pkg && pytest)",
        "pytest tests/*.py",
        "pytest \"$TESTS\"",
    ] {
        let green = by_ci(script, &[]);
        assert!(green.not_understood.iter().any(|line| line.contains("needs a shell")), "{script}: {green:?}");
        let found = green.test.map(|test| test.found).unwrap_or_default();
        assert!(!found.contains("workflows"), "{script}");
    }
}

#[test]
fn only_what_a_push_runs_and_what_may_not_fail_counts() {
    for text in [
        "on: schedule\njobs:\n  test:\n    steps:\n      - run: pytest nightly\n",
        "on:\n  push:\n    tags: ['v*']\njobs:\n  test:\n    steps:\n      - run: pytest nightly\n",
        "on: push\njobs:\n  test:\n    continue-on-error: true\n    steps:\n      - run: pytest nightly\n",
        "on: push\njobs:\n  test:\n    steps:\n      - run: pytest nightly\n        continue-on-error: true\n",
        "on: push\njobs:\n  test:\n    steps:\n      - run: pytest nightly\n        if: failure()\n",
        "on: push\njobs:\n  test:\n    runs-on: windows-latest\n    steps:\n      - run: pytest nightly\n",
        "on: push\njobs:\n  test:\n    steps:\n      - run: pytest nightly\n        working-directory: ../..\n",
        "{ not yaml",
    ] {
        let green = green(&[(".github/workflows/ci.yml", text), ("tests/test_a.py", "import unittest\n")]);
        assert_eq!(test_of(&green).0, UNITTEST, "{text}");
    }
}

#[test]
fn the_project_s_own_folder_and_the_test_job_come_first() {
    let text = "on: push\nenv:\n  A: one\n  S: ${{ secrets.X }}\njobs:\n  docs:\n    steps:\n      - run: pytest docs\n  \
                test:\n    env: {B: 2}\n    steps:\n      - run: pytest other\n        working-directory: other\n      \
                - run: pytest tests\n        env: {A: two}\n";
    let green = green(&[(".github/workflows/main.yml", text), ("tests/test_a.py", "")]);
    let test = green.test.unwrap();
    assert_eq!((test.command.arguments.join(" "), test.directory.as_str()), ("tests".to_owned(), ""));
    let environment: Vec<(String, String)> = test.environment.into_iter().collect();
    assert_eq!(environment, [("A".to_owned(), "two".to_owned()), ("B".to_owned(), "2".to_owned())]);
}

#[test]
fn without_ci_the_manifest_decides() {
    let found = green(&[("tests/test_a.py", "import unittest\n"), ("ruff.toml", ""), (".flake8", "[flake8]\n")]);
    assert_eq!(test_of(&found), (UNITTEST, "discover -s tests".to_owned()));
    assert_eq!(found.lint.iter().map(|step| step.linter.name()).collect::<Vec<_>>(), ["ruff", "flake8"]);
    let package = green(&[("tests/__init__.py", ""), ("tests/test_a.py", "import unittest\n")]);
    assert_eq!(test_of(&package), (UNITTEST, "discover".to_owned()));
    let named = green(&[("pkg/tests/a_test.py", "import unittest\n")]);
    assert_eq!(test_of(&named), (UNITTEST, "discover -p *_test.py".to_owned()));
    assert!(package.lint.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    // Feature: autoheal-ci-agent, Property 22: Test Framework Command Selection
    #[test]
    fn each_framework_has_its_own_command(
        runner in select(test_runners().collect::<Vec<_>>()),
        name in "[a-z]{1,8}",
        settings in any::<bool>(),
    ) {
        let test = format!("tests/test_{name}.py");
        let script = format!("{name}.test.js");
        let (program, files): (&str, Vec<(&str, &str)>) = match (runner, settings) {
            (PYTEST, true) => ("pytest", vec![("pytest.ini", "[pytest]\n"), (&test, "")]),
            (PYTEST, false) => ("pytest", vec![(&test, "import pytest\n")]),
            (UNITTEST, _) => ("unittest", vec![(&test, "from unittest import TestCase\n")]),
            (JEST, true) => ("jest", vec![("package.json", r#"{"scripts": {"test": "jest"}}"#), (&script, "")]),
            (JEST, false) => ("jest", vec![("package.json", r#"{"devDependencies": {"jest": "1"}}"#), (&script, "")]),
            (MOCHA, true) => ("mocha", vec![("package.json", r#"{"scripts": {"test": "mocha x"}}"#), (&script, "")]),
            (MOCHA, false) => ("mocha", vec![("package.json", r#"{"dependencies": {"mocha": "1"}}"#), (&script, "")]),
            (VITEST, true) => ("vitest", vec![("package.json", r#"{"scripts": {"test": "vitest --coverage"}}"#), (&script, "")]),
            (VITEST, false) => ("vitest", vec![("package.json", "{}"), ("vitest.config.ts", ""), (&script, "")]),
            (NODE_TEST, true) => ("node", vec![("package.json", r#"{"scripts": {"test": "node --test"}}"#), (&script, "")]),
            (NODE_TEST, false) => ("node", vec![("package.json", "{}"), (&script, "import test from 'node:test';\n")]),
            (CARGO_TEST, _) => ("cargo", vec![("Cargo.toml", "[package]\nname = \"shop\"\n")]),
            (other, _) => panic!("{} has no files here", other.name),
        };
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            write(folder.path(), file, text);
        }
        let detected = survey(folder.path()).runner.unwrap();
        prop_assert_eq!(detected.runner, runner);
        prop_assert!(runner.command.contains(&program));
        let mut others = test_runners().filter(|other| *other != runner);
        prop_assert!(others.all(|other| other.command != runner.command));
        let command = of(folder.path()).test.unwrap().command;
        prop_assert_eq!(command.runner, runner);
    }

    #[test]
    fn any_script_is_read_without_harm(script in "[ -~\n]{0,120}", makefile in "[ -~\n\t]{0,80}") {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ".github/workflows/ci.yml", &workflow(&script));
        write(folder.path(), "Makefile", &makefile);
        write(folder.path(), "tests/test_a.py", "import unittest\n");
        let green = of(folder.path());
        prop_assert!(green.test.is_some());
        let holds_expression = green.lint.iter().flat_map(|step| &step.words).any(|word| word.contains('\u{fffc}'));
        prop_assert!(!holds_expression);
    }
}

#[test]
fn the_versions_of_an_interpreter_are_those_of_its_own_language() {
    let job = |name: &str, setup: &str, matrix: &str| {
        format!(
            "  {name}:\n    runs-on: ubuntu-latest\n    continue-on-error: ${{{{ matrix.may_fail }}}}\n    strategy:\n      matrix:\n{matrix}    steps:\n{setup}      - run: pytest tests\n"
        )
    };
    let python = |version: &str| {
        format!("      - uses: actions/setup-python@v5\n        with:\n          python-version: {version}\n")
    };
    let node = "      - uses: actions/setup-node@v4\n        with:\n          node-version: 20\n";
    let matrix = "        py: ['3.10', 3.12, pypy3.10]\n        include:\n          - py: 3.13.1\n            os: ubuntu-latest\n          - py: '3.15'\n            may_fail: true\n        exclude:\n          - py: 3.12\n          - {py: '3.10', os: macos-latest}\n";
    let jobs = [
        job("all", &(python("${{ matrix.py }}") + node), matrix),
        job("one", &python("'3.11'"), "        os: [a]\n"),
        job("several", &python("|\n            3.8\n            3.x"), "        os: [a]\n"),
    ];
    let workflow = format!("on: push\njobs:\n{}", jobs.concat());
    let green = green(&[(".github/workflows/ci.yml", &workflow), ("tests/test_a.py", "def test_a(): pass\n")]);
    let versions: Vec<String> = green.test.unwrap().versions.iter().map(ToString::to_string).collect();
    assert_eq!(versions, ["3.8", "3.10", "3.11", "3.13"]);
    assert!(green.other_tests.is_empty(), "the same command on several machines is one suite");
}
