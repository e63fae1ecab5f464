//! JavaScript and TypeScript: jest, mocha, vitest and node:test; npm, pnpm and yarn.

pub(crate) mod installation;
mod installed;
pub(crate) mod suite;
pub(crate) mod varied;
mod words;

use std::path::Path;

use autoheal_code::hang;
use autoheal_code::javascript::probe;
use autoheal_code::report::node::Look;
use autoheal_code::report::node::entries::REPORT_VARIABLE;
use autoheal_engine::diagnostics::{Finding, Source};
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Mount, Outcome};

use super::Place;
use crate::caches::hash_of;
use crate::folders::{self, Folders};
use crate::project::join;
use crate::setup::{Interpreter, ModuleFolder, Setup, TestRunner};

pub(super) fn probe_words(place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
    let folder = place.folders.tree().join(&place.setup.suite().directory).display().to_string();
    let mut words = vec![place.program(), place.tool(folders::NODE_PROBE), folder];
    words.extend(probe::modules_of_interest(place.sources, findings));
    words
}

/// One command a file: Node takes no more, and reads no other notation than JavaScript's own.
pub(super) fn parse_check_words(place: &Place<'_>, files: &[String]) -> Vec<Vec<String>> {
    let is_plain = |file: &&String| {
        let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("js" | "mjs" | "cjs"))
    };
    files.iter().filter(is_plain).map(|file| vec![place.program(), "--check".to_owned(), file.clone()]).collect()
}

pub(super) fn parse_check_findings(place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
    if outcome.end.is_success() {
        return Vec::new();
    }
    let mut findings = suite::findings_in_output(place, outcome);
    // What does not tell of a file that cannot be read tells nothing.
    findings.retain(|finding| finding.category.hides_others() && finding.file.is_some());
    for finding in &mut findings {
        finding.source = Source::Build;
    }
    findings
}

/// Folders of installed packages that tools write to. They are made when packages are installed, so that something writable can be
/// shown in their place: what is installed stays as it is for every run.
pub(crate) const SCRATCH: [&str; 3] = [".cache", ".vite", ".vite-temp"];

pub(super) fn environment(folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
    let tree = folders.tree();
    let mut path: Vec<String> = Vec::new();
    for folder in [setup.suite().directory.as_str(), ""] {
        let programs = tree.join(join(folder, "node_modules/.bin")).display().to_string();
        if !path.contains(&programs) {
            path.push(programs);
        }
    }
    path.extend(
        setup.interpreter().modules.iter().map(|modules| tree.join(&modules.inside).join(".bin").display().to_string()),
    );
    path.extend(
        setup.interpreter().program.parent().map(|bin| bin.display().to_string()).filter(|bin| !bin.is_empty()),
    );
    path.extend(["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned));
    let ours = [
        ("PATH", path.join(":")),
        (REPORT_VARIABLE, folders.report().display().to_string()),
        ("FORCE_COLOR", "0".to_owned()),
        ("npm_config_update_notifier", "false".to_owned()),
        ("npm_config_fund", "false".to_owned()),
        ("npm_config_audit", "false".to_owned()),
        ("BROWSERSLIST_IGNORE_OLD_DATA", "1".to_owned()),
        ("DISABLE_OPENCOLLECTIVE", "1".to_owned()),
        ("ADBLOCK", "1".to_owned()),
    ];
    let ours = ours.map(|(name, value)| (name.to_owned(), value));
    let options = node_options(folders, setup);
    ours.into_iter().chain(options.map(|options| ("NODE_OPTIONS".to_owned(), options))).collect()
}

/// Returns the value of `NODE_OPTIONS`, which enables source maps, so that errors in compiled code refer to
/// its source, and ends tests that hang. Jest and vitest read source maps themselves; tests of
/// mocha and vitest are limited by our reporters.
fn node_options(folders: &Folders, setup: &Setup) -> Option<String> {
    let own = setup.suite().environment.get("NODE_OPTIONS").cloned();
    let maps = || "--enable-source-maps".to_owned();
    let limit = || format!("--require={}", folders.tools().join(hang::NODE.0).display());
    let ours = match setup.suite().tests.runner {
        TestRunner::NodeTest => vec![maps(), limit()],
        TestRunner::Jest => vec![limit()],
        TestRunner::Mocha | TestRunner::Opaque => vec![maps()],
        TestRunner::Vitest | TestRunner::Pytest | TestRunner::Unittest => Vec::new(),
    };
    let options: Vec<String> = own.into_iter().chain(ours).collect();
    (!options.is_empty()).then(|| options.join(" "))
}

/// Installed packages in the tree and in that of the commit before, with something writable where tools write.
pub(super) fn mounts(folders: &Folders, interpreter: &Interpreter) -> Vec<Mount> {
    let mut mounts = Vec::new();
    for modules in &interpreter.modules {
        for tree in [folders.tree(), folders.before()] {
            mounts.extend(mounts_of(modules, &tree, &folders.mounts()));
        }
    }
    mounts
}

fn mounts_of(modules: &ModuleFolder, tree: &Path, writable: &Path) -> Vec<Mount> {
    let inside = tree.join(&modules.inside);
    let Ok(untrusted) = UntrustedFolder::open(tree) else { return Vec::new() };
    // Where the tree is shown read-only the place has to be there.
    if untrusted.create_folders(&modules.inside).is_err() {
        return Vec::new();
    }
    let mut mounts = vec![Mount { host: modules.host.clone(), inside: inside.clone(), writable: false }];
    let (Ok(packages), Ok(places)) = (UntrustedFolder::open(&modules.host), UntrustedFolder::open(writable)) else {
        return mounts;
    };
    for name in SCRATCH.iter().filter(|name| packages.has_folder(name)) {
        // One for each place inside: what a command writes into one of them is the way to nothing.
        let place = hash_of(std::iter::once(inside.join(name).as_os_str().as_encoded_bytes()))[..16].to_owned();
        if places.create_folders(&place).is_ok() {
            mounts.push(Mount { host: writable.join(place), inside: inside.join(name), writable: true });
        }
    }
    mounts
}

/// Returns the context for reading a report.
pub(crate) fn look<'a>(place: &Place<'a>, prefixes: &'a [String]) -> Look<'a> {
    Look { prefixes, directory: &place.setup.suite().directory, sources: place.sources }
}
