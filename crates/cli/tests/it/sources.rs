//! Sources from end to end: the real binary, a real site that changes.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Health, Snapshot, SnapshotRole, SourceRecord};
use autoheal_testkit::kill::{Scenario, kill_after_each_node};
use autoheal_testkit::site::{Change, Layout, RawAnswer, Scope};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::binary::Ended;
use crate::scraper::{PAGE, Scraper};

#[tokio::test]
async fn a_source_that_breaks_heals_itself() {
    let scraper = Scraper::new().await;
    let added = scraper.add();
    assert_eq!(added.code, Some(0), "{}", added.told());
    let first = scraper.run(&["run", "news"]);
    assert_eq!(first.code, Some(0), "{}", first.told());
    scraper.site.set(PAGE, Change::Layout(Layout::Cards));
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert_eq!(scraper.health(), "ACTIVE");
    let history = scraper.json(&["history", "news"]);
    let stages: Vec<&str> =
        history["recipes"].as_array().unwrap().iter().map(|row| row["stage"].as_str().unwrap()).collect();
    assert_eq!(stages, ["ARCHIVED", "PRODUCTION"], "{history}");
    assert_eq!(history["fixes"][0]["deployed_to"], "PRODUCTION");
    assert_eq!(history["fixes"][0]["error_type"], "PARSE_ERROR");
    let data = scraper.run(&["data", "news"]);
    let last: Value = serde_json::from_str(data.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["values"]["title"], scraper.site.values(PAGE)["title"]);
    assert_eq!(last["values"]["author"], scraper.site.values(PAGE)["author"]);
    assert_eq!(last["recipe_version"], 2);
}

fn of_each<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|each| each[key].as_str().unwrap_or_default()).collect()
}

#[tokio::test]
async fn faults_are_counted_until_a_run_is_good_and_the_timeline_tells_all_of_it() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    assert_eq!(scraper.json(&["show", "news"])["diagnostics"], serde_json::json!([]));
    scraper.site.set(PAGE, Change::Layout(Layout::Cards));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    let healed = scraper.json(&["show", "news"]);
    let diagnostics = healed["diagnostics"].as_array().unwrap();
    assert!(!diagnostics.is_empty() && diagnostics.iter().all(|each| each["resolved_at"].is_string()), "{healed}");
    assert!(of_each(&healed["diagnostics"], "field").contains(&"title"), "{healed}");
    assert_eq!(of_each(&healed["timeline"], "kind"), ["RECOVERED", "FIX_PROMOTED", "FAILED"]);
    assert!(healed["diagnosis"]["html_diff"].as_str().unwrap().starts_with("--- original"), "{healed}");
    // The same fault of another value is the same diagnostic; that of a page that is not there is another one.
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    for _ in 0..2 {
        assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    }
    scraper.site.set(PAGE, Change::Status(503));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    let failed = scraper.json(&["show", "news"]);
    let open: Vec<_> =
        failed["diagnostics"].as_array().unwrap().iter().filter(|each| each["resolved_at"].is_null()).collect();
    let told: Vec<_> = open
        .iter()
        .map(|each| (each["category"].as_str().unwrap(), each["occurrence_count"].as_u64().unwrap()))
        .collect();
    assert_eq!(told.first(), Some(&("HTTP_ERROR", 1)), "{failed}");
    let is_repeated = |(category, count): &(&str, u64)| *category == "PARSE_ERROR" && *count >= 2;
    assert!(told.iter().any(is_repeated), "not resolved by a run that could not read the page: {failed}");
    assert_eq!(of_each(&failed["timeline"], "kind")[0], "FAILED");
    let run = failed["timeline"].as_array().unwrap().iter().find(|event| event["kind"] == "FIX_PROMOTED").unwrap();
    let report = scraper.home.run(&["report", run["run"].as_str().unwrap()]);
    assert!(report.stdout.contains("```diff\n--- original\n+++ current\n@@ "), "{}", report.told());
    let text = scraper.run(&["show", "news"]).stdout;
    assert!(text.contains("\nOPEN\tFIELD\tTIMES") && text.contains("\nTIMELINE\tEVENT\t"), "{text}");
}

