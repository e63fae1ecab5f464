//! A language model's part in healing sources: the real binary, a real site, a server that speaks a provider's form.

use std::process::Command;

use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::site::{Change, RawAnswer};
use serde_json::{Value, json};

use crate::binary::Ended;
use crate::scraper::Scraper;

const OLD: &str = "<h1 class=name>A chair</h1><p class=price>12 EUR</p>";

/// Two prices, and nothing says which is which.
const NEW: &str =
    "<h1 class=name>A chair</h1><div><i class=a1>15 EUR</i> <i class=b2>17 EUR</i> <i class=c3>A word</i></div>";

async fn with_chair() -> Scraper {
    with_chair_by("text").await
}

/// A source whose price has this type, and whose page has another layout since it was added.
async fn with_chair_by(value_type: &str) -> Scraper {
    let scraper = Scraper::new().await;
    scraper.site.set("/chair", page(OLD));
    let url = scraper.site.url("/chair");
    let recipe = scraper.home.path().join("recipe.json");
    let price = json!({ "select": ".price", "type": value_type });
    let fields = json!({ "name": { "select": ".name" }, "price": price });
    std::fs::write(&recipe, json!({ "version": 1, "fields": fields }).to_string()).unwrap();
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--recipe", recipe.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set("/chair", page(NEW));
    scraper
}

fn page(body: &str) -> Change {
    Change::Raw(RawAnswer::new("text/html", format!("<!doctype html><body>{body}")))
}

/// Rules, as a model answers them.
fn rules(price: Option<&str>) -> Scripted {
    let fields = json!([
        { "name": "name", "select": "h1", "take": "text" },
        { "name": "price", "select": price, "take": "text" },
    ]);
    Scripted::openai(&json!({ "fields": fields, "items": null }).to_string())
}

/// `source` with a model.
fn command(scraper: &Scraper, server: &ModelServer, arguments: &[&str]) -> Command {
    let mut command = scraper.command(&[arguments, &["--model", "openai/gpt-4o-mini"]].concat());
    command.env("AUTOHEAL_OPENAI_URL", server.url().as_str()).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
    command
}

#[tokio::test]
async fn without_a_model_what_is_not_sure_is_not_healed() {
    let scraper = with_chair().await;
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
}

#[tokio::test]
async fn a_model_may_say_where_a_known_value_is() {
    let scraper = with_chair_by("money").await;
    // The old price stands twice, both times written in another way, and beside another one: rules do not choose.
    scraper.site.set("/chair", page(&NEW.replace("17 EUR", "12,00 EUR").replace("A word", "EUR 12.00")));
    let server = ModelServer::start([rules(Some(".b2"))]).await;
    let healed = Ended::of(&mut command(&scraper, &server, &["run", "news"]));
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(shown["recipe"]["fields"]["price"]["select"], ".b2", "{shown}");
    assert_eq!(shown["recipe"]["fields"]["name"]["select"], ".name", "a rule that holds is not the model's to change");
    let asked = &server.documents()[0];
    let prompt = asked["messages"][0]["content"].as_str().unwrap();
    for part in
        ["PARSE_ERROR", "Missing field: price", "<untrusted diff", "i.b2: 12,00 EUR", "<untrusted recipe", ".price"]
    {
        assert!(prompt.contains(part), "{part} is missing in {prompt}");
    }
    assert_eq!(asked["response_format"]["json_schema"]["strict"], true);
    let usage = Ended::of(&mut scraper.home.command(&["usage", "--by", "purpose", "--json"]));
    let usage: Value = serde_json::from_str(&usage.stdout).unwrap();
    assert_eq!((&usage[0]["name"], &usage[0]["calls"]), (&"diagnose_source".into(), &1.into()), "{usage}");
}

#[tokio::test]
async fn what_nothing_but_a_model_says_waits_for_a_person() {
    let scraper = with_chair().await;
    let server = ModelServer::start([rules(Some(".b2"))]).await;
    let run = Ended::of(&mut command(&scraper, &server, &["run", "news"]));
    assert_eq!(run.code, Some(1), "{}", run.told());
    assert_eq!(scraper.run(&["data", "news"]).stdout.lines().count(), 1, "nothing is kept before somebody has looked");
    let shown = scraper.json(&["show", "news"]);
    let alert = shown["alerts"][0]["message"].as_str().unwrap();
    assert!(alert.contains("nothing but the model says that price"), "{alert}");
    assert_eq!(scraper.run(&["approve", "news"]).code, Some(0));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    let data = scraper.run(&["data", "news"]);
    let last: Value = serde_json::from_str(data.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["values"]["price"], "17 EUR");
}

#[tokio::test]
async fn a_model_that_is_wrong_is_told_once_and_not_believed() {
    let scraper = with_chair().await;
    // A word instead of a price; then a selector that finds nothing.
    let server = ModelServer::start([rules(Some(".c3")), rules(Some(".d4"))]).await;
    let run = Ended::of(&mut command(&scraper, &server, &["run", "news"]));
    assert_eq!(run.code, Some(1), "{}", run.told());
    let asked = server.documents();
    assert_eq!(asked.len(), 2);
    let told = asked[1]["messages"][2]["content"].as_str().unwrap();
    assert!(told.contains("That does not work") && told.contains("price"), "{told}");
    assert_eq!(scraper.run(&["data", "news"]).stdout.lines().count(), 1, "nothing wrong was kept");
}

#[tokio::test]
async fn a_model_that_finds_nothing_says_so_and_a_wrong_one_costs_at_most_the_budget() {
    let scraper = with_chair().await;
    let server = ModelServer::start([rules(None)]).await;
    for _ in 0..5 {
        let mut run = command(&scraper, &server, &["run", "news"]);
        assert_eq!(Ended::of(run.env("AUTOHEAL_DAY_CALLS", "3")).code, Some(1));
    }
    assert_eq!(server.requests().len(), 3, "the budget of the day");
    assert_eq!(scraper.health(), "QUARANTINED");
}

#[tokio::test]
async fn what_a_model_answered_is_replayed_without_it() {
    let scraper = with_chair().await;
    let recording = scraper.home.path().join("answers.jsonl");
    let recording_text = recording.to_str().unwrap();
    let server = ModelServer::start([rules(Some(".b2"))]).await;
    let healed = Ended::of(&mut command(&scraper, &server, &["heal", "news", "--record", recording_text, "--json"]));
    assert!(healed.stdout.contains("in_review"), "{}", healed.told());
    let written = std::fs::read_to_string(&recording).unwrap();
    assert!(written.contains("\"origin\":\"recorded\"") && !written.contains("sk-a-secret"), "{written}");
    // The same answer, as a person would write it: to whatever is asked.
    let recorded: Value = serde_json::from_str(written.trim()).unwrap();
    let line = json!({ "origin": "scripted", "model": recorded["model"], "answer": recorded["answer"] });
    std::fs::write(&recording, format!("{line}\n")).unwrap();
    let again = with_chair().await;
    let healed = again.run(&["heal", "news", "--replay", recording_text, "--json"]);
    assert!(healed.stdout.contains("in_review"), "{}", healed.told());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_model_without_a_key_is_refused_with_what_to_do() {
    let scraper = with_chair().await;
    let mut run = scraper.command(&["run", "--model", "openai/gpt-4o-mini"]);
    let refused = Ended::of(run.env_remove("OPENAI_API_KEY"));
    assert!(refused.code == Some(3) && refused.stderr.contains("OPENAI_API_KEY"), "{}", refused.told());
    let refused = scraper.run(&["run", "--model", "gpt-4o-mini"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("PROVIDER/MODEL"), "{}", refused.told());
}
