use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use autoheal_testkit::site::{Change, Layout, Plan, RawAnswer, Scope, Site};

/// The whole answer, as text.
fn ask(site: &Site, path: &str) -> String {
    ask_with(site, path, "")
}

fn ask_with(site: &Site, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(site.host()).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", site.host()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

fn header<'answer>(answer: &'answer str, name: &str) -> Option<&'answer str> {
    answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Returns the text that a reader sees: without tags, head and scripts.
fn text(answer: &str) -> String {
    let body = answer.split_once("<body").unwrap().1.split_once("</body>").unwrap().0;
    let mut shown = String::new();
    let mut in_tag = true;
    for letter in body.chars() {
        match letter {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ if !in_tag => shown.push(letter),
            _ => {}
        }
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ").replace("&amp;", "&")
}

#[tokio::test]
async fn every_layout_shows_the_true_values_in_other_markup() {
    let site = Site::start().await;
    let mut pages = Vec::new();
    for layout in Layout::ALL {
        site.set(Scope::Whole, Change::Layout(layout));
        let article = ask(&site, "/article/3");
        let product = ask(&site, "/product/3");
        let list = ask(&site, "/list/1");
        let values = site.values("/article/3");
        assert!(text(&article).contains(values["title"].as_str().unwrap()), "{layout:?}");
        assert!(text(&article).contains(values["author"].as_str().unwrap()), "{layout:?}");
        for paragraph in values["body"].as_array().unwrap() {
            assert!(text(&article).contains(paragraph.as_str().unwrap()), "{layout:?}");
        }
        for (field, value) in site.values("/product/3") {
            let shown = text(&product).replace(',', ".");
            for part in value.as_array().cloned().unwrap_or_else(|| vec![value]) {
                assert!(shown.contains(&part.as_str().unwrap().replace(',', ".")), "{layout:?}: {field}");
            }
        }
        assert!(product.contains("application/ld+json"));
        for entry in site.values("/list/1")["items"].as_array().unwrap() {
            assert!(
                list.contains(entry["url"].as_str().unwrap()) && text(&list).contains(entry["title"].as_str().unwrap())
            );
        }
        assert!(list.contains("/list/2"));
        pages.push(article);
    }
    for (index, page) in pages.iter().enumerate() {
        assert!(pages[index + 1..].iter().all(|other| other != page));
    }
}

#[tokio::test]
async fn markup_changes_and_values_stay() {
    let site = Site::start().await;
    let path = "/article/1";
    let before = ask(&site, path);
    let changes = [Change::RenameClasses(1), Change::RenameClasses(2), Change::Wrap, Change::Retag];
    let mut seen = vec![before.clone()];
    for change in changes {
        site.reset(Scope::Whole);
        site.set(path, change);
        let changed = ask(&site, path);
        assert_eq!(text(&changed), text(&before));
        assert!(!seen.contains(&changed));
        seen.push(changed);
    }
    site.reset(path);
    assert_eq!(header(&ask(&site, path), "ETag"), header(&before, "ETag"));
}

#[tokio::test]
async fn a_field_vanishes_with_its_label_everywhere() {
    let site = Site::start().await;
    for layout in Layout::ALL {
        site.reset(Scope::Whole);
        site.set(Scope::Whole, Change::Layout(layout));
        let values = site.values("/product/2");
        let (sku, price) = (values["sku"].as_str().unwrap(), values["price"].as_str().unwrap());
        site.set("/product/2", Change::DeleteField("sku".to_owned()));
        let answer = ask(&site, "/product/2");
        assert!(!answer.contains(sku), "{layout:?}");
        assert!(answer.contains(price), "{layout:?}");
        assert!(site.values("/product/2").get("sku").is_none());
        assert!(site.values("/product/3").get("sku").is_some());
    }
}

#[tokio::test]
async fn a_wrong_thing_stands_where_a_value_stood() {
    let site = Site::start().await;
    let by = "Sign in to see this";
    for layout in Layout::ALL {
        site.set(Scope::Whole, Change::Layout(layout));
        let price = site.values("/product/4")["price"].as_str().unwrap().to_owned();
        site.set("/product/4", Change::ReplaceField { field: "price".to_owned(), by: by.to_owned() });
        let answer = ask(&site, "/product/4");
        assert!(answer.contains(by) && !answer.contains(&price), "{layout:?}");
        assert_eq!(site.values("/product/4")["price"], price.as_str(), "the truth is what it was");
    }
}

#[tokio::test]
async fn statuses_and_redirects_are_answered() {
    let site = Site::start().await;
    for code in [403, 404, 500] {
        site.set("/article/1", Change::Status(code));
        assert_eq!(status(&ask(&site, "/article/1")), code.to_string());
    }
    site.set("/article/1", Change::RateLimit { retry_after: Some("7".to_owned()), times: Some(1) });
    let limited = ask(&site, "/article/1");
    assert_eq!((status(&limited), header(&limited, "Retry-After")), ("429", Some("7")));
    assert_eq!(status(&ask(&site, "/article/1")), "200");
    site.set(Scope::Whole, Change::Failures { status: 503, times: 2 });
    let statuses: Vec<String> = (2..5).map(|n| status(&ask(&site, &format!("/article/{n}"))).to_owned()).collect();
    assert_eq!(statuses, ["503", "503", "200"]);
    site.set("/old", Change::RedirectPermanently("/article/1".to_owned()));
    site.set("/now", Change::RedirectTemporarily("/article/1".to_owned()));
    assert_eq!((status(&ask(&site, "/old")), header(&ask(&site, "/old"), "Location")), ("301", Some("/article/1")));
    assert_eq!(status(&ask(&site, "/now")), "302");
    site.set("/raw", Change::Raw(RawAnswer::new("image/png", [137, 80, 78, 71]).header("X-Kind", "raw")));
    let raw = ask(&site, "/raw");
    assert_eq!((status(&raw), header(&raw, "X-Kind"), header(&raw, "Content-Length")), ("200", Some("raw"), Some("4")));
    assert_eq!(status(&ask(&site, "/nothing")), "404");
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let site = Site::start().await;
    let etag = header(&ask(&site, "/article/1"), "ETag").unwrap().to_owned();
    let condition = format!("If-None-Match: {etag}\r\n");
    assert_eq!(status(&ask_with(&site, "/article/1", &condition)), "304");
    site.set("/article/1", Change::Retag);
    assert_eq!(status(&ask_with(&site, "/article/1", &condition)), "200");
}

#[tokio::test]
async fn a_page_that_moved_is_found_from_the_root_and_the_sitemap() {
    let site = Site::start().await;
    let values = site.values("/product/1");
    site.move_page("/product/1", "/shop/amber-lantern");
    assert_eq!(status(&ask(&site, "/product/1")), "404");
    assert_eq!(site.values("/shop/amber-lantern"), values);
    for path in ["/", "/sitemap.xml", "/list/1"] {
        let answer = ask(&site, path);
        assert!(answer.contains("/shop/amber-lantern") && !answer.contains("/product/1<"), "{path}");
    }
    assert!(ask(&site, "/sitemap.xml").contains(site.url("/shop/amber-lantern").as_str()));
}

#[tokio::test]
async fn robots_txt_is_there_when_it_is_set() {
    let site = Site::start().await;
    assert_eq!(status(&ask(&site, "/robots.txt")), "404");
    site.set_robots(Some("User-agent: *\nDisallow: /list\n"));
    assert!(ask(&site, "/robots.txt").ends_with("Disallow: /list\n"));
    site.set(Scope::Whole, Change::Status(500));
    assert_eq!(status(&ask(&site, "/robots.txt")), "200", "what is said of pages is not said of it");
    site.set("/robots.txt", Change::Status(500));
    assert_eq!(status(&ask(&site, "/robots.txt")), "500");
}

#[tokio::test]
async fn requests_are_counted_and_the_last_is_kept() {
    let site = Site::start().await;
    ask(&site, "/article/1");
    ask_with(&site, "/article/1?page=2", "User-Agent: test\r\n");
    ask(&site, "/article/2");
    assert_eq!((site.requests("/article/1"), site.requests("/article/2"), site.requests("/")), (2, 1, 0));
    assert_eq!(site.requests_in_all(), 3);
    let last = site.last_request("/article/1").unwrap();
    assert_eq!((last.query.as_deref(), last.headers["user-agent"].as_str()), (Some("page=2"), "test"));
}

#[tokio::test]
async fn a_site_goes_away_and_comes_back() {
    let mut site = Site::start().await;
    site.go_away();
    assert!(TcpStream::connect(site.host()).is_err());
    site.come_back().await;
    assert_eq!(status(&ask(&site, "/article/1")), "200");
}

#[tokio::test]
async fn an_answer_can_be_slow() {
    let site = Site::start().await;
    site.set("/article/1", Change::Delay(Duration::from_millis(80)));
    let started = Instant::now();
    ask(&site, "/article/1");
    assert!(started.elapsed() >= Duration::from_millis(80));
}

#[tokio::test]
async fn a_thousand_pages_are_a_thousand_different_pages() {
    let site = Site::with(Plan { articles: 500, products: 500, lists: 0, entries: 0 }).await;
    let paths = site.paths();
    assert_eq!(paths.len(), 1_000);
    let titles: std::collections::BTreeSet<String> =
        paths.iter().map(|path| site.values(path)["title"].to_string()).collect();
    assert_eq!(titles.len(), 1_000);
    for path in paths.iter().step_by(50) {
        assert_eq!(status(&ask(&site, path)), "200");
    }
}