#[tokio::test]
async fn three_attempts_in_vain_are_a_quarantine_and_no_fourth_is_made() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    for attempt in 1..=3 {
        let run = scraper.run(&["run", "news"]);
        assert_eq!(run.code, Some(1), "attempt {attempt}: {}", run.told());
    }
    assert_eq!(scraper.health(), "QUARANTINED");
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(shown["alerts"][0]["kind"], "QUARANTINE");
    assert_eq!(shown["alerts"][0]["breaker_reason"], "MAX_ATTEMPTS_REACHED");
    assert_eq!(shown["health"]["breaker_reason"], "MAX_ATTEMPTS_REACHED");
    let last = scraper.home.run(&["runs", "--json", "--limit", "1"]);
    let run = serde_json::from_str::<Value>(&last.stdout).unwrap()[0]["run"].as_str().unwrap().to_owned();
    let results: Value = serde_json::from_str(&scraper.home.run(&["report", &run, "--json"]).stdout).unwrap();
    assert_eq!(results["breaker_reason"], "MAX_ATTEMPTS_REACHED", "{results}");
    // Another process, another run: still no fourth attempt.
    let again = scraper.run(&["run", "news"]);
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("then run `autoheal source release news`"), "{}", again.told());
    assert_eq!(scraper.run(&["heal", "news"]).code, Some(1));
    let history = scraper.json(&["history", "news"]);
    assert_eq!(history["fixes"].as_array().unwrap().len(), 3);
    assert_eq!(scraper.json(&["show", "news"])["alerts"].as_array().unwrap().len(), 1, "told once");
    // A person says so, and the page is well again.
    scraper.site.reset(PAGE);
    assert_eq!(scraper.run(&["release", "news"]).code, Some(0));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    assert_eq!(scraper.health(), "ACTIVE");
}

#[tokio::test]
async fn a_field_that_the_site_adds_is_offered_and_can_be_collected() {
    let scraper = Scraper::new().await;
    let page = |facts: &str| {
        let body = format!("<h1>Blue chair</h1><p class=text>A chair.</p><dl><dt>Legs<dd>4{facts}</dl>");
        scraper.site.set("/chair", Change::Raw(RawAnswer::new("text/html", body)));
    };
    page("");
    let url = scraper.site.url("/chair");
    let added = scraper.run(&["add", url.as_str(), "--name", "chair", "--example", "title=Blue chair"]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    assert!(!scraper.run(&["run", "chair"]).told().contains("new on the page"));
    page("<dt>Weight<dd>12 kg");
    let run = scraper.run(&["run", "chair"]);
    let offer = "new on the page: weight: \"12 kg\"; to collect it: autoheal source set chair --example weight=VALUE";
    assert!(run.code == Some(0) && run.told().contains(offer), "{}", run.told());
    assert_eq!(scraper.run(&["set", "chair", "--example", "weight=13 kg"]).code, Some(2), "it is not on the page");
    let set = scraper.run(&["set", "chair", "--example", "weight=12 kg"]);
    assert_eq!(set.code, Some(0), "{}", set.told());
    page("<dt>Weight<dd>13 kg");
    let run = scraper.run(&["run", "chair"]);
    assert!(run.code == Some(0) && !run.told().contains("new on the page"), "{}", run.told());
    let data = scraper.run(&["data", "chair"]);
    let last: Value = serde_json::from_str(data.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["values"], json!({ "title": "Blue chair", "weight": "13 kg" }));
}

#[tokio::test]
async fn what_is_queued_waits_for_a_worker() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.run(&["run", "--enqueue"]).code, Some(2), "there are no sources");
    scraper.add();
    for created in [true, false] {
        let queued = scraper.json(&["run", "news", "--enqueue"]);
        assert_eq!((&queued[0]["target"], &queued[0]["created"]), (&json!("news"), &json!(created)), "{queued}");
    }
    assert!(scraper.run(&["run", "--enqueue", "--time-limit", "9"]).told().contains("cannot be used with"));
    let state = || scraper.home.run(&["tasks", "--json"]).stdout;
    assert!(state().contains("PENDING"), "{}", state());
    let run = scraper.json(&["run", "news"]);
    assert_eq!(run[0]["outcome"], "fetched", "{run}");
    assert!(!state().contains("PENDING"), "the same task was done: {}", state());
}

#[tokio::test]
async fn a_page_that_moved_is_found_by_its_own_values() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.move_page(PAGE, "/archive/article-1");
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(shown["definition"]["url"], scraper.site.url("/archive/article-1").as_str());
}

