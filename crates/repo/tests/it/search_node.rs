//! Faults of logic in JavaScript, repaired by search: real sandbox, the projects' own test runners, the warm workers for them.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use autoheal_code::warm::{Answer, Request, Try, TryEnd};
use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_repo::request::CommandLimits;
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;
use tempfile::TempDir;

use crate::driver::{Healed, kept};
use crate::heal_node::heal_as_asked;

const STOCK: &str = "\
const LIMIT = 10;

class Stock {
  constructor() {
    this.items = {};
  }

  add(name, count = 1) {
    this.items[name] = (this.items[name] || 0) + count;
  }

  total() {
    let sum = 0;
    for (const name of Object.keys(this.items)) {
      sum += this.items[name];
    }
    return sum;
  }

  isFull() {
    return this.total() >= LIMIT;
  }
}

module.exports = { Stock };
";

const TESTS: &str = "\
const assert = require('assert');
const { Stock } = require('../src/stock');

describe('a stock [of things]', () => {
  it('counts', () => {
    console.log('{\"is\": \"broken\", \"why\": \"a test says so\"}');
    const stock = new Stock();
    stock.add('nut');
    stock.add('nut', 2);
    stock.add('bolt');
    assert.deepEqual(stock.items, { nut: 3, bolt: 1 });
    assert.equal(stock.total(), 4);
  });

  it('is full', () => {
    const stock = new Stock();
    stock.add('nut', 9);
    assert.equal(stock.isFull(), false);
    stock.add('nut');
    assert.equal(stock.isFull(), true);
  });
});
";

/// Test runners of these projects.
#[derive(Debug, Clone, Copy)]
enum Runner {
    Mocha,
    Jest,
    Vitest,
    NodeTest,
}

impl Runner {
    fn package(self, kind: &str) -> String {
        let (name, version) = match self {
            Self::Mocha => ("mocha", "10.8.2"),
            Self::Jest => ("jest", "29.7.0"),
            Self::Vitest => ("vitest", "2.1.9"),
            Self::NodeTest => return format!(r#"{{"type": "{kind}", "scripts": {{"test": "node --test"}}}}"#),
        };
        format!(
            r#"{{"type": "{kind}", "scripts": {{"test": "{name}"}}, "devDependencies": {{"{name}": "{version}"}}}}"#
        )
    }
}

/// A repository whose last commit broke it.
fn broken(files: &[(&str, &str)], right: &str, wrong: &str) -> TestRepository {
    let repository = kept(files);
    let (file, text) = files[0];
    let broken = text.replace(right, wrong);
    assert_ne!(broken, text);
    repository.write(file, broken);
    repository.commit("break it");
    repository
}

async fn heal(files: &[(&str, &str)], right: &str, wrong: &str) -> Option<(Healed, TestRepository)> {
    let repository = broken(files, right, wrong);
    // Else the last commit says what was right.
    repository.write("NOTES.md", "Nothing of it.\n");
    repository.commit("notes");
    Some((heal_in_time(&repository).await?, repository))
}

async fn heal_in_time(repository: &TestRepository) -> Option<Healed> {
    // A busy machine must not decide.
    let limits = CommandLimits { search_seconds: 300, ..CommandLimits::default() };
    heal_as_asked(HealRequest { limits, ..HealRequest::new(repository.path().display().to_string()) }).await
}

/// That what is kept was found by search, and is what was there or stands beside it.
fn is_found_by_search(healed: &Healed, repository: &TestRepository, file: &str, text: &str, right: &str) {
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.results.searches);
    let is_original = repository.git(&["show", &format!("AUTOHEAL_BOT_AI_Fix:{file}")]) == text.trim_end();
    let line = text.lines().position(|line| line.contains(right)).unwrap() + 1;
    let fix = &healed.state.fixes.accepted[0];
    let is_named = fix.runners_up.iter().any(|other| other.starts_with(&format!("line {line}: ")));
    assert!(is_original || is_named, "{}", healed.report);
    let search = healed.results.searches.first().unwrap();
    assert!(search.tried > 0 && search.cut_short.is_none(), "{search:?}");
}

#[rstest]
#[case::comparison_in_a_method(Runner::Mocha, ">= LIMIT", "> LIMIT")]
#[case::a_constant_that_is_read_while_the_module_is_loaded(Runner::Mocha, "LIMIT = 10", "LIMIT = 1")]
#[case::an_operator(Runner::Mocha, "sum += ", "sum -= ")]
#[case::comparison_under_jest(Runner::Jest, ">= LIMIT", "> LIMIT")]
#[tokio::test]
async fn what_tests_allow_is_found(#[case] runner: Runner, #[case] right: &str, #[case] wrong: &str) {
    let package = runner.package("commonjs");
    let files = [("src/stock.js", STOCK), ("test/stock.test.js", TESTS), ("package.json", &package)];
    let Some((healed, repository)) = heal(&files, right, wrong).await else { return };
    is_found_by_search(&healed, &repository, "src/stock.js", STOCK, right);
}

