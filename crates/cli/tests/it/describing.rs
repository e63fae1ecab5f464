//! Descriptions of the program for shells and for `man`.

use std::collections::BTreeSet;
use std::process::Command;

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Health, SourceRecord};
use autoheal_engine::task::{NewTask, TaskKind};
use serde_json::json;

use crate::binary::{Ended, Home, path_with_program};

/// Returns whether a program is installed on the machine.
#[expect(clippy::disallowed_methods, reason = "asks for the shell that is to read a script")]
fn has(program: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap().status.success()
}

#[expect(clippy::disallowed_methods, reason = "runs the shell that is to read a script")]
fn in_shell(home: &Home, shell: &str, arguments: &[&str]) -> Ended {
    Ended::of(
        Command::new(shell)
            .args(arguments)
            .current_dir(home.path())
            .env("HOME", home.path())
            .env("PATH", path_with_program()),
    )
}

/// The script for a shell, in a file of this name.
fn written(home: &Home, shell: &str) -> String {
    let script = home.run(&["completions", shell]);
    assert_eq!((script.code, script.stderr.as_str()), (Some(0), ""), "{}", script.told());
    std::fs::write(home.path().join(shell), &script.stdout).unwrap();
    script.stdout
}

/// The commands that `autoheal --help` names.
fn commands(home: &Home) -> BTreeSet<String> {
    let help = home.run(&["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        listed.take_while(|line| !line.is_empty()).filter(|line| line.starts_with("  ") && !line.starts_with("    "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The candidates that the program offers to the script of a shell for the last of these words.
fn candidates(home: &Home, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = home.command(&[&["--", "autoheal"], words].concat());
    command.env("AUTOHEAL_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let ended = Ended::of(&mut command);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.told());
    let value = |line: &str| line.split(['\t', ':']).next().unwrap_or_default().to_owned();
    // Flags are offered for every word.
    ended.stdout.lines().map(value).filter(|value| !value.starts_with('-')).collect()
}

#[test]
fn bash_completes_a_command_and_its_flags() {
    let home = Home::new();
    written(&home, "bash");
    if !has("bash") {
        autoheal_testkit::skip("completion in bash", "there is no bash");
        return;
    }
    let complete = |words: &str, last: usize| {
        let asked = format!(
            "set -eu; source ./bash; COMP_TYPE=9; COMP_WORDS=({words}); COMP_CWORD={last}; \
             _clap_complete_autoheal autoheal \"${{COMP_WORDS[{last}]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let ended = in_shell(&home, "bash", &["--norc", "--noprofile", "-c", &asked]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.told());
        ended.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(in_shell(&home, "bash", &["-n", "bash"]).told(), "exit: Some(0)\n--- stdout\n--- stderr\n");
    assert_eq!(complete("autoheal hea", 1), ["heal"]);
    assert!(complete("autoheal heal --dry", 2).contains(&"--dry-run".to_owned()));
    let all: BTreeSet<String> = complete("autoheal ''", 1).into_iter().collect();
    let missing: Vec<_> = commands(&home).difference(&all).cloned().collect();
    assert!(missing.is_empty() && all.len() > 10, "{missing:?} of {all:?}");
}

#[test]
fn zsh_and_fish_are_told_every_command() {
    let home = Home::new();
    for shell in ["zsh", "fish"] {
        written(&home, shell);
        let all: BTreeSet<String> = candidates(&home, shell, &[""]).into_iter().collect();
        let missing: Vec<_> = commands(&home).difference(&all).cloned().collect();
        assert!(missing.is_empty(), "{shell} is not told of {missing:?}");
        if has(shell) {
            let read = in_shell(&home, shell, &["-n", shell]);
            assert_eq!((read.code, read.stderr.as_str()), (Some(0), ""), "{}", read.told());
        } else {
            autoheal_testkit::skip(&format!("completion in {shell}"), &format!("there is no {shell}"));
        }
    }
    if has("fish") {
        let asked = in_shell(&home, "fish", &["--no-config", "-c", "source ./fish; complete -C 'autoheal hea'"]);
        assert!(asked.stdout.lines().any(|line| line.split('\t').next() == Some("heal")), "{}", asked.told());
    }
}

#[tokio::test]
async fn names_that_are_stored_are_completed() {
    let home = Home::new();
    assert_eq!(candidates(&home, "fish", &["source", "show", ""]), [""; 0]);
    assert!(!home.path().join(".local/share/autoheal").exists(), "asking makes no database");
    let store = home.store().await;
    for name in ["news", "newsletter", "shop"] {
        let source = || name.to_owned();
        let definition = SourceRecord::Definition { source: source(), definition: json!({ "name": name }) };
        let health = SourceRecord::Health { source: source(), health: Health::new() };
        store.change_sources(Timestamp::from_millis(1), &[definition, health]).await.unwrap();
    }
    let task = store.enqueue(&NewTask::new(TaskKind::RefreshSource, "news", store.now())).await.unwrap().id;
    for command in ["show", "run", "approve", "accept"] {
        assert_eq!(candidates(&home, "fish", &["source", command, "news"]), ["news", "newsletter"], "{command}");
    }
    assert_eq!(candidates(&home, "fish", &["source", "add", "--name", "news"]), [""; 0], "a new name");
    assert_eq!(candidates(&home, "fish", &["tasks", "cancel", ""]), [task.to_string()]);
}

#[test]
fn an_unknown_shell_is_refused() {
    let refused = Home::new().run(&["completions", "rc"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("possible values"), "{}", refused.told());
}

#[test]
fn every_command_has_a_page_that_man_can_show() {
    let home = Home::new();
    let made = home.run(&["man", "pages/man1"]);
    assert_eq!(made.code, Some(0), "{}", made.told());
    let folder = home.path().join("pages/man1");
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let names = commands(&home);
    assert!(names.contains("heal") && names.len() > 10, "{names:?}");
    for command in names.iter().filter(|name| name.as_str() != "help") {
        let page = page(&format!("autoheal-{command}.1"));
        assert!(page.contains(".TH autoheal-") && page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
    // Commands of commands have theirs.
    assert!(page("autoheal-source-add.1").contains(".SH OPTIONS"));
    assert!(page("autoheal.1").contains("autoheal\\-heal(1)"));

    if !has("man") {
        autoheal_testkit::skip("pages of the manual", "there is no man");
        return;
    }
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let shown = in_shell(&home, "man", &["--warnings=w", "-l", path.to_str().unwrap()]);
        assert!(shown.code == Some(0) && shown.stdout.contains("autoheal"), "{}: {}", path.display(), shown.told());
    }
}
