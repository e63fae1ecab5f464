//! The files that a repository gets. Text of the repository, and the user's, reaches a file only as a TOML string.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use autoheal_code::LanguageId;
use autoheal_forge::host::RepositoryName;
use autoheal_forge::{Git, GitSettings, RepositoryAddress};
use autoheal_repo::ci_commands::green_commands;
use autoheal_repo::project::{MainLanguage, survey};
use autoheal_repo::repo_config::{self, RepoConfig};
use autoheal_repo::toolchains;
use autoheal_sandbox::untrusted::UntrustedFolder;
use autoheal_sandbox::{Image, Settings as SandboxSettings};
use serde::Serialize;

use crate::exit::{Blame as _, Failure};

/// Path of the workflow for GitHub Actions.
pub(super) const WORKFLOW: &str = ".github/workflows/autoheal.yml";

/// Job for GitLab CI, which docs/gitlab.md displays.
pub(super) const JOB: &str = include_str!("gitlab.yml");

/// The workflow, which docs/ci.md displays.
const WORKFLOW_TEMPLATE: &str = include_str!("github.yml");

/// The action in the template.
const ACTION: &str = concat!("OWNER/autoheal@v", env!("CARGO_PKG_VERSION"));

/// Examples of all settings, which docs/healing-a-repository.md displays.
const SETTINGS_TEMPLATE: &str = include_str!("autoheal.toml");

const HEADING: &str = "\
# How autoheal heals this repository. Every setting is optional; these are examples.
# autoheal's page docs/healing-a-repository.md explains them.
";

/// Maximum number of bytes read of a file that exists already; those of this command are shorter.
const LONGEST: u64 = 1 << 20;

/// State of a file after the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum State {
    Written,
    /// It had the same text before.
    Unchanged,
    /// It has another text, or is not a regular file.
    LeftAsItIs,
}

#[derive(Debug, Serialize)]
pub(super) struct WrittenFile {
    path: &'static str,
    pub(super) state: State,
}

/// Working tree of a repository.
pub(super) struct Folder {
    /// As the user names it.
    named: PathBuf,
    path: PathBuf,
    tree: UntrustedFolder,
    git: Git,
    language: Option<LanguageId>,
    /// Test command that a run would detect now, with its source.
    pub(super) detected: Option<String>,
}

impl Folder {
    /// Opens the top folder of a working tree, and detects how it is tested.
    pub(super) fn open(named: PathBuf) -> Result<Self, Failure> {
        let address = RepositoryAddress::from_path(&named).bad_input()?;
        address.check_folder().bad_input()?;
        let path = address.path().map_or_else(|| named.clone(), Path::to_owned);
        if !is_working_tree(&path) {
            return Err(Failure::bad_input(format!("{} is a bare repository; name a working tree", path.display())));
        }
        let tree = UntrustedFolder::open(&path).bad_input()?;
        let git = Git::new(GitSettings::default()).environment()?;
        let project = survey(&path);
        let language = match project.language {
            Some(MainLanguage::Known(language)) => Some(language),
            Some(MainLanguage::Other(_)) | None => None,
        };
        let test = green_commands(&path, &project.directory, project.runner.as_ref()).test;
        let detected = test.map(|test| format!("{} ({})", test.command.words.join(" "), test.found));
        Ok(Self { named, path, tree, git, language, detected })
    }

    /// Returns the text of `.autoheal.toml`, after reading it as a run does.
    pub(super) fn settings(&self, test_command: Option<&str>) -> Result<String, Failure> {
        let mut text = HEADING.to_owned();
        for line in SETTINGS_TEMPLATE.lines() {
            match test_command {
                Some(command) if line.starts_with("test = ") => {
                    let setting = toml::Table::from_iter([("test".to_owned(), command.into())]);
                    text.push_str(&toml::to_string(&setting)?);
                }
                _ if line.is_empty() => text.push_str("#\n"),
                _ => text.extend(["# ", line, "\n"]),
            }
        }
        let read = RepoConfig::parse(&text, &self.path).bad_input()?;
        let expected = RepoConfig { test: test_command.map(str::to_owned), ..RepoConfig::default() };
        let check = || {
            ensure!(read == expected, "{} would not be read as it is written", repo_config::FILE);
            Ok(text)
        };
        Ok(check()?)
    }

