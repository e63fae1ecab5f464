//! A manual navigated by the real binary.

use std::process::Command;

use autoheal_navigate::PageState;
use autoheal_testkit::manual::{Manual, Question};
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::static_site::StaticSite;
use serde_json::{Value, json};

use crate::binary::{Ended, Home};

struct Setting {
    home: Home,
    manual: Manual,
    site: StaticSite,
}

impl Setting {
    async fn new() -> Self {
        let manual = Manual::new(3);
        let site = StaticSite::of(manual.pages().clone()).await;
        Self { home: Home::new(), manual, site }
    }

    fn command(&self, question: &Question, more: &[&str]) -> Command {
        let start = self.site.url("/");
        let vehicle = ["--year", question.year, "--make", question.make, "--vehicle-model", question.model];
        let arguments = [&["navigate", question.goal, "--start", start.as_str()], &vehicle[..], more].concat();
        let mut command = self.home.command(&arguments);
        command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        command
    }
}

#[tokio::test]
async fn an_answer_has_its_page_and_its_path() {
    let setting = Setting::new().await;
    let question = &setting.manual.questions()[0];
    let ended = Ended::of(&mut setting.command(question, &[]));
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    for part in [&question.answer, "source: http://127.0.0.1", "in: Home > Jeep Truck > 2012", "CLICK '2012'"] {
        assert!(ended.stdout.contains(part), "{part} is missing in {}", ended.told());
    }
    assert!(ended.stderr.starts_with(" 1. OPEN http://"), "steps are told: {}", ended.told());
    let ended = Ended::of(&mut setting.command(question, &["--json", "--quiet"]));
    let result: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&result["success"], ended.stderr.as_str()), (&json!(true), ""));
    assert!(result["fetches"].as_u64() <= result["steps_taken"].as_u64());
}

#[tokio::test]
async fn an_index_is_built_once_and_answers_without_requests() {
    let setting = Setting::new().await;
    let start = setting.site.url("/");
    let mut build = setting.home.command(&["navigate", "--index", "--start", start.as_str(), "--json"]);
    build.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
    let built = Ended::of(&mut build);
    let summary: Value = serde_json::from_str(&built.stdout).unwrap();
    assert_eq!((built.code, &summary["complete"], &summary["failed"]), (Some(0), &json!(true), &json!(0)), "{summary}");
    let before = setting.site.asked().len();
    let question = &setting.manual.questions()[0];
    let ended = Ended::of(&mut setting.command(question, &[]));
    assert!(ended.stdout.contains(&question.answer) && ended.stderr.starts_with("index of "), "{}", ended.told());
    assert_eq!(setting.site.asked().len(), before);
    let walked = Ended::of(&mut setting.command(question, &["--no-index"]));
    assert!(walked.stdout.contains(&question.answer) && setting.site.asked().len() > before, "{}", walked.told());
    let refused = setting.home.run(&["navigate", "--start", start.as_str()]);
    assert_eq!(refused.code, Some(2), "a goal is needed: {}", refused.told());
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let setting = Setting::new().await;
    let question = Question { goal: "alternator output", ..setting.manual.questions()[0].clone() };
    let ended = Ended::of(&mut setting.command(&question, &[]));
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert!(ended.stdout.is_empty() && ended.stderr.contains("not found"), "{}", ended.told());
    let ended = Ended::of(&mut setting.command(&question, &["--json", "--max-steps", "2"]));
    let result: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&result["success"], &result["steps_taken"], ended.code), (&json!(false), &json!(2), Some(1)));
}

#[tokio::test]
async fn a_model_is_asked_and_accounted_for() {
    let setting = Setting::new().await;
    let question = &setting.manual.questions()[0];
    let page =
        PageState::parse(setting.manual.pages()[&question.path].as_bytes(), &"http://a.example/".parse().unwrap());
    let row = page.content_text.lines().find(|line| line.contains(&question.answer)).unwrap();
    let click = json!({ "tool": "click", "link_text": "Engine Oil > Capacity Specifications" });
    let extract = json!({ "tool": "extract", "quote": row });
    let answers = [click, extract].map(|action| Scripted::openai(&action.to_string()));
    let server = ModelServer::start(answers).await;
    let mut command = setting.command(question, &["--model", "openai/gpt-4o-mini"]);
    command.env("AUTOHEAL_OPENAI_URL", server.url().as_str()).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
    let ended = Ended::of(&mut command);
    assert!(ended.stdout.contains(&question.answer), "{}", ended.told());
    for line in ["asking openai/gpt-4o-mini (navigate)", "language model: 2 requests, 30 tokens (20 in, 8 of them"] {
        assert!(ended.stderr.contains(line), "{line} is missing in {}", ended.told());
    }
    let usage = Ended::of(&mut setting.home.command(&["usage", "--by", "purpose", "--json"]));
    let usage: Value = serde_json::from_str(&usage.stdout).unwrap();
    assert_eq!((&usage[0]["name"], &usage[0]["calls"]), (&"navigate".into(), &2.into()), "{usage}");
}

#[tokio::test]
async fn a_folder_is_a_manual_and_a_vehicle_s_model_is_no_language_model() {
    let setting = Setting::new().await;
    let folder = setting.home.path().join("manual");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("index.html"), "<title>Pumps</title><a href=fuel.html>Fuel pump</a>").unwrap();
    let table = "<table><tr><th>Part<th>Pressure<tr><td>fuel pump<td>3 bar</table>";
    std::fs::write(folder.join("fuel.html"), format!("<title>Fuel</title>{table}")).unwrap();
    let found = setting.home.run(&["navigate", "pressure of the fuel pump", "--start", "manual"]);
    assert!(found.stdout.starts_with("Part: fuel pump | Pressure: 3 bar\n"), "{}", found.told());
    let refused = setting.home.run(&["navigate", "pressure", "--start", "manual", "--model", "Liberty"]);
    assert_eq!(refused.code, Some(2), "{}", refused.told());
    assert!(refused.stderr.contains("--vehicle-model"), "{}", refused.told());
    let missing = setting.home.run(&["navigate", "pressure", "--start", "nowhere"]);
    assert_eq!(missing.code, Some(2), "{}", missing.told());
}
