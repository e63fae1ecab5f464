//! Sources of several pages: those of one template, and those of a list.

use autoheal_fetch::render::{RenderSettings, browser_program};
use autoheal_testkit::kill::{Scenario, kill_after_each_node};
use autoheal_testkit::site::{Change, Layout, RawAnswer};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::scraper::{PAGE, Scraper};

const OTHERS: [&str; 2] = ["/article/2", "/article/3"];

/// Three articles of one template, added and run once.
async fn with_articles() -> Scraper {
    let scraper = Scraper::new().await;
    let urls = [PAGE, OTHERS[0], OTHERS[1]].map(|path| scraper.site.url(path).to_string());
    let (title, author) = (scraper.example("title"), scraper.example("author"));
    let [one, two, three] = &urls;
    let added = scraper.run(&["add", one, two, three, "--name", "news", "--example", &title, "--example", &author]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(0), "{}", run.told());
    scraper
}

/// The address and the title of each set of values, in their order.
fn titles(scraper: &Scraper) -> Vec<(String, String)> {
    let data = scraper.run(&["data", "news"]);
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        (row["url"].as_str().unwrap().to_owned(), row["values"]["title"].as_str().unwrap().to_owned())
    };
    data.stdout.lines().map(row).collect()
}

fn title(scraper: &Scraper, path: &str) -> (String, String) {
    let values = scraper.site.values(path);
    (scraper.site.url(path).to_string(), values["title"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn every_page_of_a_template_gives_its_values_and_one_fix_heals_all() {
    let scraper = with_articles().await;
    let all = [PAGE, OTHERS[0], OTHERS[1]].map(|path| title(&scraper, path));
    assert_eq!(titles(&scraper)[1..], all);
    for path in [PAGE, OTHERS[0], OTHERS[1]] {
        scraper.site.set(path, Change::Layout(Layout::Cards));
    }
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert_eq!(titles(&scraper)[4..], all);
    assert_eq!(scraper.json(&["history", "news"])["fixes"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_fix_for_one_page_does_not_cost_the_others() {
    let scraper = with_articles().await;
    scraper.site.set(OTHERS[0], Change::Layout(Layout::Cards));
    let run = scraper.run(&["run", "news"]);
    assert_eq!(run.code, Some(1), "{}", run.told());
    let fix = &scraper.json(&["history", "news"])["fixes"][0];
    assert!(fix["validation"].to_string().contains("still has the old layout"), "{fix}");
    // The values of the pages that are well are kept all the same.
    assert_eq!(titles(&scraper)[4..], [title(&scraper, PAGE), title(&scraper, OTHERS[1])]);
}

#[tokio::test]
async fn a_person_who_asks_means_every_page() {
    let scraper = with_articles().await;
    scraper.site.set(OTHERS[1], Change::DeleteField("title".to_owned()));
    let healed = scraper.json_of_failed(&["heal", "news"]);
    assert_eq!(healed["failure"]["page"], scraper.site.url(OTHERS[1]).as_str(), "{healed}");
}

#[tokio::test]
async fn one_page_that_moved_is_found_and_the_others_stay() {
    let scraper = with_articles().await;
    scraper.site.move_page(OTHERS[0], "/article/2-moved");
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    let definition = &scraper.json(&["show", "news"])["definition"];
    assert_eq!(definition["url"], scraper.site.url(PAGE).as_str());
    assert_eq!(definition["more"][0], scraper.site.url("/article/2-moved").as_str(), "{definition}");
}

/// Adds the list of products as a source, limited to `limit` of its pages.
async fn with_list(limit: u32) -> Scraper {
    let scraper = Scraper::new().await;
    let recipe = scraper.home.path().join("recipe.toml");
    let rules = format!(
        "version = 1\n[items]\nselect = \"li.entry\"\n[fields.title]\nselect = \"a.entry-link\"\n\
         [next]\nselect = \"a[rel=next]\"\nlimit = {limit}\n"
    );
    std::fs::write(&recipe, rules).unwrap();
    let url = scraper.site.url("/list/1");
    let added = scraper.run(&["add", url.as_str(), "--name", "news", "--recipe", recipe.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper
}

#[tokio::test]
async fn a_list_is_read_to_its_end_and_no_further_than_asked() {
    for (limit, pages) in [(10, 3), (2, 2)] {
        let scraper = with_list(limit).await;
        let results = &scraper.json(&["run", "news"])[0]["results"];
        assert_eq!(results["pages"]["good"], pages, "{results}");
        let of_last = scraper.site.url(&format!("/list/{pages}")).to_string();
        assert_eq!(titles(&scraper).iter().filter(|(url, _)| *url == of_last).count(), 4);
    }
}

#[tokio::test]
async fn a_list_whose_link_to_the_next_page_was_lost_is_not_taken_for_a_short_one() {
    let scraper = with_list(10).await;
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    let before = titles(&scraper).split_off(4);
    for page in 1..=3 {
        scraper.site.set(format!("/list/{page}").as_str(), Change::Layout(Layout::Cards));
    }
    let healed = scraper.run(&["run", "news"]);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert_eq!(titles(&scraper).split_off(16), before);
    assert_eq!(before.len(), 12);
}

#[tokio::test]
async fn a_page_that_its_scripts_build_is_rendered() {
    if let Err(error) = browser_program(&RenderSettings::default()) {
        autoheal_testkit::skip("Chromium", &error.to_string());
        return;
    }
    let scraper = Scraper::new().await;
    let script = "document.body.innerHTML = '<h1 class=name>Made by ' + 'a script</h1>'";
    let page = RawAnswer::new("text/html", format!("<!doctype html><body><p>Wait<script>{script}</script>"));
    scraper.site.set("/built", Change::Raw(page));
    let url = scraper.site.url("/built");
    let arguments = ["add", url.as_str(), "--name", "news", "--example", "title=Made by a script"];
    let without = scraper.run(&arguments);
    assert_eq!(without.code, Some(2), "{}", without.told());
    let added = scraper.run(&[&arguments[..], &["--render"]].concat());
    assert_eq!(added.code, Some(0), "{}", added.told());
    assert_eq!(scraper.run(&["run", "news"]).code, Some(0));
    assert_eq!(titles(&scraper)[1].1, "Made by a script");
}

#[test]
#[cfg_attr(not(feature = "fail-points"), ignore = "needs the feature fail-points")]
fn killed_around_any_page_the_run_ends_the_same() {
    kill_after_each_node(&Scenario {
        fresh: &|| Runtime::new().unwrap().block_on(with_articles()),
        begin: &|scraper: &Scraper| scraper.command(&["run", "news", "--json"]),
        resume: &|scraper: &Scraper| scraper.command(&["run", "news", "--json"]),
        checkpoints: &|scraper: &Scraper| Runtime::new().unwrap().block_on(scraper.home.checkpoints()),
        end_state: &Scraper::end_state,
    });
}
