//! Rust: cargo, its test harness, clippy and rustfmt.
//!
//! # Layout
//!
//! - `commands`: commands of CI
//! - `installation`: the cargo that builds, and the dependencies that it builds with
//! - `suite`: running the tests; `schemata`: running them for many changes that one build holds
//! - `linters`, `programs`: other tools

mod commands;
mod installation;
mod linters;
mod programs;
mod runners;
mod schemata;
mod suite;

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use autoheal_code::report::{TestCase, TestReport};
use autoheal_code::{LanguageId, Sources, rust};
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::{Image, Mount, Outcome};

use super::package_manager::PackageManager;
use super::{OtherVersion, Place, SchemataResult, Search, Survey, Toolchain};
use crate::ci_commands::context::Context;
use crate::ci_commands::meaning::{Meaning, Prefixes};
use crate::flaky::conditions::Conditions;
use crate::folders::Folders;
use crate::host_programs::beside;
use crate::language_server::server::Server;
use crate::lint::tool::Tool;
use crate::project::Detected;
use crate::repo_config::Version;
use crate::setup::{Interpreter, Setup};
use crate::state::HealState;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;

pub use runners::CARGO_TEST;

/// The tools of Rust.
pub(crate) struct Cargo;

#[async_trait]
impl Toolchain for Cargo {
    fn language(&self) -> LanguageId {
        rust::ID
    }

    fn name(&self) -> &'static str {
        "Rust"
    }

    fn image(&self) -> Image {
        Image::RUST
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        programs::ALL
    }

    fn configured_runner(&self, _survey: &Survey<'_>) -> Option<Detected> {
        None
    }

    fn detected_runner(&self, survey: &Survey<'_>) -> Option<Detected> {
        survey.manifests.text("Cargo.toml").map(|_| Detected::new(CARGO_TEST, "Cargo.toml"))
    }

    fn own_script(&self, _survey: &Survey<'_>) -> Option<(&'static str, &'static str)> {
        None
    }

    fn default_arguments(&self, _runner: TestRunner, _survey: &Survey<'_>) -> Vec<String> {
        Vec::new()
    }

    /// The top of a workspace tests its members.
    fn leaves_testing_to_packages(&self, _tree: &Path) -> bool {
        false
    }

    fn roots(&self, _survey: &Survey<'_>) -> Vec<String> {
        Vec::new()
    }

    fn finds_tests_by_name(&self) -> bool {
        false
    }

    fn looked_for(&self) -> &'static str {
        ""
    }

    fn runners(&self) -> &'static [TestRunner] {
        runners::ALL
    }

    fn linters(&self) -> &'static [Tool] {
        &linters::TOOLS
    }

    fn language_servers(&self) -> &'static [Server] {
        &[]
    }

    fn setup_actions(&self) -> &'static [(&'static str, &'static str)] {
        &[("actions-rs/toolchain", "toolchain"), ("dtolnay/rust-toolchain", "toolchain")]
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

    fn meaning(&self, words: &[String], _whole: &[String], _context: &Context<'_>) -> Option<Vec<Meaning>> {
        commands::meaning(words).map(|meaning| vec![meaning])
    }

    fn named_runner(&self, _words: &[String]) -> Option<(TestRunner, Vec<String>)> {
        None
    }

    fn configured_linters(&self, survey: &Survey<'_>) -> Vec<(&'static [&'static str], &'static str)> {
        linters::configured(survey)
    }

    fn environment(&self, _folders: &Folders, setup: &Setup) -> Vec<(String, String)> {
        installation::environment(setup)
    }

    fn mounts(&self, folders: &Folders, interpreter: &Interpreter) -> Vec<Mount> {
        installation::mounts(folders, interpreter)
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
        Ok(OtherVersion::Absent)
    }

    fn has_versions(&self) -> bool {
        false
    }

    fn package_manager(&self) -> Option<&'static dyn PackageManager> {
        None
    }

    fn requirement(&self, _tree: &Path, _distribution: &str) -> Option<String> {
        None
    }

    fn program(&self, name: &str, _directory: &str, interpreter: &Interpreter, _tree: &Path) -> Option<PathBuf> {
        beside(interpreter, name)
    }

    fn test_words(&self, place: &Place<'_>, scope: &Scope) -> Vec<String> {
        suite::words(place, scope)
    }

    fn detail_options(&self, _: TestRunner) -> &'static [&'static str] {
        &[]
    }

    fn varied_words(&self, place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
        suite::varied_words(place, scope, conditions)
    }

    fn varied_environment(&self, _place: &Place<'_>, _conditions: &Conditions) -> Vec<(String, String)> {
        Vec::new()
    }

    fn keeps_order(&self) -> bool {
        false
    }

    /// The seed of a map's hasher cannot be set from outside.
    fn has_hash_seed(&self) -> bool {
        false
    }

    fn own_command(&self, _place: &Place<'_>, selectors: &[String]) -> String {
        suite::own_command(selectors)
    }

    fn warm_words(&self, _place: &Place<'_>) -> Option<Vec<String>> {
        None
    }

    fn schemata_words(
        &self,
        place: &Place<'_>,
        selectors: &[String],
        changes: &[usize],
        limit: Duration,
    ) -> Option<Vec<String>> {
        schemata::words(place, selectors, changes, limit)
    }

    fn schemata_result(&self, place: &Place<'_>) -> SchemataResult {
        schemata::result(place)
    }

    fn is_selected(&self, selector: &str, test: &str) -> bool {
        selector == test
    }

    fn neighbourhood<'t>(&self, test: &'t str) -> &'t str {
        test.rsplit_once("::").map_or("", |(module, _)| module)
    }

    fn test_report(&self, place: &Place<'_>, _outcome: &Outcome) -> Option<TestReport> {
        suite::report(place)
    }

    fn findings(&self, place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
        let prefixes = place.prefixes();
        rust::libtest::findings(report, &place.look(&prefixes))
    }

    fn findings_in_output(&self, place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
        suite::findings_in_output(place, outcome)
    }

    fn file_of(&self, _place: &Place<'_>, case: &TestCase) -> Option<String> {
        case.file.clone()
    }

    fn selector(&self, _place: &Place<'_>, case: &TestCase) -> Option<String> {
        Some(case.id.clone())
    }

    /// The compiler names the file that it cannot read.
    fn name_broken_files(&self, _sources: &Sources, _findings: &mut [Finding]) {}

    fn starts(&self, _program: &str) -> bool {
        false
    }

    fn explains_syntax(&self) -> bool {
        false
    }

    fn parse_check_words(&self, _place: &Place<'_>, _files: &[String]) -> Vec<Vec<String>> {
        Vec::new()
    }

    fn parse_check_findings(&self, _place: &Place<'_>, _outcome: &Outcome) -> Vec<Finding> {
        Vec::new()
    }

    /// The compiler says which names it does not know, and what it knows instead.
    fn probe_words(&self, _place: &Place<'_>, _findings: &[Finding]) -> Vec<String> {
        Vec::new()
    }

    fn protocol_name(&self, file: &str) -> Option<&'static str> {
        (LanguageId::of(file) == Some(rust::ID)).then_some("rust")
    }
}
