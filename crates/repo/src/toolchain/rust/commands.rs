//! Commands of Rust projects.

use std::collections::BTreeMap;

use super::linters::{CLIPPY, RUSTFMT, TOOLS};
use super::runners::CARGO_TEST;
use crate::ci_commands::context::holds_expression;
use crate::ci_commands::meaning::{Meaning, Prefixes};
use crate::lint::tool::{self, Call};
use crate::setup::TestCommand;

/// Programs that choose a toolchain.
pub(super) static PREFIXES: Prefixes =
    Prefixes { programs: &[(&["rustup", "run"], 1)], options_with_value: &["--install"] };

/// Programs that decide the colour: a run in which they are found and not run is not green.
pub(super) const CHECKS: &[&str] = &["cargo", "cross", "rustfmt", "rustc", "rustdoc"];

/// Commands of cargo that make nothing that is judged.
const NOTHING: &[&str] = &[
    "add",
    "bench",
    "clean",
    "config",
    "fetch",
    "generate-lockfile",
    "help",
    "install",
    "binstall",
    "login",
    "metadata",
    "new",
    "owner",
    "pkgid",
    "publish",
    "remove",
    "report",
    "search",
    "tree",
    "uninstall",
    "update",
    "upgrade",
    "vendor",
    "version",
    "--version",
    "-V",
    "--list",
];

/// Options that say how much is printed, how it is built in parallel, or what of the lock file may change. Tests run without a network
/// with what the lock file says.
const DROPPED: &[&str] = &[
    "--verbose",
    "-v",
    "-vv",
    "--quiet",
    "-q",
    "--color",
    "--message-format",
    "--jobs",
    "-j",
    "--locked",
    "--frozen",
    "--offline",
    "--no-fail-fast",
    "--keep-going",
    "--timings",
    "--target-dir",
    "--no-run",
];

/// Those that take the next word.
const WITH_VALUE: &[&str] = &[
    "--color",
    "--message-format",
    "--jobs",
    "-j",
    "--target-dir",
    "--package",
    "-p",
    "--exclude",
    "--features",
    "-F",
    "--test",
    "--bin",
    "--example",
    "--bench",
    "--profile",
    "--target",
    "--manifest-path",
    "--config",
    "-Z",
];

/// Those of nextest alone, which also take the next word unless it is joined.
const OF_NEXTEST: &[&str] = &[
    "--profile",
    "-P",
    "--retries",
    "--test-threads",
    "--partition",
    "--status-level",
    "--final-status-level",
    "--failure-output",
    "--success-output",
    "--cargo-profile",
    "--cargo-message-format",
    "--no-tests",
    "--max-fail",
    "--config-file",
    "--tool-config-file",
];

/// Flags of nextest alone.
const FLAGS_OF_NEXTEST: &[&str] = &["--no-capture", "--nocapture", "--fail-fast", "--no-fail-fast", "--ff", "--nff"];

/// Returns what a command means; `None`: its program is not cargo.
pub(super) fn meaning(words: &[String]) -> Option<Meaning> {
    let (program, arguments) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if name == "rustfmt" && arguments.iter().any(|word| word == "--check") {
        return Some(Meaning::Unknown("is not run here; `cargo fmt --check` would be"));
    }
    if name != "cargo" {
        return None;
    }
    if needs_another_toolchain(arguments) {
        return Some(Meaning::Unknown("needs another toolchain or target than the default one"));
    }
    // `+stable` chooses a toolchain.
    let mut rest: Vec<String> = arguments.iter().skip_while(|word| word.starts_with('+')).cloned().collect();
    let at = rest.iter().position(|word| {
        !matches!(word.as_str(), "-v" | "--verbose" | "-q" | "--quiet" | "--locked" | "--frozen" | "--offline")
    })?;
    let command = rest.remove(at);
    let rest = rest.split_off(at);
    Some(match command.as_str() {
        "test" | "t" => test(words, &rest),
        "nextest" => nextest(words, &rest),
        "clippy" => tool(CLIPPY, words, &[vec![command], rest].concat()),
        "fmt" => tool(RUSTFMT, words, &rest),
        "build" | "b" | "check" | "c" | "doc" | "d" | "rustc" | "rustdoc" => Meaning::Build,
        command if NOTHING.contains(&command) => Meaning::Nothing,
        _ => Meaning::Unknown("is not run here"),
    })
}

/// Options before `--` that only a nightly compiler knows, and those that choose a toolchain or a target.
fn needs_another_toolchain(arguments: &[String]) -> bool {
    let own = arguments.iter().take_while(|word| *word != "--");
    own.clone().any(|word| word.starts_with("-Z") || word == "--target" || word.starts_with("--target="))
        || own.clone().any(|word| word.strip_prefix('+').is_some_and(|toolchain| toolchain != "stable"))
}

fn test(words: &[String], arguments: &[String]) -> Meaning {
    if arguments.iter().any(|word| word == "--no-run") {
        return Meaning::Build;
    }
    of_tests(words, kept(arguments, DROPPED, WITH_VALUE))
}