#[tokio::test]
async fn a_page_that_moved_into_another_layout_is_found_too() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(Scope::Whole, Change::Layout(Layout::Cards));
    scraper.site.move_page(PAGE, "/archive/article-1");
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(shown["definition"]["url"], scraper.site.url("/archive/article-1").as_str());
    let rows = scraper.home.store().await.values("news", Timestamp::default(), 99).await.unwrap();
    let truth = scraper.site.values("/archive/article-1");
    assert_eq!(rows.last().unwrap().values["title"], truth["title"]);
}

#[tokio::test]
async fn a_selector_that_gives_something_else_is_noticed() {
    let scraper = Scraper::new().await;
    let url = scraper.site.url("/product/1");
    let values = scraper.site.values("/product/1");
    let price = format!("price={}", values["price"].as_str().unwrap());
    let title = format!("title={}", values["title"].as_str().unwrap());
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--example", &title, "--example", &price]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set(
        "/product/1",
        Change::ReplaceField { field: "price".to_owned(), by: "Sign in to see our best offers of the week".to_owned() },
    );
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(1), "{}", run.told());
    assert_eq!(scraper.json(&["history", "news"])["fixes"][0]["error_type"], "SCHEMA_MISMATCH");
    assert_eq!(scraper.run(&["data", "news"]).stdout.lines().count(), 1, "only what was right at first");
}

#[tokio::test]
async fn values_that_have_changed_are_accepted_and_stay_accepted() {
    let scraper = Scraper::new().await;
    let url = scraper.site.url("/product/1");
    let values = scraper.site.values("/product/1");
    let title = format!("title={}", values["title"].as_str().unwrap());
    let price = format!("price={}", values["price"].as_str().unwrap());
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--example", &title, "--example", &price]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    let nothing = scraper.run(&["accept", "news"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("no failed page"), "{}", nothing.told());
    let by = "Sign in to see our best offers of the week".to_owned();
    scraper.site.set("/product/1", Change::ReplaceField { field: "price".to_owned(), by: by.clone() });
    for _ in 0..3 {
        assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    }
    assert_eq!(scraper.health(), "QUARANTINED");
    let shown = scraper.json(&["accept", "news", "--dry-run"]);
    assert_eq!(shown[0]["values"]["price"], by, "{shown}");
    assert_eq!(scraper.health(), "QUARANTINED", "nothing is accepted yet");
    let accepted = scraper.run(&["accept", "news"]);
    assert!(accepted.code == Some(0) && accepted.stdout.contains(&by), "{}", accepted.told());
    assert_eq!(scraper.health(), "ACTIVE");
    let data = scraper.run(&["data", "news"]).stdout;
    assert!(data.lines().count() == 2 && data.contains(&by), "{data}");
    let again = scraper.run(&["run", "news"]);
    assert_eq!(again.code, Some(0), "{}", again.told());
    assert_eq!(scraper.json(&["history", "news"])["decisions"][0]["decision"], "ACCEPTED");
}

#[tokio::test]
async fn a_recipe_of_the_users_becomes_the_active_one() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    let file = scraper.home.path().join("recipe.json");
    std::fs::write(&file, r#"{ "version": 1, "fields": { "heading": { "select": "h1" } } }"#).unwrap();
    let file = file.to_str().unwrap();
    let set = scraper.run(&["set", "news", "--recipe", file]);
    assert_eq!(set.code, Some(0), "{}", set.told());
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(0), "{}", run.told());
    let data = scraper.run(&["data", "news"]).stdout;
    let last: Value = serde_json::from_str(data.lines().next_back().unwrap()).unwrap();
    assert!(last["values"]["heading"].is_string() && last["recipe_version"] == 2, "{data}");
    std::fs::write(file, "{}").unwrap();
    let refused = scraper.run(&["set", "news", "--recipe", file]);
    assert!(refused.code == Some(2) && refused.stderr.contains("recipe.json"), "{}", refused.told());
}

