//! Flaky tests of each kind, end to end: what they depend on is found out, and nothing is edited. What fails for a reason in the program is
//! healed as ever. The repositories are those of `cargo xtask bench flaky`.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use autoheal_engine::StopReason;
use autoheal_repo::{FlakyKind, HealRequest, Healing};
use autoheal_testkit::repository::TestRepository;
use rstest::rstest;

use crate::driver::{Healed, heal, kept};
use crate::heal_node;

/// Its name and its text.
type File = (String, String);

/// The files of a repository of the bench, and what its second commit changes.
fn of_bench(name: &str) -> (Vec<File>, Option<File>) {
    let data: toml::Table = toml::from_str(include_str!("../../../../xtask/bench/flaky/repositories.toml")).unwrap();
    let all = data["repository"].as_array().unwrap();
    let repository = all.iter().find(|repository| repository["name"].as_str() == Some(name)).unwrap();
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let files: Vec<File> =
        repository["files"].as_table().unwrap().iter().map(|(file, value)| (file.clone(), text(value))).collect();
    let change = repository.get("breaks").map(|breaks| {
        let one = &breaks[0];
        let whole = &files.iter().find(|(file, _)| *file == text(&one["file"])).unwrap().1;
        (text(&one["file"]), whole.replacen(&text(&one["from"]), &text(&one["to"]), 1))
    });
    (files, change)
}

fn borrowed(files: &[File]) -> Vec<(&str, &str)> {
    files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect()
}

async fn healed(name: &str) -> Option<(Healed, TestRepository)> {
    let (files, change) = of_bench(name);
    let is_node = files.iter().any(|(file, _)| file == "package.json");
    let repository = if is_node { kept(&borrowed(&files)) } else { TestRepository::with_files(&borrowed(&files)) };
    if let Some((file, text)) = change {
        repository.write(&file, &text);
        repository.commit("as it is");
    }
    loop {
        let request = HealRequest::new(repository.path().display().to_string());
        let healed = if is_node { heal_node::heal_as_asked(request).await? } else { heal(request).await? };
        // By chance every test may have passed.
        if healed.results.stop_reason != StopReason::NothingToDo {
            return Some((healed, repository));
        }
    }
}

#[rstest]
#[case::pollution(
    "order-pollution",
    FlakyKind::Order,
    "pytest tests/test_admin.py::TestAdmin::test_changes_currency tests/test_shop.py::"
)]
#[case::missing_set_up(
    "order-missing-set-up",
    FlakyKind::Order,
    "pytest test_b_register.py::test_registers test_a_lookup.py::"
)]
#[case::unittest(
    "order-unittest",
    FlakyKind::Order,
    "unittest test_cache.AddTest.test_add test_cache.EmptyTest.test_new_cache_is_empty"
)]
#[case::year(
    "time-of-year",
    FlakyKind::Time,
    "faketime '2024-02-29 12:00:00' python -m pytest test_offers.py::test_offer_is_valid"
)]
#[case::zone("time-zone", FlakyKind::Time, "TZ=America/New_York python -m pytest test_when.py::test_hour_of_the_log")]
#[case::random("random-choice", FlakyKind::Randomness, "python -m pytest test_dice.py::test_total_is_high")]
#[case::hashes("random-hash", FlakyKind::Randomness, "PYTHONHASHSEED=")]
#[case::network("network-urllib", FlakyKind::Network, "python -m pytest test_rates.py::test_rates_are_there")]
#[case::race("concurrency-race", FlakyKind::Concurrency, "python -m pytest test_counter.py::test_every_worker_counts")]
#[case::waiting("concurrency-waiting", FlakyKind::Concurrency, "python -m unittest test_jobs.JobTest.test_job_ends")]
#[case::port(
    "resource-port",
    FlakyKind::Resource,
    "pytest test_server.py::test_serves test_server.py::test_serves_again"
)]
#[case::mocha("node-order", FlakyKind::Order, "npx mocha '--grep=store adds|a new store is empty'")]
#[case::jest("node-random", FlakyKind::Randomness, "npx jest '-t=picks the best' test/pick.test.js")]
#[case::node_test("node-time", FlakyKind::Time, "faketime '2025-06-17 10:30:01' node --test")]
#[case::vitest("node-zone", FlakyKind::Time, "TZ=America/Los_Angeles npx vitest run")]
#[tokio::test]
async fn what_a_flaky_test_depends_on_is_found_out(
    #[case] name: &str,
    #[case] kind: FlakyKind,
    #[case] reproduction: &str,
) {
    let Some((healed, repository)) = healed(name).await else { return };
    let kinds: Vec<FlakyKind> = healed.results.flaky.iter().map(|flaky| flaky.kind).collect();
    assert_eq!(kinds, [kind], "{}", healed.report);
    let flaky = &healed.results.flaky[0];
    assert!(flaky.reproduction.contains(reproduction), "{}", flaky.reproduction);
    assert!(!flaky.evidence.is_empty() && flaky.healing != Healing::Anything, "{flaky:?}");
    assert!(healed.report.contains("## Flaky tests"), "{}", healed.report);
    assert_eq!(healed.results.stop_reason, StopReason::Flaky, "{}", healed.report);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}

