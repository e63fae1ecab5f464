//! Commands of JavaScript projects: package managers and the scripts of `package.json`, test runners, compilers, bundlers.

use std::collections::BTreeMap;

use super::command_words::{
    BUILDERS, JEST_DROPPED, JEST_WITH_VALUE, MOCHA_DROPPED, MOCHA_WITH_VALUE, NODE_TEST_DROPPED, NODE_WITH_VALUE,
    ORCHESTRATORS, OTHER_CHECKS, OTHER_RUNNERS, VITEST_DROPPED, VITEST_WITH_VALUE,
};
use super::linters::TOOLS;
use super::packages::{json, packages_below, scripts};
use super::runners::{JEST, MOCHA, NODE_TEST, VITEST};
use crate::ci_commands::context::{Context, holds_expression};
use crate::ci_commands::meaning::{Meaning, Prefixes, Script};
use crate::ci_commands::script::{self, Command};
use crate::lint::tool;
use crate::paths::clean;
use crate::project::join;
use crate::setup::TestCommand;
use crate::test_runner::TestRunner;
use serde_json::Value;

/// Programs that run others.
pub(super) static PREFIXES: Prefixes = Prefixes {
    programs: &[
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
    ],
    options_with_value: &[
        "--package",
        "-p",
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
    ],
};

/// Programs that decide the colour: where they are met and are not run, CI may be red for their reasons.
pub(super) const CHECKS: &[&str] = &["jest", "mocha", "npm", "yarn", "pnpm", "npx"];

/// Classifies the command with this argv; `None`: it is not a command of a JavaScript project.
pub(super) fn meaning(words: &[String], context: &Context<'_>) -> Option<Meaning> {
    let (program, arguments) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let test = |runner, arguments| test(runner, &[program], arguments);
    if let Some(call) = tool::call(TOOLS.iter(), program, arguments, |word| !holds_expression(word)) {
        return Some(Meaning::Tool(call));
    }
    Some(match name {
        "npm" | "pnpm" | "yarn" => manager(name, arguments, context)?,
        "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => several(arguments, context),
        "jest" => test(JEST, kept(arguments, JEST_DROPPED, JEST_WITH_VALUE)),
        "mocha" | "_mocha" | "ts-mocha" => test(MOCHA, kept(arguments, MOCHA_DROPPED, MOCHA_WITH_VALUE)),
        "vitest" => vitest(arguments),
        "node" | "tsx" => node(name, arguments, context)?,
        "vite" if arguments.first().is_some_and(|word| word == "build") => Meaning::Build,
        "next" | "nuxt" | "astro" | "ng" | "vue-cli-service"
            if arguments.first().is_some_and(|word| word == "build") =>
        {
            Meaning::Build
        }
        _ if BUILDERS.contains(&name) => Meaning::Build,
        _ if OTHER_RUNNERS.contains(&name) => Meaning::Unknown("is a test runner whose reports are not read"),
        _ if OTHER_CHECKS.contains(&name) => Meaning::Unknown("is not run here"),
        _ if ORCHESTRATORS.contains(&name) => Meaning::Unknown("stands for commands that cannot be read"),
        _ => return None,
    })
}

