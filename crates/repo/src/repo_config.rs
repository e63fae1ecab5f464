//! `.autoheal.toml`: the repository's own settings for its healing.
//!
//! The file is text of the repository, and therefore of everyone who can write there. It may define how the repository is tested, and
//! make healing more careful than the request; to make it less careful, the request has to allow that
//! ([`HealRequest::trust_config`](crate::HealRequest)). A branch cannot define what green means for itself: that is read from the
//! default branch ([`RepoConfig::defined_by`]).

mod overrides;

use std::path::Path;

use autoheal_forge::Identity;
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

use crate::project::{is_folder, read_text};
use crate::request::{Delivery, HealRequest};

pub use overrides::{Overrides, Version};

/// Its name, at the top of the repository.
pub const FILE: &str = ".autoheal.toml";

/// Settings in `.autoheal.toml`. Unknown keys are rejected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RepoConfig {
    /// Folder of the project in the repository.
    pub directory: Option<String>,
    /// Command line that runs the tests, as a user would type it.
    pub test: Option<String>,
    /// Commands of linters that must have no findings; they replace those of CI.
    pub lint: Option<Vec<String>>,
    /// Command that installs the packages that the tests need.
    pub install: Option<String>,
    /// Version of Python that runs the tests: `3.11`.
    pub python: Option<Version>,
    /// Version of Node that runs the tests: `20`.
    pub node: Option<Version>,
    /// Author of commits: `Name <mail@example.org>`.
    pub author: Option<String>,
    /// Patterns of files to protect from edits, and exceptions.
    pub protect: Protect,
    /// Restrictions of the healing. They can only narrow the request.
    pub policy: Policy,
}

/// Patterns of files to protect from edits, and exceptions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Protect {
    /// Patterns of files that are never edited, in addition to those that are always protected.
    pub files: Vec<String>,
    /// Patterns of files that may be edited although they are protected by default, such as helpers next to tests. They take effect only
    /// if the request trusts them.
    pub except: Vec<String>,
}

/// Restrictions of the healing by the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The most that becomes of fixes.
    pub delivery: Option<Delivery>,
    /// The most rounds after the first.
    pub retry_limit: Option<u32>,
    /// Permission to search for repairs: `false` forbids it, any other value leaves the request as it is.
    pub search: Option<bool>,
    /// Permission to show the program to a language model: `false` forbids it, any other value leaves the request as it is.
    pub model: Option<bool>,
}

/// Reason the file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepoConfigError {
    /// It is no such document.
    #[error("{FILE} cannot be read: {0}")]
    Invalid(String),
    /// A command is no list of words.
    #[error("`{key}` in {FILE} cannot be split into words: {reason}")]
    Words {
        /// Name of the setting.
        key: &'static str,
        /// Cause of the error.
        reason: String,
    },
    /// A pattern is invalid.
    #[error("`{pattern}` in {FILE} is no pattern: {reason}")]
    Pattern {
        /// As it is written.
        pattern: String,
        /// Cause of the error.
        reason: String,
    },
    /// The author does not have the form `Name <mail@example.org>`.
    #[error("`author` in {FILE} has to be like \"Name <mail@example.org>\"")]
    Author,
    /// The folder lies elsewhere.
    #[error("`directory` in {FILE} has to be a folder of the repository")]
    Directory,
}

impl RepoConfig {
    /// Reads the settings file in `tree`; `None`: there is no such file.
    ///
    /// # Errors
    ///
    /// See [`RepoConfigError`].
    pub fn read(tree: &Path) -> Result<Option<Self>, RepoConfigError> {
        read_text(tree, FILE).map(|text| Self::parse(&text, tree)).transpose()
    }

    /// The settings in a text, for the repository in `tree`.
    ///
    /// # Errors
    ///
    /// See [`RepoConfigError`].
    pub fn parse(text: &str, tree: &Path) -> Result<Self, RepoConfigError> {
        let settings: Self = toml::from_str(text).map_err(|error| RepoConfigError::Invalid(error.to_string()))?;
        let folders = settings.directory.iter().flat_map(|directory| directory.split('/'));
        if folders.clone().any(|folder| matches!(folder, "" | "." | ".."))
            || settings.directory.as_ref().is_some_and(|directory| !is_folder(tree, directory))
        {
            return Err(RepoConfigError::Directory);
        }
        patterns(&settings.protect.files)?;
        patterns(&settings.protect.except)?;
        settings.test_words()?;
        settings.install_words()?;
        settings.lint_words()?;
        settings.identity()?;
        Ok(settings)
    }

