//! Notifications about a source, to users and to other sources.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_store::ClaimRequest;
use autoheal_testkit::mail::MailServer;
use autoheal_testkit::site::{Change, Layout, RawAnswer, Site};
use serde_json::Value;

use crate::binary::{Ended, Home};
use crate::scraper::{PAGE, Scraper};

/// A site that takes what is posted to `/hook`.
async fn receiver() -> Site {
    let site = Site::start().await;
    site.set("/hook", Change::Raw(RawAnswer::new("text/plain", "thanks")));
    site
}

fn posted(receiver: &Site) -> Option<Value> {
    let request = receiver.last_request("/hook").filter(|request| request.method == "POST")?;
    Some(serde_json::from_slice(&request.body).unwrap())
}

fn page(price: &str) -> Change {
    Change::Raw(RawAnswer::new("text/html", format!("<h1>Chair</h1><p class=price>{price}</p>")))
}

#[tokio::test]
async fn a_change_of_the_values_is_posted_and_signed() {
    let (scraper, receiver) = (Scraper::new().await, receiver().await);
    scraper.site.set("/chair", page("12 EUR"));
    let (url, hook) = (scraper.site.url("/chair"), receiver.url("/hook"));
    let arguments = ["add", url.as_str(), "--name", "news", "--example", "price=12 EUR", "--webhook", hook.as_str()];
    let added = scraper.run(&arguments);
    assert_eq!(added.code, Some(0), "{}", added.told());
    let run = || {
        let ended = Ended::of(scraper.command(&["run", "news"]).env("AUTOHEAL_WEBHOOK_KEY", "a key of mine"));
        assert_eq!(ended.code, Some(0), "{}", ended.told());
    };
    run();
    assert_eq!(posted(&receiver), None, "nothing has changed");
    scraper.site.set("/chair", page("15 EUR"));
    run();
    let body = posted(&receiver).unwrap();
    assert_eq!((&body["type"], &body["values"]["price"]), (&"values".into(), &"15 EUR".into()), "{body}");
    let headers = receiver.last_request("/hook").unwrap().headers;
    assert!(headers["webhook-signature"].starts_with("v1,"), "{headers:?}");
    assert!(headers["webhook-id"].starts_with("notice_"), "{headers:?}");
    run();
    assert_eq!(receiver.requests("/hook"), 1, "once");
}

#[tokio::test]
async fn what_cannot_be_delivered_is_kept_and_shown() {
    let (scraper, receiver) = (Scraper::new().await, receiver().await);
    receiver.set("/hook", Change::Status(500));
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    for _ in 0..3 {
        let hook = receiver.url("/hook");
        let mut command = scraper.command(&["run", "news"]);
        assert_eq!(Ended::of(command.env("AUTOHEAL_ALERT_WEBHOOK", hook.as_str())).code, Some(1));
    }
    let body = posted(&receiver).unwrap();
    assert_eq!((&body["kind"], &body["target"]), (&"QUARANTINE".into(), &"news".into()), "{body}");
    let shown = scraper.json(&["show", "news"]);
    assert!(shown["undelivered"][0]["error"].as_str().unwrap().contains("500"), "{shown}");
    let alerts = scraper.home.run(&["alerts", "--target", "news"]).stdout;
    assert!(alerts.contains("QUARANTINE") && alerts.contains("not delivered by POST after 1 attempt:"), "{alerts}");
}

