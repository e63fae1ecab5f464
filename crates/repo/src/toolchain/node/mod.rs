//! JavaScript and TypeScript: jest, mocha, vitest and node:test; npm, pnpm and yarn.
//!
//! # Layout
//!
//! - `packages`: the manifests of a project, its package manager, and its test runner
//! - `commands`: commands of CI; `command_words`: the names and options of their programs
//! - `installation`, `installed`, `words`: the Node that runs the tests, and their packages; `bounds`: older releases of those, `complaints`:
//!   evidence against them
//! - `suite`, `varied`: running the tests, as they are and under other conditions
//! - `programs`: what runs in the sandbox
//! - `linters`, `language_servers`: other tools

mod bounds;
mod command_words;
mod commands;
mod complaints;
mod installation;
mod installed;
mod language_servers;
mod linters;
pub mod packages;
mod programs;
mod runners;
mod suite;
mod varied;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use autoheal_code::javascript::report::entries::REPORT_VARIABLE;
use autoheal_code::javascript::{self, probe};
use autoheal_code::report::{TestCase, TestReport};
use autoheal_code::{LanguageId, Sources};
use autoheal_engine::diagnostics::{Finding, Source};
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Image, Mount, Outcome};

use super::package_manager::PackageManager;
use super::{OtherVersion, Place, SchemataResult, Search, Survey, Toolchain};
use crate::caches::hash_of;
use crate::ci_commands::context::Context;
use crate::ci_commands::meaning::{Meaning, Prefixes};
use crate::flaky::conditions::Conditions;
use crate::folders::Folders;
use crate::language_server::server::Server;
use crate::lint::tool::Tool;
use crate::project::{Detected, join};
use crate::repo_config::Version;
use crate::setup::{Interpreter, ModuleFolder, Setup};
use crate::state::HealState;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;

pub use runners::{JEST, MOCHA, NODE_TEST, VITEST};

/// The tools of JavaScript and TypeScript.
pub(crate) struct Node;

#[async_trait]
impl Toolchain for Node {
    fn language(&self) -> LanguageId {
        javascript::ID
    }

