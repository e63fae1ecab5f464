//! Settings: the file under the environment under the flags.

use std::fs;

use serde_json::{Value, json};

use crate::binary::{Ended, Home};

fn write_settings(home: &Home, text: &str) {
    let folder = home.path().join(".config/autoheal");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("autoheal.toml"), text).unwrap();
}

fn database_folder(home: &Home, name: &str) -> String {
    let folder = home.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    folder.display().to_string()
}

#[test]
fn flags_stand_over_the_environment_and_that_over_the_file() {
    let home = Home::new();
    let places = ["of-the-file", "of-the-environment", "of-the-flag"].map(|name| database_folder(&home, name));
    let has_database = |place: &String| std::path::Path::new(place).join("autoheal.db").exists();

    write_settings(&home, &format!("data_dir = \"{}\"\n", places[0]));
    assert_eq!(home.run(&["tasks"]).code, Some(0));
    assert_eq!(places.each_ref().map(has_database), [true, false, false]);

    let ended = Ended::of(home.command(&["tasks"]).env("AUTOHEAL_DATA_DIR", &places[1]));
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!(places.each_ref().map(has_database), [true, true, false]);

    let mut command = home.command(&["tasks", "--data-dir", &places[2]]);
    assert_eq!(Ended::of(command.env("AUTOHEAL_DATA_DIR", &places[1])).code, Some(0));
    assert_eq!(places.each_ref().map(has_database), [true, true, true]);
}

