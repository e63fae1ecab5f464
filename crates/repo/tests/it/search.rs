//! Faults of logic that no rule knows, repaired by search: real sandbox, real test runners, the warm process of each.

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_repo::request::CommandLimits;
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;

use crate::driver::{Healed, heal};

const STOCK: &str = "\
LIMIT = 10


class Stock:
    def __init__(self):
        self.items = {}

    def add(self, name, count=1):
        self.items[name] = self.items.get(name, 0) + count

    def is_full(self):
        return sum(self.items.values()) >= LIMIT

    def cheapest(self, prices):
        return min(self.items, key=lambda name: prices[name])


def halves(numbers):
    middle = len(numbers) // 2
    return numbers[:middle], numbers[middle:]
";

const TESTS: &str = "\
import unittest

from stock import Stock, halves


class StockTest(unittest.TestCase):
    def test_counts(self):
        print('{\"is\": \"broken\", \"why\": \"a test says so\"}')
        stock = Stock()
        stock.add('nut')
        stock.add('nut', 2)
        stock.add('bolt')
        self.assertEqual(stock.items, {'nut': 3, 'bolt': 1})

    def test_full(self):
        stock = Stock()
        stock.add('nut', 9)
        self.assertFalse(stock.is_full())
        stock.add('nut')
        self.assertTrue(stock.is_full())

    def test_cheapest(self):
        stock = Stock()
        stock.add('nut')
        stock.add('bolt')
        self.assertEqual(stock.cheapest({'nut': 3, 'bolt': 2}), 'bolt')

    def test_halves(self):
        self.assertEqual(halves([1, 2, 3]), ([1], [2, 3]))
";

fn repository(stock: &str, runner: &str) -> TestRepository {
    let repository = TestRepository::with_files(&[("stock.py", STOCK), ("test_stock.py", TESTS)]);
    if runner == "pytest" {
        repository.write("pytest.ini", "[pytest]\n");
    }
    repository.commit("as it should be");
    repository.write("stock.py", stock);
    repository.commit("break it");
    // Else the last commit says what was right.
    repository.write("NOTES.md", "Nothing of it.\n");
    repository.commit("notes");
    repository
}

async fn heal_with(repository: &TestRepository, search_seconds: u64) -> Option<Healed> {
    let limits = CommandLimits { search_seconds, ..CommandLimits::default() };
    heal(HealRequest { limits, ..HealRequest::new(repository.path().display().to_string()) }).await
}

#[rstest]
#[case::comparison_in_a_method(">= LIMIT", "> LIMIT")]
#[case::a_constant_that_is_read_while_the_module_is_loaded("LIMIT = 10", "LIMIT = 1")]
#[case::a_default_of_a_parameter("count=1", "count=2")]
#[case::a_wrong_function_with_a_lambda_beside_it("return min(", "return max(")]
#[case::an_operator("+ count", "- count")]
#[case::a_bound_of_a_slice("numbers[middle:]", "numbers[middle + 1:]")]
#[tokio::test]
async fn what_tests_allow_is_found(
    #[case] right: &str,
    #[case] wrong: &str,
    #[values("pytest", "unittest")] runner: &str,
) {
    let broken = STOCK.replace(right, wrong);
    assert_ne!(broken, STOCK);
    let repository = repository(&broken, runner);
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    // What is kept is what was there, or the report names that beside it: tests do not tell `> 9` from `>= 10`.
    let fix = &healed.state.fixes.accepted[0];
    let is_original = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:stock.py"]) == STOCK.trim_end();
    let line = STOCK.lines().position(|line| line.contains(right)).unwrap() + 1;
    let is_named = fix.runners_up.iter().any(|other| other.starts_with(&format!("line {line}: ")));
    assert!(is_original || is_named, "{}", healed.report);
    let [search] = healed.results.searches.as_slice() else { panic!("{:?}", healed.results.searches) };
    assert!(search.tried > 0 && search.not_warm.is_none(), "{search:?}");
    assert_eq!(fix.runners_up.len(), search.plausible - 1, "{}", healed.report);
    assert!(healed.report.contains("that the suite passes is all that is known"), "{}", healed.report);
}

