//! Extraction by a language model, also with the user's own schema: the real binary, and a server that speaks a provider's protocol.

use std::fs;
use std::process::Command;

use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::site::Site;
use serde_json::{Value, json};

use crate::binary::{Ended, Home};

pub(crate) const POT: &str = "<title>Pot, large | Shop</title><h1>Pot, large</h1><p class=price>12,50 &euro;</p>
    <dl><dt>Made in<dd>Portugal</dl>";
pub(crate) const ANSWER: &str = r#"{"page_type": "product", "title": "Pot, large", "price": {"amount": "12.50", "currency": "EUR"},
    "brand": "Globex"}"#;

/// A home with the page `pot.html`.
pub(crate) fn home() -> Home {
    let home = Home::new();
    fs::write(home.path().join("pot.html"), POT).unwrap();
    home
}

/// `extract` with a model.
pub(crate) fn command(home: &Home, server: &ModelServer, arguments: &[&str]) -> Command {
    let mut command = home.command(&[&["extract", "--model", "openai/gpt-4o-mini"], arguments].concat());
    command.env("AUTOHEAL_OPENAI_URL", server.url().as_str()).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
    command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
    command
}

pub(crate) fn run(home: &Home, server: &ModelServer, arguments: &[&str]) -> Ended {
    Ended::of(&mut command(home, server, arguments))
}

pub(crate) fn json_of(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    serde_json::from_str(&ended.stdout).unwrap()
}

#[tokio::test]
async fn each_mode_asks_and_its_questions_are_accounted_for() {
    let home = home();
    for (mode, calls) in [("llm_fixed", 1), ("llm_dynamic", 1), ("llm_dynamic_adaptive", 1)] {
        let server = ModelServer::start([Scripted::openai(ANSWER)]).await;
        let item = json_of(&run(&home, &server, &["pot.html", "--mode", mode, "--json"]));
        assert_eq!((&item["title"], &item["price"]["amount"]), (&"Pot, large".into(), &"12.50".into()), "{mode}");
        let provenance = &item["provenance"]["brand"];
        assert_eq!((&provenance["source"], &provenance["grounding"]), (&"model".into(), &"not_found".into()), "{mode}");
        assert_eq!(server.requests().len(), calls, "{mode}: the first question of the last mode was answered before");
    }
    let usage = json_of(&Ended::of(&mut home.command(&["usage", "--by", "purpose", "--json"])));
    let calls: Vec<(&str, u64)> = usage
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["calls"].as_u64().unwrap()))
        .collect();
    assert!(
        [("extract_fixed", 1), ("extract_dynamic", 1), ("extract_retry", 1)].iter().all(|one| calls.contains(one)),
        "{calls:?}"
    );
}

#[tokio::test]
async fn strict_drops_what_the_page_does_not_hold_and_says_so() {
    let (home, server) = (home(), ModelServer::start([Scripted::openai(ANSWER)]).await);
    let marked = run(&home, &server, &["pot.html", "--mode", "llm_dynamic"]);
    assert!(marked.stdout.contains("brand (model 0.20, not on the page): Globex"), "{}", marked.told());
    let strict = run(&home, &server, &["pot.html", "--mode", "llm_dynamic", "--strict", "--json"]);
    assert!(strict.stderr.contains("brand") && strict.stderr.contains("not on the page"), "{}", strict.told());
    let item = json_of(&strict);
    assert_eq!((&item["brand"], &item["title"]), (&Value::Null, &"Pot, large".into()));
}

#[tokio::test]
async fn a_mode_that_asks_needs_a_model_and_never_becomes_another_mode() {
    let home = home();
    for mode in ["llm_fixed", "llm_dynamic", "llm_dynamic_adaptive"] {
        let unnamed = home.run(&["extract", "pot.html", "--mode", mode]);
        assert_eq!((unnamed.code, unnamed.stdout.as_str()), (Some(2), ""));
        assert!(unnamed.stderr.contains("--model PROVIDER/NAME"), "{}", unnamed.told());
        let dead = Scripted::new(401, &json!({ "error": { "message": "wrong key" } }));
        let refused = run(&home, &ModelServer::start([dead]).await, &["pot.html", "--mode", mode]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""), "nothing is given: {}", refused.told());
        assert!(refused.stderr.contains("wrong key"), "{}", refused.told());
    }
}

#[tokio::test]
async fn retries_are_a_setting_of_the_environment_and_a_wrong_model_costs_no_more() {
    let home = home();
    for (retries, calls) in [("0", 2), ("3", 2)] {
        let server = ModelServer::start([Scripted::openai("It is a pot.")]).await;
        let mut command = command(&home, &server, &["pot.html"]);
        let ended = Ended::of(command.env("LLM_SCHEMA_RETRIES", retries).env("AGENT_MODE", "llm_dynamic_adaptive"));
        assert_eq!((ended.code, server.requests().len()), (Some(1), calls), "{}", ended.told());
        assert!(ended.stderr.contains("holds no JSON"), "{}", ended.told());
    }
}