#[test]
fn an_unknown_key_names_the_file_and_the_line() {
    let home = Home::new();
    write_settings(&home, "log = \"info\"\n\n[heal]\nretry_limt = 3\n");
    let ended = home.run(&["tasks"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    for expected in [".config/autoheal/autoheal.toml", "line 4", "unknown field `retry_limt`", "`retry_limit`"] {
        assert!(ended.stderr.contains(expected), "{expected} is missing in: {}", ended.stderr);
    }
}

#[test]
fn a_wrong_value_in_the_environment_names_the_setting() {
    let home = Home::new();
    let ended = Ended::of(home.command(&["tasks"]).env("AUTOHEAL_RETRY_LIMIT", "many"));
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("RETRY_LIMIT"), "{}", ended.stderr);
}

#[test]
fn limits_apply_to_the_file_the_environment_and_flags() {
    let home = Home::new();
    for millis in ["0", "999"] {
        let ended = Ended::of(home.command(&["tasks"]).env("AUTOHEAL_CI_POLL_MILLIS", millis));
        assert_eq!(ended.code, Some(2), "{}", ended.told());
        assert!(
            ended.stderr.contains("github.poll_millis") && ended.stderr.contains("at least 1000"),
            "{}",
            ended.stderr
        );
    }
    let ended = home.run(&["navigate", "oil", "--start", ".", "--max-steps", "0"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("expected 1 to 1000"), "{}", ended.told());
    write_settings(&home, "[keep]\nrun_days = 7\n");
    let ended = home.run(&["tasks"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("keep.run_days: expected at least 8"), "{}", ended.told());
}

#[test]
fn a_text_may_look_like_a_number_or_a_list() {
    let home = Home::new();
    let place = database_folder(&home, "2026");
    let ended = Ended::of(home.command(&["tasks", "--data-dir", "2026"]).env("AUTOHEAL_TEAM", "7"));
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert!(std::path::Path::new(&place).join("autoheal.db").exists());
    for hosts in ["[\"a.example\"]", "[a.example, b.example]"] {
        let ended = Ended::of(home.command(&["tasks"]).env("AUTOHEAL_HOSTS", hosts));
        assert_eq!(ended.code, Some(0), "{}", ended.told());
    }
}

#[test]
fn earlier_names_of_flags_still_work() {
    for arguments in [&["--ci-timeout", "5"] as &[&str], &["--no-wait-ci"], &["--push"], &["--ci-seconds", "5"]] {
        let ended = Home::new().run(&[&["heal", "/nowhere/at/all"], arguments].concat());
        assert!(ended.code == Some(2) && !ended.stderr.contains("unexpected argument"), "{}", ended.told());
    }
    let both = Home::new().run(&["heal", ".", "--no-wait-ci", "--ci", "github"]);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.told());
    let both = Home::new().run(&["tasks", "--record", "a", "--replay", "b"]);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.told());
}

#[test]
fn a_misspelled_variable_is_refused() {
    let home = Home::new();
    let ended = Ended::of(home.command(&["tasks"]).env("AUTOHEAL_RETRY_LIMTI", "3"));
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(
        ended.stderr.contains(
            "unknown environment variable AUTOHEAL_RETRY_LIMTI; the most similar one is AUTOHEAL_RETRY_LIMIT"
        ),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_settings_file_that_was_named_must_exist() {
    let ended = Home::new().run(&["--config", "nowhere.toml", "tasks"]);
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("cannot read the settings file nowhere.toml"), "{}", ended.stderr);
}

#[test]
fn settings_of_the_folder_at_hand_are_not_read() {
    let home = Home::new();
    fs::write(home.path().join("autoheal.toml"), "[sandbox]\nkind = \"none\"\nnonsense = 1\n").unwrap();
    assert_eq!(home.run(&["tasks"]).code, Some(0), "a repository must not choose its own isolation");
}

#[test]
fn an_unknown_database_is_bad_input_and_its_password_is_not_told() {
    let ended = Home::new().run(&["--database-url", "oracle://me:hunter2@db/heal", "--log", "trace", "tasks"]);
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    assert!(ended.stderr.contains("postgres://"), "{}", ended.stderr);
}

#[test]
fn bad_flags_are_bad_input() {
    let home = Home::new();
    for arguments in [
        &["heal"] as &[&str],
        &["heal", ".", "--dry-run", "--no-push"],
        &["heal", ".", "--sandbox", "paper"],
        &["heal", ".", "--model", "gpt"],
        &["heal", ".", "--test-command", "pytest 'unclosed"],
        &["heal", ".", "--test-command", ""],
        &["heal", "/nowhere/at/all"],
        &["heal", "git@github.com:owner/repo.git"],
        &["heal", "https://user:secret@github.com/owner/repo"],
        &["heal", "--resume", "01920f4e-7f35-7aa0-8a43-3c0a5c1b7e11"],
        &["--log", "a=b=c", "tasks"],
    ] {
        let ended = home.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", ended.told());
        assert!(!ended.stderr.is_empty() && !ended.stderr.contains("secret@"), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn effective_settings_have_their_origins_and_no_secrets() {
    let home = Home::new();
    let settings =
        "log_json = true\n[heal]\nteam = \"Blue\"\n[alerts]\nwebhook = \"https://hooks.example/T0/B0/abc\"\n";
    std::fs::write(home.path().join("own.toml"), settings).unwrap();
    let shown = Ended::of(
        home.command(&["config", "show", "--changed", "--json", "--config", "own.toml", "--log", "error"])
            .env("AUTOHEAL_DATABASE_URL", "postgres://ada:geheim@db.example/autoheal"),
    );
    let shown: Vec<Value> = serde_json::from_str(&shown.stdout).unwrap();
    let shown: Vec<_> = shown
        .iter()
        .map(|setting| (&setting["key"], &setting["value"], &setting["origin"], &setting["set_by"]))
        .collect();
    let expected = json!([
        ["database_url", "postgres://***@db.example/autoheal", "environment", "AUTOHEAL_DATABASE_URL"],
        ["log", "error", "flag", "--log"],
        ["log_json", true, "file", null],
        ["heal.team", "Blue", "file", null],
        ["alerts.webhook", "(hidden)", "file", null],
    ]);
    assert_eq!(json!(shown), expected);
    let all = home.run(&["config", "show"]).stdout;
    assert!(all.contains("heal.retry_limit\t5\tdefault\t\n"), "{all}");
    assert_eq!(home.run(&["config", "show", "--changed"]).stdout, "");
}