    /// Replaces what defines green by what the default branch says. Returns the keys that had another value here.
    pub fn defined_by(&mut self, default: Self) -> Vec<&'static str> {
        let Self { directory, test, lint, install, protect, python: _, node: _, author: _, policy: _ } = default;
        let differing = [
            ("directory", replace(&mut self.directory, directory)),
            ("test", replace(&mut self.test, test)),
            ("lint", replace(&mut self.lint, lint)),
            ("install", replace(&mut self.install, install)),
            ("protect", replace(&mut self.protect, protect)),
        ];
        differing.into_iter().filter_map(|(key, differs)| differs.then_some(key)).collect()
    }

    /// Returns whether the settings say anything that defines green.
    pub fn defines_green(&self) -> bool {
        !self.clone().defined_by(Self::default()).is_empty()
    }

    /// The words of `test`.
    ///
    /// # Errors
    ///
    /// [`RepoConfigError::Words`].
    pub fn test_words(&self) -> Result<Option<Vec<String>>, RepoConfigError> {
        self.test.as_deref().map(|text| words("test", text)).transpose()
    }

    /// The words of `install`.
    ///
    /// # Errors
    ///
    /// [`RepoConfigError::Words`].
    pub fn install_words(&self) -> Result<Option<Vec<String>>, RepoConfigError> {
        self.install.as_deref().map(|text| words("install", text)).transpose()
    }

    /// The words of each command of `lint`.
    ///
    /// # Errors
    ///
    /// [`RepoConfigError::Words`].
    pub fn lint_words(&self) -> Result<Option<Vec<Vec<String>>>, RepoConfigError> {
        let commands = self.lint.as_ref();
        commands.map(|commands| commands.iter().map(|text| words("lint", text)).collect()).transpose()
    }

    fn identity(&self) -> Result<Option<Identity>, RepoConfigError> {
        self.author.as_deref().map(|text| overrides::identity(text).ok_or(RepoConfigError::Author)).transpose()
    }

    /// Adds the repository's settings to the request where the request has none, and never makes it less careful. Settings that are
    /// not applied are reported in `warnings`.
    ///
    /// # Errors
    ///
    /// [`RepoConfigError::Words`], [`RepoConfigError::Author`].
    pub fn narrow(&self, request: &mut HealRequest, warnings: &mut Vec<String>) -> Result<(), RepoConfigError> {
        if request.test_command.is_none() {
            request.test_command = self.test_words()?;
        }
        if request.install_command.is_none() {
            request.install_command = self.install_words()?;
        }
        request.overrides = Overrides { python: self.python, node: self.node, author: self.identity()? };
        if let Some(delivery) = self.policy.delivery {
            request.delivery = request.delivery.max(delivery);
        }
        if let Some(limit) = self.policy.retry_limit {
            request.retry_limit = request.retry_limit.min(limit);
        }
        if self.policy.search == Some(false) {
            request.limits.search_seconds = 0;
        }
        if !self.protect.except.is_empty() && !request.trust_config {
            warnings.push(format!(
                "{FILE} would let protected files be edited ({}), which is not done unless you say --trust-config",
                self.protect.except.join(", ")
            ));
        }
        Ok(())
    }
}

/// Patterns that decide which files may be edited, as far as the repository and the user can decide that.
#[derive(Debug, Clone, Default)]
pub struct Protection {
    files: GlobSet,
    except: GlobSet,
}

impl Protection {
    /// By the patterns of the repository; `except` counts only when it is trusted.
    ///
    /// # Errors
    ///
    /// [`RepoConfigError::Pattern`].
    pub fn new(protect: &Protect, is_trusted: bool) -> Result<Self, RepoConfigError> {
        let except: &[String] = if is_trusted { &protect.except } else { &[] };
        Ok(Self { files: patterns(&protect.files)?, except: patterns(except)? })
    }

    /// Returns whether a file is protected; `by_default`: whether it is protected without any settings.
    pub fn is_protected(&self, file: &str, by_default: bool) -> bool {
        let is_excepted = self.except.is_match(file) && !is_never_edited(file);
        self.files.is_match(file) || (by_default && !is_excepted)
    }
}

/// Replaces a value; returns whether the new one is another.
fn replace<T: PartialEq>(value: &mut T, by: T) -> bool {
    std::mem::replace(value, by) != *value
}

/// Returns whether no setting can make a file editable: it runs with privileges, git reads it, or it is the settings file itself.
fn is_never_edited(file: &str) -> bool {
    file == FILE || [".github/", ".gitlab/", ".git"].iter().any(|start| file.starts_with(start))
}

fn words(key: &'static str, text: &str) -> Result<Vec<String>, RepoConfigError> {
    match shell_words::split(text) {
        Ok(words) if words.is_empty() => Err(RepoConfigError::Words { key, reason: "it is empty".to_owned() }),
        Ok(words) => Ok(words),
        Err(error) => Err(RepoConfigError::Words { key, reason: error.to_string() }),
    }
}