/// A command of a package manager.
fn manager(name: &str, arguments: &[String], context: &Context<'_>) -> Option<Meaning> {
    let mut directory = context.directory.to_owned();
    let mut words = arguments.iter().peekable();
    let mut asks_many = false;
    // Options before the command.
    while let Some(word) = words.next_if(|word| word.starts_with('-')) {
        match word.as_str() {
            "--prefix" | "-C" | "--cwd" | "--dir" => directory = join(context.directory, &clean(words.next()?)?),
            "-r" | "--recursive" | "--filter" | "-w" | "--workspace" | "--workspaces" | "-ws" => asks_many = true,
            _ => {}
        }
    }
    let command = words.next()?;
    let mut rest: Vec<String> = words.cloned().collect();
    asks_many |= rest.iter().any(|word| matches!(word.as_str(), "-w" | "--workspaces" | "-ws" | "-r" | "--recursive"))
        || rest.iter().any(|word| word.starts_with("--workspace") || word.starts_with("--filter"))
        || command == "workspaces"
        || command == "workspace";
    let script = match command.as_str() {
        "test" | "t" | "tst" => "test".to_owned(),
        "run" | "run-script" | "rum" => {
            let at = rest.iter().position(|word| !word.starts_with('-'))?;
            rest.remove(at)
        }
        _ if name != "npm" && scripts(context.tree, &directory).contains_key(command) => command.clone(),
        // `yarn jest` runs the program of that name.
        _ if name != "npm" && !is_own(command) => {
            let words: Vec<String> = std::iter::once(command.clone()).chain(rest).collect();
            return meaning(&words, context);
        }
        _ => return Some(Meaning::Nothing),
    };
    if asks_many {
        return Some(in_packages(&script, arguments, &directory, context));
    }
    let passed: Vec<String> = if name == "npm" {
        rest.iter().skip_while(|word| *word != "--").skip(1).cloned().collect()
    } else {
        rest.into_iter().filter(|word| word != "--").collect()
    };
    let absent = if script == "test" { Meaning::Nothing } else { Meaning::Unknown("names a script that is not there") };
    Some(of_script(&script, &directory, &passed, context).map_or(absent, Meaning::Script))
}

/// The same script of several packages: of all, or of those that are named.
fn in_packages(script: &str, arguments: &[String], directory: &str, context: &Context<'_>) -> Meaning {
    const NAMING: &[&str] = &["-w", "--workspace", "--filter", "workspace", "-F"];
    let mut named: Vec<&str> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let (option, joined) =
            word.split_once('=').map_or((word.as_str(), None), |(option, name)| (option, Some(name)));
        if NAMING.contains(&option) {
            named.extend(joined.or_else(|| words.next().map(String::as_str)));
        }
    }
    let folders: Vec<String> = packages_below(context.tree, directory)
        .into_iter()
        .filter(|folder| scripts(context.tree, folder).contains_key(script))
        .filter(|folder| {
            let package = json(context.tree, folder).unwrap_or_default();
            let own = package.get("name").and_then(Value::as_str).unwrap_or_default();
            let is_it = |name: &&str| *name == own || folder.ends_with(name.trim_start_matches("./"));
            named.is_empty() || named.iter().any(is_it)
        })
        .collect();
    if folders.is_empty() {
        Meaning::Unknown("asks packages that are not found")
    } else {
        Meaning::InFolders(run(script), folders)
    }
}

/// Commands of yarn and pnpm that start no program of the project.
fn is_own(command: &str) -> bool {
    const OWN: &[&str] = &[
        "install",
        "i",
        "add",
        "ci",
        "remove",
        "dedupe",
        "audit",
        "config",
        "cache",
        "link",
        "pack",
        "publish",
        "info",
        "why",
        "set",
        "policies",
        "store",
        "fetch",
        "rebuild",
        "prune",
        "version",
        "plugin",
        "constraints",
        "changeset",
        "up",
        "upgrade",
        "update",
        "outdated",
        "list",
        "create",
        "setup",
        "env",
    ];
    OWN.contains(&command)
}

/// The commands of a script with those before and after it; `passed` goes to the last command of its own.
fn of_script(name: &str, directory: &str, passed: &[String], context: &Context<'_>) -> Option<Script> {
    let scripts = scripts(context.tree, directory);
    let own = scripts.get(name)?;
    let mut commands = Vec::new();
    // The script before is a script of its own, with a name that says what it is for.
    if scripts.contains_key(&format!("pre{name}")) {
        commands.push(Command::Words(run(&format!("pre{name}"))));
    }
    let mut main = script::commands_with_patterns(own);
    if let Some(Command::Words(words)) = main.last_mut() {
        words.extend(passed.iter().cloned());
    }
    commands.extend(main);
    let says_so = |text: &String| text.contains("no test specified");
    let is_placeholder = commands.iter().any(|command| match command {
        Command::Words(words) => words.iter().any(says_so),
        Command::NeedsShell(line) => says_so(line),
    });
    let (name, directory, words) = (name.to_owned(), directory.to_owned(), run(name));
    Some(Script { name, words, directory, commands, is_placeholder })
}

