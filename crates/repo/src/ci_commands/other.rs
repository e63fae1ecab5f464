//! Commands of no known test runner, linter or package manager: those that decide nothing, programs of the repository itself,
//! scripts that run other commands, and the rest, which is reported.

use std::path::Path;

use super::context::{Context, holds_expression};
use super::script::{self, Command};
use crate::paths::clean as clean_folder;
use crate::project::{join, read_text};

/// Classification of such a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Other {
    /// It prepares, prints or delivers: it says nothing about the code.
    Nothing,
    /// A program of the repository, in words that begin with `python` or `node`.
    Program(Vec<String>),
    /// A shell script of the repository: its commands.
    Script(Vec<Command>),
    /// Any other command; it is reported as unknown.
    Unknown,
}

/// Programs that prepare, print or deliver.
const DECIDES_NOTHING: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "act",
    "apk",
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "cat",
    "cc-test-reporter",
    "cd",
    "chmod",
    "choco",
    "chown",
    "codecov",
    "conda",
    "corepack",
    "coveralls",
    "cp",
    "curl",
    "date",
    "df",
    "diff-cover",
    "dnf",
    "du",
    "echo",
    "ensurepip",
    "exit",
    "export",
    "firebase",
    "flyctl",
    "free",
    "gcloud",
    "gh",
    "git",
    "head",
    "heroku",
    "kubectl",
    "ls",
    "lsb_release",
    "mamba",
    "micromamba",
    "mkdir",
    "mv",
    "netlify",
    "npm",
    "nvm",
    "pip",
    "pip3",
    "pipx",
    "popd",
    "printenv",
    "printf",
    "pushd",
    "pwd",
    "pyenv",
    "rm",
    "rsync",
    "rustup",
    "scp",
    "semantic-release",
    "set",
    "shopt",
    "sleep",
    "source",
    "ssh",
    "sysctl",
    "tail",
    "tar",
    "touch",
    "true",
    "twine",
    "ulimit",
    "umask",
    "uname",
    "unset",
    "unzip",
    "vercel",
    "virtualenv",
    "venv",
    "wget",
    "which",
    "whoami",
    "wrangler",
    "yum",
];

/// Words that hold a script of the shell together, and decide nothing themselves.
const OF_THE_SHELL: &[&str] =
    &["if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "{", "}"];

/// Package managers, and the subcommands of each whose result says something about the code.
const DECIDES_BY_SUBCOMMAND: &[(&str, &[&str])] = &[
    ("poetry", &["build", "check", "run"]),
    ("pdm", &["build", "run"]),
    ("uv", &["build", "run"]),
    ("rye", &["build", "run", "lint", "fmt", "test"]),
    ("hatch", &["build", "run", "fmt", "test"]),
    ("pipenv", &["check", "run", "verify"]),
];

/// Returns whether a line that needs a shell decides nothing: it sets a variable, or begins with a program or
/// a keyword of the shell that decides nothing.
pub(super) fn line_decides_nothing(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    });
    is_assignment || DECIDES_NOTHING.contains(&first) || OF_THE_SHELL.contains(&first.trim_end_matches(';'))
}

/// Classifies the command of these words. `is_module`: it is a module that Python runs.
pub(super) fn of(words: &[String], is_module: bool, context: &Context<'_>) -> Other {
    let Some((program, arguments)) = words.split_first() else { return Other::Nothing };
    let name = program.rsplit('/').next().unwrap_or(program);
    let subcommand = arguments.iter().find(|word| !word.starts_with('-')).map(String::as_str).unwrap_or_default();
    if DECIDES_NOTHING.contains(&name) || arguments.iter().any(|word| word == "--version" || word == "--help") {
        return Other::Nothing;
    }
    if name == "coverage" {
        let is_gate = arguments.iter().any(|word| word.starts_with("--fail-under")) || has_gate_of_coverage(context);
        let decides = subcommand == "run" || subcommand == "report" && is_gate;
        return if decides { Other::Unknown } else { Other::Nothing };
    }
    if let Some((_, decisive)) = DECIDES_BY_SUBCOMMAND.iter().find(|(manager, _)| *manager == name) {
        return if decisive.contains(&subcommand) { Other::Unknown } else { Other::Nothing };
    }
    if let Some(script) = shell_script(name, program, arguments, context) {
        return Other::Script(script);
    }
    program_of(name, words, is_module, context)
}

/// Returns whether the settings of coverage set a minimum (`fail_under`) below which its report fails.
fn has_gate_of_coverage(context: &Context<'_>) -> bool {
    [".coveragerc", "pyproject.toml", "setup.cfg", "tox.ini"]
        .iter()
        .filter_map(|file| read_text(context.tree, &join(context.directory, file)))
        .any(|text| text.contains("fail_under"))
}

/// The text of a file of the repository that a command names.
fn text_of(file: &str, context: &Context<'_>) -> Option<String> {
    let file = clean_folder(file).filter(|_| !holds_expression(file))?;
    read_text(context.tree, &join(context.directory, &file))
}

/// The commands of a shell script: `bash scripts/ci.sh`, `./scripts/ci.sh`.
fn shell_script(name: &str, program: &str, arguments: &[String], context: &Context<'_>) -> Option<Vec<Command>> {
    let is_shell = matches!(name, "bash" | "sh" | "dash" | "zsh");
    let file = if is_shell { arguments.iter().find(|word| !word.starts_with('-'))? } else { program };
    let text = text_of(file, context)?;
    let is_script = is_shell || text.starts_with("#!") && text.lines().next().is_some_and(|line| line.ends_with("sh"));
    is_script.then(|| script::commands(&text))
}

/// A program of the repository that ends well or not.
fn program_of(name: &str, words: &[String], is_module: bool, context: &Context<'_>) -> Other {
    if words.iter().any(|word| holds_expression(word)) {
        return Other::Unknown;
    }
    let python = |rest: &[&str]| -> Vec<String> {
        let own = words.get(1..).unwrap_or_default().iter().cloned();
        std::iter::once("python").chain(rest.iter().copied()).map(str::to_owned).chain(own).collect()
    };
    let exists = |file: &str| text_of(file, context).is_some();
    if is_module {
        let path = name.replace('.', "/");
        let places = [format!("{path}.py"), format!("{path}/__main__.py")];
        let is_own = places.iter().any(|file| exists(file) || exists(&format!("src/{file}")));
        return if is_own || name == "compileall" { Other::Program(python(&["-m", name])) } else { Other::Unknown };
    }
    let Some(file) = words.get(1) else { return Other::Unknown };
    let is_file = |extensions: &[&str]| {
        let extension = Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        extensions.contains(&extension) && exists(file)
    };
    if name.starts_with("python") && file == "setup.py" {
        let installs =
            words.iter().any(|word| matches!(word.as_str(), "install" | "develop" | "build_ext" | "egg_info"));
        return if installs { Other::Nothing } else { Other::Unknown };
    }
    if name.starts_with("python") && is_file(&["py"]) {
        return Other::Program(python(&[]));
    }
    if name == "node" && is_file(&["js", "mjs", "cjs"]) {
        return Other::Program(words.to_vec());
    }
    Other::Unknown
}