#[rstest]
#[tokio::test]
async fn a_fault_in_a_module_is_found(#[values(Runner::Mocha, Runner::NodeTest, Runner::Vitest)] runner: Runner) {
    let stock = STOCK.replace("module.exports = { Stock };", "export { Stock };");
    let globals = match runner {
        Runner::Mocha | Runner::Jest => "",
        Runner::NodeTest => "import { describe, it } from 'node:test';\n",
        Runner::Vitest => "import { describe, it } from 'vitest';\n",
    };
    let tests = TESTS
        .replace("const assert = require('assert')", "import assert from 'assert'")
        .replace("const { Stock } = require('../src/stock')", "import { Stock } from '../src/stock.js'");
    let tests = format!("{globals}{tests}");
    let package = runner.package("module");
    let files = [("src/stock.js", stock.as_str()), ("test/stock.test.js", &tests), ("package.json", &package)];
    let Some((healed, repository)) = heal(&files, ">= LIMIT", "> LIMIT").await else { return };
    is_found_by_search(&healed, &repository, "src/stock.js", &stock, ">= LIMIT");
    assert_eq!(healed.results.searches[0].not_warm, None);
}

/// One response reports every line of the project that the tests run, and a pipe has room for only a small part of it.
#[tokio::test]
async fn many_tests_that_run_many_lines_are_watched() {
    let steps = "  sum += 1;\n".repeat(300);
    let work = format!("\nfunction work(sum) {{\n{steps}  return sum;\n}}\n\nmodule.exports.work = work;\n");
    let stock = format!("{STOCK}{work}");
    let more = "\nconst { work } = require('../src/stock');\n\nfor (let number = 0; number < 150; number += 1) {\n  \
                it(`works ${number}`, () => assert.equal(work(number), number + 300));\n}\n";
    let tests = format!("{TESTS}{more}");
    let package = Runner::Mocha.package("commonjs");
    let files = [("src/stock.js", stock.as_str()), ("test/stock.test.js", &tests), ("package.json", &package)];
    let Some((healed, repository)) = heal(&files, ">= LIMIT", "> LIMIT").await else { return };
    is_found_by_search(&healed, &repository, "src/stock.js", &stock, ">= LIMIT");
}

/// The loop has no end when the step is negative or missing, and what is tried first may well be that.
#[rstest]
#[tokio::test]
async fn a_change_that_never_ends_is_given_up(#[values(Runner::Mocha, Runner::NodeTest)] runner: Runner) {
    let steps = "function steps(to, step) {\n  const found = [];\n  for (let at = 0; at < to; at += step) {\n    found.push(at);\n  }\n  \
                 return found;\n}\n\nmodule.exports = { steps };\n";
    let tests = "const assert = require('assert');\nconst it = globalThis.it || require('node:test').it;\n\
                 const { steps } = require('../src/steps');\nit('steps', () => assert.deepEqual(steps(6, 2), [0, 2, 4]));\nit('stands', () => assert.deepEqual(steps(0, 1), []));\n";
    let package = runner.package("commonjs");
    let files = [("src/steps.js", steps), ("test/steps.js", tests), ("package.json", &package)];
    let Some((healed, repository)) = heal(&files, "at < to", "at <= to").await else { return };
    is_found_by_search(&healed, &repository, "src/steps.js", steps, "at < to");
}

