//! Pages extracted by the real binary.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use autoheal_testkit::site::{Change, Layout, Site};
use serde_json::Value;

use crate::binary::{Ended, Home};

const RECIPE: &str = r#"<title>Soup of leeks | Kitchen</title><script type="application/ld+json">{"@type": "Recipe",
    "name": "Soup of leeks", "author": "Ada Byron", "recipeIngredient": ["1 leek", "salt"], "totalTime": "PT1H5M",
    "recipeInstructions": [{"@type": "HowToStep", "text": "Cut."}, {"@type": "HowToStep", "text": "Boil."}]}</script>
    <h1>Soup of leeks</h1><p>For everyone.</p>"#;

fn command(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.command(&[&["extract"], arguments].concat());
    command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
    command
}

fn run(home: &Home, arguments: &[&str]) -> Ended {
    Ended::of(&mut command(home, arguments))
}

fn json(text: &str) -> Value {
    let parsed = serde_json::from_str(text);
    assert!(parsed.is_ok(), "{text}");
    parsed.unwrap()
}

#[tokio::test]
async fn a_page_of_a_site_gives_what_it_holds_in_any_layout() {
    let (home, site) = (Home::new(), Site::start().await);
    for layout in [None, Some(Layout::Cards), Some(Layout::Table)] {
        for path in ["/article/1", "/product/1"] {
            if let Some(layout) = layout {
                site.set(path, Change::Layout(layout));
            }
            let ended = run(&home, &[site.url(path).as_str(), "--json"]);
            assert_eq!(ended.code, Some(0), "{}", ended.told());
            let item = json(&ended.stdout);
            assert_eq!(item["title"], site.values(path)["title"], "{path}, {layout:?}: {item}");
            assert_eq!(item["url"], site.url(path).as_str());
        }
    }
}

#[test]
fn a_file_is_printed_as_json_as_markdown_and_for_people() {
    let home = Home::new();
    fs::write(home.path().join("soup.html"), RECIPE).unwrap();
    let item = json(&run(&home, &["soup.html", "--json", "--url", "https://kitchen.example/soup"]).stdout);
    assert_eq!(item["page_type"], "recipe");
    assert_eq!(item["url"], "https://kitchen.example/soup");
    assert_eq!(item["ingredients"], serde_json::json!(["1 leek", "salt"]));
    assert_eq!(item["instructions"], serde_json::json!(["Cut.", "Boil."]));
    assert_eq!(item["total_minutes"], 65);
    assert_eq!(item["provenance"]["ingredients"]["source"], "jsonld");
    let markdown = run(&home, &["soup.html", "--markdown"]).stdout;
    assert!(markdown.starts_with("# Soup of leeks\n") && markdown.contains("\n2. Boil.\n"), "{markdown}");
    let readable = run(&home, &["soup.html"]).stdout;
    assert!(readable.contains("page: recipe") && readable.contains("author (jsonld 0.95): Ada Byron"), "{readable}");
}

#[test]
fn standard_input_is_a_page() {
    let home = Home::new();
    let mut child = command(&home, &["-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(RECIPE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(json(&String::from_utf8(output.stdout).unwrap())["title"], "Soup of leeks");
}

#[tokio::test]
async fn several_pages_are_a_line_each_and_one_that_fails_stops_nothing() {
    let (home, site) = (Home::new(), Site::start().await);
    fs::create_dir(home.path().join("pages")).unwrap();
    fs::write(home.path().join("pages/soup.html"), RECIPE).unwrap();
    fs::write(home.path().join("pages/notes.txt"), "no page").unwrap();
    let (missing, article) = (site.url("/nowhere"), site.url("/article/1"));
    let ended = run(&home, &["pages", missing.as_str(), article.as_str()]);
    let lines: Vec<Value> = ended.stdout.lines().map(json).collect();
    assert_eq!(lines.len(), 3, "{}", ended.told());
    assert_eq!(lines[0]["item"]["title"], "Soup of leeks");
    assert!(lines[1]["error"].as_str().unwrap().contains("404"), "{}", lines[1]);
    assert_eq!(lines[2]["item"]["title"], site.values("/article/1")["title"]);
    assert_eq!(ended.code, Some(1));
}

#[test]
fn what_cannot_be_is_refused_and_says_what_can() {
    let home = Home::new();
    fs::write(home.path().join("soup.html"), RECIPE).unwrap();
    let unknown = run(&home, &["soup.html", "--mode", "llm_telepathic"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("rule_based"), "{}", unknown.told());
    let unset = Ended::of(command(&home, &["soup.html"]).env("AGENT_MODE", "other"));
    assert_eq!(unset.code, Some(2), "{}", unset.told());
    let missing = run(&home, &["missing.html"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("missing.html"), "{}", missing.told());
}
