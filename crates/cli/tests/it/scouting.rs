//! Sources that are added with little or nothing said about them, from end to end.

use autoheal_testkit::site::{Change, Layout, RawAnswer};
use serde_json::{Value, json};

use crate::scraper::Scraper;

const LIST: &str = "/list/1";
const PRODUCT: &str = "/product/1";

impl Scraper {
    /// A file of the home, by its path.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Title and address of what the site's list truly has.
    fn entries(&self) -> Vec<(Value, Value)> {
        let absolute = |path: &Value| json!(self.site.url(path.as_str().unwrap()));
        let values = self.site.values(LIST);
        let entries = values["items"].as_array().unwrap();
        entries.iter().map(|entry| (entry["title"].clone(), absolute(&entry["url"]))).collect()
    }

    /// Adds a page with these arguments and gives the answer, which must be good.
    fn added(&self, path: &str, arguments: &[&str]) -> Value {
        let url = self.site.url(path);
        let answer = self.json(&[&["add", url.as_str(), "--name", "page"], arguments].concat());
        assert!(answer["added"].is_object(), "{answer}");
        answer["added"].clone()
    }

    fn refusal(&self, path: &str, arguments: &[&str]) -> String {
        let url = self.site.url(path);
        let ended = self.run(&[&["add", url.as_str(), "--name", "page"], arguments].concat());
        assert_eq!(ended.code, Some(2), "{}", ended.told());
        ended.stderr
    }
}

/// Two fields of each record.
fn pairs(values: &Value, title: &str, link: &str) -> Vec<(Value, Value)> {
    let records = values.as_array().unwrap();
    records.iter().map(|record| (record[title].clone(), record[link].clone())).collect()
}

#[tokio::test]
async fn a_list_page_is_added_with_nothing_said() {
    for layout in Layout::ALL {
        let scraper = Scraper::new().await;
        scraper.site.set(LIST, Change::Layout(layout));
        let added = scraper.added(LIST, &[]);
        assert_eq!(pairs(&added["values"], "title", "link"), scraper.entries(), "{layout:?}: {added}");
        let price = added["values"][0]["price"].as_str().unwrap_or_default();
        assert!(price.ends_with("EUR"), "{layout:?}: {added}");
        assert!(added["notes"][0].as_str().unwrap().contains("a list of 4 items"), "{added}");
        let shown = scraper.json(&["show", "page"]);
        assert_eq!(shown["definition"]["blueprint"]["kind"], "list", "{shown}");
        assert_eq!(scraper.run(&["run", "page"]).code, Some(0));
    }
}

#[tokio::test]
async fn a_page_about_one_thing_has_its_labelled_values() {
    let scraper = Scraper::new().await;
    scraper.site.set(PRODUCT, Change::Layout(Layout::Cards));
    let added = scraper.added(PRODUCT, &[]);
    let truth = scraper.site.values(PRODUCT);
    assert_eq!(added["values"]["title"], truth["title"], "{added}");
    assert_eq!(added["values"]["sku"], truth["sku"], "{added}");
    let select = added["recipe"]["fields"]["sku"]["select"].as_str().unwrap_or_default();
    assert!(select.starts_with("xpath:") && select.contains("number"), "it is found by its label: {added}");
    assert!(added["notes"][0].as_str().unwrap().contains("about one thing"), "{added}");
}

#[tokio::test]
async fn a_person_decides_what_a_page_is() {
    let scraper = Scraper::new().await;
    let added = scraper.added(LIST, &["--single"]);
    assert_eq!(added["values"]["title"], scraper.site.values(LIST)["title"], "{added}");
    let refused = scraper.refusal("/article/1", &["--list"]);
    assert!(refused.contains("there is a source `page` already"), "{refused}");
    let url = scraper.site.url("/article/1");
    let no_list = scraper.run(&["add", url.as_str(), "--name", "other", "--list"]);
    assert!(no_list.code == Some(2) && no_list.stderr.contains("no part of the page repeats"), "{}", no_list.told());
    let both = scraper.run(&["add", url.as_str(), "--list", "--single"]);
    assert_eq!(both.code, Some(2), "{}", both.told());
}

