//! Commands of Python projects.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::pytest_arguments;
use super::runners::{PYTEST, UNITTEST};
use crate::ci_commands::context::{Context, holds_expression};
use crate::ci_commands::meaning::{Meaning, Prefixes};
use crate::ci_commands::script::{self, Command, EXPRESSION};
use crate::project::{ini_value, join, read_text};
use crate::setup::TestCommand;
use crate::test_runner::TestRunner;

/// Programs that run others in an environment.
pub(super) static PREFIXES: Prefixes = Prefixes {
    programs: &[
        (&["uv", "run"], 0),
        (&["poetry", "run"], 0),
        (&["pipenv", "run"], 0),
        (&["pdm", "run"], 0),
        (&["hatch", "run"], 0),
        (&["rye", "run"], 0),
        (&["uvx"], 0),
        (&["uv", "tool", "run"], 0),
        (&["pipx", "run"], 0),
    ],
    options_with_value: &[
        "--python",
        "-p",
        "--extra",
        "--group",
        "--with",
        "--package",
        "--from",
        "--env-file",
        "--only-group",
        "--directory",
        "--project",
    ],
};

/// Programs that decide the colour: where they are met and are not run, CI may be red for their reasons.
pub(super) const CHECKS: &[&str] = &[
    "black",
    "isort",
    "mypy",
    "pyright",
    "pylint",
    "bandit",
    "codespell",
    "pydocstyle",
    "vulture",
    "pyflakes",
    "pycodestyle",
    "tox",
    "nox",
    "hatch",
    "pytest",
    "unittest",
    "ruff",
    "flake8",
];