#[tokio::test]
async fn what_a_model_answered_is_recorded_and_replayed_without_it() {
    let (home, server) = (home(), ModelServer::start([Scripted::openai(ANSWER)]).await);
    let arguments = ["pot.html", "--mode", "llm_fixed", "--json"];
    let recorded = json_of(&run(&home, &server, &[&arguments[..], &["--record", "answers.jsonl"]].concat()));
    let written = fs::read_to_string(home.path().join("answers.jsonl")).unwrap();
    assert!(written.contains("\"origin\":\"recorded\"") && !written.contains("sk-a-secret"), "{written}");
    let replayed = home.run(&[&["extract"], &arguments[..], &["--replay", "answers.jsonl"]].concat());
    assert_eq!(json_of(&replayed), recorded);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn rules_then_a_model_gives_what_rules_give_without_one_and_says_so() {
    let home = home();
    let alone = home.run(&["extract", "pot.html", "--mode", "rules_then_llm", "--json"]);
    assert!(alone.stderr.contains("rules alone read the page"), "{}", alone.told());
    let rules = json_of(&home.run(&["extract", "pot.html", "--json"]));
    assert_eq!(json_of(&alone), rules);
    let server = ModelServer::start([Scripted::openai(r#"{"availability": "Made in Portugal", "price": null}"#)]).await;
    let item = json_of(&run(&home, &server, &["pot.html", "--mode", "rules_then_llm", "--json"]));
    assert_eq!((&item["title"], &item["provenance"]["title"]), (&rules["title"], &rules["provenance"]["title"]));
    assert_eq!(item["price"], rules["price"], "what the model does not find stays as rules found it");
    assert_eq!(server.requests().len(), 1);
    let asked = &server.documents()[0]["response_format"]["json_schema"]["schema"]["properties"];
    assert!(asked["description"].is_object() && asked.get("title").is_none(), "{asked}");
}

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["productName", "madeIn"],
    "properties": {"productName": {"type": "string"}, "cost": {"type": "number"}, "madeIn": {"type": "string"}}}"#;

#[tokio::test]
async fn a_schema_is_filled_in_every_mode() {
    let home = home();
    fs::write(home.path().join("pot.json"), SCHEMA).unwrap();
    let answer = r#"{"product_name": "Pot, large", "price": "12,50 €", "made in": "Portugal"}"#;
    for mode in ["rule_based", "llm_fixed", "llm_dynamic", "llm_dynamic_adaptive", "rules_then_llm"] {
        let server = ModelServer::start([Scripted::openai(answer)]).await;
        let arguments = ["pot.html", "--mode", mode, "--schema", "pot.json", "--strict", "--json"];
        let own = json_of(&run(&home, &server, &arguments));
        let mut wanted = json!({ "productName": "Pot, large", "madeIn": "Portugal", "cost": 12.5 });
        if mode == "rule_based" {
            // To rules nothing says that this is the page of a product, and an amount alone is no price.
            wanted.as_object_mut().unwrap().remove("cost");
        }
        assert_eq!(own["item"], wanted, "{mode}");
        assert_eq!(own["provenance"].as_object().unwrap().len(), wanted.as_object().unwrap().len(), "{mode}");
        // The first question of `llm_dynamic_adaptive` was answered before.
        if let Some(asked) = server.documents().first() {
            let properties = &asked["response_format"]["json_schema"]["schema"]["properties"];
            let is_open = mode != "rules_then_llm";
            assert_eq!((properties["madeIn"].is_object(), properties["cost"].is_object()), (is_open, true), "{mode}");
        }
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_or_filled_says_why() {
    let (home, site) = (home(), Site::start().await);
    let article = site.url("/article/1");
    for (schema, told) in [
        ("{", "no JSON"),
        (r#"{"type": "array"}"#, "no object"),
        (r#"{"properties": {"a": {"$ref": "https://example.com/a.json"}}}"#, "other documents are not fetched"),
        (r#"{"properties": {"a": {"type": "colour"}}}"#, "no JSON Schema"),
    ] {
        fs::write(home.path().join("wrong.json"), schema).unwrap();
        let mut command = home.command(&["extract", article.as_str(), "--schema", "wrong.json"]);
        let refused = Ended::of(command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]"));
        assert!(refused.code == Some(2) && refused.stderr.contains(told), "{}", refused.told());
        assert!(refused.stderr.contains("wrong.json"), "{}", refused.told());
    }
    assert_eq!(site.requests_in_all(), 0, "before any page is asked for");
    fs::write(home.path().join("pot.json"), SCHEMA.replace("madeIn", "weight")).unwrap();
    let missing = home.run(&["extract", "pot.html", "--schema", "pot.json"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.contains("weight"), "{}", missing.told());
}

#[tokio::test]
async fn a_screenshot_is_kept_or_missed_without_harm() {
    let (home, site) = (home(), Site::start().await);
    let article = site.url("/article/1");
    let run = |input: &str, browser: Option<&str>| {
        let mut command = home.command(&["extract", input, "--screenshot", "pictures", "--json"]);
        command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        command.env("AUTOHEAL_BROWSER_SANDBOX", "false");
        browser.map(|browser| command.env("AUTOHEAL_BROWSER", browser));
        Ended::of(&mut command)
    };
    for (input, browser) in [("pot.html", None), (article.as_str(), Some("/nowhere/chromium"))] {
        let without = run(input, browser);
        assert!(without.stderr.contains("no screenshot was taken"), "{}", without.told());
        assert_eq!(json_of(&without)["screenshot_path"], Value::Null);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_browser = std::env::split_paths(&path).any(|folder| folder.join("chromium").is_file());
    if !has_browser {
        autoheal_testkit::skip("Chromium", "there is no `chromium` on PATH");
        return;
    }
    let item = json_of(&run(article.as_str(), None));
    let picture = home.path().join(item["screenshot_path"].as_str().unwrap());
    assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"));
}