    /// Returns the text of the workflow, with the image of the main language.
    pub(super) fn workflow(&self, action: &RepositoryName) -> String {
        let image = self.language.map_or(Image::PYTHON, toolchains::image);
        let image_of = |image: Image| {
            let mut images = SandboxSettings::DEFAULT_IMAGES.into_iter();
            images.find(|(other, _)| *other == image).map_or("", |(_, reference)| reference)
        };
        let own_action = format!("{action}@v{}", env!("CARGO_PKG_VERSION"));
        WORKFLOW_TEMPLATE.replace(image_of(Image::PYTHON), image_of(image)).replace(ACTION, &own_action)
    }

    /// Creates a file in one step, unless the name is taken.
    pub(super) fn put(&self, path: &'static str, text: &str) -> Result<WrittenFile, Failure> {
        let created = match path.rsplit_once('/') {
            Some((parent, _)) => self.tree.create_folders(parent),
            None => Ok(()),
        };
        let state = match created.and_then(|()| self.tree.create(path, text.as_bytes())) {
            Ok(()) => State::Written,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_same = self.tree.read(path, LONGEST).is_ok_and(|old| old == text.as_bytes());
                if is_same { State::Unchanged } else { State::LeftAsItIs }
            }
            Err(error) => return Err(error).with_context(|| format!("cannot write {path}")).environment(),
        };
        Ok(WrittenFile { path, state })
    }

    /// Returns the command to run next. A run reads commits, so files that the current commit does not have are committed first.
    pub(super) async fn next(&self, files: &[WrittenFile]) -> String {
        let folder = shell_words::quote(&self.named.to_string_lossy()).into_owned();
        let heal = format!("autoheal heal {folder}");
        let mut uncommitted = Vec::new();
        for file in files {
            if self.is_uncommitted(file.path).await {
                uncommitted.push(file.path);
            }
        }
        if uncommitted.is_empty() {
            return heal;
        }
        let git = if folder == "." { "git".to_owned() } else { format!("git -C {folder}") };
        let paths = uncommitted.join(" ");
        format!("{git} add {paths} && {git} commit --message 'Set up autoheal' -- {paths} && {heal}")
    }

    /// Returns whether a file differs from the one in the current commit, or there is no such commit.
    async fn is_uncommitted(&self, path: &str) -> bool {
        let Ok(text) = self.tree.read(path, LONGEST) else { return false };
        let Ok(head) = self.git.head(&self.path).await else { return true };
        !self.git.file(&self.path, &head, path).await.is_ok_and(|committed| committed.is_some_and(|old| old == text))
    }

    /// Returns the server of the remote `origin`; `None` if there is no readable one.
    pub(super) async fn server(&self) -> Option<String> {
        self.git.origin_server(&self.path).await.unwrap_or_default()
    }
}

