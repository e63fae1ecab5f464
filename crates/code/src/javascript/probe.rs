//! Query of the modules that Node can load where the tests run. The script runs in the sandbox; this module
//! builds the query.

use std::collections::BTreeMap;

use autoheal_engine::diagnostics::Finding;

use super::complaint::Complaint;
use super::fix::dependency::declared;
use super::index::is_relative;
use crate::javascript::index::Index;
use crate::sources::Sources;

/// The bound on [`modules_of_interest`].
pub const MAX_MODULES: usize = 100;

/// The modules whose exports fixers may need: packages and builtins that the repository's files import, most often imported
/// first, at most [`MAX_MODULES`]; those that findings name, and those that manifests name for the program itself.
pub fn modules_of_interest(sources: &Sources, findings: &[Finding]) -> Vec<String> {
    let mut counts = BTreeMap::<String, usize>::new();
    for (_, module) in Index::of(sources).modules() {
        let outside = module.imports.iter().filter(|import| !is_relative(&import.specifier) && !import.is_type);
        for import in outside.filter(|import| is_specifier(&import.specifier)) {
            *counts.entry(import.specifier.clone()).or_default() += 1;
        }
    }
    for finding in findings {
        let (Complaint::UnknownModule { specifier } | Complaint::UnknownExport { specifier: Some(specifier), .. }) =
            Complaint::of(&finding.message)
        else {
            continue;
        };
        if !is_relative(&specifier) && is_specifier(&specifier) {
            *counts.entry(specifier).or_default() += 1_000;
        }
    }
    // What a manifest names and no file imports is missed somewhere, perhaps: an import was lost.
    for name in declared(sources, &["dependencies", "peerDependencies"]).into_keys().filter(|name| is_specifier(name)) {
        counts.entry(name).or_default();
    }
    let mut modules: Vec<(String, usize)> = counts.into_iter().collect();
    modules.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    modules.into_iter().take(MAX_MODULES).map(|(module, _)| module).collect()
}

/// Returns whether it is the name of a package or builtin, and nothing that a
/// command line or loader interprets otherwise.
fn is_specifier(specifier: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "@/._-:".contains(character);
    (1..=200).contains(&specifier.len())
        && specifier.chars().all(is_plain)
        && specifier.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '@')
        && (!specifier.contains(':') || specifier.starts_with("node:"))
        && !specifier.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_asked_about_and_paths_are_not() {
        let mut sources = Sources::new(Vec::new());
        sources.insert(
            "a.js",
            "require('b/c');require('./d');require('--eval');require('node:fs');require('b/c');require('data:x');require('a/../..');",
            false,
        );
        assert_eq!(modules_of_interest(&sources, &[]), ["b/c", "node:fs"]);
    }
}