/// It asks for the time, for random numbers or for timers, and fails because of what the last commit changed.
#[rstest]
#[case::logic("stable-mutable-default")]
#[case::time("stable-asks-for-the-time")]
#[case::random("stable-random")]
#[case::import("stable-import")]
#[case::node("stable-node")]
#[tokio::test]
async fn what_the_last_commit_broke_is_healed_and_not_called_flaky(#[case] name: &str) {
    let Some((healed, _repository)) = healed(name).await else { return };
    assert_eq!(healed.results.flaky, [], "{}", healed.report);
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
}

/// Names of tests are those of a folder that discovery imports from: what is run again there is found, and a call that needs a network is not
/// "healed" by what no longer calls anything. It runs the function at fault, too, which is healed all the same.
#[rstest]
#[case::at_the_root("", "")]
#[case::in_a_folder("backend/", "cd backend && ")]
#[tokio::test]
async fn what_needs_a_network_is_not_rewritten(#[case] folder: &str, #[case] enter: &str) {
    let shop = "import socket\n\n\ndef stock(size):\n    return [0] * (size + 1)\n\n\n\
                def price():\n    stock(1)\n    return socket.create_connection(('prices.invalid', 80))\n";
    let tests = "import unittest\n\nfrom shop import price, stock\n\n\nclass TestShop(unittest.TestCase):\n    \
                 def test_stock(self):\n        self.assertEqual(stock(2), [0, 0])\n\n    \
                 def test_price(self):\n        self.assertIsNotNone(price())\n";
    let (program, test) = (format!("{folder}shop.py"), format!("{folder}tests/test_shop.py"));
    let workflow = format!(
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {enter}python -m unittest discover -s tests\n"
    );
    let files = [(program.as_str(), shop), (&test, tests), (".github/workflows/ci.yml", &workflow)];
    let repository = TestRepository::with_files(&files);
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Flaky, "{}", healed.report);
    let told = healed.results.flaky.iter().map(|flaky| (flaky.kind, flaky.reproduction.as_str()));
    let reproduction = format!("{enter}env PYTHONPATH=tests python -m unittest test_shop.TestShop.test_price");
    assert_eq!(told.collect::<Vec<_>>(), [(FlakyKind::Network, reproduction.as_str())], "{}", healed.report);
    let after = repository.git(&["show", &format!("AUTOHEAL_BOT_AI_Fix:{program}")]);
    assert_eq!(after, shop.replace("size + 1", "size").trim_end(), "{}", healed.report);
}

/// A fault of the program that looks like a matter of order: the default argument is one list for all calls.
#[tokio::test]
async fn an_order_that_the_last_commit_made_matter_is_the_programs_fault() {
    let basket = "def add(item, basket=None):\n    if basket is None:\n        basket = []\n    basket.append(item)\n    return basket\n";
    let tests = "from basket import add\n\n\ndef test_add():\n    assert add('apple') == ['apple']\n\n\n\
                 def test_add_another():\n    assert add('pear') == ['pear']\n";
    let repository = TestRepository::with_files(&[("basket.py", basket), ("test_basket.py", tests)]);
    repository.write("basket.py", "def add(item, basket=[]):\n    basket.append(item)\n    return basket\n");
    repository.commit("shorter");
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    let told: Vec<_> = healed.results.flaky.iter().map(|flaky| (flaky.kind, flaky.healing)).collect();
    // It is told how it shows, and everything may be tried against it.
    assert_eq!(told, [(FlakyKind::Order, Healing::Anything)], "{}", healed.report);
}

/// The misspelt name is healed. The report adds that the test depends on the time zone: CI may have another one.
#[tokio::test]
async fn what_was_healed_runs_again_in_other_circumstances() {
    let when =
        "from datetime import datetime\n\n\ndef hour_of(second):\n    return datetime.fromtimestamp(second).hour\n";
    let tests = "from when import hour_of\n\n\ndef test_hour():\n    assert hour_of(0) == 0\n\n\n\
                 def test_name():\n    assert hour_of.__name__ == 'hour_of'\n";
    let repository =
        TestRepository::with_files(&[("when.py", when), ("test_when.py", tests), ("pytest.ini", "[pytest]\n")]);
    repository.write("when.py", when.replace("(second).hour", "(secnd).hour"));
    repository.commit("break it");
    let Some(healed) = heal(HealRequest::new(repository.path().display().to_string())).await else { return };
    let told: Vec<_> = healed.results.flaky.iter().map(|flaky| (flaky.kind, flaky.test.as_str())).collect();
    assert_eq!(told, [(FlakyKind::Time, "test_when.py::test_hour")], "{}", healed.report);
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:when.py"]), when.trim_end());
}