/// Returns whether a folder is the top of a working tree.
pub(super) fn is_working_tree(folder: &Path) -> bool {
    folder.join(".git").exists()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::init_args::action;

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join(".git")).unwrap();
        let folder = Folder::open(place.path().to_owned()).unwrap();
        (place, folder)
    }

    /// The one page of the manual that displays a template.
    fn assert_displayed(page: &str, template: &str, language: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(&format!("```{language}\n{template}```\n")), "docs/{page} does not display:\n{template}");
    }

    #[test]
    fn the_manual_displays_the_templates() {
        assert_displayed("healing-a-repository.md", SETTINGS_TEMPLATE, "toml");
        assert_displayed("ci.md", WORKFLOW_TEMPLATE, "yaml");
        assert_displayed("gitlab.md", JOB, "yaml");
    }

    #[test]
    fn the_examples_of_settings_are_all_settings() {
        let (place, _) = folder();
        std::fs::create_dir(place.path().join("backend")).unwrap();
        let read = RepoConfig::parse(SETTINGS_TEMPLATE, place.path()).unwrap();
        let mentioned = |key: &str| SETTINGS_TEMPLATE.contains(&format!("{key} = "));
        let all: BTreeMap<String, serde_json::Value> =
            serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
        for (key, value) in all {
            let is_table = value.is_object() && SETTINGS_TEMPLATE.contains(&format!("[{key}]"));
            assert!(is_table || mentioned(&key), "{key} has no example");
        }
    }

    #[test]
    fn a_test_command_is_read_as_it_was_given() {
        let (_place, folder) = folder();
        for command in [
            "pytest",
            "python -c 'import sys\nsys.exit(0)'",
            "sh -c \"echo '\\''\"",
            "'''\n[policy]\nmodel = false\n'''",
            "a \\\"\\\"\\\" # b",
            "caf\u{e9} \u{1b}[31m \u{2028} \u{7f}",
            "test = 1",
        ] {
            let text = folder.settings(Some(command)).unwrap();
            let read = RepoConfig::parse(&text, &folder.path).unwrap();
            assert_eq!(read, RepoConfig { test: Some(command.to_owned()), ..RepoConfig::default() }, "{text}");
        }
        for invalid in ["pytest 'tests", "", "  "] {
            assert!(folder.settings(Some(invalid)).is_err(), "{invalid:?}");
        }
        let none = folder.settings(None).unwrap();
        assert_eq!(RepoConfig::parse(&none, &folder.path).unwrap(), RepoConfig::default());
        assert!(none.lines().all(|line| line.starts_with('#')), "{none}");
    }

    #[test]
    fn the_workflow_names_the_action_and_the_image_of_the_language() {
        let (_place, mut folder) = folder();
        let octo = action("octo/autoheal").unwrap();
        let own = format!("uses: octo/autoheal@v{}\n", env!("CARGO_PKG_VERSION"));
        let images = autoheal_code::languages::all().map(|language| {
            folder.language = Some(language);
            let text = folder.workflow(&octo);
            assert!(text.contains(&own) && !text.contains("OWNER"), "{text}");
            let lines =
                text.lines().find_map(|line| line.trim().strip_prefix("- run: docker pull ")?.split(' ').next());
            lines.unwrap().to_owned()
        });
        let images: std::collections::BTreeSet<String> = images.collect();
        let known = SandboxSettings::DEFAULT_IMAGES.map(|(_, reference)| reference.to_owned());
        assert_eq!(images, known.into());
    }

    #[test]
    fn the_workflow_does_not_change_what_green_is() {
        let (place, folder) = folder();
        for (file, text) in [
            ("app.py", "one = 1\n"),
            (
                "tests/test_app.py",
                "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n",
            ),
            ("ruff.toml", "line-length = 100\n"),
        ] {
            std::fs::create_dir_all(place.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(place.path().join(file), text).unwrap();
        }
        let green = || {
            let project = survey(place.path());
            green_commands(place.path(), &project.directory, project.runner.as_ref())
        };
        let before = green();
        assert!(before.test.is_some() && !before.lint.is_empty(), "{before:?}");
        let text = folder.workflow(&action("octo/autoheal").unwrap());
        assert_eq!(folder.put(WORKFLOW, &text).unwrap().state, State::Written);
        assert_eq!(green(), before);
    }

    #[test]
    fn an_action_is_the_name_of_a_repository() {
        for invalid in ["", "autoheal", "octo/autoheal@main", "a/b\nrun: x", "-a/b", "a/../b", "a/b/c", "${{x}}/b"] {
            assert!(action(invalid).is_err(), "{invalid:?}");
        }
        assert_eq!(action("octo/autoheal").unwrap().to_string(), "octo/autoheal");
    }
}
