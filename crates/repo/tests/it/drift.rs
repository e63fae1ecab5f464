//! Dependencies that drifted: an index of the tests' own publishes releases that break what uses them.

use autoheal_engine::StopReason;
use autoheal_engine::diagnostics::Category;
use autoheal_repo::HealRequest;
use autoheal_repo::state::{BoundOutcome, DriftReport};
use autoheal_testkit::package_index::{PackageIndex, Wheel, module};
use autoheal_testkit::repository::TestRepository;

use crate::driver::{Healed, heal_with_index};

/// Days before and after the commits of the test repositories.
const BEFORE: &str = "2023-01-10";
const AFTER: &str = "2024-02-20";

const MAKE: &str = "def make(size):\n    return [0] * size\n";
const RENAMED: &str = "def build(size):\n    return [0] * size\n";
const TESTS: &str = "import unittest\n\nfrom shop import stock\n\n\nclass TestStock(unittest.TestCase):\n    \
                     def test_stock(self):\n        self.assertEqual(len(stock(3)), 3)\n";

fn repository(shop: &str, requirements: &str) -> TestRepository {
    TestRepository::with_files(&[("shop.py", shop), ("tests/test_shop.py", TESTS), ("requirements.txt", requirements)])
}

fn gadgets() -> Vec<Wheel> {
    module(
        "gadget",
        &[("1.0", BEFORE, MAKE), ("1.4.0", BEFORE, MAKE), ("1.4.2", AFTER, MAKE), ("2.0.0", AFTER, RENAMED)],
    )
}

async fn heal(repository: &TestRepository, wheels: Vec<Wheel>) -> Option<Healed> {
    let index = PackageIndex::of(wheels).await;
    heal_with_index(&index.url(), HealRequest::new(repository.path().display().to_string())).await
}

fn requirements(repository: &TestRepository) -> String {
    repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:requirements.txt"])
}

/// The report of the search; empty if there was none.
fn drift(healed: &Healed) -> DriftReport {
    healed.state.drift.report.clone().unwrap_or_default()
}

#[tokio::test]
async fn a_release_that_removed_a_name_is_excluded() {
    let shop = "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n";
    let repository = repository(shop, "gadget>=1\n");
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let told = "gadget 2.0.0 (released 2024-02-20) removed `make` from `gadget`; 1.4.2 is the newest that passes";
    assert_eq!(requirements(&repository), format!("# {told}\ngadget>=1,<2"));
    assert_eq!(drift(&healed).sentence(), told);
    assert!(healed.report.contains("released 2024-02-20"), "{}", healed.report);
    assert_eq!(healed.results.drift.as_ref().map(|drift| drift.offenders.len()), Some(1));
    assert_eq!(healed.results.fixes.first().map(|fix| fix.bug_type), Some(Category::Import));
    let message = repository.git(&["log", "--format=%B", "main..AUTOHEAL_BOT_AI_Fix"]);
    assert!(message.starts_with("[AI-AGENT] Fix IMPORT error in requirements.txt line 1\n"), "{message}");
    assert!(message.contains(told), "{message}");
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "requirements.txt");
}

#[tokio::test]
async fn a_second_offender_shows_when_the_first_is_bounded() {
    let shop = "from gadget import make\nfrom widget import turn\n\n\ndef stock(size):\n    return turn(make(size))\n";
    let repository = repository(shop, "gadget\nwidget # used\n");
    let turns = [("0.3", BEFORE, "def turn(it):\n    return it\n"), ("0.4", AFTER, "def rotate(it):\n    return it\n")];
    let Some(healed) = heal(&repository, [gadgets(), module("widget", &turns)].concat()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let lines: Vec<String> = requirements(&repository).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines.contains(&"gadget<2".to_owned()) && lines.contains(&"widget<0.4 # used".to_owned()), "{lines:?}");
    let moved_on = |tried: &&autoheal_repo::state::TriedBound| tried.outcome == BoundOutcome::MovedOn;
    assert!(drift(&healed).tried.iter().any(|tried| moved_on(&tried)), "{:?}", drift(&healed));
}

