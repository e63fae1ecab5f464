//! Meaning of a command, as the tools of a language understand it.

use std::collections::BTreeMap;

use super::script::Command;
use crate::lint::tool::Call;
use crate::setup::TestCommand;

/// Meaning of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It runs tests, with these variables for the interpreter's own options.
    Test {
        /// Command that runs the tests, without arguments that do not matter.
        command: TestCommand,
        /// Variables that it needs.
        environment: BTreeMap<String, String>,
    },
    /// It calls a linter, a formatter or a type checker.
    Tool(Call),
    /// It builds, or compiles as a check.
    Build,
    /// It runs a script of a manifest, with the script's commands.
    Script(Script),
    /// It runs this command in these folders.
    InFolders(Vec<String>, Vec<String>),
    /// It runs the commands of a file, each list in its own shell; `None`: they cannot be read.
    Shells(Option<Vec<Vec<Command>>>),
    /// It installs, prints or cleans.
    Nothing,
    /// It decides the colour and is not run here; the reason continues a sentence that begins with the command.
    Unknown(&'static str),
}

/// A script of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// Name of the script, such as `test`.
    pub(crate) name: String,
    /// Command that runs it, as a user would type it, as argv.
    pub(crate) words: Vec<String>,
    /// The folder of its manifest, relative to the repository.
    pub(crate) directory: String,
    /// Its commands, with those before and after it.
    pub(crate) commands: Vec<Command>,
    /// It is what `init` writes where there are no tests.
    pub(crate) is_placeholder: bool,
}

impl Script {
    /// Returns whether the script's name suggests that it builds something that other commands need.
    pub(crate) fn is_build(&self) -> bool {
        const WORDS: &[&str] =
            &["build", "compile", "bundle", "transpile", "pretest", "prepare", "dist", "generate", "codegen"];
        let name = self.name.trim_start_matches("pre");
        self.name == "pretest" || WORDS.iter().any(|word| name.starts_with(word) || name.ends_with(word))
    }

    /// Returns whether the script's name suggests that it runs tests.
    pub(crate) fn is_test(&self) -> bool {
        self.name.starts_with("test") || self.name.starts_with("unit")
    }
}

/// Programs before a command that do not change what it does.
#[derive(Debug)]
pub(crate) struct Prefixes {
    /// Words of each, and the number of words of its own that it takes before the command.
    pub(crate) programs: &'static [(&'static [&'static str], usize)],
    /// Options of theirs that take a value.
    pub(crate) options_with_value: &'static [&'static str],
}