fn patterns(texts: &[String]) -> Result<GlobSet, RepoConfigError> {
    let invalid = |pattern: &str, error: &globset::Error| RepoConfigError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.kind().to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for text in texts {
        set.add(Glob::new(text).map_err(|error| invalid(text, &error))?);
    }
    set.build().map_err(|error| invalid(&texts.join(", "), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<RepoConfig>, RepoConfigError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("backend")).unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        RepoConfig::read(folder.path())
    }

    #[test]
    fn a_repository_without_it_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RepoConfig::read(folder.path()), Ok(None));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_name() {
        for (text, told) in [
            ("tset = 'pytest'", "unknown field `tset`"),
            ("test = ''", "`test` in .autoheal.toml cannot be split"),
            ("lint = [\"ruff 'check\"]", "`lint` in .autoheal.toml cannot be split"),
            ("directory = '../elsewhere'", "has to be a folder of the repository"),
            ("python = '3.11.4'", "no version such as"),
            ("node = 20", "invalid type"),
            ("author = 'somebody'", "`author` in .autoheal.toml has to be like"),
            ("directory = 'nowhere'", "has to be a folder of the repository"),
            ("[protect]\nfiles = ['[']", "`[` in .autoheal.toml is no pattern"),
            ("[policy]\ndelivery = 'force'", "unknown variant `force`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
        assert!(read("directory = 'backend'").is_ok());
    }

    #[test]
    fn it_narrows_and_never_widens() {
        let text = "test = 'python -m pytest -q'\n[protect]\nexcept = ['tests/**']\n\
                    [policy]\ndelivery = 'push'\nretry_limit = 9\nsearch = true\n";
        let settings = read(text).unwrap().unwrap();
        let mut request = HealRequest { delivery: Delivery::DryRun, retry_limit: 2, ..HealRequest::new("/r") };
        request.limits.search_seconds = 0;
        let mut warnings = Vec::new();
        settings.narrow(&mut request, &mut warnings).unwrap();
        assert_eq!((request.delivery, request.retry_limit), (Delivery::DryRun, 2));
        assert_eq!(request.limits.search_seconds, 0);
        assert_eq!(request.test_command.as_deref(), Some(&["python", "-m", "pytest", "-q"].map(str::to_owned)[..]));
        assert!(warnings[0].contains("--trust-config"), "{warnings:?}");

        let careful =
            read("test = 'true'\n[policy]\ndelivery = 'dry_run'\nretry_limit = 0\nsearch = false\n").unwrap().unwrap();
        let mut request = HealRequest { test_command: Some(vec!["pytest".to_owned()]), ..HealRequest::new("/r") };
        careful.narrow(&mut request, &mut warnings).unwrap();
        assert_eq!((request.delivery, request.retry_limit), (Delivery::DryRun, 0));
        assert_eq!(request.limits.search_seconds, 0);
        assert_eq!(request.test_command, Some(vec!["pytest".to_owned()]), "who asks knows better");
    }

    #[test]
    fn a_branch_defines_how_it_is_run_and_not_what_green_means() {
        let own = "test = 'true'\nlint = []\npython = '3.11'\n[policy]\nsearch = false\n";
        let default = "lint = ['ruff check .']\nnode = '20'\n[protect]\nfiles = ['a.py']\n";
        let (mut own, default) = (read(own).unwrap().unwrap(), read(default).unwrap().unwrap());
        assert!(own.defines_green() && default.defines_green());
        assert_eq!(own.defined_by(default.clone()), ["test", "lint", "protect"]);
        assert_eq!((own.test.as_ref(), &own.lint, &own.protect), (None, &default.lint, &default.protect));
        assert!(own.python.is_some() && own.node.is_none() && own.policy.search == Some(false));
        assert!(own.defined_by(default).is_empty());
        assert!(!read("python = '3.11'\n").unwrap().unwrap().defines_green());
    }

    #[test]
    fn protection_is_widened_by_trust_alone_and_never_for_what_runs_with_rights() {
        let protect = Protect {
            files: vec!["migrations/**".to_owned()],
            except: ["tests/support/**", ".github/**", FILE, ".git*"].map(str::to_owned).to_vec(),
        };
        let [wary, trusting] = [false, true].map(|trust| Protection::new(&protect, trust).unwrap());
        assert!(wary.is_protected("migrations/0001.py", false));
        assert!(!wary.is_protected("app.py", false));
        assert!(wary.is_protected("tests/support/tools.py", true));
        assert!(!trusting.is_protected("tests/support/tools.py", true));
        for file in [".github/workflows/ci.yml", FILE, ".gitmodules"] {
            assert!(trusting.is_protected(file, true), "{file}");
        }
    }
}