#[tokio::test]
async fn a_dependency_of_a_dependency_is_bounded_where_the_others_are() {
    let shop = "from kit import stock\n";
    let repository = repository(shop, "kit\n");
    let kit = Wheel::new("kit", "1.0", BEFORE)
        .with("kit.py", "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n")
        .requiring("gadget>=1");
    let Some(healed) = heal(&repository, [gadgets(), vec![kit]].concat()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let after = requirements(&repository);
    assert!(after.starts_with("kit\n# gadget 2.0.0 ") && after.ends_with("\ngadget<2"), "{after}");
}

/// A test of the same suite needs what is not there: the bound is kept for the tests that it heals, and nothing is called green.
#[tokio::test]
async fn a_bound_is_kept_where_another_test_fails_for_a_reason_of_its_own() {
    let shop = "import socket\n\nfrom gadget import make\n\n\ndef stock(size):\n    return make(size)\n\n\n\
                def price():\n    return socket.create_connection(('prices.invalid', 80))\n";
    let repository = repository(shop, "gadget\n");
    let price = "\n    def test_stock_of_two(self):\n        self.assertEqual(stock(2), [0, 0])\n\n\
                 class TestPrice(unittest.TestCase):\n    def test_price(self):\n        self.assertIsNotNone(price())\n";
    repository.write("tests/test_shop.py", format!("{}{price}", TESTS.replace("import stock", "import price, stock")));
    repository.commit("prices");
    let strict =
        "def make(size):\n    if size < 100:\n        raise ValueError(f'too small: {size}')\n    return [0] * size\n";
    let releases = [("1.0", BEFORE, MAKE), ("1.4", BEFORE, MAKE), ("2.0", AFTER, strict)];
    let Some(healed) = heal(&repository, module("gadget", &releases)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Flaky, "{}", healed.report);
    let fixes: Vec<&str> = healed.state.fixes.accepted.iter().map(|fix| fix.fixer.as_str()).collect();
    assert_eq!(fixes, ["drift"], "{:?}\n{}", drift(&healed), healed.report);
    assert!(requirements(&repository).ends_with("\ngadget<2"), "{}", healed.report);
}

/// Neither bound alone lets the tests get further: the older `kit` needs the older `gadget`, and the newer `kit` fails with either.
#[tokio::test]
async fn two_that_broke_the_same_place_are_found_by_the_days_of_their_releases() {
    const LATER: &str = "2024-03-10";
    let repository = repository("from kit import stock\n", "kit\ngadget\n");
    let uses = "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n";
    let wrong = "def stock(size):\n    raise ValueError(f'no such size: {size}')\n";
    let kits = [("1.0", BEFORE, uses), ("1.1", AFTER, uses), ("2.0", LATER, wrong)];
    let Some(healed) = heal(&repository, [gadgets(), module("kit", &kits)].concat()).await else { return };
    let report = drift(&healed);
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{report:?}\n{}", healed.report);
    let mut lines: Vec<String> = requirements(&repository).lines().map(str::to_owned).collect();
    lines.retain(|line| !line.starts_with('#'));
    assert_eq!(lines, ["kit<2", "gadget<2"], "{report:?}");
    let gadget = report.offenders.iter().find(|offender| offender.package == "gadget");
    assert_eq!(gadget.map(|gadget| gadget.last_good.version.as_str()), Some("1.4.2"), "{report:?}");
    assert!(healed.report.contains("`all dependencies as of "), "{}", healed.report);
    assert!(healed.report.contains("`kit<=1.1`: the failure is the same"), "{}", healed.report);
}

/// `setup.py install` does not record where the project lies, and yet its requirements hold in each environment that is tried.
#[test]
fn a_project_without_a_record_of_its_folder_is_known_by_its_modules() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("tree/src/shop.py", "");
    write("tree/src/vendored.py", "");
    write("site/shop-1.0.egg-info/PKG-INFO", "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n");
    write("site/shop-1.0.egg-info/top_level.txt", "shop\n");
    write("site/shop-1.0.egg-info/requires.txt", "gadget>=1\n");
    write("site/vendored-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: vendored\nVersion: 1.0\n");
    write("site/vendored-1.0.dist-info/RECORD", "vendored.py,,\n");
    write("site/vendored-1.0.dist-info/top_level.txt", "vendored\n");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/programs/python/installed.py");
    let mut command = std::process::Command::new("python3");
    command.arg(script).arg(folder.path().join("tree")).env("PYTHONPATH", folder.path().join("site"));
    let output = command.output().unwrap();
    let found: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let one = |name: &str| found.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!((&one("shop")["is_project"], &one("shop")["requirements"][0]), (&true.into(), &"gadget>=1".into()));
    assert_eq!(
        (&one("vendored")["is_project"], &one("vendored")["requirements"]),
        (&false.into(), &serde_json::json!([]))
    );
}