/// The test that computes without end is ended alone, and what passes tells how long it is waited for.
#[rstest]
#[tokio::test]
async fn a_loop_without_an_end_is_repaired(
    #[values(Runner::Mocha, Runner::Jest, Runner::Vitest, Runner::NodeTest)] runner: Runner,
) {
    let digits = "export function digits(number) {\n  let count = 0;\n  while (number > 0) {\n    \
                  number = Math.floor(number / 10);\n    count += 1;\n  }\n  return count;\n}\n";
    let cases = "it('counts none', () => assert.equal(digits(0), 0));\nit('counts one', () => assert.equal(digits(7), 1));\n\
                 it('counts three', () => assert.equal(digits(405), 3));\n";
    let (kind, digits, head) = match runner {
        Runner::Vitest => (
            "module",
            digits.to_owned(),
            "import assert from 'assert';\nimport { it } from 'vitest';\nimport { digits } from '../src/digits.js';\n",
        ),
        Runner::NodeTest => (
            "module",
            digits.to_owned(),
            "import assert from 'assert';\nimport it from 'node:test';\nimport { digits } from '../src/digits.js';\n",
        ),
        Runner::Mocha | Runner::Jest => {
            let digits = format!("{}\nmodule.exports = {{ digits }};\n", digits.replace("export ", ""));
            ("commonjs", digits, "const assert = require('assert');\nconst { digits } = require('../src/digits');\n")
        }
    };
    let package = runner.package(kind);
    let tests = format!("{head}{cases}");
    let files = [("src/digits.js", digits.as_str()), ("test/digits.test.js", &tests), ("package.json", &package)];
    // The last commit says what was right: each change after which the test still hangs costs its limit.
    let repository = broken(&files, "number / 10", "number / 1");
    let Some(healed) = heal_in_time(&repository).await else { return };
    is_found_by_search(&healed, &repository, "src/digits.js", &digits, "number / 10");
    assert!(healed.report.contains("TestHangs: the test did not end"), "{}", healed.report);
}

/// Loading takes a hundred times as long as the tests: what a try may take is what its tests may, and the loading.
#[test]
#[expect(clippy::disallowed_methods, reason = "asks the program that tries changes, as the runner does")]
fn what_takes_long_to_load_is_not_what_takes_long_to_test() {
    let full = "exports.isFull = (count) => count > 10;\n";
    let tests = "const { it } = require('node:test');\nconst assert = require('assert');\n\
                 const ready = Date.now() + 700;\nwhile (Date.now() < ready);\nconst { isFull } = require('./full');\n\
                 it('is full', () => assert.equal(isFull(10), true));\nit('is not', () => assert.equal(isFull(9), false));\n";
    let project = TempDir::new().unwrap();
    std::fs::write(project.path().join("full.js"), full).unwrap();
    std::fs::write(project.path().join("full.test.js"), tests).unwrap();
    let warm = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/node/autoheal_warm_node/main.cjs");
    let server = Command::new("node")
        .arg(warm)
        .args(["node_test", "1"])
        .args([project.path(), Path::new("--"), Path::new("full.test.js")])
        .current_dir(project.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut server) = server else {
        autoheal_testkit::skip("loading apart from testing under `node --test`", "node is not installed");
        return;
    };
    let mut requests = server.stdin.take().unwrap();
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut answer = || serde_json::from_str::<Answer>(&answers.next().unwrap().unwrap()).unwrap();
    let mut send = |request: &Request<'_>| writeln!(requests, "{}", serde_json::to_string(request).unwrap()).unwrap();

    assert!(matches!(answer(), Answer::Ready { tests: 2 }));
    send(&Request::All { seconds: 60.0 });
    assert!(matches!(answer(), Answer::All { complete: true, .. }));
    let (first, passing) = (["full.test.js::is full".to_owned()], ["full.test.js::is not".to_owned()]);
    send(&Request::Plan { first: &first, rest: &passing, passing: &passing, seconds: 0.1, rest_seconds: 10.0 });
    let at = full.find("> 10").unwrap();
    let change = |number, text| Try { number, file: "full.js", edits: vec![(at, at + 1, text)], fresh: false };
    for (number, text, end) in [(0, ">=", TryEnd::Passed), (1, "<", TryEnd::Failed)] {
        send(&Request::Try(change(number, text)));
        let Answer::Tried(tried) = answer() else { panic!("not about a try") };
        assert_eq!((tried.number, tried.outcome), (number, end));
    }
    drop(requests);
    assert!(server.wait().unwrap().success());
}

/// Every change that is tried adds to what belongs to the process: what was left by one is not there for the next.
#[rstest]
#[tokio::test]
async fn what_a_change_leaves_behind_is_not_there_for_the_next(#[values(Runner::Mocha, Runner::Jest)] runner: Runner) {
    let registry = "const known = (process.known = process.known || []);\n\nfunction register(name) {\n  known.push(name);\n  \
                    return known.length;\n}\n\nmodule.exports = { register };\n";
    let tests = "const assert = require('assert');\nconst { register } = require('../src/registry');\n\
                 it('counts from one', () => assert.equal(register('a'), 1));\nit('goes on', () => assert.equal(register('b'), 2));\n";
    let package = runner.package("commonjs");
    let files = [("src/registry.js", registry), ("test/registry.test.js", tests), ("package.json", &package)];
    let Some((healed, repository)) = heal(&files, "return known.length", "return known.length + 1").await else {
        return;
    };
    is_found_by_search(&healed, &repository, "src/registry.js", registry, "return known.length");
}

