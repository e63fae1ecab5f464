//! A year of repositories at a host without a commit of the user, while a registry publishes: green, red, healed by a pull request, and lifted
//! when a fixed release comes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use autoheal_engine::StopReason;
use autoheal_forge::github::GitHub;
use autoheal_forge::host::CodeHosts;
use autoheal_forge::host::connection::ConnectionSettings;
use autoheal_repo::caches::CacheLimits;
use autoheal_repo::request::HostingRequest;
use autoheal_repo::{HealRequest, HealSettings};
use autoheal_testkit::github::{Behaviour, CiPlan, Commit, FakeGitHub};
use autoheal_testkit::npm_registry::{NpmRegistry, NpmRelease};
use autoheal_testkit::package_index::{PackageIndex, Wheel};
use autoheal_testkit::repository::{TestRepository, git};
use serde_json::json;

use crate::driver::{Healed, heal_set, settings_with_index, settings_with_registry};

const TOKEN: &str = "ghp_planted0123456789ABCDEFGHIJabcdefghij";
const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// Two modules of a release: one with the function that the program calls, and one that has another name for it.
struct Modules {
    make: &'static str,
    renamed: &'static str,
}

/// A repository at a host, and the registry that its packages come from.
struct Scene<'a> {
    github: FakeGitHub,
    manifest: &'static str,
    modules: Modules,
    publish: &'a dyn Fn(&str, &str, &str),
    settings: HealSettings,
    /// Makes CI red where nothing bounds the package.
    is_broken: Arc<AtomicBool>,
    _data: tempfile::TempDir,
}

impl Scene<'_> {
    async fn heal(&self) -> Healed {
        let hosting = HostingRequest { pull_request: true, poll_millis: 50, ..HostingRequest::default() };
        let healed =
            heal_set(self.settings.clone(), HealRequest { hosting, ..HealRequest::new(self.github.url()) }).await;
        self.github.check_against_description();
        healed
    }

    fn publish(&self, version: &str, day: &str, module: &str, is_broken: bool) {
        (self.publish)(version, day, module);
        self.is_broken.store(is_broken, Ordering::SeqCst);
    }

    fn manifest_at(&self, branch: &str) -> String {
        git(&self.github.repository(), &["show", &format!("{branch}:{}", self.manifest)])
    }

    async fn follow(&self) {
        let loose = self.manifest_at("main");
        let march = self.heal().await;
        assert_eq!(march.results.stop_reason, StopReason::NothingToDo, "{}\n{:?}", march.report, march.events);
        assert!(self.github.pulls().is_empty() && march.results.fixes.is_empty(), "{}", march.report);

        self.publish("2.0.0", "2024-04-02", self.modules.renamed, true);
        let april = self.heal().await;
        assert_eq!(april.results.stop_reason, StopReason::Green, "{}\n{:?}", april.report, april.events);
        let pulls = self.github.pulls();
        assert!(pulls[0].body.contains("gadget 2.0.0 (released 2024-04-02) removed `make`"), "{}", pulls[0].body);
        let bounded = self.manifest_at(BRANCH);
        assert!(bounded.contains("<2"), "{bounded}");
        let message = git(&self.github.repository(), &["log", "-1", "--format=%B", BRANCH]);
        assert!(message.ends_with("\n\nBound: gadget <2 since 2.0.0"), "{message}");
        self.github.merge_pulls();

        self.publish("2.0.1", "2024-05-03", self.modules.renamed, true);
        let may = self.heal().await;
        assert_eq!(may.results.stop_reason, StopReason::NothingToDo, "{}\n{:?}", may.report, may.events);
        assert!(may.results.fixes.is_empty(), "{}", may.report);
        assert!(may.report.contains("the bound stays"), "{}", may.report);
        assert_eq!(self.github.branch(BRANCH), None);

        self.publish("2.1.0", "2024-06-04", self.modules.make, false);
        let june = self.heal().await;
        assert_eq!(june.results.stop_reason, StopReason::Green, "{}\n{:?}", june.report, june.events);
        assert_eq!(self.manifest_at(BRANCH), loose, "{}", june.report);
        let pulls = self.github.pulls();
        let [_, lifted] = pulls.as_slice() else { panic!("{}", june.report) };
        let told = "lift gadget<2: the tests pass with gadget 2.1.0 (released 2024-06-04)";
        assert!(lifted.body.contains(told), "{}", lifted.body);
        self.github.merge_pulls();

        let july = self.heal().await;
        assert_eq!(july.results.stop_reason, StopReason::NothingToDo, "{}\n{:?}", july.report, july.events);
        assert!(july.results.fixes.is_empty() && !july.report.contains("bound"), "{}", july.report);
    }
}

