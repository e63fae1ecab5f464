//! `--lsp`: a language server says what it knows, and nothing depends on it.

use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use autoheal_engine::diagnostics::{DiagnosticsEntry, Source};
use autoheal_store::Slice;
use autoheal_testkit::repository::TestRepository;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::healing::sandbox;

const CART: &str =
    "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n";

const TESTS: &str = "import unittest\n\nfrom cart import total\n\n\nclass CartTest(unittest.TestCase):\n    \
                     def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n";

/// Programs of the system, where no language server is.
const SYSTEM: &str = "/usr/local/bin:/usr/bin:/bin";

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&path).map(|folder| folder.join(program));
    programs.filter(|program| program.is_file()).find(|program| {
        let mut magic = [0; 4];
        std::fs::File::open(program).unwrap().read_exact(&mut magic).is_ok() && magic == *b"\x7fELF"
    })
}

/// Results of a run, and the records it left.
struct Told {
    results: Value,
    report: String,
    diagnostics: Vec<DiagnosticsEntry>,
    fixed: String,
}

fn heal(sandbox: &str, lsp: bool, path: &str) -> Told {
    let (home, repository) = (Home::new(), TestRepository::with_files(&[("cart.py", CART), ("test_cart.py", TESTS)]));
    repository.write("cart.py", CART.replace("return result", "return reslt"));
    repository.commit("break it");
    let place = repository.path().display().to_string();
    let mut command = home.command(&["heal", &place, "--sandbox", sandbox, "--json"]);
    command.env("PATH", path).env("AUTOHEAL_LSP_SECONDS", "300");
    if lsp {
        command.arg("--lsp");
    }
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    let diagnostics = Runtime::new().unwrap().block_on(async {
        let store = home.store().await;
        let run = store.runs(&autoheal_store::RunFilter::newest(1)).await.unwrap()[0].run;
        store.diagnostics(run, Slice::ALL).await.unwrap()
    });
    Told {
        results: serde_json::from_str(&ended.stdout).unwrap(),
        report: home.run(&["report", "last"]).stdout,
        diagnostics,
        fixed: repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:cart.py"]),
    }
}

impl Told {
    fn hints(&self) -> Vec<&DiagnosticsEntry> {
        self.diagnostics.iter().filter(|entry| entry.finding.source == Source::Lsp).collect()
    }

    /// Healed, and nothing but hints tells it from a run without.
    fn is_like(&self, other: &Self) {
        for key in ["stop_reason", "ci_status", "fixes", "total_failures", "fixes_applied", "iterations"] {
            assert_eq!(self.results[key], other.results[key], "{key}");
        }
        assert_eq!(self.results["stop_reason"], "GREEN");
        assert_eq!((self.fixed.as_str(), other.fixed.as_str()), (CART.trim_end(), CART.trim_end()));
    }
}

#[test]
fn what_a_server_says_is_in_the_log_and_in_the_report() {
    let Some(sandbox) = sandbox() else { return };
    let Some(ruff) = on_path("ruff") else {
        autoheal_testkit::skip("asking ruff", "it is not on PATH");
        return;
    };
    let place = tempfile::tempdir().unwrap();
    symlink(ruff, place.path().join("ruff")).unwrap();
    let path = format!("{}:{SYSTEM}", place.path().display());
    let told = heal(sandbox, true, &path);
    let hints = told.hints();
    let [hint] = hints.as_slice() else { panic!("{hints:?}\n{}", told.report) };
    assert_eq!(hint.finding.message, "F821 Undefined name `reslt`");
    assert_eq!(hint.finding.headline(), "TYPE_ERROR error in cart.py line 5");
    assert!(told.report.contains("## Hints of a language server"), "{}", told.report);
    assert!(told.report.contains("Errors that `ruff` sees"), "{}", told.report);
    let without = heal(sandbox, false, &path);
    assert!(without.hints().is_empty() && !without.report.contains("language server"), "{}", without.report);
    told.is_like(&without);
}

#[test]
fn without_a_server_there_is_a_remark_and_the_same_result() {
    let Some(sandbox) = sandbox() else { return };
    let servers = ["pyright-langserver", "basedpyright-langserver", "ruff"];
    let known = SYSTEM.split(':').flat_map(|folder| servers.map(|server| Path::new(folder).join(server)));
    if let Some(found) = known.into_iter().find(|program| program.exists()) {
        autoheal_testkit::skip("healing without a language server", &format!("there is {}", found.display()));
        return;
    }
    let told = heal(sandbox, true, SYSTEM);
    assert!(told.report.contains("no language server was found"), "{}", told.report);
    assert!(told.hints().is_empty(), "{:?}", told.diagnostics);
    told.is_like(&heal(sandbox, false, SYSTEM));
}