#[tokio::test]
async fn an_alert_knows_when_it_arrived() {
    let (scraper, receiver) = (Scraper::new().await, receiver().await);
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    for _ in 0..3 {
        let hook = receiver.url("/hook");
        let mut command = scraper.command(&["run", "news"]);
        assert_eq!(Ended::of(command.env("AUTOHEAL_ALERT_WEBHOOK", hook.as_str())).code, Some(1));
    }
    let alerts: Value = serde_json::from_str(&scraper.home.run(&["alerts", "--json"]).stdout).unwrap();
    let alert = &alerts[0];
    assert_eq!((&alert["kind"], &alert["target"]), (&"QUARANTINE".into(), &"news".into()), "{alerts}");
    assert!(alert["posted_at"].is_string() && alert["mailed_at"].is_null(), "{alerts}");
    assert_eq!(alert["undelivered"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn an_alert_is_sent_by_mail_and_tried_again_on_its_own() {
    let (scraper, receiver, mail) = (Scraper::new().await, receiver().await, MailServer::start().await);
    mail.refuse("451 come back later");
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    let run = || {
        let mut command = scraper.command(&["run", "news"]);
        let command = command
            .env("AUTOHEAL_ALERT_WEBHOOK", receiver.url("/hook").as_str())
            .env("AUTOHEAL_SMTP_SERVER", mail.url().as_str())
            .env("AUTOHEAL_MAIL_FROM", "autoheal@example.com")
            .env("AUTOHEAL_MAIL_TO", "[\"Ada <ada@example.com>\"]");
        assert_eq!(Ended::of(command).code, Some(1));
    };
    let alert = || {
        let alerts: Value = serde_json::from_str(&scraper.home.run(&["alerts", "--json"]).stdout).unwrap();
        alerts[0].clone()
    };
    for _ in 0..3 {
        run();
    }
    let refused = alert();
    assert!(refused["posted_at"].is_string() && refused["mailed_at"].is_null(), "{refused}");
    assert_eq!(refused["undelivered"][0]["channel"], "MAIL", "{refused}");
    assert!(refused["undelivered"][0]["error"].as_str().unwrap().contains("come back later"), "{refused}");
    mail.refuse("");
    // Whatever it waits for is over.
    let notice = scraper.home.store().await.undelivered(None, 1).await.unwrap().remove(0);
    scraper.home.store().await.not_delivered(notice.notice, Some(Timestamp::default()), "451").await.unwrap();
    run();
    let arrived = alert();
    assert!(arrived["mailed_at"].is_string(), "{arrived}");
    assert_eq!(arrived["undelivered"], Value::Array(Vec::new()));
    let mails = mail.mails();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].data.contains("Subject: autoheal: QUARANTINE news"), "{}", mails[0].data);
    assert_eq!(receiver.requests("/hook"), 1, "what was posted is not posted again");
}

#[test]
fn settings_of_mail_that_make_no_sense_are_refused() {
    let home = Home::new();
    let mut command = home.command(&["source", "watch"]);
    command.env("AUTOHEAL_SMTP_SERVER", "smtp://mail.example").env("AUTOHEAL_MAIL_FROM", "a@example.com");
    let ended = Ended::of(command.env("AUTOHEAL_MAIL_TO", "[\"nobody\"]"));
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("not a mail address"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_dead_letter_is_told_and_put_back_by_a_person() {
    let home = Home::new();
    assert!(home.run(&["alerts"]).stderr.contains("there are no alerts"));
    let store = home.store().await;
    let task = NewTask { max_retries: 0, ..NewTask::new(TaskKind::HealRepo, "/srv/code", Timestamp::default()) };
    let id = store.enqueue(&task).await.unwrap().id;
    let request = ClaimRequest {
        worker: "test".to_owned(),
        host: "here".to_owned(),
        kinds: vec![TaskKind::HealRepo],
        lease: Duration::from_mins(1),
        only: None,
    };
    let number = id.to_string();
    let early = home.run(&["tasks", "retry", &number]);
    assert_eq!(early.code, Some(2), "{}", early.told());
    let (_, lease) = store.claim(&request).await.unwrap().unwrap();
    store.fail(&lease, "the disk is full", Duration::ZERO).await.unwrap();
    let told = home.run(&["alerts"]).stdout;
    assert!(told.contains("DEAD_LETTER") && told.contains("the disk is full"), "{told}");
    let retried = home.run(&["tasks", "retry", &number]);
    assert_eq!(retried.code, Some(0), "{}", retried.told());
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Pending);
}

/// The scraper with a second source, `more`, on the same host.
async fn with_two_sources() -> Scraper {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    let values = scraper.site.values("/article/2");
    let example = |field: &str| format!("{field}={}", values[field].as_str().unwrap());
    let (url, title, author) = (scraper.site.url("/article/2"), example("title"), example("author"));
    let added = scraper.run(&["add", url.as_str(), "--name", "more", "--example", &title, "--example", &author]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper
}

#[tokio::test]
async fn of_sources_of_one_host_that_fail_alike_one_alert_is_delivered() {
    let (scraper, receiver) = (with_two_sources().await, receiver().await);
    for path in [PAGE, "/article/2"] {
        scraper.site.set(path, Change::DeleteField("title".to_owned()));
    }
    let hook = receiver.url("/hook");
    for _ in 0..3 {
        let mut command = scraper.command(&["run"]);
        assert_eq!(Ended::of(command.env("AUTOHEAL_ALERT_WEBHOOK", hook.as_str())).code, Some(1));
    }
    let alerts = |name: &str| scraper.json(&["show", name])["alerts"].as_array().unwrap().len();
    assert_eq!(scraper.json(&["show", "more"])["health"]["state"], "QUARANTINED");
    assert_eq!(scraper.health(), "QUARANTINED");
    assert_eq!((alerts("news"), alerts("more"), receiver.requests("/hook")), (1, 1, 1));
}

#[tokio::test]
async fn what_healed_one_source_of_a_host_heals_the_next() {
    let scraper = with_two_sources().await;
    for path in [PAGE, "/article/2"] {
        scraper.site.set(path, Change::Layout(Layout::Cards));
    }
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    let healing = scraper.json(&["heal", "more"]);
    assert_eq!(healing["end"], "healed", "{healing}");
    let description = healing["proposal"]["description"].as_str().unwrap();
    assert!(description.contains("healed `news`"), "{description}");
}
