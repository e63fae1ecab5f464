//! The registry of languages: the one file that names all of them, and the functions that choose by a file's language.

use std::path::Path;

use autoheal_engine::diagnostics::{Category, Finding, Source};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::edit::{Candidate, FileEdit};
use crate::fix::Fixer;
use crate::language::files::KnownFiles;
use crate::language::outline::Outline;
use crate::language::{Language, LanguageId};
use crate::report::Look;
use crate::sources::Sources;
use crate::{javascript, python, rust};

/// Every language.
pub(crate) static ALL: [&dyn Language; 3] = [&python::Python, &javascript::JavaScript, &rust::Rust];

/// The identities of all languages, in the order in which shared code asks them.
pub fn all() -> impl Iterator<Item = LanguageId> {
    ALL.into_iter().map(Language::id)
}

/// The files of every language's tools, in the order of [`all`].
pub fn known_files() -> impl Iterator<Item = &'static KnownFiles> {
    ALL.into_iter().map(Language::files)
}

/// The language of a file, by its extension; `None`: it is in none that is known.
pub(crate) fn of(file: &str) -> Option<&'static dyn Language> {
    let extension = Path::new(file).extension()?.to_str()?;
    ALL.into_iter().find(|language| language.extensions().contains(&extension))
}

impl LanguageId {
    /// The language of a file, by its extension.
    pub fn of(file: &str) -> Option<Self> {
        of(file).map(Language::id)
    }
}

impl<'de> Deserialize<'de> for LanguageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        all().find(|id| id.name() == name).ok_or_else(|| D::Error::custom(format!("unknown language `{name}`")))
    }
}

/// Checks that a file of that name parses in its language; a file in no known language always passes.
///
/// # Errors
///
/// The message of the language's parser.
pub fn check(file: &str, text: &str) -> Result<(), String> {
    of(file).map_or(Ok(()), |language| language.check(file, text))
}

/// Checks that a file parses after an edit, or that the edit removes faults and adds none: each of several
/// faults in one file may be repaired by itself.
///
/// # Errors
///
/// The message of the language's parser.
pub fn check_repair(before: &str, edit: &FileEdit, after: &str) -> Result<(), String> {
    let Some(language) = of(&edit.file) else { return Ok(()) };
    match language.check(&edit.file, after) {
        Err(problem) if !language.removes_faults(before, edit, after) => Err(problem),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns whether a statement of a file raises an error itself or in one of its branches, such as `if (x) throw y`, or fails as
/// assertions do.
pub fn raises(file: &str, statement: &str) -> bool {
    let mut parts = statement.split(['\n', '{', ';', ':', ')']);
    of(file).is_some_and(|language| parts.any(|part| language.raises(part.trim_start())))
}

/// Returns whether a statement of a file says that its function is not written yet.
pub(crate) fn says_unwritten(file: &str, statement: &str) -> bool {
    of(file).is_some_and(|language| language.says_unwritten(statement))
}

/// The outline of the files of a file's language.
pub(crate) fn outline<'s>(file: &str, sources: &'s Sources) -> Option<&'s dyn Outline> {
    Some(of(file)?.outline(sources))
}

/// The files that a file, if it is a manifest, names as what its project is for others.
pub fn entries<'s>(manifest: &str, sources: &'s Sources) -> impl Iterator<Item = &'s str> {
    ALL.into_iter().flat_map(move |language| language.entries(manifest, sources))
}

/// The file of a module, by the name that settings of tools name it by.
pub fn module<'s>(name: &str, sources: &'s Sources) -> Option<&'s str> {
    ALL.into_iter().find_map(|language| language.module(name, sources))
}

/// A finding for each error in a text that is in a file of the repository, in whatever language.
pub(crate) fn findings_in_text(text: &str, look: &Look<'_>) -> impl Iterator<Item = Finding> {
    ALL.into_iter().flat_map(|language| language.findings_in_text(text, look))
}

/// The fixers that may know what to do about a finding: those of its file's language, or of every language when its file is in
/// none or is not known.
pub fn fixers(finding: &Finding) -> Vec<&'static dyn Fixer> {
    let is_linted = finding.source == Source::Lint;
    let of_language =
        |language: &dyn Language| if is_linted { language.lint_fixers() } else { language.fixers() }.iter().copied();
    match finding.file.as_deref().and_then(of) {
        Some(language) => of_language(language).collect(),
        None => ALL.into_iter().flat_map(of_language).collect(),
    }
}

/// Returns whether the fixers of a finding's language read what linters say as it is.
pub fn reads_linters(finding: &Finding) -> bool {
    finding.file.as_deref().and_then(of).is_some_and(Language::reads_linters)
}

/// Returns whether a type checker or compiler reported the finding. Either accepts any
/// edit after which the fault no longer shows.
pub fn is_of_checker(finding: &Finding) -> bool {
    let is_about_types = matches!(finding.category, Category::Import | Category::TypeError);
    let is_suggested = javascript::complaint::suggestion(&finding.message).is_some();
    is_about_types && (finding.source == Source::Lint || (is_suggested && finding.message.starts_with("TS")))
}

/// The error that an interpreter would raise at the place of a language server's hint, as fixers read it; `None`: none that is known.
pub fn as_runtime_error(hint: &Finding) -> Option<Finding> {
    let (category, message) = of(hint.file.as_deref()?)?.as_runtime_error(hint)?;
    let is_an_error = matches!(category, Category::Import | Category::TypeError);
    is_an_error.then(|| Finding { category, message, ..hint.clone() })
}

/// Returns the fixers for findings of a type checker: only fixers that restore something known, none that tries
/// anything that fits.
pub fn checker_fixers(finding: &Finding) -> &'static [&'static dyn Fixer] {
    finding.file.as_deref().and_then(of).map_or(&[], Language::checker_fixers)
}

/// Returns the changes for a finding of a linter: those that the linters' `outputs` propose, or else the one that its words mean.
pub fn linter_candidates(
    outputs: &[String],
    prefixes: &[String],
    sources: &Sources,
    finding: &Finding,
) -> Vec<Candidate> {
    let of_output = |output: &String| -> Vec<Candidate> {
        ALL.into_iter().flat_map(|language| language.proposed(output, prefixes, sources, finding)).collect()
    };
    let proposed: Vec<Candidate> = outputs.iter().flat_map(of_output).collect();
    if proposed.is_empty() {
        ALL.into_iter().filter_map(|language| language.meant(finding, sources)).collect()
    } else {
        proposed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_read_in_its_language() {
        assert!(check("a.py", "def f():\n    pass\n").is_ok());
        assert!(check("a.py", "function f() {}\n").is_err());
        assert!(check("a.ts", "function f(x: number) {}\n").is_ok());
        assert!(check("a.js", "function f(x: number) {}\n").is_err());
        assert!(check("a.txt", "function f(").is_ok());
    }

    #[test]
    fn branches_of_one_line_raise() {
        assert!(raises("a.js", "if (x) throw y;"));
        assert!(raises("a.js", "if (f(x)) { throw y; }"));
        assert!(raises("a.py", "if x: raise y"));
        assert!(raises("a.rs", "if x { panic!() }"));
        assert!(!raises("a.js", "thrown(x);"));
        assert!(!raises("a.py", "x = raised(y)"));
    }

    #[test]
    fn no_extension_is_of_two_languages() {
        let all: Vec<&str> = ALL.into_iter().flat_map(Language::extensions).copied().collect();
        let distinct: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), distinct.len());
    }
}