#[tokio::test]
async fn two_examples_stand_for_all_items_and_a_preview_stores_nothing() {
    let scraper = Scraper::new().await;
    scraper.site.set(LIST, Change::Layout(Layout::Cards));
    let titles: Vec<String> =
        scraper.entries().iter().map(|(title, _)| format!("title={}", title.as_str().unwrap())).collect();
    let url = scraper.site.url(LIST);
    let two = ["--example", titles[0].as_str(), "--example", titles[2].as_str()];
    let preview = scraper.json(&[&["add", url.as_str(), "--dry-run"], &two[..]].concat());
    assert_eq!(preview["values"].as_array().unwrap().len(), 4, "{preview}");
    assert!(
        preview["recipe"]["items"].is_object() && preview["notes"][0].as_str().unwrap().contains("4 items"),
        "{preview}"
    );
    let shown = scraper.run(&["add", url.as_str(), "--dry-run", "--list", "--example", &titles[1]]);
    assert!(shown.code == Some(0) && shown.stdout.contains("title\ttext\t"), "{}", shown.told());
    assert_eq!(scraper.json(&["list"]), json!([]), "nothing is stored");
    let added = scraper.added(LIST, &two);
    let found: Vec<&Value> = added["values"].as_array().unwrap().iter().map(|value| &value["title"]).collect();
    assert_eq!(found, scraper.entries().iter().map(|(title, _)| title).collect::<Vec<_>>());
    let other =
        scraper.run(&["add", url.as_str(), "--name", "other", "--example", &titles[0], "--example", "title=nowhere"]);
    assert!(other.code == Some(2) && other.stderr.contains("not on the page"), "{}", other.told());
}

#[tokio::test]
async fn a_schema_says_what_is_wanted() {
    let scraper = Scraper::new().await;
    let schema = scraper.file(
        "list.json",
        r#"{"type": "array", "items": {"type": "object", "required": ["name", "url"], "properties": {
            "name": {"type": "string"}, "url": {"type": "string", "format": "uri"},
            "price": {"type": "number"}, "weight": {"type": "number"}}}}"#,
    );
    let added = scraper.added(LIST, &["--schema", &schema]);
    assert_eq!(pairs(&added["values"], "name", "url"), scraper.entries(), "{added}");
    let first = scraper.site.values(LIST)["items"][0]["price"].as_str().unwrap().parse::<f64>().unwrap();
    assert!((added["values"][0]["price"].as_f64().unwrap() - first).abs() < 1e-9, "{added}");
    assert!(added["notes"].to_string().contains("`weight` was not found"), "{added}");
    assert!(added["values"][0].get("weight").is_none(), "{added}");
}