/// The last commit broke it: with what is installed now, the commit before passes.
#[tokio::test]
async fn a_fault_of_the_last_commit_is_no_drift() {
    let shop = "from gadget import build\n\n\ndef stock(size):\n    return build(size)\n";
    let repository = repository(shop, "gadget\n");
    repository.write("shop.py", shop.replace("return build(size)", "return biuld(size)")).commit("a slip");
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(healed.state.drift.report, None);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shop.py"]), shop.trim_end());
}

/// Nothing is known of the commit before, and no release ever had the name.
#[tokio::test]
async fn a_fault_of_the_program_is_healed_there_after_no_bound_helped() {
    let shop = "from gadget import buidl\n\n\ndef stock(size):\n    return buidl(size)\n";
    let repository = repository(shop, "gadget\n");
    let releases = [("1.0", BEFORE, RENAMED), ("2.0", AFTER, RENAMED)];
    let Some(healed) = heal(&repository, module("gadget", &releases)).await else { return };
    let report = drift(&healed);
    assert!(!report.is_complete && report.offenders.is_empty(), "{report:?}");
    assert!(healed.state.drift.bounds.is_none());
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "shop.py");
}

#[tokio::test]
async fn where_no_bound_can_be_installed_the_report_says_what_was_tried() {
    let shop = "import gadget\n\n\ndef stock(size):\n    return gadget.assemble_from_parts(size)\n";
    let repository = repository(shop, "gadget==2.0.0\n");
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    let report = drift(&healed);
    assert!(report.tried.iter().all(|tried| tried.outcome == BoundOutcome::NotInstalled), "{report:?}");
    assert!(!report.is_complete && report.reason.contains("gadget<="), "{report:?}");
    assert!(healed.report.contains("no bound was found"), "{}", healed.report);
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
}

/// A release that renames a function, and whose error at the old name gives the new one.
fn renaming(build: &str) -> Vec<Wheel> {
    let told = "raise AttributeError(f'`gadget.{name}` was removed in gadget 2. Use `gadget.build` instead.')";
    let renamed = format!("{build}\n\ndef __getattr__(name):\n    {told}\n");
    module("gadget", &[("1.0", BEFORE, MAKE), ("1.4", BEFORE, MAKE), ("2.0", AFTER, &renamed)])
}

const BY_MODULE: &str = "import gadget\n\n\ndef stock(size):\n    return gadget.make(size)\n";

#[tokio::test]
async fn the_name_that_a_release_says_to_use_instead_is_used() {
    let repository = repository(BY_MODULE, "gadget\n");
    let Some(healed) = heal(&repository, renaming(RENAMED)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let after = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shop.py"]);
    assert_eq!(after, BY_MODULE.replace("make", "build").trim_end());
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "shop.py");
    assert_eq!(healed.state.drift.report, None, "no bound was searched for: {:?}", healed.events);
}

#[tokio::test]
async fn advice_that_the_tests_refuse_gives_way_to_a_bound() {
    let repository = repository(BY_MODULE, "gadget\n");
    let Some(healed) = heal(&repository, renaming("def build(size):\n    return [0]\n")).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert!(requirements(&repository).ends_with("\ngadget<2"), "{}", healed.report);
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "requirements.txt");
    assert!(healed.report.contains("as the error says` (`told_names`)"), "{}", healed.report);
}

