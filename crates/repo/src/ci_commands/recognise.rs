//! Classification of commands: tests, a linter, something that runs other commands, or nothing that decides
//! the colour.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::context::{Context, holds_expression};
use super::node::{self, Meaning, Script};
use super::other::{self, Other};
use super::pre_commit::{self, Hook};
use super::pytest;
use super::recipes::{self, Program};
use super::script::{self, Command, EXPRESSION};
use super::workflow::Step;
use super::{LintStep, TestStep};
use crate::lint::tools::Call;
use crate::project::{ini_value, join, read_text};
use crate::setup::{BuildCommand, TestCommand, TestRunner};

/// Classification of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Understood {
    /// A command that runs tests.
    Test(TestStep),
    /// A command that runs a linter.
    Lint(LintStep),
    /// Something that is built, or compiled as a check.
    Build(BuildCommand),
    /// A program of the repository that has to end well.
    Check(BuildCommand),
    /// Something that decides the colour and cannot be run here, and why.
    Not(String),
}

impl Understood {
    fn as_test(&mut self) -> Option<&mut TestStep> {
        if let Self::Test(test) = self { Some(test) } else { None }
    }
}

/// Maximum depth of commands that run each other: `make test` -> `tox` -> `pytest`.
const DEEPEST: usize = 6;

/// Programs before a command that do not change what it does, with how many words of their own they take before it.
const PREFIXES: &[(&[&str], usize)] = &[
    (&["uv", "run"], 0),
    (&["poetry", "run"], 0),
    (&["pipenv", "run"], 0),
    (&["pdm", "run"], 0),
    (&["hatch", "run"], 0),
    (&["rye", "run"], 0),
    (&["uvx"], 0),
    (&["uv", "tool", "run"], 0),
    (&["pipx", "run"], 0),
    (&["npx"], 0),
    (&["bunx"], 0),
    (&["npm", "exec"], 0),
    (&["pnpm", "exec"], 0),
    (&["pnpm", "dlx"], 0),
    (&["yarn", "exec"], 0),
    (&["yarn", "dlx"], 0),
    (&["cross-env"], 0),
    (&["cross-env-shell"], 0),
    (&["c8"], 0),
    (&["nyc"], 0),
    (&["dotenv"], 0),
    (&["xvfb-run"], 0),
    (&["time"], 0),
    (&["env"], 0),
    (&["sudo"], 0),
    (&["timeout"], 1),
];

/// Options of those programs that take a value.
const PREFIX_OPTIONS_WITH_VALUE: &[&str] = &[
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
    "--reporter",
    "--check-coverage-lines",
    "-r",
    "--report-dir",
    "--exclude",
    "--include",
    "--require",
    "--temp-directory",
    "--src",
    "-e",
];

/// Programs whose failure makes CI red and which are not run here.
const OTHER_CHECKS: &[&str] = &[
    "black",
    "isort",
    "mypy",
    "pyright",
    "pylint",
    "bandit",
    "pre-commit",
    "codespell",
    "pydocstyle",
    "vulture",
    "pyflakes",
    "pycodestyle",
    "jest",
    "mocha",
    "npm",
    "yarn",
    "pnpm",
    "npx",
    "tox",
    "nox",
    "make",
    "hatch",
    "pytest",
    "unittest",
    "ruff",
    "flake8",
    "just",
];

static NOX_RUN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"session\.run\(\s*((?:["'][^"'\n]*["']\s*,?\s*)+)(?:\*\S+\s*)?\)"#).ok());

/// Classifies the commands of a step.
pub(super) fn commands(step: &Step, context: &Context<'_>) -> Vec<Understood> {
    let found =
        Found { directory: &step.directory, environment: &step.environment, place: &step.found, is_build: false };
    let mut understood = understand(&script::commands(&step.script), &found, context, DEEPEST);
    for test in understood.iter_mut().filter_map(Understood::as_test) {
        let language = test.command.runner.language();
        let own = step.versions.iter().filter(|(of, _)| Some(*of) == language);
        test.versions = own.map(|(_, version)| *version).collect();
    }
    understood
}

/// Origin of a command, for the result and its message.
#[derive(Clone, Copy)]
struct Found<'a> {
    directory: &'a str,
    environment: &'a BTreeMap<String, String>,
    place: &'a str,
    /// Within a script that builds, what is not known makes something, too.
    is_build: bool,
}

