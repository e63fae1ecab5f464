//! Tests that stand in the file of the program which they are about: the program is healed, the tests stay as they are.

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;

use crate::driver::heal;

const EXAMPLES: &str = r#""""Slugs."""
import re


def words(text):
    """Words of a text.

    >>> words("A b")
    ['A', 'b']
    """
    return re.findall(r"\w+", text)


def slug(text):
    """A slug.

    >>> slug("A b  C")
    'a-b-c'
    """
    return "-".join(words(text)).lower()


def total(values):
    """A sum.

    >>> total([1, 2, 3])
    6
    """
    result = 0
    for value in values:
        result += value
    return result
"#;

const CASES: &str = r#"import unittest

LIMIT = 10


def clamp(value):
    if value > LIMIT:
        return LIMIT
    return value


def mean(values):
    return sum(values) / len(values)


def expect_close(a, b):
    if abs(a - b) > 0.001:
        raise AssertionError((a, b))


class ClampTest(unittest.TestCase):
    def test_clamp(self):
        self.assertEqual(clamp(11), 10)
        self.assertEqual(clamp(3), 3)

    def test_mean(self):
        expect_close(mean([1, 2, 3]), 2)


if __name__ == "__main__":
    unittest.main()
"#;

fn workflow(command: &str) -> String {
    format!(
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: {command}\n"
    )
}

#[rstest]
#[case::name_in_documented_function(
    EXAMPLES,
    "words(text)).lower",
    "word(text)).lower",
    "python -m pytest --doctest-modules"
)]
#[case::colon(EXAMPLES, "def slug(text):", "def slug(text)", "python -m pytest --doctest-modules")]
#[case::logic(EXAMPLES, "result = 0", "result = 1", "python -m pytest --doctest-modules")]
#[case::lost_import(EXAMPLES, "import re\n", "", "python -m doctest -v calc.py")]
#[case::case_name(CASES, "sum(values)", "sum(vlues)", "python -m unittest calc")]
#[case::case_logic(CASES, "value > LIMIT", "value < LIMIT", "python -m unittest calc")]
#[case::case_colon(CASES, "def mean(values):", "def mean(values)", "python -m unittest calc")]
#[case::cases_of_pytest(CASES, "sum(values)", "sum(vlues)", "python -m pytest calc.py")]
#[tokio::test]
async fn the_program_around_tests_is_healed(
    #[case] right: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] command: &str,
) {
    let ci = workflow(command);
    let broken = right.replacen(from, to, 1);
    let repository = TestRepository::with_files(&[("calc.py", &broken), (".github/workflows/ci.yml", &ci)]);
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let text = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:calc.py"]);
    // An import may be brought back by another line.
    assert!(text == right.trim_end() || to.is_empty() && text.contains("import re\n"), "{text}");
}

/// The place of a failed example is the docstring that it stands in.
#[tokio::test]
async fn a_failed_example_is_located() {
    let broken = EXAMPLES.replace("result += value", "result = 1000");
    let ci = workflow("python -m pytest --doctest-modules");
    let repository = TestRepository::with_files(&[("calc.py", &broken), (".github/workflows/ci.yml", &ci)]);
    let mut request = HealRequest::new(repository.path().display().to_string());
    request.limits.search_seconds = 0;
    let Some(healed) = heal(request).await else { return };
    let told = "LOGIC error in calc.py line 26 → not fixed: AssertionError: the example `total([1, 2, 3])` gives 1000 instead of 6";
    assert!(healed.report.contains(told), "{}", healed.report);
}
