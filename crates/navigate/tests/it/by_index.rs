use std::collections::BTreeMap;
use std::path::Path;

use autoheal_navigate::{CrawlReport, Crawler, FetchedPages, Goal, Guide, NavigationResult, Navigator, Settings};
use autoheal_store::ManualIndex;
use autoheal_testkit::manual::Manual;
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::static_site::StaticSite;
use serde_json::json;
use tempfile::TempDir;
use url::Url;

use crate::asking::asking;
use crate::manual_site::{ManualSite, fetcher, goal_of, small_site};

/// An index of a site in a temporary folder.
struct Indexed {
    index: ManualIndex,
    start: Url,
    _folder: TempDir,
}

impl Indexed {
    async fn of(site: &StaticSite, path: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let index = ManualIndex::create(&folder.path().join("manual.db")).await.unwrap();
        let indexed = Self { index, start: site.url(path), _folder: folder };
        let report = indexed.crawl(1000).await;
        assert!(report.is_complete, "{report:?}");
        indexed
    }

    async fn crawl(&self, limit: u64) -> CrawlReport {
        let fetcher = fetcher();
        let pages = FetchedPages::new(&fetcher, Settings::default().http_timeout);
        Crawler::new(&pages, &self.index, &self.start, limit).crawl().await.unwrap()
    }

    async fn refresh(&self) -> CrawlReport {
        let fetcher = fetcher();
        let pages = FetchedPages::new(&fetcher, Settings::default().http_timeout);
        Crawler::new(&pages, &self.index, &self.start, 1000).refresh().await.unwrap()
    }

    async fn ask(&self, goal: &Goal) -> NavigationResult {
        let fetcher = fetcher();
        let pages = FetchedPages::new(&fetcher, Settings::default().http_timeout);
        Navigator::new(&pages, Settings::default()).navigate(&self.start, goal, Guide::Index(&self.index)).await
    }

    async fn ask_model(&self, server: &ModelServer, goal: &Goal) -> NavigationResult {
        let fetcher = fetcher();
        let pages = FetchedPages::new(&fetcher, Settings::default().http_timeout);
        let session = asking(server, autoheal_llm::Settings::default());
        let navigator = Navigator::new(&pages, Settings::default()).with_index(Some(&self.index));
        navigator.navigate(&self.start, goal, Guide::Model(&session)).await
    }
}

#[tokio::test]
async fn a_model_sees_the_nearest_passages_first_and_its_quote_is_checked() {
    let site = ManualSite::start().await;
    let indexed = Indexed::of(&site.site, "/").await;
    let question = &site.manual.questions()[0];
    let goal = goal_of(question);
    let by_rules = indexed.ask(&goal).await;
    let row = by_rules.content.lines().last().unwrap();
    let quoted = |quote: &str| Scripted::openai(&json!({ "tool": "extract", "quote": quote }).to_string());
    let server = ModelServer::start([quoted(row)]).await;
    let result = indexed.ask_model(&server, &goal).await;
    assert!(result.success && result.url.ends_with(&question.path), "{result:#?}");
    assert_eq!((result.content.lines().last(), result.tokens_used.calls, result.fetches), (Some(row), 1, 0));
    let prompt = server.documents()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(prompt.contains(row) && prompt.contains("Liberty") && !prompt.contains("Wrangler"), "{prompt}");
    let nothing = Scripted::openai(&json!({ "tool": "not_found" }).to_string());
    let server = ModelServer::start([quoted("Engine oil: 99 L"), nothing]).await;
    let result = indexed.ask_model(&server, &goal).await;
    assert!(!result.success && result.tokens_used.calls == 2, "{result:#?}");
    assert!(result.path_taken[1].result_hint.contains("the quote is not on the page"), "{result:#?}");
}

#[tokio::test]
async fn the_vehicles_are_answered_without_a_request() {
    let site = ManualSite::start().await;
    let indexed = Indexed::of(&site.site, "/").await;
    let before = site.site.asked().len();
    for question in site.manual.questions() {
        let result = indexed.ask(&goal_of(question)).await;
        assert!(result.success && result.content.contains(&question.answer), "{result:#?}");
        assert!(result.url.ends_with(&question.path), "{result:#?}");
        assert_eq!((result.steps_taken, result.fetches), (1, 0));
    }
    assert_eq!(site.site.asked().len(), before);
    let other = Goal::new("engine oil capacity").with_context("make", "Jeep").with_context("year", "1999");
    let result = indexed.ask(&other).await;
    assert!(!result.success && result.error.contains("of another vehicle"), "{result:#?}");
}