fn understand(commands: &[Command], found: &Found<'_>, context: &Context<'_>, depth: usize) -> Vec<Understood> {
    let mut understood = Vec::new();
    // The folder that `cd` went to; `None`: it is not known here. Before it those that were left.
    let mut directory = Some(found.directory.to_owned());
    let mut left: Vec<Option<String>> = Vec::new();
    for command in commands {
        match command {
            Command::NeedsShell(line) => {
                let names_check = line
                    .split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)))
                    .any(|word| OTHER_CHECKS.contains(&word));
                if names_check || !other::line_decides_nothing(line) {
                    let line = line.replace(EXPRESSION, "${{ }}");
                    understood.push(Understood::Not(format!("{line:?} needs a shell ({})", found.place)));
                }
            }
            Command::Words(words) => match (words.as_slice(), &directory) {
                ([change], _) if change == "popd" => directory = left.pop().flatten(),
                ([change, to], _) if change == "cd" && to == "-" => directory = left.pop().flatten(),
                ([change, to], from) if change == "cd" || change == "pushd" => {
                    let to = from.as_ref().and_then(|from| walked(from, to));
                    left.push(std::mem::replace(&mut directory, to));
                }
                (_, Some(from)) => {
                    let (found, context) =
                        (Found { directory: from, ..*found }, Context { directory: from, ..*context });
                    understood.extend(one(words, &found, &context, depth));
                }
                (_, None) => {
                    let reason =
                        format!("`{}` is run in a folder that is not known here ({})", told(words), found.place);
                    understood.push(Understood::Not(reason));
                }
            },
        }
    }
    understood
}

