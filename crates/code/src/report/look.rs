//! Context in which the output of a tool is read.

use crate::sources::Sources;

/// Context in which a report is read. Facts that a probe reports are not part of it: a failure must read the same before and after the
/// interpreter was queried.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The absolute folders that the repository lay in while the tests ran.
    pub prefixes: &'a [String],
    /// Working directory of the command, relative to the repository: printed names may be relative to it.
    pub directory: &'a str,
    /// Texts of the repository's files, and which of them are tests (protected).
    pub sources: &'a Sources,
}

impl Look<'_> {
    /// Returns the repository's name for a file, given its printed name; `None` if it is not one of the
    /// repository's text files.
    pub fn file(&self, printed: &str) -> Option<String> {
        let printed = printed.strip_prefix("file://").unwrap_or(printed);
        let printed = printed.split(['?', '#']).next().unwrap_or(printed);
        let inside = relative(printed, self.prefixes)?;
        let below = format!("{}/{inside}", self.directory);
        [inside, below.trim_start_matches('/')]
            .into_iter()
            .find(|file| self.sources.text(file).is_some())
            .map(str::to_owned)
    }

    /// Returns the same as [`Self::file`], or the printed name if it is not one of the repository's text files.
    pub fn name(&self, printed: &str) -> String {
        self.file(printed).unwrap_or_else(|| relative(printed, self.prefixes).unwrap_or(printed).to_owned())
    }
}

/// `file` without the longest of the prefixes that it begins with; `None` when it is absolute and lies under none.
pub(crate) fn relative<'f>(file: &'f str, prefixes: &[String]) -> Option<&'f str> {
    let under = prefixes
        .iter()
        .filter_map(|prefix| {
            let rest = file.strip_prefix(prefix.trim_end_matches('/'))?;
            rest.strip_prefix('/')
        })
        .min_by_key(|rest| rest.len());
    match under {
        Some(rest) => Some(rest),
        None if file.starts_with('/') => None,
        None => Some(file.trim_start_matches("./")),
    }
}
