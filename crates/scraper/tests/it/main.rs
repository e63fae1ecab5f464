//! Scrapers on pages that change under them, with a real store.
#![expect(clippy::panic, clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use autoheal_scraper::Match;
use autoheal_scraper::{Place, Query, Scraper, Status, Visit};
use autoheal_source::SelectorLanguage;
use url::Url;

/// A page of a shop, by its name, price and shop's own layout.
fn page(name: &str, price: &str, is_new: bool) -> String {
    let about = format!("{name} is made by hand in a small workshop in the hills, and lasts for many years.");
    if is_new {
        format!(
            "<html><body><header><a href=/>Home</a><a href=/all>All</a></header><main><section class=detail>\
             <h2 class=product-name>{name}</h2><div class=buy><span class=label>Price</span>\
             <strong class=cost>{price}</strong><button>Add to basket</button></div>\
             <div class=about><p>{about}</p></div></section></main><footer><p>Our shop since 1990</p></footer></body></html>"
        )
    } else {
        format!(
            "<html><body><div id=nav><a href=/>Home</a><a href=/all>All</a></div><div class=item>\
             <h1 class=title>{name}</h1><p class=text>{about}</p><p>Price <span class=price>{price}</span></p>\
             <button>Add to basket</button></div><div id=foot>Our shop since 1990</div></body></html>"
        )
    }
}

fn place(name: &str, line: u32) -> Place {
    Place { function: "shop.parse".into(), file: "shop.py".into(), line, name: name.into() }
}

fn css(selector: &str) -> Query {
    Query::parse(selector, SelectorLanguage::Css).unwrap()
}

/// The scraper of a user: two fields, never changed.
fn scrape(scraper: &Arc<Scraper>, html: &str) -> (Vec<String>, Vec<String>, Visit) {
    let url = Url::parse("https://shop.example/1").unwrap();
    let visit = Visit::new(Arc::clone(scraper), html.into(), Some(url));
    let title = visit.look(&place("title", 3), &css("h1.title::text"), None, true).unwrap();
    let price = visit.look(&place("price", 4), &css(".price::text"), None, true).unwrap();
    (visit.texts(&title), visit.texts(&price), visit)
}

fn open(folder: &Path) -> Arc<Scraper> {
    Arc::new(Scraper::open_file(&folder.join("scraper.heal.db")).unwrap())
}

fn statuses(visit: &Visit) -> Vec<(String, Status)> {
    visit.report().into_iter().map(|field| (field.field, field.status)).collect()
}

#[test]
fn fields_are_found_again_after_a_redesign_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let scraper = open(folder.path());
    for (name, price) in [("Oak table", "$120.00"), ("Pine chair", "$45.50"), ("Elm shelf", "$80.00")] {
        let (title, found, visit) = scrape(&scraper, &page(name, price, false));
        assert_eq!((title, found), (vec![name.to_owned()], vec![price.to_owned()]));
        assert_eq!(statuses(&visit), [("title".into(), Status::Kept), ("price".into(), Status::Kept)]);
    }
    scraper.flush().unwrap();
    drop(scraper);

    let scraper = open(folder.path());
    let (title, price, visit) = scrape(&scraper, &page("Beech bed", "$310.00", true));
    assert_eq!((title, price), (vec!["Beech bed".to_owned()], vec!["$310.00".to_owned()]), "{:?}", visit.report());
    let report = visit.report();
    assert_eq!(report[1].status, Status::Healed);
    assert_eq!(report[1].selector, ".price::text");
    assert!(report[1].healed_selector.is_some(), "{report:?}");
    drop(visit);
    scraper.flush().unwrap();
    drop(scraper);

    // The next process knows the new place, and the page before the redesign is still read as it was.
    let scraper = open(folder.path());
    let (title, price, _) = scrape(&scraper, &page("Ash desk", "$99.00", true));
    assert_eq!((title, price), (vec!["Ash desk".to_owned()], vec!["$99.00".to_owned()]));
    let (title, _, visit) = scrape(&scraper, &page("Fir box", "$9.00", false));
    assert_eq!(title, ["Fir box"]);
    assert_eq!(statuses(&visit), [("title".into(), Status::Kept), ("price".into(), Status::Kept)]);
}

#[test]
fn nothing_is_given_for_a_field_that_is_gone_or_a_page_that_is_not_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let scraper = open(folder.path());
    for price in ["$120.00", "$45.50", "$80.00"] {
        scrape(&scraper, &page("Oak table", price, false));
    }
    let without = page("Oak table", "$1.00", false).replace("<p>Price <span class=price>$1.00</span></p>", "");
    let (title, price, visit) = scrape(&scraper, &without);
    assert_eq!((title, price), (vec!["Oak table".to_owned()], Vec::new()), "{:?}", visit.report());

    let blocked = "<html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>\
                   <p>Verify you are human by completing the action below.</p><div id=captcha class=g-recaptcha></div></body></html>";
    let (title, price, visit) = scrape(&scraper, blocked);
    assert_eq!((title, price), (Vec::new(), Vec::new()));
    assert_eq!(statuses(&visit), [("title".into(), Status::Blocked), ("price".into(), Status::Blocked)]);
}