/// The folder that `cd` goes to from another one, both relative to the repository; `None` if it leaves it or is an expression.
fn walked(from: &str, to: &str) -> Option<String> {
    if to.starts_with('/') || to.starts_with('~') || holds_expression(to) {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

fn one(words: &[String], found: &Found<'_>, context: &Context<'_>, depth: usize) -> Vec<Understood> {
    let (assigned, bare) = peel(words);
    let mut environment = found.environment.clone();
    environment.extend(assigned);
    let Some((program, arguments)) = bare.split_first() else { return Vec::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    let not = |reason: &str| vec![Understood::Not(format!("`{}` {reason} ({})", told(words), found.place))];
    let test = |runner, prefix: &[&str], arguments: Vec<String>| {
        let words = prefix.iter().map(|word| (*word).to_owned()).chain(arguments.iter().cloned()).collect();
        vec![test_step(TestCommand { runner, words, arguments }, environment.clone(), found)]
    };
    if let Some(meaning) = node::meaning(&bare, &Context { directory: found.directory, ..*context }) {
        return of_node(&bare, meaning, &environment, found, context, depth);
    }
    match name {
        "pytest" | "py.test" => {
            let tests = test(TestRunner::Pytest, &["python", "-m", "pytest"], pytest::arguments(arguments));
            let is_gate = arguments.iter().any(|word| word.starts_with("--cov-fail-under"));
            let gate = if is_gate { not("has a gate of coverage, which is not checked here") } else { Vec::new() };
            tests.into_iter().chain(gate).collect()
        }
        "unittest" => {
            let kept = arguments.iter().filter(|word| {
                !holds_expression(word) && !matches!(word.as_str(), "-v" | "--verbose" | "-f" | "--failfast")
            });
            test(TestRunner::Unittest, &["python", "-m", "unittest"], kept.cloned().collect())
        }
        "doctest" if words.windows(2).any(|pair| pair[0] == "-m" && pair[1] == *program) => {
            let mut files: Vec<String> =
                arguments.iter().filter(|word| !word.starts_with('-') && !holds_expression(word)).cloned().collect();
            let shown: Vec<&str> =
                ["python", "-m", "doctest"].into_iter().chain(files.iter().map(String::as_str)).collect();
            let words = shown.into_iter().map(str::to_owned).collect();
            files.insert(0, "--doctest".to_owned());
            let command = TestCommand { runner: TestRunner::Unittest, words, arguments: files };
            vec![test_step(command, environment, found)]
        }
        "hatch" if arguments.first().is_some_and(|word| word == "test") => test(
            TestRunner::Pytest,
            &["python", "-m", "pytest"],
            pytest::arguments(arguments.get(1..).unwrap_or_default()),
        ),
        "tox" | "nox" | "make" | "just" if depth > 0 => {
            let program = Program::of(name);
            let (folder, rest) = program.map_or((None, arguments.to_vec()), |_| recipes::folder(arguments));
            let Some(directory) =
                folder.map_or_else(|| Some(found.directory.to_owned()), |to| walked(found.directory, to))
            else {
                return not("runs in a folder that is not known here");
            };
            let (found, context) = (
                Found { directory: &directory, environment: &environment, ..*found },
                Context { directory: &directory, ..*context },
            );
            let shells = match program {
                Some(program) => recipes::commands(program, &rest, &environment, &context),
                None if name == "tox" => tox(&rest, &context).map(|commands| vec![commands]),
                None => nox(&context).map(|commands| vec![commands]),
            };
            let inner = shells.map(|shells| {
                let of_shell = |commands: &Vec<Command>| understand(commands, &found, &context, depth - 1);
                shells.iter().flat_map(of_shell).collect::<Vec<_>>()
            });
            match inner {
                Some(inner) if inner.iter().any(|item| !matches!(item, Understood::Not(_))) => inner,
                Some(_) | None => not("stands for commands that cannot be read from its file"),
            }
        }
        "pre-commit" if !arguments.iter().any(|word| word == "run") => Vec::new(),
        "pre-commit" => pre_commit::hooks(context.tree)
            .into_iter()
            .flat_map(|hook| match hook {
                Hook::Command(command) if depth > 0 => understand(
                    &[Command::Words(command)],
                    &Found { directory: "", place: &format!("{}, {}", found.place, pre_commit::FILE), ..*found },
                    &Context { directory: "", ..*context },
                    depth - 1,
                ),
                Hook::Command(_) => Vec::new(),
                Hook::Unknown(why) => vec![Understood::Not(format!("{why} ({})", found.place))],
            })
            .collect(),
        _ if OTHER_CHECKS.contains(&name) => not("is not run here"),
        _ if found.is_build && !words.iter().any(|word| holds_expression(word)) => {
            vec![Understood::Build(build(&bare, environment, found))]
        }
        _ => {
            let is_module = words.windows(2).any(|pair| pair[0] == "-m" && pair[1] == *program);
            match other::of(&bare, is_module, &Context { directory: found.directory, ..*context }) {
                Other::Nothing => Vec::new(),
                Other::Program(words) => vec![Understood::Check(build(&words, environment, found))],
                Other::Script(commands) if depth > 0 => {
                    understand(&commands, &Found { environment: &environment, ..*found }, context, depth - 1)
                }
                Other::Script(_) | Other::Unknown => not("is not run here"),
            }
        }
    }
}

fn test_step(command: TestCommand, environment: BTreeMap<String, String>, found: &Found<'_>) -> Understood {
    Understood::Test(TestStep {
        command,
        directory: found.directory.to_owned(),
        environment,
        found: found.place.to_owned(),
        versions: BTreeSet::new(),
    })
}

fn build(words: &[String], environment: BTreeMap<String, String>, found: &Found<'_>) -> BuildCommand {
    BuildCommand { words: words.to_vec(), directory: found.directory.to_owned(), environment }
}

/// A command of a JavaScript project, or of a tool that any project may use.
fn of_node(
    words: &[String],
    meaning: Meaning,
    environment: &BTreeMap<String, String>,
    found: &Found<'_>,
    context: &Context<'_>,
    depth: usize,
) -> Vec<Understood> {
    let test = |runner, words: Vec<String>, arguments, environment: BTreeMap<String, String>| {
        test_step(TestCommand { runner, words, arguments }, environment, found)
    };
    match meaning {
        Meaning::Test { runner, arguments, environment: more } => {
            let mut all = environment.clone();
            all.extend(more);
            let program = words.first().into_iter().filter(|word| *word != "node").cloned();
            let own = if runner == TestRunner::NodeTest {
                ["node", "--test"].map(str::to_owned).to_vec()
            } else {
                program.collect()
            };
            let words = own.into_iter().chain(arguments.iter().cloned()).collect();
            vec![test(runner, words, arguments, all)]
        }
        Meaning::Tool(Call::Checks { linter, arguments, words: called }) => {
            let counts = words.iter().any(|word| word.starts_with("--max-warnings"));
            let uncounted = format!("`{}` counts warnings, which are not counted ({})", told(words), found.place);
            let lint = Understood::Lint(LintStep {
                linter,
                is_required: true,
                words: called,
                arguments,
                directory: found.directory.to_owned(),
                found: found.place.to_owned(),
            });
            std::iter::once(lint).chain(counts.then_some(Understood::Not(uncounted))).collect()
        }
        Meaning::Build => vec![Understood::Build(build(words, environment.clone(), found))],
        Meaning::Unknown(reason) => {
            vec![Understood::Not(format!("`{}` {reason} ({})", told(words), found.place))]
        }
        Meaning::Script(script) if depth > 0 => {
            let inner = of_script(&script, environment, found, context, depth);
            let is_known = inner.iter().any(|item| matches!(item, Understood::Test(_)));
            if script.is_test() && !is_known && !is_placeholder(&script) {
                // Its exit status is all that is seen of it.
                let words = ["npm", "run", &script.name].map(str::to_owned).to_vec();
                let opaque = test(TestRunner::Opaque, words.clone(), words, environment.clone());
                let lint = inner.into_iter().filter(|item| matches!(item, Understood::Lint(_)));
                return lint.chain([opaque]).collect();
            }
            inner
        }
        Meaning::InPackages(name, folders) if depth > 0 => {
            let command = [Command::Words(["npm", "run", &name].map(str::to_owned).to_vec())];
            let inside = |folder: &String| {
                let found = Found { directory: folder, environment, ..*found };
                understand(&command, &found, &Context { directory: folder, ..*context }, depth - 1)
            };
            folders.iter().flat_map(inside).collect()
        }
        Meaning::Tool(Call::NeverRed) | Meaning::Nothing | Meaning::Script(_) | Meaning::InPackages(..) => Vec::new(),
    }
}

fn of_script(
    script: &Script,
    environment: &BTreeMap<String, String>,
    found: &Found<'_>,
    context: &Context<'_>,
    depth: usize,
) -> Vec<Understood> {
    let inside = Found {
        directory: &script.directory,
        environment,
        place: found.place,
        is_build: found.is_build || script.is_build(),
    };
    understand(&script.commands, &inside, &Context { directory: &script.directory, ..*context }, depth - 1)
}

/// Returns whether the script is the placeholder that `npm init` writes where there are no tests.
fn is_placeholder(script: &Script) -> bool {
    script.commands.iter().any(|command| match command {
        Command::Words(words) => words.iter().any(|word| word.contains("no test specified")),
        Command::NeedsShell(line) => line.contains("no test specified"),
    })
}

/// The variables that are set before a command, and the command without what stands before it: `FOO=1 uv run --frozen coverage
/// run -m pytest` is `FOO=1` and `pytest`.
fn peel(words: &[String]) -> (BTreeMap<String, String>, Vec<String>) {
    let mut environment = BTreeMap::new();
    let mut rest = words.to_vec();
    loop {
        let Some(first) = rest.first() else { return (environment, rest) };
        if let Some((name, value)) = assignment(first) {
            environment.insert(name, value);
            rest.remove(0);
        } else if let Some((prefix, own)) = PREFIXES
            .iter()
            .find(|(prefix, _)| rest.iter().map(String::as_str).take(prefix.len()).eq(prefix.iter().copied()))
        {
            rest = skip_options(&rest[prefix.len()..], *own);
        } else if is_python(first) {
            let module = rest.iter().position(|word| word == "-m");
            match module {
                Some(at) if are_options_of_python(&rest[1..at]) => rest.drain(..=at).for_each(drop),
                Some(_) | None => return (environment, rest),
            }
        } else if first == "coverage" && rest.get(1).is_some_and(|word| word == "run") {
            match rest.iter().position(|word| word == "-m" || word == "--module") {
                Some(at) => rest.drain(..=at).for_each(drop),
                None => return (environment, rest),
            }
        } else {
            return (environment, rest);
        }
    }
}

/// The words after the options of a prefix and `own` further words.
fn skip_options(words: &[String], own: usize) -> Vec<String> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(PREFIX_OPTIONS_WITH_VALUE.contains(&word.as_str()));
        if word == "--" {
            break;
        }
    }
    words.get(at + own..).unwrap_or_default().to_vec()
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !holds_expression(value)).then(|| (name.to_owned(), value.to_owned()))
}

fn is_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Returns whether these words, after `python`, are options: `-W` and `-X` take the next word.
fn are_options_of_python(words: &[String]) -> bool {
    let takes_next = |word: &String| word == "-W" || word == "-X";
    (0..words.len())
        .all(|at| words[at].starts_with('-') || at.checked_sub(1).is_some_and(|before| takes_next(&words[before])))
}

fn told(words: &[String]) -> String {
    words.join(" ").replace(EXPRESSION, "${{ }}")
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