#[tokio::test]
async fn a_vehicle_that_is_ambiguous_has_an_answer_for_each() {
    let table = |value: &str| format!("<table><tr><th>Item<th>Capacity<tr><td>Engine oil<td>{value}</table>");
    let page = |name: &str, value: &str| {
        let place = format!("<div class=breadcrumbs><a href=/>Home</a> &gt;&gt; <b>{name}</b></div>");
        format!("<title>{name}</title>{place}{}", table(value))
    };
    let (sedan, coupe) = (page("Accord Sedan L4", "4.4 qt"), page("Accord Coupe V6", "4.5 qt"));
    let home = "<title>Home</title><a href=/sedan/>Accord Sedan L4</a><a href=/coupe/>Accord Coupe V6</a>";
    let site = small_site(&[("/", home), ("/sedan/", &sedan), ("/coupe/", &coupe)]).await;
    let indexed = Indexed::of(&site, "/").await;
    let goal = Goal::new("engine oil capacity").with_context("model", "Accord");
    let walked = crate::manual_site::navigate(&site, &goal, Guide::Search, Settings::default()).await;
    for result in [indexed.ask(&goal).await, walked] {
        assert!(result.success, "{result:#?}");
        for part in ["Accord Sedan L4:\n", "Engine oil | Capacity: 4.4 qt", "Accord Coupe V6:\n", "Capacity: 4.5 qt"] {
            assert!(result.content.contains(part), "{part} is missing in {result:#?}");
        }
    }
    let one = indexed.ask(&goal.with_context("engine", "V6")).await;
    assert!(one.success && !one.content.contains("4.4"), "{one:#?}");
}

#[tokio::test]
async fn misspellings_compounds_abbreviations_and_inflections_are_understood() {
    let page = "<title>Sensors</title><h1>Sensors</h1><p>The Manifold Absolute Pressure (MAP) is measured.</p>\
        <table><tr><th>Sensor<th>Voltage<tr><td>MAP sensor<td>5 V<tr><td>Throttle<td>4 V</table>\
        <table><tr><th>Setting<th>Value<tr><td>WaitTimeout<td>30<tr><td>Retries raised<td>3</table>";
    let site = small_site(&[("/", page)]).await;
    let indexed = Indexed::of(&site, "/").await;
    for (goal, answer) in [
        ("voltage of the throtle", "4 V"),
        ("voltage of the manifold absolute pressure sensor", "5 V"),
        ("value of wait timeout", "30"),
        ("value of retry raising", "3"),
    ] {
        let result = indexed.ask(&Goal::new(goal)).await;
        assert!(result.success && result.content.contains(answer), "{goal}: {result:#?}");
    }
    let none = indexed.ask(&Goal::new("voltage of the turbocharger")).await;
    assert!(!none.success && none.error.contains("does not have the word \"turbocharger\""), "{none:#?}");
    assert!(none.error.contains("closest is \"Sensors\""), "{none:#?}");
}

#[tokio::test]
async fn what_the_goal_asks_for_is_in_the_row_or_there_is_no_answer() {
    let page = "<title>Specifications</title><p>Spark plug gap is checked at each service.</p>\
        <table><tr><th>Fastener<th>Torque<tr><td>Spark plug<td>13 ft.lb</table>";
    let site = small_site(&[("/", page)]).await;
    let indexed = Indexed::of(&site, "/").await;
    let walk = |goal: &'static str| {
        let site = &site;
        async move { crate::manual_site::navigate(site, &Goal::new(goal), Guide::Search, Settings::default()).await }
    };
    for goal in ["spark plug gap", "What is the gap of the spark plug?"] {
        for result in [walk(goal).await, indexed.ask(&Goal::new(goal)).await] {
            assert!(!result.success, "{goal}: {result:#?}");
        }
    }
    assert!(indexed.ask(&Goal::new("spark plug torque")).await.content.contains("13 ft.lb"));
}

