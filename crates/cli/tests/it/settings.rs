//! Settings: the file under the environment under the flags.

use std::fs;

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
fn nobody_is_asked_without_a_pause() {
    for millis in ["0", "999"] {
        let ended = Ended::of(Home::new().command(&["tasks"]).env("AUTOHEAL_CI_POLL_MILLIS", millis));
        assert_eq!(ended.code, Some(2), "{}", ended.told());
        assert!(ended.stderr.contains("github.poll_millis") && ended.stderr.contains("1000"), "{}", ended.stderr);
    }
}

#[test]
fn a_misspelled_variable_is_refused() {
    let home = Home::new();
    let ended = Ended::of(home.command(&["tasks"]).env("AUTOHEAL_RETRY_LIMTI", "3"));
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(
        ended.stderr.contains("AUTOHEAL_RETRY_LIMTI is no setting; the nearest one is AUTOHEAL_RETRY_LIMIT"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_settings_file_that_was_named_must_exist() {
    let ended = Home::new().run(&["--config", "nowhere.toml", "tasks"]);
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("nowhere.toml cannot be read"), "{}", ended.stderr);
}

#[test]
fn settings_of_the_folder_at_hand_are_not_read() {
    let home = Home::new();
    fs::write(home.path().join("autoheal.toml"), "[sandbox]\nkind = \"none\"\nnonsense = 1\n").unwrap();
    assert_eq!(home.run(&["tasks"]).code, Some(0), "a repository must not choose the wall around itself");
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