/// The redesign of which only some selectors notice: the old ones find a neighbour.
#[test]
fn a_neighbour_is_not_given_for_a_field() {
    let folder = tempfile::tempdir().unwrap();
    let scraper = open(folder.path());
    for (name, price) in [("Oak table", "$120.00"), ("Pine chair", "$45.50"), ("Elm shelf", "$80.00")] {
        scrape(&scraper, &page(name, price, false));
    }
    let prices = ["$7.77", "$8.88", "$9.99", "$6.66", "$5.55"].map(|price| format!("<span class=price>{price}</span>"));
    let also_liked = format!("<aside>Others also liked {}</aside><footer>", prices.join(" "));
    for (name, price) in [("Beech bed", "$310.00"), ("Ash desk", "$99.00")] {
        let (title, found, visit) = scrape(&scraper, &page(name, price, true).replace("<footer>", &also_liked));
        assert_eq!(title, [name]);
        // Or nothing, but not the price of another piece.
        assert!(found.iter().all(|found| found == price), "{:#?}", visit.report());
        assert_ne!(statuses(&visit)[1].1, Status::Kept);
    }
    // Of the layout before, the same selector is right.
    let (_, price, visit) = scrape(&scraper, &page("Fir box", "$9.00", false));
    assert_eq!(price, ["$9.00"]);
    assert_eq!(statuses(&visit), [("title".into(), Status::Kept), ("price".into(), Status::Kept)]);
}

/// One field is missing, and the others are where they were: they are given.
#[test]
fn a_page_without_a_field_keeps_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let scraper = open(folder.path());
    for (name, price) in [("Oak table", "$120.00"), ("Pine chair", "$45.50"), ("Elm shelf", "$80.00")] {
        scrape(&scraper, &page(name, price, false));
    }
    for name in ["Beech bed", "Ash desk", "Fir box"] {
        let without = page(name, "$1.00", false).replace("<h1 class=title>", "<h1>");
        let (_, price, visit) = scrape(&scraper, &without);
        assert_eq!(price, ["$1.00"], "{:#?}", visit.report());
    }
}

/// A page of a list, in the layout before or after.
fn list(items: &[(&str, &str)], is_new: bool) -> String {
    let item = |(name, price): &(&str, &str)| {
        if is_new {
            format!("<article class=card><h3 class=card-name>{name}</h3><em class=card-price>{price}</em></article>")
        } else {
            format!("<li class=row><a class=name href=/x>{name}</a> <b class=price>{price}</b></li>")
        }
    };
    let items: String = items.iter().map(item).collect();
    let list = if is_new { format!("<div class=grid>{items}</div>") } else { format!("<ul class=rows>{items}</ul>") };
    format!("<html><body><h1>Our furniture</h1>{list}<p>All of it by hand.</p></body></html>")
}

fn scrape_list(scraper: &Arc<Scraper>, html: &str) -> (Vec<(String, String)>, Visit) {
    let visit = Visit::new(Arc::clone(scraper), html.into(), None).named(Some("shop.list".to_owned()));
    let rows = visit.look(&place("rows", 3), &css("li.row"), None, true).unwrap();
    visit.takes_list(&rows);
    let mut items = Vec::new();
    for row in &rows.matches {
        let Match::Node(node, _) = row else { panic!("{row:?}") };
        let get = |name: &str, line, selector: &str| {
            let found = visit.look(&place(name, line), &css(selector), Some((&rows, *node)), true).unwrap();
            visit.texts(&found).first().cloned().unwrap_or_default()
        };
        items.push((get("name", 5, "a.name::text"), get("price", 6, ".price::text")));
    }
    (items, visit)
}

#[test]
fn a_list_is_found_again_with_what_is_in_its_items() {
    let folder = tempfile::tempdir().unwrap();
    let scraper = open(folder.path());
    let before = [("Oak table", "$120.00"), ("Pine chair", "$45.50"), ("Elm shelf", "$80.00"), ("Ash desk", "$99.00")];
    let owned = |items: &[(&str, &str)]| -> Vec<(String, String)> {
        items.iter().map(|(name, price)| ((*name).to_owned(), (*price).to_owned())).collect()
    };
    let (items, _) = scrape_list(&scraper, &list(&before, false));
    assert_eq!(items, owned(&before));
    let after = [("Beech bed", "$310.00"), ("Ash desk", "$99.00"), ("Elm shelf", "$80.00")];
    let (items, visit) = scrape_list(&scraper, &list(&after, true));
    assert_eq!(items, owned(&after), "{:#?}", visit.report());
}
