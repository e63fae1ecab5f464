//! From red to green on small repositories, end to end: real git, real sandbox, real pytest.

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_repo::request::Delivery;
use autoheal_repo::results::FixStatus;
use autoheal_repo::state::CiStatus;
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;

use crate::driver::heal;

const CALC: &str = "def add(a, b):\n    return a + b\n\n\ndef greet(name):\n    return 'hello ' + name.upper()\n";
const TESTS: &str = "from calc import add, greet\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n\
                     def test_greet():\n    assert greet('x') == 'hello X'\n";

fn repository(calc: &str) -> TestRepository {
    TestRepository::with_files(&[("calc.py", calc), ("test_calc.py", TESTS), ("pytest.ini", "[pytest]\n")])
}

fn request(repository: &TestRepository) -> HealRequest {
    HealRequest::new(repository.path().display().to_string())
}

#[tokio::test]
async fn a_green_repository_is_left_alone() {
    let repository = repository(CALC);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    assert_eq!(healed.results.ci_status, CiStatus::Passed);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}

#[tokio::test]
async fn a_missing_colon_goes_from_red_to_green_on_a_branch() {
    let repository = repository(&CALC.replace("def add(a, b):", "def add(a, b)"));
    let main = repository.git(&["rev-parse", "main"]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:calc.py"]), CALC.trim_end());
    assert_eq!(repository.git(&["rev-parse", "main"]), main);
    assert_eq!(
        repository.git(&["log", "--format=%s", "main..AUTOHEAL_BOT_AI_Fix"]),
        "[AI-AGENT] Fix SYNTAX error in calc.py line 1"
    );
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_dry_run_leaves_no_branch() {
    let repository = repository(&CALC.replace("def add(a, b):", "def add(a, b)"));
    let mut request = request(&repository);
    request.delivery = Delivery::DryRun;
    let Some(healed) = heal(request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
    assert!(healed.report.contains("def add(a, b):"));
}

#[tokio::test]
async fn two_faults_in_two_files_are_two_commits() {
    let repository = repository(CALC);
    repository.write("calc.py", CALC.replace("name.upper()", "name.uper()"));
    repository.write("other.py", "def twice(x):\nreturn 2 * x\n");
    repository.write("test_other.py", "from other import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n");
    repository.commit("break two things");
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(healed.results.fixes_applied, 2);
    assert_eq!(repository.git(&["log", "--format=%s", "main..AUTOHEAL_BOT_AI_Fix"]).lines().count(), 2);
}

/// A fault hides the next one, and no commit is known in which less was broken.
#[tokio::test]
async fn faults_behind_each_other_are_healed_one_by_one_in_a_first_commit() {
    let repository = TestRepository::with_files(&[
        ("pkg/__init__.py", ""),
        ("pkg/a.py", "def half(x)\n    return x / 2\n"),
        ("pkg/b.py", "from pkg.a import hlaf\n\n\ndef quarter(x):\n    return half(half(x))\n"),
        ("tests/test_b.py", "from pkg.b import quarter\n\n\ndef test_quarter():\n    assert quarter(8) == 2\n"),
        ("pytest.ini", "[pytest]\n"),
    ]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:pkg/a.py"]), "def half(x):\n    return x / 2");
    let healed = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:pkg/b.py"]);
    assert!(healed.starts_with("from pkg.a import half\n"), "{healed}");
}

/// Two statements that do not parse and an import that fails, in one file.
#[tokio::test]
async fn faults_in_one_file_are_healed_in_a_first_commit() {
    let sound = "from pkg.rates import RATE\n\n\nclass Bill:\n    def __init__(self):\n        self.lines = []\n\n    \
                 def add(self, price):\n        self.lines.append(price)\n        return self\n\n    def total(self):\n        \
                 return sum(self.lines) * RATE\n";
    let broken = sound
        .replace("import RATE", "import RAET")
        .replace("def add(self, price):", "def add(self, price)")
        .replace("def total(self):", "def total(self)");
    let repository = TestRepository::with_files(&[
        ("pkg/__init__.py", ""),
        ("pkg/rates.py", "RATE = 3\n"),
        ("pkg/bill.py", &broken),
        (
            "tests/test_bill.py",
            "from pkg.bill import Bill\n\n\ndef test_total():\n    assert Bill().add(2).total() == 6\n",
        ),
        ("pytest.ini", "[pytest]\n"),
    ]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:pkg/bill.py"]), sound.trim_end());
    assert_eq!(healed.results.fixes_applied, 2, "both colons at once: {}", healed.report);
}

/// The tests do not show which of two names is misspelled, or how far a line was indented. The commit before does.
#[tokio::test]
async fn of_two_repairs_the_one_that_brings_a_line_back_is_tried_first() {
    let sound = "def street(name):\n    return 'S ' + name\n\n\ndef best(lines):\n    found = None\n    for line in lines:\n        \
                 if found is None or line > found:\n            found = line\n    return found\n";
    let test = "from places import best, street\n\n\ndef test_places():\n    assert street('a') == 'S a'\n    assert best([3]) == 3\n";
    let repository =
        TestRepository::with_files(&[("places.py", sound), ("test_places.py", test), ("pytest.ini", "[pytest]\n")]);
    repository.write("places.py", sound.replace("+ name", "+ nmae").replace("    return found", "  return found"));
    repository.commit("break it");
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:places.py"]), sound.trim_end());
}

#[tokio::test]
async fn a_test_that_skips_a_part_of_itself_is_still_the_same_test() {
    let tests = "import unittest\n\nfrom calc import add, greet\n\n\nclass Greets(unittest.TestCase):\n    def test_parts(self):\n        \
                 for name in ('a', 'b'):\n            with self.subTest(name=name):\n                if name == 'b':\n                    \
                 self.skipTest('not here')\n                self.assertEqual(greet(name), 'hello A')\n\n    \
                 def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n";
    let repository = TestRepository::with_files(&[
        ("calc.py", CALC.replace("name.upper()", "nam.upper()").as_str()),
        ("test_calc.py", tests),
        (".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - run: python -m unittest\n"),
    ]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:calc.py"]), CALC.trim_end());
}

/// Makes a wheel of a module `yaml` beside the tree, so that pip needs no network.
const MAKE_WHEEL: &str = "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1] + '/PyYAML-6.0-py3-none-any.whl', 'w') as wheel:\n    \
    wheel.writestr('yaml.py', 'def load(text):\\n    return text\\n')\n    info = 'PyYAML-6.0.dist-info/'\n    \
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: PyYAML\\nVersion: 6.0\\n')\n    \
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n    \
    wheel.writestr(info + 'RECORD', '')\n";

#[tokio::test]
async fn a_dependency_that_nobody_declared_is_added_and_installed() {
    let repository = TestRepository::with_files(&[
        ("settings.py", "import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n"),
        (
            "test_settings.py",
            "import unittest\n\nfrom settings import read\n\n\nclass Reads(unittest.TestCase):\n    def test_read(self):\n        \
             self.assertEqual(read('a'), 'a')\n",
        ),
        ("requirements.txt", "# What it needs.\n"),
        ("make_wheel.py", MAKE_WHEEL),
    ]);
    let mut request = request(&repository);
    let install = "folder=$(mktemp -d) && python3 make_wheel.py $folder && \
                   python3 -m pip install --quiet --no-index --find-links $folder -r requirements.txt";
    request.install_command = Some(["sh", "-c", install].map(str::to_owned).to_vec());
    let Some(healed) = heal(request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:requirements.txt"]), "# What it needs.\nPyYAML");
}

#[tokio::test]
async fn what_cannot_be_healed_is_said_and_not_committed() {
    let repository = repository(&CALC.replace("name.upper()", "name"));
    repository.write("test_calc.py", TESTS.replace("greet('x') == 'hello X'", "greet('x') == 'hello \\u5b57\\u8fce'"));
    repository.commit("greet in another way");
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert_eq!(healed.results.ci_status, CiStatus::Failed);
    assert!(healed.results.fixes.iter().all(|fix| fix.status == FixStatus::Failed));
    assert_eq!(healed.results.fixes.len(), 1);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
    assert_eq!(healed.state.fixes.accepted, []);
}

#[tokio::test]
async fn a_repository_without_tests_is_an_error_with_its_code() {
    let repository = TestRepository::with_files(&[("calc.py", CALC)]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Infra);
    assert_eq!(healed.results.error.unwrap().code, autoheal_engine::ErrorCode::TestDiscoveryFailed);
}

/// The command that is detected at the root finds no test there.
#[rstest]
#[case::unittest(
    "import unittest\n\n\nclass CalcTest(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue(False)\n"
)]
#[case::pytest("import pytest\n\n\ndef check_it():\n    assert False\n")]
#[tokio::test]
async fn a_command_that_runs_no_test_is_an_error_that_says_what_to_do(#[case] tests: &str) {
    let repository = TestRepository::with_files(&[("backend/calc.py", CALC), ("backend/tests/test_calc.py", tests)]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Infra, "{}", healed.report);
    let error = healed.results.error.unwrap();
    assert_eq!(error.code, autoheal_engine::ErrorCode::TestExecutionFailed);
    assert!(error.message.contains("ran no test (python -m ") && error.message.contains("--test-command"), "{error:?}");
}

const RUFF_IN_CI: &str = "on: push\njobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n      - run: python -m pytest\n      - run: ruff check --select F .\n";

/// Returns whether this machine has the linter that the test's CI runs.
fn has_ruff() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join("ruff").is_file());
    if !found {
        autoheal_testkit::skip("healing lint", "ruff is not installed");
    }
    found
}

#[tokio::test]
async fn what_ci_lints_is_part_of_green() {
    if !has_ruff() {
        return;
    }
    let repository = repository(CALC);
    repository.write(".github/workflows/ci.yml", RUFF_IN_CI);
    repository.commit("lint in CI");
    repository.write("calc.py", format!("import os\n{CALC}"));
    repository.commit("leave an import behind");
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:calc.py"]), CALC.trim_end());
    assert_eq!(healed.results.fixes[0].summary, "LINTING error in calc.py line 1 → Fix: remove unused import: `os`");
}

#[tokio::test]
async fn what_a_linter_found_before_the_last_commit_is_not_what_broke() {
    if !has_ruff() {
        return;
    }
    let repository = repository(CALC);
    repository.write(".github/workflows/ci.yml", RUFF_IN_CI);
    repository.write("test_more.py", "import os\n\n\ndef test_nothing():\n    pass\n");
    repository.commit("lint in CI, and a finding in a test");
    repository.write("calc.py", CALC.replace("def greet(name):", "def greet(name)"));
    repository.commit("break something else");
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::PartlyChecked, "{}", healed.report);
    assert!(healed.results.not_run[0].contains("older than the last commit"), "{:?}", healed.results.not_run);
    assert!(healed.results.warnings.iter().any(|warning| warning.contains("before the last commit")));
    assert!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:calc.py"]).contains("def greet(name):"));
}

#[tokio::test]
async fn a_flaky_test_is_reported_and_not_fixed() {
    let flaky = "import os\n\n\ndef test_every_other_time():\n    if os.path.exists('seen'):\n        os.remove('seen')\n    \
                 else:\n        open('seen', 'w').close()\n        raise TypeError('not today')\n";
    let repository = TestRepository::with_files(&[("test_flaky.py", flaky), ("calc.py", CALC)]);
    let Some(healed) = heal(request(&repository)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Flaky, "{}", healed.report);
    assert_eq!(healed.results.ci_status, CiStatus::Failed);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}