/// The command that runs a script.
fn run(script: &str) -> Vec<String> {
    ["npm", "run", script].map(str::to_owned).to_vec()
}

/// `run-s build test:*` as the scripts that it names.
fn several(arguments: &[String], context: &Context<'_>) -> Meaning {
    let scripts = scripts(context.tree, context.directory);
    let mut commands = Vec::new();
    for word in arguments.iter().filter(|word| !word.starts_with('-')) {
        let names: Vec<&String> = match word.strip_suffix('*').map(|start| start.trim_end_matches('*')) {
            Some(start) => scripts.keys().filter(|name| name.starts_with(start)).collect(),
            None => scripts.keys().filter(|name| *name == word).collect(),
        };
        commands.extend(names.iter().map(|name| Command::Words(run(name))));
    }
    let directory = context.directory.to_owned();
    Meaning::Script(Script { name: String::new(), words: Vec::new(), directory, commands, is_placeholder: false })
}

/// A command that runs tests. `own`: the words before the arguments.
fn test(runner: TestRunner, own: &[&str], arguments: Vec<String>) -> Meaning {
    let words = own.iter().map(|word| (*word).to_owned()).chain(arguments.iter().cloned()).collect();
    Meaning::Test { command: TestCommand { runner, words, arguments }, environment: BTreeMap::new() }
}

fn vitest(arguments: &[String]) -> Meaning {
    match arguments.first().map(String::as_str) {
        Some("bench" | "related" | "list" | "init") => Meaning::Nothing,
        Some("run" | "watch" | "dev") => {
            test(VITEST, &["vitest"], kept(&arguments[1..], VITEST_DROPPED, VITEST_WITH_VALUE))
        }
        Some(_) | None => test(VITEST, &["vitest"], kept(arguments, VITEST_DROPPED, VITEST_WITH_VALUE)),
    }
}

/// `node --test ...`, or `node OPTIONS node_modules/.../jest.js ...`.
fn node(name: &str, arguments: &[String], context: &Context<'_>) -> Option<Meaning> {
    if arguments.iter().any(|word| word == "--test") {
        let mut all = kept(arguments, NODE_TEST_DROPPED, NODE_WITH_VALUE);
        if name == "tsx" {
            all.splice(0..0, ["--import".to_owned(), "tsx".to_owned()]);
        }
        return Some(test(NODE_TEST, NODE_TEST.command, all));
    }
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(NODE_WITH_VALUE.contains(&word.as_str()));
    }
    let program = arguments.get(at).filter(|program| program.contains("node_modules/"))?;
    let tool = program.rsplit('/').next().unwrap_or(program);
    let tool = tool.trim_end_matches(".js").trim_end_matches(".mjs").trim_end_matches(".cjs");
    let words: Vec<String> =
        std::iter::once(tool.to_owned()).chain(arguments.get(at + 1..).unwrap_or_default().iter().cloned()).collect();
    let found = meaning(&words, context)?;
    Some(match found {
        Meaning::Test { command, mut environment } => {
            if at > 0 {
                environment.insert("NODE_OPTIONS".to_owned(), arguments[..at].join(" "));
            }
            Meaning::Test { command, environment }
        }
        other @ (Meaning::Tool(_)
        | Meaning::Build
        | Meaning::Script(_)
        | Meaning::InFolders(..)
        | Meaning::Shells(_)
        | Meaning::Nothing
        | Meaning::Unknown(_)) => other,
    })
}

/// Arguments without those that say what is printed, counted or watched.
fn kept(arguments: &[String], dropped: &[&str], with_value: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        let (option, is_joined) = word.split_once('=').map_or((word.as_str(), false), |(option, _)| (option, true));
        let takes_next = !is_joined && with_value.contains(&option);
        let value = if takes_next { words.next() } else { None };
        let is_dropped = dropped.contains(&option)
            || option.starts_with("--coverage")
            || holds_expression(word)
            || value.is_some_and(|value| holds_expression(value));
        if !is_dropped && word != "--" {
            kept.push(word.clone());
            kept.extend(value.cloned());
        }
    }
    kept
}
