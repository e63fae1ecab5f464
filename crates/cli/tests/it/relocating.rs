//! Tests of `autoheal relocate`, which heals selectors offline.

use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::binary::Home;

const OLD: &str = "<html><head><title>Old soup</title></head><body><h1 class='headline'>Old soup</h1>\
    <span class='price'>4 EUR</span><p>Text of some length that tells about the soup.</p></body></html>";
const NEW: &str = "<html><head><title>New stew</title><meta property='og:title' content='New stew'></head><body><nav>\
    <a href='/'>Home</a></nav><div class='top'><h1 class='title-x'>New stew</h1></div><span class='price'>5 EUR</span>\
    <p>Other words of some length that tell about the stew.</p></body></html>";

fn recipe() -> Value {
    json!({"version": 1, "fields": {
        "title": {"select": "h1.headline", "take": "text", "many": false, "example": ["Old soup"]},
        "price": {"select": ".price", "take": "text", "many": false, "example": ["4 EUR"]},
    }})
}

fn home() -> Home {
    let home = Home::new();
    fs::write(home.path().join("old.html"), OLD).unwrap();
    fs::write(home.path().join("new.html"), NEW).unwrap();
    fs::write(home.path().join("recipe.json"), recipe().to_string()).unwrap();
    home
}

#[test]
fn a_moved_field_is_found_and_a_kept_one_kept() {
    let home = home();
    let ended = home.run(&["relocate", "--old", "old.html", "--new", "new.html", "--recipe", "recipe.json", "--json"]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(answer["fields"]["price"]["status"], "kept", "{answer}");
    assert_eq!(answer["fields"]["price"]["values"], json!(["5 EUR"]));
    assert_eq!(answer["fields"]["title"]["status"], "moved", "{answer}");
    assert_eq!(answer["fields"]["title"]["values"], json!(["New stew"]));
    assert!(answer["ms"].as_f64().unwrap() > 0.0);
    assert_eq!(ended.code, Some(0));
}

#[test]
fn a_batch_answers_in_order_and_a_bad_case_stops_nothing() {
    let home = home();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(OLD.as_bytes()).unwrap();
    fs::write(home.path().join("old.html.gz"), packed.finish().unwrap()).unwrap();
    let lines = [
        json!({"id": "a", "old": ["old.html.gz", "old.html"], "new": "new.html", "recipe": recipe()}).to_string(),
        json!({"id": "b", "old": ["missing.html"], "new": "new.html", "recipe": recipe()}).to_string(),
        json!({"id": "c", "old": ["old.html"], "new": "new.html",
            "recipe": {"version": 1, "fields": {"x": {"select": "h1..", "take": "text"}}}})
        .to_string(),
        "{\"id\": \"d\"".to_owned(),
        json!({"id": "e", "old": ["old.html"], "new": "old.html", "recipe": recipe()}).to_string(),
    ];
    fs::write(home.path().join("cases.jsonl"), lines.join("\n")).unwrap();
    let ended = home.run(&["relocate", "--batch", "cases.jsonl", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let answers: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_str()).collect();
    assert_eq!(ids, [Some("a"), Some("b"), Some("c"), None, Some("e")]);
    assert_eq!(answers[0]["fields"]["title"]["values"], json!(["New stew"]), "{}", answers[0]);
    assert!(answers[1]["error"].as_str().unwrap().contains("missing.html"));
    assert!(answers[2]["error"].as_str().unwrap().contains("h1.."));
    assert!(answers[3]["error"].as_str().unwrap().contains("line 4"));
    assert_eq!(answers[4]["fields"]["title"]["status"], "kept");
}

#[test]
fn what_is_missing_is_bad_input() {
    let home = home();
    for arguments in [
        &["relocate"] as &[&str],
        &["relocate", "--old", "old.html", "--new", "new.html"],
        &["relocate", "--batch", "nothing.jsonl"],
        &["relocate", "--old", "old.html", "--new", "nothing.html", "--recipe", "recipe.json"],
    ] {
        assert_eq!(home.run(arguments).code, Some(2), "{arguments:?}");
    }
}