/// The release before the last would do; the one before that fails with today's `gadget`, and an older `gadget` would bring it, too.
#[tokio::test]
async fn the_one_that_the_error_names_is_bounded_and_not_what_it_needs() {
    const LATER: &str = "2024-03-10";
    let repository = repository("from kit import stock\n", "kit\n");
    let old = "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n";
    let own = "def stock(size):\n    return [0] * size\n";
    let kit = |version: &str, day: &str, text: &str, requirement: &str| {
        Wheel::new("kit", version, day).with("kit.py", text).requiring(requirement)
    };
    let kits = vec![
        kit("1.0", BEFORE, old, "gadget>=1"),
        kit("2.0", AFTER, own, "gadget>=2"),
        kit("2.1", LATER, &own.replace("stock", "store"), "gadget>=2"),
    ];
    let Some(healed) = heal(&repository, [gadgets(), kits].concat()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let told = "kit 2.1 (released 2024-03-10) removed `stock` from `kit`; 2.0 is the newest that passes";
    assert_eq!(requirements(&repository), format!("# {told}\nkit<2.1"));
}

#[tokio::test]
async fn a_bound_is_stated_in_an_environment_of_conda() {
    let shop = "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n";
    let environment =
        "name: shop\ndependencies:\n  - python=3.11\n  - libshop\n  - pip\n  - pip:\n      - gadget>=1  # used\n";
    let files = [("shop.py", shop), ("tests/test_shop.py", TESTS), ("environment.yml", environment)];
    let repository = TestRepository::with_files(&files);
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let after = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:environment.yml"]);
    assert!(after.ends_with("the newest that passes\n      - gadget>=1,<2  # used"), "{after}");
}

/// A release that is older than the repository was there when its tests passed.
#[tokio::test]
async fn what_was_there_before_is_not_suspected() {
    let shop = "import gadget\n\n\ndef stock(size):\n    return gadget.assemble_from_parts(size)\n";
    let repository = repository(shop, "gadget\n");
    let releases = [("1.0", BEFORE, MAKE), ("2.0", BEFORE, MAKE)];
    let Some(healed) = heal(&repository, module("gadget", &releases)).await else { return };
    assert_eq!(healed.state.drift.report, None, "{:?}", healed.events);
    let installed = healed.state.drift.installed.iter().map(|one| (one.name.as_str(), one.version.as_str()));
    assert!(installed.into_iter().any(|one| one == ("gadget", "2.0")), "{:?}", healed.state.drift);
}

/// A repository whose tools hold the version of the package in a lock file.
fn locked(shop: &str, version: &str) -> TestRepository {
    let lock = format!("version = 1\n\n[[package]]\nname = \"gadget\"\nversion = \"{version}\"\n");
    let manifest = "[dependency-groups]\ntest = [\"gadget\"]\n";
    let files = [("pyproject.toml", manifest), ("uv.lock", &lock), ("shop.py", shop), ("tests/test_shop.py", TESTS)];
    TestRepository::with_files(&files)
}

#[tokio::test]
async fn a_lock_file_holds_what_is_installed() {
    let shop = "from gadget import make\n\n\ndef stock(size):\n    return make(sizee)\n";
    let repository = locked(shop, "1.4.0");
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(healed.state.drift.report, None);
    let installed = healed.state.drift.installed.iter().map(|one| (one.name.as_str(), one.version.as_str()));
    assert!(installed.into_iter().any(|one| one == ("gadget", "1.4.0")), "{:?}", healed.state.drift);
    assert!(format!("{:?}", healed.events).contains("uv.lock holds the versions"), "{:?}", healed.events);
}

#[tokio::test]
async fn where_a_lock_file_cannot_be_installed_the_newest_releases_are() {
    let shop = "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n";
    let repository = locked(shop, "0.9.0");
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert!(format!("{:?}", healed.events).contains("uv.lock cannot be installed here"), "{:?}", healed.events);
    assert_eq!(drift(&healed).offenders.len(), 1);
}