/// The test that hangs is ended alone, and learnt from what passes is how long it is waited for: the whole suite has no time for more.
#[rstest]
#[tokio::test]
async fn a_loop_without_an_end_is_repaired(#[values("pytest", "unittest")] runner: &str) {
    let program = "def digits(number):\n    count = 0\n    while number > 0:\n        number = number // 10\n        count += 1\n    return count\n";
    let tests = "import unittest\n\nfrom digits import digits\n\n\nclass DigitsTest(unittest.TestCase):\n    \
                 def test_none(self):\n        self.assertEqual(digits(0), 0)\n\n    \
                 def test_one(self):\n        self.assertEqual(digits(7), 1)\n\n    \
                 def test_three(self):\n        self.assertEqual(digits(405), 3)\n";
    let configured = ("pytest.ini", "[pytest]\n");
    let files = [("digits.py", program), ("test_digits.py", tests)];
    let files: Vec<_> = files.into_iter().chain((runner == "pytest").then_some(configured)).collect();
    let repository = self::program(&files, "number // 10", "number // 1");
    let limits = CommandLimits { search_seconds: 300, test_seconds: 120, ..CommandLimits::default() };
    let request = HealRequest { limits, ..HealRequest::new(repository.path().display().to_string()) };
    let Some(healed) = heal(request).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.results.searches);
    let [search] = healed.results.searches.as_slice() else { panic!("{:?}", healed.results.searches) };
    assert!(search.not_warm.is_none(), "{search:?}");
    assert!(healed.report.contains("TestHangs: the test did not end"), "{}", healed.report);
}

#[tokio::test]
async fn two_faults_are_repaired_one_after_the_other() {
    let repository = repository(&STOCK.replace(">= LIMIT", "> LIMIT").replace("return min(", "return max("), "pytest");
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(healed.state.fixes.accepted.len(), 2, "{}", healed.report);
}

const SHOP: &str = "\
def size(crate):
    width, height = crate
    if width > height:
        return width * height
    return width * height


def price(amount, discount):
    return 2 * (amount + discount)
";

const SHOP_TESTS: &str = "\
import unittest

from shop import price, size


class ShopTest(unittest.TestCase):
    def test_wide(self):
        self.assertEqual(size((4, 3)), 12)

    def test_high(self):
        self.assertEqual(size((3, 4)), 12)

    def test_square(self):
        self.assertEqual(size((5, 5)), 25)

    def test_price(self):
        self.assertEqual(price(8, 3), 22)

    def test_price_of_more(self):
        self.assertEqual(price(10, 3), 26)
";

/// `7 != 12` and `10 != 22` are failures of one key, which holds no numbers.
#[tokio::test]
async fn two_faults_that_fail_in_the_same_words_are_repaired_one_after_the_other() {
    let broken = SHOP.replace("amount + discount", "amount - discount");
    let (first, last) = broken.rsplit_once("width * height").unwrap();
    let broken = format!("{first}width + height{last}");
    // In the first commit, so that none says what was right.
    let repository = TestRepository::with_files(&[("shop.py", broken.as_str()), ("test_shop.py", SHOP_TESTS)]);
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shop.py"]), SHOP.trim_end(), "{}", healed.report);
}

/// `question + 2` passes the first test. The second fails in the same words, and runs the same line.
#[rstest]
#[case::both("        self.assertEqual(answer(5), 4485)\n", 0)]
#[case::the_first_alone("        self.assertEqual(answer.__name__, 'answer')\n", 1)]
#[tokio::test]
async fn one_of_two_tests_that_run_what_is_changed_is_not_enough(#[case] second: &str, #[case] accepted: usize) {
    let tests = format!(
        "import unittest\n\nfrom answer import answer\n\n\nclass AnswerTest(unittest.TestCase):\n    \
         def test_one(self):\n        self.assertEqual(answer(2), 4)\n\n    def test_two(self):\n{second}"
    );
    let files = [("answer.py", "def answer(question):\n    return question\n"), ("test_answer.py", tests.as_str())];
    let repository = TestRepository::with_files(&files);
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.state.fixes.accepted.len(), accepted, "{}", healed.report);
    assert!(healed.results.searches.iter().all(|search| search.tried > 0), "{:?}", healed.results.searches);
}