fn nextest(words: &[String], arguments: &[String]) -> Meaning {
    let Some((command, rest)) = arguments.split_first() else { return Meaning::Nothing };
    if command != "run" && command != "r" {
        return Meaning::Nothing;
    }
    if rest
        .iter()
        .any(|word| matches!(word.as_str(), "-E" | "--filterset" | "--filter-expr") || word.starts_with("--archive"))
    {
        return Meaning::Unknown("chooses tests by an expression, which is not read here");
    }
    let dropped: Vec<&str> = [DROPPED, OF_NEXTEST, FLAGS_OF_NEXTEST].concat();
    let with_value: Vec<&str> = [WITH_VALUE, OF_NEXTEST].concat();
    // It runs no examples of documentation.
    let kept = kept(rest, &dropped, &with_value);
    let chosen = ["--lib", "--bins", "--bin", "--tests", "--test", "--all-targets", "--examples", "--example"];
    let is_chosen = kept.iter().any(|word| chosen.contains(&word.split('=').next().unwrap_or(word)));
    let all = (!is_chosen).then(|| "--tests".to_owned());
    of_tests(words, all.into_iter().chain(kept).collect())
}

fn of_tests(words: &[String], arguments: Vec<String>) -> Meaning {
    let words = words.iter().filter(|word| !holds_expression(word)).cloned().collect();
    let command = TestCommand { runner: CARGO_TEST, words, arguments };
    Meaning::Test { command, environment: BTreeMap::new() }
}

fn tool(program: &str, words: &[String], arguments: &[String]) -> Meaning {
    let call = tool::call(TOOLS.iter(), program, arguments, |word| !holds_expression(word));
    match call {
        Some(Call::Checks { linter, arguments, .. }) => {
            let words = words.iter().filter(|word| !holds_expression(word)).cloned().collect();
            Meaning::Tool(Call::Checks { linter, arguments, words })
        }
        Some(call @ Call::NeverRed) => Meaning::Tool(call),
        None => Meaning::Nothing,
    }
}

/// Arguments without those that do not matter. Words behind `--` are for the test programs.
fn kept(arguments: &[String], dropped: &[&str], with_value: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            let own: Vec<String> = words.filter(|word| !is_about_printing(word)).cloned().collect();
            if !own.is_empty() {
                kept.push(word.clone());
                kept.extend(own);
            }
            break;
        }
        let (option, is_joined) = word.split_once('=').map_or((word.as_str(), false), |(option, _)| (option, true));
        let value = if !is_joined && with_value.contains(&option) { words.next() } else { None };
        let is_dropped =
            dropped.contains(&option) || holds_expression(word) || value.is_some_and(|value| holds_expression(value));
        if !is_dropped {
            kept.push(word.clone());
            kept.extend(value.cloned());
        }
    }
    kept
}

fn is_about_printing(word: &str) -> bool {
    matches!(word, "--nocapture" | "--no-capture" | "--show-output" | "-q" | "--quiet")
        || word.starts_with("--color")
        || holds_expression(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str) -> String {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        match meaning(&words) {
            Some(Meaning::Test { command, .. }) => format!("test {}", command.arguments.join(" ")),
            Some(Meaning::Tool(Call::Checks { linter, arguments, words })) => {
                format!("{} {} as {}", linter.name(), arguments.join(" "), words.join(" "))
            }
            Some(Meaning::Tool(Call::NeverRed)) => "never red".to_owned(),
            Some(Meaning::Build) => "build".to_owned(),
            Some(Meaning::Nothing) => "nothing".to_owned(),
            Some(Meaning::Unknown(why)) => why.to_owned(),
            Some(_) => "other".to_owned(),
            None => "not cargo".to_owned(),
        }
    }

    #[test]
    fn commands_of_cargo_are_understood() {
        for (command, meaning) in [
            ("cargo test --verbose --all-features --locked", "test --all-features"),
            ("cargo +stable test -p shop -- --nocapture adds", "test -p shop -- adds"),
            ("cargo t -j 2", "test "),
            ("cargo +nightly test", "needs another toolchain or target than the default one"),
            ("cargo check --target wasm32-unknown-unknown", "needs another toolchain or target than the default one"),
            ("cargo nextest run --workspace --profile ci --retries 2", "test --tests --workspace"),
            ("cargo nextest run --lib", "test --lib"),
            ("cargo test --no-run", "build"),
            (
                "cargo clippy --all-targets -- -D warnings",
                "clippy clippy --all-targets -- -D warnings as cargo clippy --all-targets -- -D warnings",
            ),
            ("cargo clippy", "clippy clippy as cargo clippy"),
            ("cargo fmt --all -- --check", "rustfmt --all as cargo fmt --all -- --check"),
            ("cargo fmt --check", "rustfmt  as cargo fmt --check"),
            ("cargo fmt", "never red"),
            ("cargo build --release", "build"),
            ("cargo install cargo-deny", "nothing"),
            ("cargo deny check", "is not run here"),
            ("npm test", "not cargo"),
        ] {
            assert_eq!(shown(command), meaning, "{command}");
        }
    }
}