/// The line of such a function runs when its file is loaded, which is not a run of the function. Both fail in the same words.
#[tokio::test]
async fn two_functions_of_one_line_are_repaired_one_after_the_other() {
    let shop = "exports.stock = (size) => size * 2 + 1;\nexports.price = (amount) => amount - 3;\nexports.name = (text) => text.trim();\n";
    let tests = "const test = require('node:test');\nconst assert = require('assert');\nconst shop = require('../src/shop');\n\
                 test('stock', () => assert.strictEqual(shop.stock(4), 8));\n\
                 test('stock of more', () => assert.strictEqual(shop.stock(10), 20));\n\
                 test('price', () => assert.strictEqual(shop.price(4), 7));\n\
                 test('price of more', () => assert.strictEqual(shop.price(10), 13));\n\
                 test('name', () => assert.strictEqual(shop.name(' a '), 'a'));\n";
    let package = Runner::NodeTest.package("commonjs");
    let files = [("src/shop.js", shop), ("test/shop.test.js", tests), ("package.json", &package)];
    let Some(healed) = heal_in_time(&TestRepository::with_files(&files)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let lines: Vec<u32> = healed.state.fixes.accepted.iter().map(|fix| fix.line).collect();
    assert_eq!(lines, [1, 2], "{}", healed.report);
}

#[tokio::test]
async fn another_failure_is_in_nobodys_way() {
    let other =
        "const assert = require('assert');\nit('asks the network', () => assert.ok(process.env.NO_SUCH_HOST));\n";
    let package = Runner::Mocha.package("commonjs");
    let files =
        [("src/stock.js", STOCK), ("test/stock.js", TESTS), ("test/other.js", other), ("package.json", &package)];
    let Some((healed, repository)) = heal(&files, ">= LIMIT", "> LIMIT").await else { return };
    assert_ne!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let fixed = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/stock.js"]);
    assert_eq!(healed.state.fixes.accepted.len(), 1, "{}", healed.report);
    assert_ne!(fixed, STOCK.replace(">= LIMIT", "> LIMIT").trim_end(), "{}", healed.report);
}

#[tokio::test]
async fn a_test_that_is_turned_off_is_not_repaired() {
    let fast = "const HAS_FAST = true;\n\nfunction root(number) {\n  return { 9: 90, 16: 160 }[number];\n}\n\nmodule.exports = { HAS_FAST, root };\n";
    let tests = "const assert = require('assert');\nconst fast = require('../src/fast');\n\
                 (fast.HAS_FAST ? it : it.skip)('is fast', () => assert.deepEqual([fast.root(9), fast.root(16)], [3, 4]));\n\
                 it('has a name', () => assert.equal(fast.root.name, 'root'));\n";
    let package = Runner::Mocha.package("commonjs");
    let files = [("src/fast.js", fast), ("test/fast.js", tests), ("package.json", &package)];
    // In the first commit, so that none says what was right.
    let Some(healed) = heal_in_time(&TestRepository::with_files(&files)).await else { return };
    let silenced = healed.state.fixes.accepted.iter().any(|fix| fix.diff.contains("HAS_FAST"));
    assert!(!silenced && healed.results.stop_reason != StopReason::Green, "{}", healed.report);
}

/// It fails twice, which is often enough to be taken for broken, and not when it is run once more without any change.
#[tokio::test]
async fn a_test_that_does_not_always_fail_is_no_evidence() {
    let tests = "const { it } = require('node:test');\nconst assert = require('assert');\nconst fs = require('fs');\n\
                 const { double } = require('../src/double');\nit('doubles', () => {\n  \
                 const runs = fs.existsSync('runs') ? Number(fs.readFileSync('runs', 'utf8')) : 0;\n  \
                 fs.writeFileSync('runs', String(runs + 1));\n  assert.equal(double(2), runs < 2 ? 5 : 4);\n});\n\
                 it('has a name', () => assert.equal(double.name, 'double'));\n";
    let double = "function double(number) {\n  return number * 2;\n}\n\nmodule.exports = { double };\n";
    let package = Runner::NodeTest.package("commonjs");
    let files = [("src/double.js", double), ("test/double.test.js", tests), ("package.json", &package)];
    // The last commit changes the program: what fails is looked at as its fault.
    let repository = broken(&files, "number", "value");
    let Some(healed) = heal_in_time(&repository).await else { return };
    let search = healed.results.searches.first().unwrap();
    assert!(
        healed.state.fixes.accepted.is_empty() && search.refused.is_some() && search.tried == 0,
        "{}",
        healed.report
    );
}
