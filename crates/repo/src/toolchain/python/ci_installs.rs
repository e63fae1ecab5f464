//! The packages that CI installs with its own command lines: `pip install -e .[tests] -r more.txt 'pytest<8'`. Where they can all be read, the
//! manifests add nothing to what they name.

use std::path::Path;

use autoheal_code::python::requirements::is_environment;

use super::commands::inner_command;
use super::requirement::is_requirement;
use crate::project::read_text;
use crate::{ci_commands, discovery};

/// Everything that the commands of CI install.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CiInstalls {
    /// Requirements by name.
    pub(super) requirements: Vec<String>,
    /// Files of requirements.
    pub(super) files: Vec<String>,
    /// Extras of the project.
    pub(super) extras: Vec<String>,
    /// True if the commands install the project itself, and nothing in other ways.
    pub(super) is_complete: bool,
    /// True if a command asks for the newest releases.
    pub(super) upgrades: bool,
}

/// Options of `pip install` that take a value.
const WITH_VALUE: &[&str] = &[
    "-c",
    "--constraint",
    "-i",
    "--index-url",
    "--extra-index-url",
    "-f",
    "--find-links",
    "-t",
    "--target",
    "--prefix",
    "--root",
    "--progress-bar",
    "--upgrade-strategy",
];

/// Programs that may install in other ways than pip.
const OTHER_WAYS: &[&str] =
    &["tox", "nox", "make", "just", "poetry", "pdm", "uv", "pipenv", "hatch", "conda", "mamba", "sh", "bash"];

/// Distributions that install others, and do not run with the tests.
const INSTALLERS: &[&str] = &["pip", "wheel", "build", "tox", "nox", "uv", "pipenv", "poetry", "twine", "virtualenv"];

/// Returns the texts of the files of CI.
pub(super) fn ci_texts(tree: &Path) -> Vec<String> {
    let is_ci = |file: &&String| file.starts_with(".github/workflows/") || file.ends_with(".gitlab-ci.yml");
    discovery::files(tree).iter().filter(is_ci).filter_map(|file| read_text(tree, file)).collect()
}

impl CiInstalls {
    /// Reads the commands of the jobs that run tests in a project's folder.
    pub(super) fn of(tree: &Path, directory: &str) -> Self {
        let mut found = Self::default();
        let commands = ci_commands::commands_of_tests(tree);
        for (folder, words) in &commands {
            match words {
                Some(words) if folder == directory => found.read(words),
                Some(_) | None => {}
            }
        }
        let is_elsewhere = |word: &String| OTHER_WAYS.contains(&word.rsplit('/').next().unwrap_or(word));
        found.is_complete &= commands.iter().all(|(folder, words)| {
            folder == directory && words.as_ref().is_some_and(|words| !words.iter().any(is_elsewhere))
        });
        // An action may install an environment of conda before the commands.
        let is_separator = |part: char| part.is_whitespace() || "/'\":,".contains(part);
        found.is_complete &= !ci_texts(tree).iter().any(|text| text.split(is_separator).any(is_environment));
        found
    }

    fn read(&mut self, words: &[String]) {
        let inner = inner_command(words);
        let words = inner.as_deref().unwrap_or(words);
        let [program, verb, arguments @ ..] = words else { return };
        let name = program.rsplit('/').next().unwrap_or(program);
        if !(name.starts_with("pip") && !name.starts_with("pipx") && !name.starts_with("pipenv")) || verb != "install" {
            return;
        }
        let mut arguments = arguments.iter();
        while let Some(word) = arguments.next() {
            match word.as_str() {
                "-U" | "--upgrade" => self.upgrades = true,
                option if WITH_VALUE.contains(&option) => drop(arguments.next()),
                "-e" | "--editable" => {}
                "-r" | "--requirement" => {
                    self.files.extend(arguments.next().map(|file| file.trim_start_matches("./").to_owned()));
                }
                option if option.starts_with('-') => {}
                word => self.add(word),
            }
        }
    }

    fn add(&mut self, word: &str) {
        let own = word.strip_prefix(".[").and_then(|extras| extras.strip_suffix(']'));
        self.is_complete |= own.is_some() || matches!(word, "." | "./");
        if let Some(extras) = own {
            self.extras.extend(extras.split(',').map(|extra| extra.trim().to_owned()));
        } else if is_requirement(word) && !INSTALLERS.contains(&word) {
            self.requirements.push(word.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("pip install -e .[tests,x] 'pytest<8' blinker", &["pytest<8", "blinker"], &["tests", "x"], false)]
    #[case("python -m pip install --upgrade pip", &[], &[], true)]
    #[case("pip install -U setuptools -r requirements.txt -c c.txt .", &["setuptools"], &[], true)]
    #[case("pip install ./lib git+https://h.example/x --index-url https://h.example x==1", &["x==1"], &[], false)]
    #[case("pipx install black", &[], &[], false)]
    #[case("pip download x", &[], &[], false)]
    fn a_command_of_ci_installs(
        #[case] command: &str,
        #[case] requirements: &[&str],
        #[case] extras: &[&str],
        #[case] upgrades: bool,
    ) {
        let mut found = CiInstalls::default();
        found.read(&shell_words::split(command).unwrap());
        let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<String>>();
        assert_eq!(found.requirements, owned(requirements));
        assert_eq!((found.extras, found.upgrades), (owned(extras), upgrades));
    }
}