#[tokio::test]
async fn a_crawl_stays_in_the_manual_and_continues_where_it_was() {
    let link = |path: &str| format!("<a href={path}>link</a>");
    let links: Vec<String> = (0..6).map(|number| link(&format!("/doc/{number}"))).collect();
    let home = format!("<title>Home</title>{}{}{}", links.concat(), link("/other"), link("/doc/?sort=1"));
    let mut pages = vec![("/doc/".to_owned(), home)];
    pages.extend((0..6).map(|number| (format!("/doc/{number}"), format!("<title>{number}</title><p>Part {number}."))));
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, body)| (path.as_str(), body.as_str())).collect();
    let site = small_site(&pages).await;
    let folder = tempfile::tempdir().unwrap();
    let index = ManualIndex::create(&folder.path().join("manual.db")).await.unwrap();
    let indexed = Indexed { index, start: site.url("/doc/"), _folder: folder };
    let first = indexed.crawl(3).await;
    assert_eq!((first.requested, first.is_complete), (3, false));
    let second = indexed.crawl(100).await;
    assert_eq!((second.requested, second.is_complete), (4, true));
    let asked = site.asked();
    let requested = |path: &str| asked.iter().filter(|asked| *asked == path).count();
    assert_eq!((requested("/doc/"), requested("/doc/5"), requested("/other")), (1, 1, 0), "{asked:?}");
    assert!(!asked.iter().any(|path| path.contains("sort")), "{asked:?}");
    assert_eq!(indexed.index.summary().await.unwrap().pages, 7);
}

#[tokio::test]
async fn a_refresh_replaces_what_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let table =
        |value: &str| format!("<title>A</title><table><tr><th>Part<th>Pressure<tr><td>fuel pump<td>{value}</table>");
    write("index.html", "<title>Pumps</title><a href=/a.html>A</a><a href=b.html>B</a>");
    write("a.html", &table("3 bar"));
    write("b.html", "<title>B</title><p>Nothing to see.");
    let ask = async || {
        let goal = Goal::new("pressure of the fuel pump");
        navigate_folder(folder.path(), &goal).await
    };
    let (result, report) = ask().await;
    assert!(result.content.contains("3 bar"), "{result:#?}");
    assert_eq!((report.requested, report.unchanged), (3, 0));
    write("a.html", &table("3.5 bar"));
    std::fs::remove_file(folder.path().join("b.html")).unwrap();
    let (result, report) = ask().await;
    assert!(result.content.contains("3.5 bar"), "{result:#?}");
    assert_eq!((report.requested, report.unchanged, report.failed), (3, 1, 1), "the home page is as it was, B is gone");
}

/// Brings the index of a folder up to date, and asks it. A root-relative link leads into the folder.
async fn navigate_folder(folder: &Path, goal: &Goal) -> (NavigationResult, CrawlReport) {
    let settings = autoheal_fetch::FetchSettings { allow_files: vec![folder.to_owned()], ..Default::default() };
    let fetcher = autoheal_fetch::Fetcher::new(settings).unwrap();
    let pages = FetchedPages::new(&fetcher, Settings::default().http_timeout)
        .rooted(Some(Url::from_directory_path(folder).unwrap()));
    let start = Url::from_file_path(folder.join("index.html")).unwrap();
    let index = ManualIndex::create(&folder.join("manual.db")).await.unwrap();
    let report = Crawler::new(&pages, &index, &start, 100).refresh().await.unwrap();
    (Navigator::new(&pages, Settings::default()).navigate(&start, goal, Guide::Index(&index)).await, report)
}

#[tokio::test]
async fn a_page_that_has_not_changed_is_not_stored_again() {
    let manual = Manual::new(7);
    let pages: BTreeMap<String, String> = manual.pages().clone().into_iter().take(5).collect();
    let site = StaticSite::of(pages).await;
    let indexed = Indexed::of(&site, "/").await;
    let before = indexed.index.summary().await.unwrap();
    let report = indexed.refresh().await;
    assert!(report.is_complete);
    let after = indexed.index.summary().await.unwrap();
    assert_eq!((before.pages, before.units, after.due), (after.pages, after.units, 0));
}

#[tokio::test]
async fn an_index_that_is_not_complete_is_followed_by_a_walk() {
    let site = small_site(&[
        ("/", "<title>Home</title><a href=/pumps>Pumps and pressures</a>"),
        ("/pumps", "<title>Pumps</title><table><tr><th>Part<th>Pressure<tr><td>fuel pump<td>3 bar</table>"),
    ])
    .await;
    let folder = tempfile::tempdir().unwrap();
    let index = ManualIndex::create(&folder.path().join("manual.db")).await.unwrap();
    let indexed = Indexed { index, start: site.url("/"), _folder: folder };
    assert!(!indexed.crawl(1).await.is_complete);
    let result = indexed.ask(&Goal::new("pressure of the fuel pump")).await;
    assert!(result.success && result.content.contains("3 bar") && result.fetches == 2, "{result:#?}");
}