#[tokio::test]
async fn a_schema_that_the_page_does_not_fill_is_refused() {
    let scraper = Scraper::new().await;
    let wanting = scraper.file(
        "wanting.json",
        r#"{"properties": {"title": {"type": "string"}, "voltage": {"type": "number"}}, "required": ["title", "voltage"]}"#,
    );
    let missing = scraper.refusal(PRODUCT, &["--schema", &wanting]);
    assert!(missing.contains("`voltage` was not found on the page, which has"), "{missing}");
    let unkept = scraper.file("unkept.json", r#"{"properties": {"a": {"type": "string", "pattern": "x"}}}"#);
    let refused = scraper.refusal(PRODUCT, &["--schema", &unkept]);
    assert!(refused.contains("/properties/a/pattern") && refused.contains("unkept.json"), "{refused}");
    assert_eq!(scraper.json(&["list"]), json!([]), "nothing was added");
}

#[tokio::test]
async fn a_crawl4ai_schema_is_a_recipe() {
    let scraper = Scraper::new().await;
    let schema = scraper.file(
        "schema.json",
        r#"{"name": "Entries", "baseSelector": "li.entry", "fields": [
            {"name": "title", "selector": "a", "type": "text", "transform": "uppercase"},
            {"name": "link", "selector": "a", "type": "attribute", "attribute": "href"},
            {"name": "price", "selector": ".entry-price", "type": "regex", "pattern": "([\\d.]+) EUR"}]}"#,
    );
    let url = scraper.site.url(LIST);
    let ended = scraper.run(&["add", url.as_str(), "--name", "page", "--recipe", &schema, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert!(ended.stderr.contains("`title` keeps its text as it is"), "{}", ended.stderr);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(pairs(&answer["added"]["values"], "title", "link"), scraper.entries());
    assert_eq!(answer["added"]["values"][0]["price"], scraper.site.values(LIST)["items"][0]["price"]);
}

#[tokio::test]
async fn a_sitemap_of_webscraper_is_a_recipe_whose_fields_are_as_required_as_they_are_found() {
    let scraper = Scraper::new().await;
    let items = "<ul><li><h2>One</h2><b>new</b></li><li><h2>Two</h2></li><li><h2>Three</h2></li></ul>";
    scraper.site.set(LIST, Change::Raw(RawAnswer::new("text/html", items)));
    let sitemap = |field: &str| {
        format!(
            r#"{{"_id": "s", "startUrl": ["https://example.org/"], "selectors": [
            {{"id": "item", "parentSelectors": ["_root"], "type": "SelectorElement", "selector": "li", "multiple": true, "delay": 0}},
            {{"id": "name", "parentSelectors": ["item"], "type": "SelectorText", "selector": "h2", "multiple": false, "regex": ""}},
            {{"id": "mark", "parentSelectors": ["item"], "type": "SelectorText", "selector": "{field}", "multiple": false, "regex": ""}}]}}"#
        )
    };
    let found_nowhere = scraper.file("nowhere.json", &sitemap("i"));
    let refused = scraper.refusal(LIST, &["--recipe", &found_nowhere]);
    assert!(refused.contains("Missing field: mark"), "{refused}");
    let added = scraper.added(LIST, &["--recipe", &scraper.file("sitemap.json", &sitemap("b"))]);
    assert_eq!(added["values"][0], json!({"name": "One", "mark": "new"}));
    assert_eq!(added["values"][2], json!({"name": "Three", "mark": null}));
    assert_eq!(added["notes"], json!(["`mark` is optional: 1 of 3 items have it"]));
}

#[tokio::test]
async fn files_that_no_recipe_can_be_made_of_are_refused() {
    let scraper = Scraper::new().await;
    for (text, told) in [
        (
            r#"{"baseSelector": "li", "fields": [{"name": "title", "selector": "a:first", "type": "text"}]}"#,
            "the field `title`",
        ),
        (r#"{"baseSelector": "li", "fields": []}"#, "no part of the Crawl4AI schema"),
        (r#"{"_id": "a", "startUrl": [], "selectors": [{"id": "x", "type": "SelectorDance"}]}"#, "`SelectorDance`"),
        ("{\"version\": 1,\n\"fields\": 3}", "file.json:2"),
    ] {
        let file = scraper.file("file.json", text);
        let refused = scraper.refusal(LIST, &["--recipe", &file]);
        assert!(refused.contains(told), "{refused}");
    }
}

#[tokio::test]
async fn a_list_that_was_found_by_itself_heals_when_the_site_changes() {
    for change in [Change::RenameClasses(7), Change::Layout(Layout::Cards), Change::Layout(Layout::Portal)] {
        let scraper = Scraper::new().await;
        let url = scraper.site.url("/list/1");
        let added = scraper.run(&["add", url.as_str(), "--name", "news"]);
        assert_eq!(added.code, Some(0), "{}", added.told());
        scraper.site.set("/list/1", change.clone());
        let healed = scraper.run(&["run", "news"]);
        assert_eq!(healed.code, Some(0), "{change:?} {}", healed.told());
        let data = scraper.run(&["data", "news"]);
        let rows: Vec<Value> = data.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (before, after) = rows.split_at(4);
        let values = |rows: &[Value]| rows.iter().map(|row| row["values"].clone()).collect::<Vec<_>>();
        assert_eq!(values(before), values(after), "{change:?}");
    }
}