#[tokio::test]
async fn a_site_that_wants_to_be_left_alone_is_asked_less_often() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::RateLimit { retry_after: Some("1".to_owned()), times: None });
    let run = scraper.run(&["run", "news"]);
    assert!(run.code == Some(1) && run.stderr.contains("SLOWED_DOWN"), "no data is no success: {}", run.told());
    let history = scraper.json(&["history", "news"]);
    assert_eq!(history["fixes"][0]["error_type"], "RATE_LIMIT");
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(
        (&shown["definition"]["interval_seconds"], &shown["definition"]["slowdown"]),
        (&21_600.into(), &1.into())
    );
    assert_eq!(shown["recipe"].get("request"), None, "a pause that good runs take back is not part of the recipe");
    assert_eq!(shown["health"]["fix_attempts_today"], 0, "not the fault of the recipe");
    scraper.site.reset(PAGE);
    for _ in 0..3 {
        assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    }
    assert_eq!(
        scraper.json(&["show", "news"])["definition"].get("slowdown"),
        None,
        "as often as before after three good runs"
    );
    scraper.site.set(PAGE, Change::RateLimit { retry_after: Some("1".to_owned()), times: None });
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    assert_eq!(scraper.json(&["show", "news"])["definition"]["slowdown"], 1, "and less often again");
}

#[tokio::test]
async fn a_run_says_what_it_waits_for() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::RateLimit { retry_after: Some("4".to_owned()), times: Some(1) });
    let run = scraper.run(&["run", "news"]);
    let address = scraper.site.url(PAGE);
    let waiting = format!("waiting: {address} answered with status 429; next try in ");
    assert!(run.code == Some(0) && run.stderr.contains(&waiting), "{}", run.told());
}

#[tokio::test]
async fn a_person_decides_where_the_policy_says_so() {
    let scraper = Scraper::new().await;
    let url = scraper.site.url(PAGE);
    let title = scraper.example("title");
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--example", &title, "--heal-policy", "review"]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set(PAGE, Change::Layout(Layout::Cards));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    assert_eq!(scraper.json(&["show", "news"])["alerts"][0]["kind"], "REVIEW");
    assert_eq!(scraper.json(&["show", "news"])["recipe_version"], 1);
    assert_eq!(scraper.run(&["reject", "news", "--reason", "not yet"]).code, Some(0));
    assert_eq!(scraper.run(&["approve", "news"]).code, Some(2), "it does not wait any more");
    assert_eq!(scraper.run(&["reconsider", "news"]).code, Some(0));
    assert_eq!(scraper.run(&["approve", "news"]).code, Some(0));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    assert_eq!(scraper.health(), "ACTIVE");
    assert_eq!(scraper.run(&["rollback", "news"]).code, Some(0));
    assert_eq!(scraper.json(&["show", "news"])["recipe_version"], 1);
    let decisions = scraper.json(&["history", "news"])["decisions"].clone();
    let expected = [("REJECTED", 2), ("RECONSIDERED", 2), ("APPROVED", 2), ("ROLLED_BACK", 1)];
    assert_eq!(decisions[0]["note"], "not yet", "{decisions}");
    for (index, (decision, version)) in expected.into_iter().enumerate() {
        let made = &decisions[index];
        assert_eq!((&made["decision"], &made["version"]), (&decision.into(), &version.into()), "{decisions}");
        assert!(made["asked_by"].as_str().unwrap().starts_with("person"), "{decisions}");
    }
    assert!(scraper.run(&["history", "news"]).stdout.contains("\tAPPROVED\t2\tperson"));
}

#[tokio::test]
async fn a_fix_that_fails_its_first_runs_is_taken_back() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::Layout(Layout::Cards));
    // The run right after the promotion sees what the fix was made for, and is no proof.
    let healed = scraper.run(&["run", "news", "--quiet"]);
    assert_eq!((healed.code, healed.stderr.as_str()), (Some(0), ""), "{}", healed.told());
    assert_eq!(scraper.json(&["show", "news"])["recipe_version"], 2);
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    let failed = scraper.run(&["run", "news", "--quiet"]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.stderr.starts_with("news: broken: "), "it says why, for a cron job: {}", failed.told());
    assert_eq!(scraper.json(&["show", "news"])["recipe_version"], 2, "one failure may be the site's");
    assert_eq!(scraper.json(&["history", "news"])["fixes"].as_array().unwrap().len(), 1, "and no other fix is made");
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(shown["recipe_version"], 1);
    assert!(shown["alerts"].as_array().unwrap().iter().any(|alert| alert["kind"] == "ROLLBACK"), "{shown}");
    assert_eq!(scraper.json(&["stats"])["taken_back"], 1);
}