static NOX_RUN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"session\.run\(\s*((?:["'][^"'\n]*["']\s*,?\s*)+)(?:\*\S+\s*)?\)"#).ok());

/// Returns what a command means; `None`: its program is none that Python projects test with.
pub(super) fn meaning(words: &[String], whole: &[String], context: &Context<'_>) -> Option<Vec<Meaning>> {
    let (program, arguments) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    Some(match name {
        "pytest" | "py.test" => {
            let is_gate = arguments.iter().any(|word| word.starts_with("--cov-fail-under"));
            let gate = Meaning::Unknown("has a gate of coverage, which is not checked here");
            let test = test(PYTEST, pytest_arguments::kept(arguments));
            std::iter::once(test).chain(is_gate.then_some(gate)).collect()
        }
        "hatch" if arguments.first().is_some_and(|word| word == "test") => {
            vec![test(PYTEST, pytest_arguments::kept(arguments.get(1..).unwrap_or_default()))]
        }
        "unittest" => {
            let kept = arguments.iter().filter(|word| {
                !holds_expression(word) && !matches!(word.as_str(), "-v" | "--verbose" | "-f" | "--failfast")
            });
            vec![test(UNITTEST, kept.cloned().collect())]
        }
        "doctest" if whole.windows(2).any(|pair| pair[0] == "-m" && pair[1] == *program) => {
            let is_file = |word: &&String| !word.starts_with('-') && !holds_expression(word);
            let files: Vec<String> = arguments.iter().filter(is_file).cloned().collect();
            let words = ["python", "-m", "doctest"].map(str::to_owned).into_iter().chain(files.clone()).collect();
            let arguments = std::iter::once("--doctest".to_owned()).chain(files).collect();
            let command = TestCommand { runner: UNITTEST, words, arguments };
            vec![Meaning::Test { command, environment: BTreeMap::new() }]
        }
        "tox" => vec![Meaning::Shells(tox(arguments, context).map(|commands| vec![commands]))],
        "nox" => vec![Meaning::Shells(nox(context).map(|commands| vec![commands]))],
        _ => return None,
    })
}

fn test(runner: TestRunner, arguments: Vec<String>) -> Meaning {
    // Discovery is one of unittest's arguments.
    let words = runner.command.iter().take(3).map(|word| (*word).to_owned()).chain(arguments.iter().cloned()).collect();
    Meaning::Test { command: TestCommand { runner, words, arguments }, environment: BTreeMap::new() }
}

/// Returns the command that `python -m` or `coverage run -m` starts.
pub(super) fn inner_command(words: &[String]) -> Option<Vec<String>> {
    let first = words.first()?;
    let module = if is_python(first) {
        words.iter().position(|word| word == "-m").filter(|at| are_options(&words[1..*at]))
    } else if first == "coverage" && words.get(1).is_some_and(|word| word == "run") {
        words.iter().position(|word| word == "-m" || word == "--module")
    } else {
        None
    };
    Some(words.get(module? + 1..)?.to_vec())
}

/// Returns whether a command is started by a Python.
pub(super) fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Returns whether these words, after `python`, are options: `-W` and `-X` take the next word.
fn are_options(words: &[String]) -> bool {
    let takes_next = |word: &String| word == "-W" || word == "-X";
    (0..words.len())
        .all(|at| words[at].starts_with('-') || at.checked_sub(1).is_some_and(|before| takes_next(&words[before])))
}

/// Returns the runner that a command of the user's starts, and all of its arguments.
pub(super) fn named_runner(words: &[String]) -> Option<(TestRunner, Vec<String>)> {
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    let (runner, own) = match plain.as_slice() {
        ["pytest" | "py.test", ..] => (PYTEST, 1),
        ["python" | "python3", "-m", "pytest", ..] => (PYTEST, 3),
        ["python" | "python3", "-m", "unittest", ..] => (UNITTEST, 3),
        _ => return None,
    };
    Some((runner, words.get(own..).unwrap_or_default().to_vec()))
}

/// The commands of tox's environment for tests: `[testenv]` in `tox.ini`, and that of the environment that `-e` names.
fn tox(arguments: &[String], context: &Context<'_>) -> Option<Vec<Command>> {
    let text = read_text(context.tree, &join(context.directory, "tox.ini"))?;
    let at = arguments.iter().position(|word| word == "-e");
    let named = at.and_then(|at| arguments.get(at + 1)).filter(|name| !holds_expression(name)).cloned();
    let listed = || ini_value(&text, "tox", "envlist").or_else(|| ini_value(&text, "tox", "env_list"));
    let names = named.or_else(listed).unwrap_or_default();
    let mut commands: Vec<Command> = Vec::new();
    let mut has_base = false;
    for name in names.split([',', '\n']).map(str::trim) {
        let section = format!("testenv:{name}");
        let own = (!name.is_empty()).then(|| ini_value(&text, &section, "commands")).flatten();
        // Environments without commands of their own differ in what they install.
        if own.is_none() && std::mem::replace(&mut has_base, true) {
            continue;
        }
        let script = own.or_else(|| ini_value(&text, "testenv", "commands"))?;
        let lines: Vec<String> = script.replace("\\\n", " ").lines().map(tox_line).collect();
        commands.extend(lines.iter().flat_map(|line| script::commands(line)));
    }
    Some(commands)
}

/// A line of tox's without its own notation: `{posargs:tests}` is `tests`, `{toxinidir}` is the folder it stands in.
fn tox_line(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.trim().trim_start_matches('-').trim_start();
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (inner, after) = after.split_once('}').unwrap_or((after, ""));
        match inner.split_once(':') {
            Some(("posargs", default)) => text.push_str(default),
            _ if inner == "posargs" => {}
            _ if matches!(inner, "toxinidir" | "tox_root") => text.push('.'),
            _ if matches!(inner, "envpython" | "env_python") => text.push_str("python"),
            _ => text.push(EXPRESSION),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The commands of `session.run(...)` in a `noxfile.py`, as far as they are written out.
fn nox(context: &Context<'_>) -> Option<Vec<Command>> {
    let text = read_text(context.tree, &join(context.directory, "noxfile.py"))?;
    let calls = NOX_RUN.as_ref()?.captures_iter(&text);
    let words = calls.map(|call| {
        let quoted = call[1].split(',').map(|word| word.trim().trim_matches(['"', '\'']).to_owned());
        Command::Words(quoted.filter(|word| !word.is_empty()).collect())
    });
    Some(words.collect())
}
