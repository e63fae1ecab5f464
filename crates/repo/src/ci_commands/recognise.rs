//! Classification of commands: tests, a linter, something that runs other commands, or nothing that decides
//! the colour.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Context, holds_expression};
use super::meaning::{Meaning, Prefixes, Script};
use super::other::{self, Other};
use super::pre_commit::{self, Hook};
use super::recipes::{self, Program};
use super::script::{self, Command, EXPRESSION};
use super::workflow::Step;
use super::{LintStep, TestStep};
use crate::lint::tool::Call;
use crate::lint::tools;
use crate::setup::{BuildCommand, TestCommand};
use crate::test_runner::TestRunner;
use crate::toolchains;

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

/// Programs of no language before a command.
static PREFIXES: Prefixes = Prefixes {
    programs: &[(&["xvfb-run"], 0), (&["time"], 0), (&["env"], 0), (&["sudo"], 0), (&["timeout"], 1)],
    options_with_value: &[],
};

/// Programs of no language whose failure makes CI red and which are not run here.
const OTHER_CHECKS: &[&str] = &["pre-commit", "make", "just"];

fn is_check(program: &str) -> bool {
    let mut checks = toolchains::ALL.iter().flat_map(|toolchain| toolchain.checks()).chain(OTHER_CHECKS);
    checks.any(|check| *check == program)
}

/// Classifies the commands of a step.
pub(super) fn commands(step: &Step, context: &Context<'_>) -> Vec<Understood> {
    let found =
        Found { directory: &step.directory, environment: &step.environment, place: &step.found, is_build: false };
    let mut understood = understand(&script::commands(&step.script), &found, context, DEEPEST);
    for test in understood.iter_mut().filter_map(Understood::as_test) {
        let language = test.command.runner.language;
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
                let names_check = line.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).any(is_check);
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
    let not = |reason: &str| vec![not(words, reason, found)];
    let context = Context { directory: found.directory, ..*context };
    let meanings = match tools::call(program, arguments, |word| !holds_expression(word)) {
        Some(call) => Some(vec![Meaning::Tool(call)]),
        None => toolchains::ALL.iter().find_map(|toolchain| toolchain.meaning(&bare, words, &context)),
    };
    if let Some(meanings) = meanings {
        let environment = &environment;
        let of = |meaning| of_meaning(&bare, meaning, &Found { environment, ..*found }, &context, depth);
        return meanings.into_iter().flat_map(of).collect();
    }
    match Program::of(name).filter(|_| depth > 0) {
        Some(program) => {
            let (folder, rest) = recipes::folder(arguments);
            let Some(directory) =
                folder.map_or_else(|| Some(found.directory.to_owned()), |to| walked(found.directory, to))
            else {
                return not("runs in a folder that is not known here");
            };
            let (found, context) = (
                Found { directory: &directory, environment: &environment, ..*found },
                Context { directory: &directory, ..context },
            );
            let shells = recipes::commands(program, &rest, &environment, &context);
            of_meaning(&bare, Meaning::Shells(shells), &found, &context, depth)
        }
        None if name == "pre-commit" && !arguments.iter().any(|word| word == "run") => Vec::new(),
        None if name == "pre-commit" => pre_commit::hooks(context.tree)
            .into_iter()
            .flat_map(|hook| match hook {
                Hook::Command(command) if depth > 0 => understand(
                    &[Command::Words(command)],
                    &Found { directory: "", place: &format!("{}, {}", found.place, pre_commit::FILE), ..*found },
                    &Context { directory: "", ..context },
                    depth - 1,
                ),
                Hook::Command(_) => Vec::new(),
                Hook::Unknown(why) => vec![Understood::Not(format!("{why} ({})", found.place))],
            })
            .collect(),
        None if is_check(name) => not("is not run here"),
        None if found.is_build && !words.iter().any(|word| holds_expression(word)) => {
            vec![Understood::Build(build(&bare, environment, found))]
        }
        None => {
            let is_module = words.windows(2).any(|pair| pair[0] == "-m" && pair[1] == *program);
            match other::of(&bare, is_module, &context) {
                Other::Nothing => Vec::new(),
                Other::Program(words) => vec![Understood::Check(build(&words, environment, found))],
                Other::Script(commands) if depth > 0 => {
                    understand(&commands, &Found { environment: &environment, ..*found }, &context, depth - 1)
                }
                Other::Script(_) | Other::Unknown => not("is not run here"),
            }
        }
    }
}