#[tokio::test]
async fn what_one_failure_showed_to_be_futile_is_not_tried_for_the_next() {
    let files = [
        ("answer.py", "def answer(question):\n    return 4400 + 17 * question\n"),
        (
            "test_answer.py",
            "from answer import answer\n\n\ndef test_one():\n    assert answer(1) == 4417\n\n\n\
             def test_two():\n    assert answer(2) > 4433\n",
        ),
        ("pytest.ini", "[pytest]\n"),
    ];
    let repository = program(&files, "4400 + 17 * question", "question");
    let Some(healed) = heal_with(&repository, 60).await else { return };
    let [first, second] = healed.results.searches.as_slice() else { panic!("{:?}", healed.results.searches) };
    assert!(first.plausible == 0 && first.tried == first.candidates, "{first:?}");
    assert!(second.candidates < first.candidates / 2, "{first:?} {second:?}");
}

#[tokio::test]
async fn strict_delivers_no_change_that_tests_do_not_tell_from_others() {
    // `> LIMIT - 1` and `LIMIT = 9` pass, too.
    let repository = repository(&STOCK.replace(">= LIMIT", "> LIMIT"), "pytest");
    let limits = CommandLimits { search_seconds: 60, ..CommandLimits::default() };
    let request = HealRequest { limits, strict: true, ..HealRequest::new(repository.path().display().to_string()) };
    let Some(strict) = heal(request.clone()).await else { return };
    assert!(strict.state.fixes.accepted.is_empty(), "{}", strict.report);
    assert_eq!(strict.results.stop_reason, StopReason::NoProgress, "{}", strict.report);
    assert!(strict.state.warnings.iter().any(|warning| warning.contains("--strict")), "{:?}", strict.state.warnings);
    let Some(healed) = heal(HealRequest { strict: false, ..request }).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let others = healed.state.fixes.accepted[0].runners_up.len();
    let told = format!("{others} other changes pass");
    assert!(healed.state.warnings.iter().any(|warning| warning.contains(&told)), "{:?}", healed.state.warnings);
}

/// Then lines of older commits are what is left.
#[tokio::test]
async fn nothing_is_searched_for_when_there_is_no_time_for_it() {
    let repository = repository(&STOCK.replace(">= LIMIT", "> LIMIT"), "pytest");
    let Some(healed) = heal_with(&repository, 0).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(healed.results.searches, []);
    assert!(healed.report.contains("takes back a part of an older commit"), "{}", healed.report);
}

/// A repository with one program and its tests, broken by its last commit but one.
fn program(files: &[(&str, &str)], right: &str, wrong: &str) -> TestRepository {
    let repository = TestRepository::with_files(files);
    let (file, text) = files[0];
    let broken = text.replace(right, wrong);
    assert_ne!(broken, text);
    repository.write(file, broken);
    repository.commit("break it");
    // Else the last commit says what was right.
    repository.write("NOTES.md", "Nothing of it.\n");
    repository.commit("notes");
    repository
}

/// `True == 1`: a function that is not written could be made to return what the test expects.
#[tokio::test]
async fn a_function_that_is_not_written_is_not_written_by_search() {
    let stub = "def cheapest(prices):\n    prices = sorted(prices)\n    raise NotImplementedError\n";
    let test = "from shop import cheapest\n\n\ndef test_cheapest():\n    assert cheapest([2, 1]) == 1\n";
    let repository = TestRepository::with_files(&[("shop.py", stub), ("test_shop.py", test), ("requirements.txt", "")]);
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert!(healed.state.fixes.accepted.is_empty(), "{}", healed.report);
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
}

#[tokio::test]
async fn a_test_that_is_turned_off_is_not_repaired() {
    let files = [
        // In the first commit, so that none says what was right.
        ("fast.py", "HAS_FAST = True\n\n\ndef root(number):\n    return {9: 90, 16: 160}[number]\n"),
        ("pytest.ini", "[pytest]\n"),
        (
            "test_fast.py",
            "import pytest\n\nimport fast\n\n\n@pytest.mark.skipif(not fast.HAS_FAST, reason='slow')\ndef test_fast():\n    \
             assert (fast.root(9), fast.root(16)) == (3, 4)\n\n\ndef test_other():\n    assert fast.root.__name__ == 'root'\n",
        ),
    ];
    let repository = TestRepository::with_files(&files);
    let Some(healed) = heal_with(&repository, 20).await else { return };
    let silenced = healed.state.fixes.accepted.iter().any(|fix| fix.diff.contains("HAS_FAST"));
    assert!(!silenced && healed.results.stop_reason != StopReason::Green, "{}", healed.report);
}