    fn name(&self) -> &'static str {
        "Node"
    }

    fn image(&self) -> Image {
        Image::NODE
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        programs::ALL
    }

    fn configured_runner(&self, _survey: &Survey<'_>) -> Option<Detected> {
        // Where a script says otherwise, it is right.
        None
    }

    fn detected_runner(&self, survey: &Survey<'_>) -> Option<Detected> {
        packages::runner(survey)
    }

    fn own_script(&self, survey: &Survey<'_>) -> Option<(&'static str, &'static str)> {
        survey.manifests.text("package.json")?;
        Some(("npm test", "scripts.test in package.json"))
    }

    fn default_arguments(&self, _runner: TestRunner, _survey: &Survey<'_>) -> Vec<String> {
        Vec::new()
    }

    fn leaves_testing_to_packages(&self, tree: &Path) -> bool {
        packages::is_workspace(tree, "") && !packages::starts_a_runner(tree, "")
    }

    fn roots(&self, _survey: &Survey<'_>) -> Vec<String> {
        Vec::new()
    }

    fn finds_tests_by_name(&self) -> bool {
        false
    }

    fn looked_for(&self) -> &'static str {
        "package.json has no script `test` that can be read, and neither jest, mocha, vitest nor node:test is used"
    }

    fn runners(&self) -> &'static [TestRunner] {
        runners::ALL
    }

    fn linters(&self) -> &'static [Tool] {
        &linters::TOOLS
    }

    fn language_servers(&self) -> &'static [Server] {
        &language_servers::KNOWN
    }

    fn setup_actions(&self) -> &'static [(&'static str, &'static str)] {
        &[("actions/setup-node", "node-version")]
    }

    fn prefixes(&self) -> &'static Prefixes {
        &commands::PREFIXES
    }

    fn checks(&self) -> &'static [&'static str] {
        commands::CHECKS
    }

    fn inner_command(&self, _words: &[String]) -> Option<Vec<String>> {
        None
    }

    fn meaning(&self, words: &[String], _whole: &[String], context: &Context<'_>) -> Option<Vec<Meaning>> {
        commands::meaning(words, context).map(|meaning| vec![meaning])
    }

    fn named_runner(&self, _words: &[String]) -> Option<(TestRunner, Vec<String>)> {
        None
    }

    fn configured_linters(&self, survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)> {
        linters::configured(survey)
    }

    fn environment(&self, folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
        environment(folders, setup)
    }

    fn mounts(&self, folders: &Folders, interpreter: &Interpreter) -> Vec<Mount> {
        mounts(folders, interpreter)
    }

    async fn find_interpreter(&self, search: Search<'_>, state: &mut HealState) -> Result<Interpreter, StepError> {
        installation::find_interpreter(search, state).await
    }

    async fn find_version(
        &self,
        _search: Search<'_>,
        _state: &HealState,
        _version: Version,
    ) -> Result<OtherVersion, StepError> {
        // A tree has one folder `node_modules`.
        Ok(OtherVersion::Absent)
    }

    fn has_versions(&self) -> bool {
        false
    }

    fn package_manager(&self) -> Option<&'static dyn PackageManager> {
        Some(&bounds::Registries)
    }

    fn requirement(&self, _tree: &Path, _distribution: &str) -> Option<String> {
        None
    }

    fn program(&self, name: &str, directory: &str, interpreter: &Interpreter, tree: &Path) -> Option<PathBuf> {
        let has = |folder: &Path, program: &str| {
            UntrustedFolder::open(folder).is_ok_and(|folder| folder.kind(program).is_some())
        };
        let program = format!(".bin/{name}");
        let is_installed = interpreter.modules.iter().any(|modules| has(&modules.host, &program));
        let committed = [directory, ""].map(|folder| join(folder, &format!("node_modules/{program}")));
        let is_there = is_installed || committed.iter().any(|program| has(tree, program));
        // Found inside by the search path.
        is_there.then(|| PathBuf::from(name))
    }

    fn test_words(&self, place: &Place<'_>, scope: &Scope) -> Vec<String> {
        suite::words(place, scope)
    }

    fn detail_options(&self, _: TestRunner) -> &'static [&'static str] {
        &[]
    }

    fn varied_words(&self, place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
        varied::words(place, scope, conditions)
    }

    fn varied_environment(&self, place: &Place<'_>, _conditions: &Conditions) -> Vec<(String, String)> {
        varied::environment(place)
    }

    fn keeps_order(&self) -> bool {
        false
    }

    fn has_hash_seed(&self) -> bool {
        false
    }

    fn own_command(&self, place: &Place<'_>, selectors: &[String]) -> String {
        varied::own_command(place, selectors)
    }

    fn warm_words(&self, place: &Place<'_>) -> Option<Vec<String>> {
        suite::warm_words(place)
    }

    fn schemata_words(&self, _: &Place<'_>, _: &[String], _: &[usize], _: Duration) -> Option<Vec<String>> {
        None
    }

    fn schemata_result(&self, _: &Place<'_>) -> SchemataResult {
        SchemataResult::Unknown
    }

    fn is_selected(&self, selector: &str, test: &str) -> bool {
        suite::is_selected(selector, test)
    }

    fn neighbourhood<'t>(&self, test: &'t str) -> &'t str {
        test.split_once(suite::SEPARATOR).map_or("", |(file, _)| file)
    }

    fn test_report(&self, place: &Place<'_>, outcome: &Outcome) -> Option<TestReport> {
        suite::report(place, outcome)
    }

    fn findings(&self, place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
        suite::findings(place, report)
    }

    fn findings_in_output(&self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        suite::findings_in_output(place, outcome)
    }

    fn file_of(&self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        suite::file_of(place, case)
    }

    fn selector(&self, place: &Place<'_>, case: &TestCase) -> Option<String> {
        suite::selector(place, case)
    }

    fn name_broken_files(&self, sources: &Sources, findings: &mut [Finding]) {
        suite::name_broken_files(sources, findings);
    }

    fn starts(&self, program: &str) -> bool {
        program == "node"
    }

    fn explains_syntax(&self) -> bool {
        false
    }

    fn parse_check_words(&self, place: &Place<'_>, files: &[String]) -> Vec<Vec<String>> {
        parse_check_words(place, files)
    }

    fn parse_check_findings(&self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        parse_check_findings(place, outcome)
    }

    fn probe_words(&self, place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
        probe_words(place, findings)
    }

    fn protocol_name(&self, file: &str) -> Option<&'static str> {
        Some(match Path::new(file).extension()?.to_str()? {
            "js" | "cjs" | "mjs" => "javascript",
            "jsx" => "javascriptreact",
            "ts" | "cts" | "mts" => "typescript",
            "tsx" => "typescriptreact",
            _ => return None,
        })
    }
}

fn probe_words(place: &Place<'_>, findings: &[Finding]) -> Vec<String> {
    let folder = place.folders.tree().join(&place.setup.suite().directory).display().to_string();
    let mut words = vec![place.program(), place.tool(programs::PROBE), folder];
    words.extend(probe::modules_of_interest(place.sources, findings));
    words
}

/// One command a file: Node takes no more, and reads no other notation than JavaScript's own.
fn parse_check_words(place: &Place<'_>, files: &[String]) -> Vec<Vec<String>> {
    let is_plain = |file: &&String| {
        let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("js" | "mjs" | "cjs"))
    };
    files.iter().filter(is_plain).map(|file| vec![place.program(), "--check".to_owned(), file.clone()]).collect()
}

fn parse_check_findings(place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
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

fn environment(folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
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
    let limit = || format!("--require={}", folders.tools().join(programs::HANG).display());
    let ours = match setup.suite().tests.runner {
        NODE_TEST => vec![maps(), limit()],
        JEST => vec![limit()],
        VITEST => Vec::new(),
        _ => vec![maps()],
    };
    let options: Vec<String> = own.into_iter().chain(ours).collect();
    (!options.is_empty()).then(|| options.join(" "))
}

/// Installed packages in the tree and in that of the commit before, with something writable where tools write.
fn mounts(folders: &Folders, interpreter: &Interpreter) -> Vec<Mount> {
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