#[tokio::test]
async fn the_items_of_a_list_are_found_again() {
    let scraper = Scraper::new().await;
    let recipe = scraper.home.path().join("recipe.json");
    let items = "\"items\": {\"select\": \"li.entry\"}, \"fields\": {\"title\": {\"select\": \"a.entry-link\"}}";
    std::fs::write(&recipe, format!("{{\"version\": 1, {items}}}")).unwrap();
    let url = scraper.site.url("/list/1");
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--recipe", recipe.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set("/list/1", Change::Layout(Layout::Cards));
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    let data = scraper.run(&["data", "news"]);
    let titles: Vec<&str> = data.stdout.lines().collect();
    let half = titles.len() / 2;
    let title = |line: &str| serde_json::from_str::<Value>(line).unwrap()["values"]["title"].clone();
    assert!(half >= 4, "{}", data.stdout);
    assert_eq!(
        titles[..half].iter().map(|line| title(line)).collect::<Vec<_>>(),
        titles[half..].iter().map(|line| title(line)).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn another_page_of_the_site_is_not_taken_for_the_page() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    // The page is gone, and the others are still there.
    scraper.site.set(PAGE, Change::Status(404));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    assert_eq!(scraper.json(&["show", "news"])["definition"]["url"], scraper.site.url(PAGE).as_str());
    // Nor when the site leads there by itself.
    scraper.site.reset(PAGE);
    scraper.site.set(PAGE, Change::RedirectPermanently("/article/2".to_owned()));
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(1), "{}", run.told());
    assert_eq!(scraper.json(&["show", "news"])["definition"]["url"], scraper.site.url(PAGE).as_str());
    assert_eq!(scraper.run(&["data", "news"]).stdout.lines().count(), 1, "nothing wrong was kept");
    let fixes = scraper.json(&["history", "news"])["fixes"].as_array().unwrap().len();
    assert_eq!(fixes, 1, "there is nothing to try when the site leads elsewhere");
}

#[tokio::test]
async fn what_did_not_pass_cannot_be_approved() {
    let scraper = Scraper::new().await;
    let url = scraper.site.url(PAGE);
    let title = scraper.example("title");
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--example", &title, "--heal-policy", "review"]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    let approved = scraper.run(&["approve", "news"]);
    assert_eq!(approved.code, Some(2), "{}", approved.told());
}

