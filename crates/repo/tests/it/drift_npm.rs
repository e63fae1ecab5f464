//! Dependencies of JavaScript that drifted: a registry of the tests' own publishes releases that break what uses them.

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_repo::state::DriftReport;
use autoheal_testkit::npm_registry::{NpmRegistry, NpmRelease, package};
use autoheal_testkit::repository::TestRepository;
use serde_json::{Value, json};

use crate::driver::{Healed, heal_with_registry};

/// Days before and after the commits of the test repositories.
const BEFORE: &str = "2023-01-10";
const AFTER: &str = "2024-02-20";

const MAKE: &str = "exports.make = (size) => Array(size).fill(0);\n";
const RENAMED: &str = "exports.build = (size) => Array(size).fill(0);\n";
const SHOP: &str = "const gadget = require('gadget');\n\nexports.stock = (size) => gadget.make(size);\n";
const TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
                     const { stock } = require('../shop');\n\ntest('stock', () => assert.equal(stock(3).length, 3));\n";

/// A manifest as npm writes it, with these dependencies.
fn manifest(dependencies: &Value) -> String {
    let manifest =
        json!({ "name": "shop", "scripts": { "test": "node --test test/*.js" }, "dependencies": dependencies });
    format!("{manifest:#}\n")
}

fn repository(shop: &str, dependencies: &Value) -> TestRepository {
    let manifest = manifest(dependencies);
    TestRepository::with_files(&[("package.json", &manifest), ("shop.js", shop), ("test/shop.js", TESTS)])
}

fn gadgets() -> Vec<NpmRelease> {
    let releases = [
        ("1.0.0", BEFORE, MAKE),
        ("1.4.0", BEFORE, MAKE),
        ("1.4.2", AFTER, MAKE),
        ("2.0.0-beta.1", AFTER, MAKE),
        ("2.0.0", AFTER, RENAMED),
    ];
    package("gadget", &releases)
}

async fn heal(repository: &TestRepository, releases: Vec<NpmRelease>) -> Option<Healed> {
    let registry = NpmRegistry::of(releases).await;
    heal_with_registry(&registry.url(), HealRequest::new(repository.path().display().to_string())).await
}

/// The manifest of the branch.
fn healed_manifest(repository: &TestRepository) -> String {
    repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:package.json"])
}

/// The report of the search; empty if there was none.
fn drift(healed: &Healed) -> DriftReport {
    healed.state.drift.report.clone().unwrap_or_default()
}

#[tokio::test]
async fn a_release_that_removed_a_function_is_excluded() {
    let repository = repository(SHOP, &json!({ "gadget": ">=1" }));
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let told = "gadget 2.0.0 (released 2024-02-20) removed `make` from `gadget`; 1.4.2 is the newest that passes";
    assert_eq!(drift(&healed).sentence(), told);
    assert!(healed.report.contains(told), "{}", healed.report);
    assert_eq!(healed_manifest(&repository), manifest(&json!({ "gadget": ">=1 <2" })).trim_end());
    let message = repository.git(&["log", "--format=%B", "main..AUTOHEAL_BOT_AI_Fix"]);
    assert!(message.contains(told), "{message}");
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "package.json");
    // Pre-releases are never tried.
    assert!(drift(&healed).tried.iter().flat_map(|tried| &tried.bounds).all(|bound| !bound.contains("beta")));
}

#[tokio::test]
async fn a_dependency_of_a_dependency_is_bounded_in_overrides() {
    let repository = repository("exports.stock = require('@scope/kit').stock;\n", &json!({ "@scope/kit": "*" }));
    let kit = NpmRelease::new("@scope/kit", "1.0.0", BEFORE, SHOP).requiring("gadget", ">=1");
    let Some(healed) = heal(&repository, [gadgets(), vec![kit]].concat()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let after: Value = serde_json::from_str(&healed_manifest(&repository)).unwrap_or_default();
    assert_eq!(after["overrides"], json!({ "gadget@>=2": ">=1.4.2 <2" }), "{after}");
    assert_eq!(after["dependencies"], json!({ "@scope/kit": "*" }));
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "package.json");
}

/// The last commit broke it: with what is installed now, the commit before passes.
#[tokio::test]
async fn a_fault_of_the_last_commit_is_no_drift() {
    let shop = SHOP.replace("make", "build");
    let repository = repository(&shop, &json!({ "gadget": "*" }));
    repository.write("shop.js", shop.replace("gadget.build", "gadget.biuld")).commit("a slip");
    let Some(healed) = heal(&repository, gadgets()).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(healed.state.drift.report, None);
    let installed = healed.state.drift.installed.iter().map(|one| (one.name.as_str(), one.version.as_str()));
    assert_eq!(installed.collect::<Vec<_>>(), [("gadget", "2.0.0")]);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shop.js"]), shop.trim_end());
}

/// Nothing is known of the commit before, and no release ever had the name.
#[tokio::test]
async fn a_fault_of_the_program_is_healed_there_after_no_bound_helped() {
    let repository = repository(&SHOP.replace("make", "buidl"), &json!({ "gadget": "*" }));
    let releases = [("1.0.0", BEFORE, RENAMED), ("2.0.0", AFTER, RENAMED)];
    let Some(healed) = heal(&repository, package("gadget", &releases)).await else { return };
    let report = drift(&healed);
    assert!(!report.is_complete && report.offenders.is_empty() && !report.tried.is_empty(), "{report:?}");
    assert!(healed.state.drift.bounds.is_none());
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "shop.js");
}

/// A lock file holds all versions.
#[tokio::test]
async fn under_a_lock_file_nothing_is_searched() {
    let repository = repository(&SHOP.replace("make", "buidl"), &json!({ "gadget": "*" }));
    let registry = NpmRegistry::of(gadgets()).await;
    let gadget = json!({ "version": "2.0.0", "resolved": format!("{}gadget/-/gadget-2.0.0.tgz", registry.url()) });
    let root = json!({ "name": "shop", "dependencies": { "gadget": "*" } });
    let lock = json!({ "name": "shop", "lockfileVersion": 3, "packages": { "": root, "node_modules/gadget": gadget } });
    repository.write("package-lock.json", lock.to_string()).commit("hold versions");
    let request = HealRequest::new(repository.path().display().to_string());
    let Some(healed) = heal_with_registry(&registry.url(), request).await else { return };
    assert_eq!(healed.state.drift.report, None, "{:?}", healed.events);
    assert_eq!(healed.state.drift.installed.len(), 1, "{}\n{:?}", healed.report, healed.events);
    assert!(format!("{:?}", healed.events).contains("package-lock.json holds"), "{:?}", healed.events);
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "shop.js");
}
