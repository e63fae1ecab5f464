//! Files that a language's tools read and write, by name: data for shared code that looks at a repository without running anything.

/// Files that a language's tools know. Patterns are globs in which `*` stays within one folder; names are compared without regard to case
/// where they protect.
#[derive(Debug)]
pub struct KnownFiles {
    /// Patterns of test files, at any depth.
    pub tests: &'static [&'static str],
    /// Names of folders whose files are not the repository's own: installed packages, caches, environments.
    pub foreign_folders: &'static [&'static str],
    /// Names of the files that make a folder a separate project.
    pub projects: &'static [&'static str],
    /// Patterns of the files that say what a project is and needs, relative to its folder. Files of `projects` are among them.
    pub manifests: &'static [&'static str],
    /// Those of `manifests` that say nothing about what is installed.
    pub settings_only: &'static [&'static str],
    /// Patterns of the names of files that list dependencies, and may be extended.
    pub dependency_lists: &'static [&'static str],
    /// Names of further files that declare what is installed, or are run to install it.
    pub installers: &'static [&'static str],
    /// Patterns of the names of files, other than programs, that fixers and the search for judges read.
    pub texts: &'static [&'static str],
    /// Names of lock files, in lower case.
    pub locks: &'static [&'static str],
    /// Names of files that tests load, in lower case.
    pub test_support: &'static [&'static str],
    /// Names of files that say how tests and linters run, in lower case.
    pub settings: &'static [&'static str],
    /// Beginnings of such names, in lower case.
    pub settings_prefixes: &'static [&'static str],
    /// Files that hold dependencies, which may be added, and settings of tests and linters, which must not change: the name, and the settings
    /// in a text; `None`: it does not parse.
    pub mixed: &'static [(&'static str, SettingsOf)],
}

/// Returns the settings of tests and linters in the text of a manifest; `None`: it does not parse.
pub type SettingsOf = fn(&str) -> Option<serde_json::Value>;
