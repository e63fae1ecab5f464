//! Sources from end to end: the real binary, a real site that changes.

use autoheal_testkit::kill::{Scenario, kill_after_each_node};
use autoheal_testkit::site::{Change, Layout};
use serde_json::Value;
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
    // Another process, another run: still no fourth attempt.
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
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
async fn a_site_that_wants_to_be_left_alone_is_asked_less_often() {
    let scraper = Scraper::new().await;
    assert_eq!(scraper.add().code, Some(0));
    scraper.site.set(PAGE, Change::RateLimit { retry_after: Some("7200".to_owned()), times: None });
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(0), "{}", run.told());
    let history = scraper.json(&["history", "news"]);
    assert_eq!(history["fixes"][0]["error_type"], "RATE_LIMIT");
    let shown = scraper.json(&["show", "news"]);
    assert_eq!(shown["definition"]["interval_seconds"], 2 * 21_600);
    assert_eq!(shown["recipe"]["request"]["delay"], "60s");
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
    assert_eq!(scraper.run(&["approve", "news"]).code, Some(0));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    assert_eq!(scraper.health(), "ACTIVE");
    assert_eq!(scraper.run(&["rollback", "news"]).code, Some(0));
    assert_eq!(scraper.json(&["show", "news"])["recipe_version"], 1);
    let decisions = scraper.json(&["history", "news"])["decisions"].clone();
    for (index, decision, version) in [(0, "APPROVED", 2), (1, "ROLLED_BACK", 1)] {
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
    let healed = scraper.run(&["heal", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert_eq!(scraper.json(&["show", "news"])["recipe_version"], 2);
    scraper.site.set(PAGE, Change::DeleteField("title".to_owned()));
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
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
    assert_eq!(fixes, 2, "the Doctor does not call it well either: that would go round for ever");
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

#[tokio::test]
async fn a_slow_page_is_waited_for_longer() {
    let scraper = Scraper::new().await;
    let recipe = scraper.home.path().join("recipe.toml");
    std::fs::write(&recipe, "version = 1\nrequest.wait = \"400ms\"\n[fields.title]\nselect = \"h1\"\n").unwrap();
    let url = scraper.site.url(PAGE);
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--recipe", recipe.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper.site.set(PAGE, Change::Delay(std::time::Duration::from_millis(600)));
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert_eq!(scraper.json(&["history", "news"])["fixes"][0]["error_type"], "TIMEOUT");
    assert_eq!(scraper.json(&["show", "news"])["recipe"]["request"]["wait"], "800ms");
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
    assert_eq!(scraper.run(&["run", "news"]).code, Some(1));
    let history = scraper.json(&["history", "news"]);
    assert_eq!(history["fixes"][0]["error_type"], "HTTP_ERROR");
    assert_eq!(history["fixes"][0]["deployed_to"], "FAILED");
    assert_eq!(scraper.health(), "DEGRADED");
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
