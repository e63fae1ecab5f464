//! The form of JSON that commands print: names in snake case, times as text.

use std::path::Path;

use autoheal_testkit::manual::Manual;
use autoheal_testkit::repository::TestRepository;
use autoheal_testkit::static_site::StaticSite;
use serde_json::{Value, json};

use crate::binary::{Ended, Home};
use crate::healing::World;
use crate::listings::inhabited;
use crate::python_programs;
use crate::scraper::{PAGE, Scraper};

/// Documents with names that the user, a page or the site chooses.
const FOREIGN: [&str; 7] = ["values", "recipe", "definition", "context", "validation", "fields", "provenance"];

/// 2001-09-09 in milliseconds and, as text, the end of names of times.
const LATER: f64 = 1e12;

fn assert_plain_json(command: &str, value: &Value, name: &str) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                let is_snake = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte);
                assert!(name.bytes().all(is_snake), "{command}: `{name}` is not in snake case");
                if !FOREIGN.contains(&name.as_str()) {
                    assert_plain_json(command, value, name);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| assert_plain_json(command, item, name)),
        Value::Number(number) => {
            let is_time =
                ["at", "timestamp", "time"].contains(&name) || name.ends_with("_at") || name.ends_with("_until");
            assert!(
                !is_time && number.as_f64().unwrap() < LATER,
                "{command}: `{name}` is the time {number} as a number"
            );
        }
        Value::String(text) if name.ends_with("_at") || name.ends_with("_until") || name == "at" => {
            assert!(text.parse::<jiff::Timestamp>().is_ok(), "{command}: `{name}` is not a time: {text}");
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Runs a command that prints JSON, and returns it.
fn check(ended: &Ended, command: &str) -> Value {
    let parsed = serde_json::from_str(&ended.stdout);
    assert!(parsed.is_ok(), "{command}: {}", ended.told());
    let value = parsed.unwrap();
    assert_plain_json(command, &value, "");
    value
}

#[tokio::test]
async fn lists_are_plain_json() {
    let home = inhabited().await;
    let commands: [&[&str]; 11] = [
        &["runs"],
        &["report", "last~1"],
        &["tasks"],
        &["tasks", "show", "1"],
        &["alerts"],
        &["usage", "--by", "model"],
        &["check", "--quick"],
        &["config", "show"],
        &["source", "list"],
        &["source", "show", "kettle"],
        &["source", "stats"],
    ];
    for arguments in commands {
        let value = check(&home.run(&[arguments, &["--json"]].concat()), &arguments.join(" "));
        assert!(value.as_array().is_none_or(|items| !items.is_empty()), "{arguments:?}");
    }
}

#[tokio::test]
async fn sources_are_plain_json() {
    let scraper = Scraper::new().await;
    let (url, title) = (scraper.site.url(PAGE), scraper.example("title"));
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--example", &title, "--json"]);
    check(&added, "source add");
    for arguments in
        [&["run", "news"] as &[&str], &["heal", "news"], &["history", "news"], &["export", "files", "news"]]
    {
        check(&scraper.run(&[arguments, &["--json"]].concat()), &arguments.join(" "));
    }
    assert_eq!(scraper.run(&["remove", "news"]).code, Some(0));
    check(&scraper.run(&["import", "files", "--json"]), "source import");
}

#[tokio::test]
async fn pages_are_plain_json() {
    let home = Home::new();
    let page =
        "<title>Soup</title><h1 class='a'>Soup of leeks</h1><p>Text of some length that tells about the soup.</p>";
    let recipe = json!({ "version": 1, "fields": { "title": { "select": "h1.a", "take": "text", "many": false } } });
    std::fs::write(home.path().join("page.html"), page).unwrap();
    std::fs::write(home.path().join("recipe.json"), recipe.to_string()).unwrap();
    check(&home.run(&["extract", "page.html", "--json"]), "extract");
    let relocate = ["relocate", "--old", "page.html", "--new", "page.html", "--recipe", "recipe.json", "--json"];
    check(&home.run(&relocate), "relocate");
    python_programs::learnt(home.path(), true);
    check(&home.run(&["scraper", "fix", "--store", "scraper.heal.db", "--json"]), "scraper fix");
    let manual = Manual::new(1);
    let site = StaticSite::of(manual.pages().clone()).await;
    let start = site.url("/");
    let mut navigate = home.command(&["navigate", manual.questions()[0].goal, "--start", start.as_str(), "--json"]);
    navigate.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
    check(&Ended::of(&mut navigate), "navigate");
}

#[test]
fn results_of_setting_up_are_plain_json() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let set_up = || Ended::of(Home::new().command(&["init", "--yes", "--json"]).current_dir(repository.path()));
    assert_eq!(check(&set_up(), "init")["files"], json!([{ "path": ".autoheal.toml", "state": "WRITTEN" }]));
    assert_eq!(check(&set_up(), "init")["files"], json!([{ "path": ".autoheal.toml", "state": "UNCHANGED" }]));
}

#[test]
fn results_of_healing_are_plain_json() {
    let Some(world) = World::new() else { return };
    let results = check(&Ended::of(&mut world.heal()), "heal");
    assert_eq!(results["stop_reason"], "GREEN");
    check(&world.home.run(&["report", "last", "--json"]), "report");
    check(&world.home.run(&["tasks", "show", "1", "--json"]), "tasks show");
}

/// Commands that the tests of this file run.
const CHECKED: [&str; 14] = [
    "heal",
    "init",
    "report",
    "runs",
    "tasks",
    "alerts",
    "usage",
    "check",
    "config show",
    "source",
    "relocate",
    "scraper fix",
    "extract",
    "navigate",
];

#[test]
fn every_documented_command_is_checked() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command-line.md");
    let page = std::fs::read_to_string(page).unwrap();
    let documented: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `autoheal ")?.split('`').next()).collect();
    assert_eq!(documented, CHECKED);
}
