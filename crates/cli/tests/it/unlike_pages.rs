//! Pages that are not the page, and pages that lack a field: the real binary, a real site.

use autoheal_testkit::site::{Change, RawAnswer};
use serde_json::Value;

use crate::scraper::Scraper;

const PRODUCT: &str = "/product/1";

fn html(body: &str) -> Change {
    Change::Raw(RawAnswer::new("text/html; charset=utf-8", body))
}

fn product(fields: &[(&str, &str)]) -> Change {
    let fields: Vec<String> = fields.iter().map(|(class, text)| format!("<p class={class}>{text}</p>")).collect();
    let fields = fields.concat();
    html(&format!("<title>Blue chair | Shop</title><main><h1>Blue chair</h1>{fields}</main>{SMALL_PRINT}"))
}

/// A text that a search may take for a field that is gone, but not with certainty.
const SMALL_PRINT: &str = "<div class=text>The chair is made of oak, and its seat is covered with blue wool from the hills of the north. \
     It is sold with two cushions and can be sent to every town of the country within three days.</div>";

const WHOLE: &[(&str, &str)] = &[("price", "12.50 EUR"), ("stock", "In stock"), ("rating", "4.5 of 5")];

/// A source of a product whose rating is optional.
async fn shop(arguments: &[&str]) -> Scraper {
    let scraper = Scraper::new().await;
    scraper.site.set(PRODUCT, product(WHOLE));
    let recipe = scraper.home.path().join("recipe.json");
    let fields = r#""title": {"select": "h1"}, "price": {"select": ".price"}, "stock": {"select": ".stock"}, "rating": {"select": ".rating", "required": false}"#;
    std::fs::write(&recipe, format!("{{\"version\": 1, \"fields\": {{{fields}}}}}")).unwrap();
    let url = scraper.site.url(PRODUCT);
    let add = ["add", url.as_str(), "--name", "chair", "--recipe", recipe.to_str().unwrap()];
    let added = scraper.run(&[&add, arguments].concat());
    assert_eq!(added.code, Some(0), "{}", added.told());
    scraper
}

fn newest(scraper: &Scraper) -> Value {
    let data = scraper.run(&["data", "chair"]).stdout;
    serde_json::from_str(data.lines().next_back().unwrap()).unwrap()
}

#[tokio::test]
async fn a_page_that_is_not_the_page_is_named_and_is_no_strike() {
    let scraper = shop(&[]).await;
    let pages = [
        ("<title>Just a moment...</title><p>One second.", "bot check"),
        ("<title>Log in</title><h1>Log in</h1><form><input type=password></form>", "log-in page"),
        (
            "<title>Privacy</title><div><p>We and our partners use cookies.</p><button>Accept all</button></div>",
            "consent page",
        ),
        ("", "empty page"),
        ("<title>Shop</title><h1>We are under maintenance</h1>", "maintenance"),
        ("{\"title\": \"Blue chair\"}", "not HTML"),
    ];
    for (body, named) in pages {
        scraper.site.set(PRODUCT, html(body));
        let run = scraper.json_of_failed(&["run", "chair"]);
        let message = run[0]["results"]["failure"]["message"].as_str().unwrap_or_default();
        assert!(run[0]["stop_reason"] == "NOT_THE_PAGE" && message.contains(named), "{run}");
    }
    let history = scraper.json(&["history", "chair"]);
    assert_eq!(history["fixes"].as_array().map(Vec::len), Some(0), "{history}");
    scraper.site.set(PRODUCT, product(WHOLE));
    let well = scraper.run(&["run", "chair"]);
    assert!(well.code == Some(0) && well.stderr.contains("the same as before"), "{}", well.told());
}

#[tokio::test]
async fn what_is_not_a_page_is_not_added() {
    let scraper = Scraper::new().await;
    let url = scraper.site.url(PRODUCT);
    for (body, hint) in [
        ("<title>Checking your browser</title><h1>Checking your browser</h1>", "bot check"),
        ("<title>Shop</title><div id=root></div><script src=/a.js></script>", "--render"),
        ("<title>Log in</title><form><input type=password></form>", "needs no log-in"),
        ("%PDF-1.7", "not HTML"),
    ] {
        scraper.site.set(PRODUCT, html(body));
        let added = scraper.run(&["add", url.as_str(), "--name", "chair"]);
        assert!(added.code == Some(2) && added.stderr.contains(hint), "{}", added.told());
    }
    // The user knows better.
    scraper.site.set(PRODUCT, html("<title>Log in</title><h1>Log in</h1><form><input type=password></form>"));
    let added = scraper.run(&["add", url.as_str(), "--name", "chair", "--example", "heading=Log in"]);
    assert_eq!(added.code, Some(0), "{}", added.told());
}

#[tokio::test]
async fn an_optional_field_that_is_gone_is_told_of_and_collected_when_it_is_back() {
    let scraper = shop(&[]).await;
    scraper.site.set(PRODUCT, product(&WHOLE[..2]));
    let without = scraper.run(&["run", "chair"]);
    assert_eq!(without.code, Some(0), "{}", without.told());
    assert_eq!(newest(&scraper)["values"]["rating"], Value::Null);
    let again = scraper.run(&["run", "chair"]);
    assert!(again.code == Some(0) && !again.stderr.contains("healing"), "{}", again.told());
    let shown = scraper.json(&["show", "chair"]);
    let alerts = shown["alerts"].as_array().unwrap();
    assert!(alerts.len() == 1 && alerts[0]["kind"] == "FIELD_GONE", "{shown}");
    scraper.site.set(PRODUCT, product(WHOLE));
    let back = scraper.run(&["run", "chair"]);
    assert!(back.code == Some(0) && !back.stderr.contains("healing"), "{}", back.told());
    assert_eq!(newest(&scraper)["values"]["rating"], "4.5 of 5");
}

#[tokio::test]
async fn a_reviewer_decides_once_about_a_field_that_is_gone() {
    let scraper = shop(&["--heal-policy", "review"]).await;
    scraper.site.set(PRODUCT, product(&WHOLE[..2]));
    let waits = scraper.run(&["run", "chair"]);
    assert!(waits.code == Some(1) && waits.told().contains("needs review"), "{}", waits.told());
    assert_eq!(scraper.run(&["approve", "chair"]).code, Some(0));
    let run = scraper.run(&["run", "chair"]);
    assert!(run.code == Some(0) && !run.stderr.contains("healing"), "{}", run.told());
}

#[tokio::test]
async fn the_certain_fields_of_a_page_are_kept_where_the_user_wants_them() {
    let unsure = product(&[("price", "Ask our friendly people about the price of today"), WHOLE[1], WHOLE[2]]);
    for (arguments, kept) in [(&[][..], "12.50 EUR"), (&["--on-uncertain", "skip_field"], "")] {
        let scraper = shop(arguments).await;
        scraper.site.set(PRODUCT, unsure.clone());
        let run = scraper.run(&["run", "chair"]);
        assert_eq!(run.code, Some(1), "{}", run.told());
        let values = &newest(&scraper)["values"];
        assert_eq!((values["price"].as_str().unwrap_or_default(), values["stock"].as_str()), (kept, Some("In stock")));
        assert_eq!(scraper.run(&["accept", "chair"]).code, Some(0), "the whole page may be accepted still");
        assert!(newest(&scraper)["values"]["price"].as_str().unwrap().starts_with("Ask our"));
        assert_eq!(scraper.run(&["run", "chair"]).code, Some(0));
    }
}
