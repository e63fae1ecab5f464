//! Output on a real terminal: colours that are this program's own, lines that fit.

use std::process::{Command, Stdio};

use regex::Regex;

use crate::binary::{Ended, Home};
use crate::healing::World;
use crate::listings::inhabited;
use crate::scraper::Scraper;

/// Runs a command on a terminal of this width. Standard output and standard error are one there.
pub(crate) fn on_terminal(command: &Command, columns: u16) -> Ended {
    let mut ended = Ended::of(at_terminal(command, columns).stdin(Stdio::null()));
    ended.stdout = ended.stdout.replace("\r\n", "\n");
    ended
}

/// The program that runs a command on a terminal of this width: its standard input is the keyboard, its standard output the screen.
#[expect(clippy::disallowed_methods, reason = "starts the binary under test, on a terminal")]
pub(crate) fn at_terminal(command: &Command, columns: u16) -> Command {
    let argv = std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_str().unwrap());
    let line = format!("stty cols {columns} rows 40; exec {}", shell_words::join(argv));
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env_clear().env("TERM", "xterm-256color");
    terminal.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    terminal.current_dir(command.get_current_dir().unwrap());
    terminal
}

fn has_colours(text: &str) -> bool {
    Regex::new("\u{1b}\\[[0-9;]*[1-9][0-9;]*m").unwrap().is_match(text)
}

/// Asserts that the command has colours on a terminal, that nothing spoils its lines, and that it has none anywhere else.
fn assert_coloured_on_terminals_only(command: impl Fn() -> Command) {
    let shown = on_terminal(&command(), 80);
    assert!(!shown.stdout.contains('\u{fffd}'), "{}", shown.told());
    assert!(has_colours(&shown.stdout), "{}", shown.told());
    for without in
        [on_terminal(command().env("NO_COLOR", "1"), 80), on_terminal(command().args(["--color", "never"]), 80)]
    {
        assert!(!without.stdout.contains('\u{fffd}') && !has_colours(&without.stdout), "{}", without.told());
    }
    let piped = Ended::of(&mut command());
    let all = [piped.stdout.as_str(), piped.stderr.as_str()].concat();
    assert!(!all.contains(['\u{fffd}', '\u{1b}']), "{}", piped.told());
    let forced = Ended::of(command().args(["--color", "always"]));
    assert!(has_colours(&[forced.stdout, forced.stderr].concat()));
}

#[tokio::test]
async fn runs_of_sources_have_colours_on_terminals_only() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    assert_coloured_on_terminals_only(|| scraper.command(&["run", "news"]));
}

#[test]
fn failures_have_colours_on_terminals_only() {
    let home = Home::new();
    assert_coloured_on_terminals_only(|| home.command(&["report", "last"]));
}

#[test]
fn healing_has_colours_on_terminals_only() {
    let Some(world) = World::new() else { return };
    assert_coloured_on_terminals_only(|| world.heal());
}

#[tokio::test]
async fn lists_and_reports_have_colours() {
    let home = inhabited().await;
    for arguments in
        [&["runs"] as &[&str], &["tasks"], &["source", "list"], &["check", "--quick"], &["report", "last~1"]]
    {
        let shown = on_terminal(&home.command(arguments), 80);
        assert!(has_colours(&shown.stdout) && !shown.stdout.contains('\u{fffd}'), "{}", shown.told());
        let piped = home.run(arguments);
        assert!(!piped.stdout.contains('\u{1b}'), "{}", piped.told());
    }
}