fn not(words: &[String], reason: &str, found: &Found<'_>) -> Understood {
    Understood::Not(format!("`{}` {reason} ({})", told(words), found.place))
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

/// A command whose program a language knows, with the variables that `found` has.
fn of_meaning(
    words: &[String],
    meaning: Meaning,
    found: &Found<'_>,
    context: &Context<'_>,
    depth: usize,
) -> Vec<Understood> {
    match meaning {
        Meaning::Test { command, environment: more } => {
            let mut environment = found.environment.clone();
            environment.extend(more);
            vec![test_step(command, environment, found)]
        }
        Meaning::Tool(Call::Checks { linter, arguments, words: called }) => {
            let counts = words.iter().any(|word| word.starts_with("--max-warnings"));
            let uncounted = counts.then(|| not(words, "counts warnings, which are not counted", found));
            let lint = Understood::Lint(LintStep {
                linter,
                is_required: true,
                words: called,
                arguments,
                directory: found.directory.to_owned(),
                found: found.place.to_owned(),
            });
            std::iter::once(lint).chain(uncounted).collect()
        }
        Meaning::Build => vec![Understood::Build(build(words, found.environment.clone(), found))],
        Meaning::Unknown(reason) => vec![not(words, reason, found)],
        Meaning::Script(script) if depth > 0 => {
            let inner = of_script(&script, found, context, depth);
            let is_known = inner.iter().any(|item| matches!(item, Understood::Test(_)));
            if script.is_test() && !is_known && !script.is_placeholder {
                // Its exit status is all that is seen of it.
                let words = script.words;
                let command = TestCommand { runner: TestRunner::OPAQUE, words: words.clone(), arguments: words };
                let opaque = test_step(command, found.environment.clone(), found);
                let lint = inner.into_iter().filter(|item| matches!(item, Understood::Lint(_)));
                return lint.chain([opaque]).collect();
            }
            inner
        }
        Meaning::InFolders(command, folders) if depth > 0 => {
            let command = [Command::Words(command)];
            let inside = |folder: &String| {
                let found = Found { directory: folder, ..*found };
                understand(&command, &found, &Context { directory: folder, ..*context }, depth - 1)
            };
            folders.iter().flat_map(inside).collect()
        }
        Meaning::Shells(shells) if depth > 0 => {
            let of_shell = |commands: &Vec<Command>| understand(commands, found, context, depth - 1);
            let inner = shells.map(|shells| shells.iter().flat_map(of_shell).collect::<Vec<_>>());
            match inner {
                Some(inner) if inner.iter().any(|item| !matches!(item, Understood::Not(_))) => inner,
                Some(_) | None => vec![not(words, "stands for commands that cannot be read from its file", found)],
            }
        }
        Meaning::Shells(_) => vec![not(words, "is not run here", found)],
        Meaning::Tool(Call::NeverRed) | Meaning::Nothing | Meaning::Script(_) | Meaning::InFolders(..) => Vec::new(),
    }
}

fn of_script(script: &Script, found: &Found<'_>, context: &Context<'_>, depth: usize) -> Vec<Understood> {
    let is_build = found.is_build || script.is_build();
    let inside = Found { directory: &script.directory, is_build, ..*found };
    understand(&script.commands, &inside, &Context { directory: &script.directory, ..*context }, depth - 1)
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
        } else if let Some((prefix, own)) = prefixes()
            .flat_map(|prefixes| prefixes.programs)
            .find(|(prefix, _)| rest.iter().map(String::as_str).take(prefix.len()).eq(prefix.iter().copied()))
        {
            rest = skip_options(&rest[prefix.len()..], *own);
        } else if let Some(inner) = toolchains::ALL.iter().find_map(|toolchain| toolchain.inner_command(&rest)) {
            rest = inner;
        } else {
            return (environment, rest);
        }
    }
}

fn prefixes() -> impl Iterator<Item = &'static Prefixes> {
    toolchains::ALL.iter().map(|toolchain| toolchain.prefixes()).chain([&PREFIXES])
}

/// The words after the options of a prefix and `own` further words.
fn skip_options(words: &[String], own: usize) -> Vec<String> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(takes_value(word));
        if word == "--" {
            break;
        }
    }
    words.get(at + own..).unwrap_or_default().to_vec()
}

fn takes_value(option: &str) -> bool {
    prefixes().any(|prefixes| prefixes.options_with_value.contains(&option))
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !holds_expression(value)).then(|| (name.to_owned(), value.to_owned()))
}

fn told(words: &[String]) -> String {
    words.join(" ").replace(EXPRESSION, "${{ }}")
}