async fn follow(
    files: &[(&str, &str)],
    manifest: &'static str,
    modules: Modules,
    publish: &dyn Fn(&str, &str, &str),
    settings: HealSettings,
    data: tempfile::TempDir,
) {
    let is_broken = Arc::new(AtomicBool::new(false));
    let broken = Arc::clone(&is_broken);
    let ci = move |commit: &Commit<'_>| {
        let is_red = broken.load(Ordering::SeqCst) && !commit.file(manifest).contains("<2");
        if is_red { CiPlan::red("2024-04-03T00:00:00.0000000Z the tests fail\n") } else { CiPlan::green() }
    };
    let github = FakeGitHub::serve(&TestRepository::with_files(files), Behaviour::new(TOKEN, ci));
    let connection = ConnectionSettings { first_wait: Duration::ZERO, ..ConnectionSettings::default() };
    let host = GitHub::new(github.api().parse().unwrap(), Some(TOKEN.into()), connection).unwrap();
    let settings = HealSettings {
        hosts: CodeHosts::new([Arc::new(host) as _]),
        // Months lie between the runs.
        caches: CacheLimits { resolved: Duration::ZERO, ..CacheLimits::default() },
        ..settings
    };
    let scene = Scene { github, manifest, modules, publish, settings, is_broken, _data: data };
    Box::pin(scene.follow()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_year_of_a_python_repository() {
    let modules = Modules {
        make: "def make(size):\n    return [0] * size\n",
        renamed: "def build(size):\n    return [0] * size\n",
    };
    let wheel = |version: &str, day: &str, module: &str| Wheel::new("gadget", version, day).with("gadget.py", module);
    let index = PackageIndex::of(vec![wheel("1.4.0", "2023-01-10", modules.make)]).await;
    let data = tempfile::tempdir().unwrap();
    let Some(settings) = settings_with_index(&data.path().canonicalize().unwrap(), &index.url()).await else { return };
    let files = [
        ("shop.py", "from gadget import make\n\n\ndef stock(size):\n    return make(size)\n"),
        (
            "tests/test_shop.py",
            "import unittest\n\nfrom shop import stock\n\n\nclass TestStock(unittest.TestCase):\n    \
             def test_stock(self):\n        self.assertEqual(len(stock(3)), 3)\n",
        ),
        ("requirements.txt", "gadget>=1\n"),
    ];
    let publish = |version: &str, day: &str, module: &str| index.publish(wheel(version, day, module));
    follow(&files, "requirements.txt", modules, &publish, settings, data).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_year_of_a_javascript_repository() {
    let modules = Modules {
        make: "exports.make = (size) => Array(size).fill(0);\n",
        renamed: "exports.build = (size) => Array(size).fill(0);\n",
    };
    let registry = NpmRegistry::of(vec![NpmRelease::new("gadget", "1.4.0", "2023-01-10", modules.make)]).await;
    let data = tempfile::tempdir().unwrap();
    let place = data.path().canonicalize().unwrap();
    let Some(settings) = settings_with_registry(&place, &registry.url()).await else { return };
    let manifest = json!({
        "name": "shop",
        "scripts": { "test": "node --test test/*.js" },
        "dependencies": { "gadget": ">=1" },
    });
    let files = [
        ("package.json", &*format!("{manifest:#}\n")),
        ("shop.js", "const gadget = require('gadget');\n\nexports.stock = (size) => gadget.make(size);\n"),
        (
            "test/shop.js",
            "const test = require('node:test');\nconst assert = require('node:assert');\n\
             const { stock } = require('../shop');\n\ntest('stock', () => assert.equal(stock(3).length, 3));\n",
        ),
    ];
    let publish =
        |version: &str, day: &str, module: &str| registry.publish(NpmRelease::new("gadget", version, day, module));
    follow(&files, "package.json", modules, &publish, settings, data).await;
}