#[tokio::test]
async fn the_character_set_that_the_site_names_counts() {
    let scraper = Scraper::new().await;
    let body = [b"<h1>".as_slice(), &[0xd1, 0xf2, 0xf3, 0xeb], b"</h1>"].concat();
    let answer = autoheal_testkit::site::RawAnswer::new("text/html; charset=windows-1251", body);
    scraper.site.set(PAGE, Change::Raw(answer));
    let url = scraper.site.url(PAGE);
    let added = scraper.run(&["add", url.as_str(), "--name", "news"]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    assert!(added.stdout.contains("Стул"), "{}", added.stdout);
}

#[rstest]
#[case::twice_as_long(600, &["800ms"])]
#[case::again_and_again(2000, &["800ms", "1600ms", "3200ms"])]
#[tokio::test]
async fn a_slow_page_is_waited_for_longer(#[case] millis: u64, #[case] waits: &[&str]) {
    let scraper = Scraper::new().await;
    let recipe = scraper.home.path().join("recipe.toml");
    std::fs::write(&recipe, "version = 1\nrequest.wait = \"400ms\"\n[fields.title]\nselect = \"h1\"\n").unwrap();
    let url = scraper.site.url(PAGE);
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--recipe", recipe.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set(PAGE, Change::Delay(Duration::from_millis(millis)));
    let runs: Vec<Ended> = waits.iter().map(|_| scraper.run(&["run", "news"])).collect();
    let codes: Vec<Option<i32>> = runs.iter().map(|run| run.code).collect();
    let expected: Vec<_> = (1..=waits.len()).map(|run| Some(i32::from(run < waits.len()))).collect();
    assert_eq!(codes, expected, "{}", runs.last().unwrap().told());
    let fixes = scraper.json(&["history", "news"])["fixes"].clone();
    assert!(fixes.as_array().unwrap().iter().all(|fix| fix["error_type"] == "TIMEOUT"), "{fixes}");
    assert_eq!(scraper.json(&["show", "news"])["recipe"]["request"]["wait"], *waits.last().unwrap());
}

#[tokio::test]
async fn a_permanent_redirect_is_remembered_and_a_broken_site_is_left_to_itself() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.move_page(PAGE, "/archive/1");
    scraper.site.set(PAGE, Change::RedirectPermanently("/archive/1".to_owned()));
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(0), "{}", run.told());
    assert_eq!(scraper.json(&["show", "news"])["definition"]["url"], scraper.site.url("/archive/1").as_str());
    scraper.site.set("/archive/1", Change::Status(403));
    for _ in 0..4 {
        let run = scraper.run(&["run", "news"]);
        assert!(run.code == Some(1) && run.stderr.contains("ACCESS_REFUSED"), "{}", run.told());
    }
    let fixes = || scraper.json(&["history", "news"])["fixes"].as_array().unwrap().len();
    assert_eq!((scraper.health().as_str(), fixes()), ("DEGRADED", 0), "a refusal is no failed attempt");
    let kinds = || {
        let shown = scraper.json(&["show", "news"]);
        let alerts = shown["alerts"].as_array().unwrap().iter();
        alerts.map(|alert| alert["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(), [""; 0], "it may be over soon");
    // A day later it is not: the same source, as it would be then.
    let store = scraper.home.store().await;
    let ago = |hours| store.now().minus(Duration::from_hours(hours));
    let row = store.source("news").await.unwrap().unwrap();
    let recipe = store.recipes("news").await.unwrap().remove(0);
    let good = store.snapshots("news", SnapshotRole::Good, None, 1).await.unwrap().remove(0);
    let (source, asked_by) = (|| "news".to_owned(), || "ada".to_owned());
    let health = Health { last_success_at: Some(ago(25)), last_failure_at: Some(ago(20)), ..row.health };
    let (definition, version) = (row.definition, 1);
    let records = [
        SourceRecord::Removed { source: source() },
        SourceRecord::Definition { source: source(), definition: definition.clone() },
        SourceRecord::Health { source: source(), health },
        SourceRecord::Staged {
            source: source(),
            version,
            recipe: recipe.recipe,
            definition: definition.clone(),
            asked_by: asked_by(),
        },
        SourceRecord::Promoted { source: source(), version, definition, replaces: None, asked_by: asked_by() },
        SourceRecord::Snapshot { source: source(), snapshot: Snapshot { taken_at: ago(25), ..good } },
    ];
    store.change_sources(ago(25), &records).await.unwrap();
    for _ in 0..2 {
        assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
        assert_eq!(kinds(), ["BLOCKED"], "told once");
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let scraper = Scraper::new().await;
    let nothing = scraper.run(&["show", "nothing"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.told());
    assert!(nothing.stderr.contains("there is no source `nothing`"), "{}", nothing.stderr);
    let url = scraper.site.url(PAGE);
    for arguments in [
        vec!["show", "../../x"],
        vec!["add", "not a url"],
        vec!["add", url.as_str(), "--example", "title"],
        vec!["add", url.as_str(), "--example", "title=Nowhere on this page"],
    ] {
        let refused = scraper.run(&arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.told());
    }
    // Without a setting nothing private is asked.
    let ended = Ended::of(&mut scraper.home.command(&["source", "add", url.as_str(), "--name", "news"]));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("allow_private"), "{}", ended.stderr);
}

/// A source whose page has got another layout since it was added.
fn broken_source() -> Scraper {
    let scraper = Runtime::new().unwrap().block_on(Scraper::new());
    let added = scraper.add();
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set(PAGE, Change::Layout(Layout::Cards));
    scraper
}

#[test]
#[cfg_attr(not(feature = "fail-points"), ignore = "needs the feature fail-points")]
fn killed_around_any_checkpoint_the_doctor_heals_the_same() {
    kill_after_each_node(&Scenario {
        fresh: &broken_source,
        begin: &|scraper: &Scraper| scraper.command(&["heal", "news", "--json"]),
        resume: &|scraper: &Scraper| scraper.command(&["heal", "news", "--json"]),
        checkpoints: &|scraper: &Scraper| Runtime::new().unwrap().block_on(scraper.home.checkpoints()),
        end_state: &Scraper::end_state,
    });
}
