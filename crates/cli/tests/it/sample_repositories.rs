//! The specification's integration tests over its six kinds of sample repositories, by the binary: each goes in broken and comes out as a
//! branch that passes, the one without errors stays as it is.

use std::path::PathBuf;

use autoheal_testkit::repository::TestRepository;
use rstest::rstest;
use serde_json::{Value, json};

use crate::binary::{Ended, Home};
use crate::healing::sandbox;

/// Files, and the branch's bug types that are expected.
struct Sample {
    files: &'static [(&'static str, &'static str)],
    bug_types: &'static [&'static str],
}

const PYTEST: (&str, &str) = (
    ".github/workflows/ci.yml",
    "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ruff check shop\n      - run: python -m pytest\n",
);
const TEST_OF_CART: (&str, &str) =
    ("tests/test_cart.py", "from shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n");

const PYTHON_LINTING: Sample = Sample {
    files: &[
        PYTEST,
        ("conftest.py", ""),
        ("shop/cart.py", "import os\n\n\ndef total(prices):\n    return sum(prices)\n"),
        TEST_OF_CART,
    ],
    bug_types: &["LINTING"],
};

const PYTHON_SYNTAX: Sample = Sample {
    files: &[("conftest.py", ""), ("shop/cart.py", "def total(prices)\n    return sum(prices)\n"), TEST_OF_CART],
    bug_types: &["SYNTAX"],
};

const JEST: (&str, &str) = ("package.json", r#"{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29.7.0"}}"#);

const JAVASCRIPT_TYPES: Sample = Sample {
    files: &[
        JEST,
        (
            "src/cart.js",
            "function count(cart) {\n  return cart.items.slise().length;\n}\n\nfunction shout(name) {\n  return name.toUpercase();\n}\n\nmodule.exports = { count, shout };\n",
        ),
        (
            "test/cart.test.js",
            "const { count, shout } = require('../src/cart');\ntest('counts', () => expect(count({ items: [1, 2] })).toBe(2));\n\
             test('shouts', () => expect(shout('a')).toBe('A'));\n",
        ),
    ],
    bug_types: &["TYPE_ERROR"],
};

const JAVASCRIPT_IMPORTS: Sample = Sample {
    files: &[
        JEST,
        ("src/money.js", "exports.cents = (amount) => Math.round(amount * 100);\n"),
        (
            "src/cart.js",
            "const { cents } = require('./mony');\n\nexports.total = (prices) => prices.reduce((sum, price) => sum + cents(price), 0);\n",
        ),
        (
            "test/cart.test.js",
            "const { total } = require('../src/cart');\ntest('adds', () => expect(total([1, 2])).toBe(300));\n",
        ),
    ],
    bug_types: &["IMPORT"],
};

const MIXED: Sample = Sample {
    files: &[
        PYTEST,
        ("conftest.py", ""),
        ("shop/cart.py", "import os\n\n\ndef total(prices):\n    return sum(prices)\n"),
        ("shop/receipt.py", "def receipt(prices):\n    return json.dumps(prices)\n"),
        ("shop/money.py", "def cents(amount)\n    return round(amount * 100)\n"),
        TEST_OF_CART,
        (
            "tests/test_receipt.py",
            "from shop.receipt import receipt\n\n\ndef test_receipt():\n    assert receipt([1]) == '[1]'\n",
        ),
        ("tests/test_money.py", "from shop.money import cents\n\n\ndef test_cents():\n    assert cents(1.5) == 150\n"),
    ],
    bug_types: &["IMPORT", "LINTING", "SYNTAX"],
};

const NO_ERRORS: Sample = Sample {
    files: &[("conftest.py", ""), ("shop/cart.py", "def total(prices):\n    return sum(prices)\n"), TEST_OF_CART],
    bug_types: &[],
};

/// Returns the folder in which npm packages stay installed between tests.
fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sample-data")
}

/// Heals the repository, and returns the results; `None` if something is missing on this machine, which is reported as a skip.
fn healed(repository: &TestRepository, more: &[&str]) -> Option<(Ended, Value)> {
    let sandbox = sandbox()?;
    let path = repository.path().display().to_string();
    let arguments = [&["heal", &path, "--sandbox", sandbox, "--json"], more].concat();
    let ended = Ended::of(Home::new().command(&arguments).env("AUTOHEAL_DATA_DIR", data()));
    if ["no Node was found", "installing packages failed"].iter().any(|missing| ended.stderr.contains(missing)) {
        autoheal_testkit::skip("healing a sample repository", &ended.stderr);
        return None;
    }
    let results = serde_json::from_str(&ended.stdout).unwrap();
    Some((ended, results))
}

#[rstest]
#[case::python_with_pytest_and_linting_errors(&PYTHON_LINTING)]
#[case::python_with_syntax_errors(&PYTHON_SYNTAX)]
#[case::javascript_with_jest_and_type_errors(&JAVASCRIPT_TYPES)]
#[case::javascript_with_import_errors(&JAVASCRIPT_IMPORTS)]
#[case::mixed_error_types(&MIXED)]
fn successful_healing_flow(#[case] sample: &Sample) {
    let repository = TestRepository::with_files(sample.files);
    let main = repository.git(&["rev-parse", "main"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    let Some((ended, results)) = healed(&repository, &["--output", file.path().to_str().unwrap()]) else { return };
    assert_eq!((ended.code, &results["ci_status"]), (Some(0), &json!("PASSED")), "{}", ended.told());
    // Every agent, in the specification's order.
    let agents = [
        "analyze_repo",
        "discover_tests",
        "diagnose_failures",
        "generate_fixes",
        "patch_code",
        "commit_push",
        "monitor_ci",
    ];
    let places: Vec<_> = agents.iter().map(|agent| ended.stderr.find(&format!("✓ {agent}"))).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{}", ended.told());
    // A branch with a commit for each fix; nothing else has changed.
    let subjects = repository.git(&["log", "--format=%s", "main..AUTOHEAL_BOT_AI_Fix"]);
    assert_eq!(subjects.lines().count(), usize::try_from(results["fixes_applied"].as_u64().unwrap()).unwrap());
    for bug_type in sample.bug_types {
        assert!(subjects.contains(&format!("[AI-AGENT] Fix {bug_type} error in ")), "{bug_type}: {subjects}");
    }
    assert_eq!(repository.git(&["rev-parse", "main"]), main);
    assert_eq!(serde_json::from_str::<Value>(&std::fs::read_to_string(file).unwrap()).unwrap(), results);
}

#[test]
fn without_errors_nothing_is_changed() {
    let repository = TestRepository::with_files(NO_ERRORS.files);
    let Some((ended, results)) = healed(&repository, &[]) else { return };
    assert_eq!((ended.code, &results["stop_reason"]), (Some(0), &json!("NOTHING_TO_DO")), "{}", ended.told());
    assert_eq!((&results["fixes_applied"], NO_ERRORS.bug_types), (&json!(0), &[][..]));
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}
