//! Output of the program about itself and its database.

use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_engine::{ErrorCode, Timestamp};
use autoheal_testkit::repository::TestRepository;
use serde_json::Value;

use crate::binary::Home;

#[test]
fn the_graph_of_the_repository_workflow_is_drawn() {
    let ended = Home::new().run(&["graph", "repo"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(ended.stdout.starts_with("flowchart TD\n"), "{}", ended.stdout);
    for node in ["analyze_repo", "diagnose_failures", "monitor_ci"] {
        assert!(ended.stdout.contains(node), "{node} is missing");
    }
}

#[test]
fn every_code_is_explained_and_listed() {
    let home = Home::new();
    let list = home.run(&["explain"]).stdout;
    for code in ErrorCode::ALL {
        assert!(list.contains(code.name()));
        let page = home.run(&["explain", &code.name().to_lowercase()]);
        assert_eq!(page.code, Some(0));
        assert!(page.stdout.starts_with(&format!("# {code}")), "{}", page.stdout);
        assert!(page.stdout.contains("## What to do"), "{code} does not say what to do");
    }
}

#[test]
fn an_unknown_code_is_bad_input() {
    let ended = Home::new().run(&["explain", "NOTHING"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("`autoheal explain` lists all terms"), "{}", ended.stderr);
}

#[test]
fn help_has_examples() {
    let home = Home::new();
    for arguments in [&["--help"] as &[&str], &["heal", "--help"]] {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(0));
        assert!(ended.stdout.contains("Examples:\n  autoheal heal ."), "{}", ended.stdout);
    }
}

#[test]
fn check_says_what_can_be_used() {
    let home = Home::new();
    let ended = home.run(&["check", "--json"]);
    let parts: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    let usable = |name: &str| parts.iter().find(|part| part["name"] == name).unwrap()["usable"].as_bool().unwrap();
    let can_heal = usable("git") && usable("database") && (usable("docker") || usable("bubblewrap"));
    assert_eq!(ended.code, Some(if can_heal { 0 } else { 3 }), "{}", ended.stdout);
    assert!(usable("database"), "{}", ended.stdout);
    assert!(!usable("GitHub token"), "the environment holds none");
    let doors: Vec<&Value> = parts.iter().filter_map(|part| part.get("doors")?.as_array()).flatten().collect();
    assert_eq!(doors.len() > 10, usable("docker") || usable("bubblewrap"), "{}", ended.stdout);
    for door in doors {
        assert!(door["state"] == "shut" || door["state"] == "weak" && door["remedy"].is_string(), "{door}");
    }
    assert!(home.path().join(".local/share/autoheal/autoheal.db").exists());
}

#[test]
fn check_ends_with_the_command_to_run_next() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let home = Home::new();
    for (folder, next) in [(home.path(), "autoheal init"), (repository.path().as_path(), "autoheal heal .")] {
        let ended = crate::binary::Ended::of(home.command(&["check", "--quick"]).current_dir(folder));
        let next = if ended.code == Some(0) { next } else { "autoheal check" };
        assert!(ended.stderr.trim_end().ends_with(&format!(": {next}")), "{}", ended.told());
    }
}

#[test]
fn nothing_on_the_path_is_a_missing_environment() {
    let home = Home::new();
    let ended = crate::binary::Ended::of(home.command(&["check"]).env("PATH", home.path()));
    assert_eq!(ended.code, Some(3), "{}", ended.told());
    assert!(ended.stdout.contains("ruff is not on the PATH"), "{}", ended.stdout);
}

#[test]
fn an_empty_queue_has_no_tasks_and_no_runs() {
    let home = Home::new();
    insta::assert_snapshot!(home.run(&["tasks"]).told(), @r"
    exit: Some(0)
    --- stdout
    --- stderr
    there are no tasks
    ");
    insta::assert_snapshot!(home.run(&["runs"]).told(), @r"
    exit: Some(0)
    --- stdout
    --- stderr
    there are no runs
    ");
    insta::assert_snapshot!(home.run(&["tasks", "list", "--json"]).told(), @r"
    exit: Some(0)
    --- stdout
    []
    --- stderr
    ");
    insta::assert_snapshot!(home.run(&["tasks", "show", "7"]).told(), @r"
    exit: Some(2)
    --- stdout
    --- stderr
    error: there is no task 7; `autoheal tasks` lists all tasks
    ");
    insta::assert_snapshot!(home.run(&["tasks", "cancel", "7"]).told(), @r"
    exit: Some(2)
    --- stdout
    --- stderr
    error: there is no task 7; `autoheal tasks` lists all tasks
    ");
    insta::assert_snapshot!(home.run(&["tasks", "list", "--state", "asleep"]).told(), @r"
    exit: Some(2)
    --- stdout
    --- stderr
    error: unknown task state `asleep`; expected one of PENDING, IN_PROGRESS, COMPLETED, FAILED, QUARANTINED, CANCELLED
    ");
    insta::assert_snapshot!(home.run(&["report", "last"]).told(), @r"
    exit: Some(2)
    --- stdout
    --- stderr
    error: there are no runs yet
    ");
    let wrong = home.run(&["report", "yesterday"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("expected an id that `autoheal runs` lists"), "{}", wrong.stderr);
    let absent = home.run(&["heal", "--resume", "0192"]);
    assert_eq!(absent.code, Some(2));
    assert_eq!(absent.stderr, "error: there is no run `0192`; `autoheal runs` lists all runs\n");
}

#[test]
fn useless_input_is_refused_at_once_in_one_line() {
    let home = Home::new();
    let healed = home.run(&["heal", "."]);
    assert_eq!(healed.code, Some(2), "{}", healed.told());
    assert!(
        healed.stderr.contains("is not a git repository") && healed.stderr.lines().count() == 1,
        "{}",
        healed.told()
    );
    assert_eq!(home.run(&["runs"]).stderr, "there are no runs\n");
    for address in ["notaurl", "example.com/page", "ftp://example.com/", "http://"] {
        let added = home.run(&["source", "add", address]);
        assert_eq!(added.code, Some(2));
        assert!(added.stderr.contains("expected an address that begins with https://"), "{}", added.told());
    }
}

#[tokio::test]
async fn a_copy_of_the_database_is_one() {
    let home = Home::new();
    let store = home.store().await;
    store.enqueue(&NewTask::new(TaskKind::HealRepo, "/srv/code", Timestamp::default())).await.unwrap();
    let backup = home.run(&["backup", "copy.db"]);
    assert_eq!(backup.code, Some(0), "{}", backup.told());
    let copy = format!("sqlite://{}", home.path().join("copy.db").display());
    let tasks = home.run(&["tasks", "--database-url", &copy]);
    assert!(tasks.stdout.contains("/srv/code"), "{}", tasks.told());
    let again = home.run(&["backup", "copy.db"]);
    assert_eq!(again.code, Some(2), "nothing is written over: {}", again.told());
}
