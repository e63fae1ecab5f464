//! What people and other sources learn of a source.

use autoheal_testkit::site::{Change, Layout, RawAnswer, Site};
use serde_json::Value;

use crate::binary::Ended;
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
async fn sources_of_one_host_that_fail_alike_give_one_alert() {
    let scraper = with_two_sources().await;
    for path in [PAGE, "/article/2"] {
        scraper.site.set(path, Change::DeleteField("title".to_owned()));
    }
    for _ in 0..3 {
        assert_eq!(scraper.run(&["run"]).code, Some(1));
    }
    let alerts = |name: &str| scraper.json(&["show", name])["alerts"].as_array().unwrap().len();
    assert_eq!(scraper.json(&["show", "more"])["health"]["state"], "QUARANTINED");
    assert_eq!(scraper.health(), "QUARANTINED");
    assert_eq!(alerts("news") + alerts("more"), 1);
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