#[tokio::test]
async fn a_class_that_skips_itself_hides_nothing() {
    let files = [
        ("stock.py", STOCK),
        ("test_stock.py", TESTS),
        (
            "test_a.py",
            "import unittest\n\n\nclass First(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        \
             raise unittest.SkipTest('not here')\n\n    def test_it(self):\n        pass\n",
        ),
    ];
    let repository = program(&files, "return min(", "return max(");
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
}

#[tokio::test]
async fn tests_that_cannot_run_beside_each_other_lose_no_repair() {
    let files = [
        ("stock.py", STOCK),
        (
            "test_stock.py",
            "import os\nimport time\n\nfrom stock import halves\n\n\ndef test_folder():\n    os.mkdir('out')\n    \
             time.sleep(0.05)\n    os.rmdir('out')\n\n\ndef test_halves():\n    assert halves([1, 2, 3]) == ([1], [2, 3])\n",
        ),
        ("pytest.ini", "[pytest]\n"),
    ];
    let repository = program(&files, "numbers[middle:]", "numbers[:middle]");
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
}

/// The tests allow `price * (count + 1)`, too, and by its kind that is the likelier slip.
#[tokio::test]
async fn what_brings_a_line_of_the_commit_before_back_comes_first() {
    let cart = "def total(lines):\n    total = 0\n    for price, count in lines:\n        total += price * count\n    return total\n";
    let tests = "from cart import total\n\n\ndef test_empty():\n    assert total([]) == 0\n\n\n\
                 def test_two():\n    assert total([(3, 1), (3, 1)]) == 6\n";
    let repository =
        TestRepository::with_files(&[("cart.py", cart), ("test_cart.py", tests), ("pytest.ini", "[pytest]\n")]);
    repository.write("cart.py", cart.replace("total += ", "total = "));
    repository.commit("break it");
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:cart.py"]), cart.trim_end(), "{}", healed.report);
}

const CODES: &str = "def codes(tree, prefix=''):\n    if isinstance(tree, str):\n        return {tree: prefix or '0'}\n    \
                     left, right = tree\n    return {**codes(left, prefix + '0'), **codes(right, prefix + '1')}\n";

/// A part of it that is beyond a small change.
const GUARD: &str = "    if isinstance(tree, str):\n        return {tree: prefix or '0'}\n";

/// Lines that a commit adds to it.
const LONGEST: &str = "\n\ndef longest(tree):\n    return max(map(len, codes(tree).values()))\n";

fn with_codes() -> TestRepository {
    let tests = "from codes import codes\n\n\ndef test_one():\n    assert codes('a') == {'a': '0'}\n\n\n\
                 def test_three():\n    assert codes((('a', 'b'), 'c')) == {'a': '00', 'b': '01', 'c': '1'}\n";
    TestRepository::with_files(&[("codes.py", CODES), ("test_codes.py", tests), ("pytest.ini", "[pytest]\n")])
}

/// A guard of several lines is beyond a small change; what the last commit took away is not.
#[tokio::test]
async fn lines_that_the_last_commit_removed_are_restored() {
    let repository = with_codes();
    repository.write("codes.py", CODES.replace(GUARD, "") + LONGEST);
    repository.commit("the longest code");
    let Some(healed) = heal_with(&repository, 60).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    // What the commit was made for stays.
    let expected = format!("{CODES}{LONGEST}");
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:codes.py"]), expected.trim_end(), "{}", healed.report);
    assert!(healed.report.contains("takes back a part of the last commit"), "{}", healed.report);
}

#[tokio::test]
async fn lines_that_an_older_commit_removed_are_restored_where_nothing_else_heals() {
    let repository = with_codes();
    repository.write("codes.py", CODES.replace(GUARD, ""));
    repository.commit("shorter");
    // Of the same file, and of another one.
    repository.write("codes.py", CODES.replace(GUARD, "") + LONGEST).commit("the longest code");
    repository.write("NOTES.md", "Codes.\n").commit("notes");
    let Some(healed) = heal_with(&repository, 4).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let expected = format!("{CODES}{LONGEST}");
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:codes.py"]), expected.trim_end(), "{}", healed.report);
    assert!(healed.report.contains("takes back a part of an older commit"), "{}", healed.report);
}
