use std::time::Duration;

use autoheal_fetch::render::{BrowserSandbox, RenderSettings, browser_program};
use autoheal_fetch::{FetchError, FetchRequest, FetchSettings, Fetched, Fetcher, Phase, Provenance};
use autoheal_testkit::site::{Change, RawAnswer, Site};

use crate::settings;

/// Settings with a browser, where the machine has one.
fn with_browser() -> Option<FetchSettings> {
    let render = RenderSettings { sandbox: BrowserSandbox::Off, at_once: 1, ..RenderSettings::default() };
    match browser_program(&render) {
        Ok(_) => Some(FetchSettings { render, ..settings() }),
        Err(error) => {
            autoheal_testkit::skip("Chromium", &error.to_string());
            None
        }
    }
}

fn page(html: &str) -> Change {
    Change::Raw(RawAnswer::new("text/html; charset=utf-8", format!("<!doctype html><title>x</title><body>{html}")))
}

async fn render(settings: FetchSettings, site: &Site, path: &str) -> Result<Fetched, FetchError> {
    let request = FetchRequest::new(site.url(path)).rendered(Duration::from_secs(3));
    Fetcher::new(settings).unwrap().fetch(&request).await
}

fn text(page: &Fetched) -> String {
    String::from_utf8(page.body.to_vec()).unwrap()
}

#[tokio::test]
async fn what_scripts_build_is_in_the_document() {
    let Some(settings) = with_browser() else { return };
    let site = Site::start().await;
    let script = "<p id=a></p><script>setTimeout(async () => {
        const answer = await fetch('/data');
        document.getElementById('a').textContent = 'built ' + await answer.text();
    }, 500)</script>";
    site.set("/app", page(script));
    site.set("/data", Change::Raw(RawAnswer::new("text/plain", "from data")));
    let page = render(settings, &site, "/app").await.unwrap();
    assert!(text(&page).contains("<p id=\"a\">built from data</p>"), "{}", text(&page));
    assert_eq!((page.status, page.provenance), (200, Provenance::Browser));
    assert!(site.last_request("/data").unwrap().headers["user-agent"].starts_with("autoheal/"));
}

#[tokio::test]
async fn a_page_cannot_make_the_browser_ask_what_is_forbidden() {
    let Some(settings) = with_browser() else { return };
    let (site, inside) = (Site::start().await, Site::start().await);
    let port = inside.url("/").port().unwrap();
    // The same machine, by addresses that are not allowed.
    let script = format!(
        "<p id=a>waiting</p>
        <img src='http://127.0.0.2:{port}/image'><iframe src='http://127.0.0.5:{port}/frame'></iframe>
        <script>
        const asked = ['http://127.0.0.3:{port}/a', 'http://[::1]:{port}/b', 'https://127.0.0.4:{port}/c']
            .map(url => fetch(url, {{mode: 'no-cors'}}).then(() => 'reached', () => 'failed'));
        Promise.all(asked).then(all => document.getElementById('a').textContent = 'done ' + all.length);
        </script>"
    );
    site.set("/app", page(&script));
    let page = render(settings, &site, "/app").await.unwrap();
    assert!(text(&page).contains("done 3"), "{}", text(&page));
    assert_eq!(inside.requests_in_all(), 0);
}

#[tokio::test]
async fn a_page_that_leads_inside_is_no_page() {
    let Some(settings) = with_browser() else { return };
    let (site, inside) = (Site::start().await, Site::start().await);
    let to = format!("http://127.0.0.2:{}/article/1", inside.url("/").port().unwrap());
    site.set("/app", page(&format!("<script>location = '{to}'</script>")));
    let outcome = render(settings, &site, "/app").await;
    let title = inside.values("/article/1")["title"].as_str().unwrap().to_owned();
    assert!(outcome.is_err() || !text(outcome.as_ref().unwrap()).contains(&title), "{outcome:?}");
    assert_eq!(inside.requests_in_all(), 0);
}

#[tokio::test]
async fn what_is_no_page_is_not_rendered() {
    let Some(settings) = with_browser() else { return };
    let site = Site::start().await;
    site.set("/gone", Change::Status(404));
    let page = render(settings, &site, "/gone").await.unwrap();
    assert_eq!((page.status, page.provenance, site.requests("/gone")), (404, Provenance::Network, 1));
}

#[tokio::test]
async fn a_page_without_an_end_times_out_and_leaves_nothing() {
    let Some(settings) = with_browser() else { return };
    let site = Site::start().await;
    site.set("/app", page("<script>for (;;) {}</script>"));
    let render_settings = RenderSettings { time: Duration::from_secs(3), ..settings.render.clone() };
    let error = render(FetchSettings { render: render_settings, ..settings }, &site, "/app").await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { phase: Phase::Render, .. }), "{error:?}");
}

#[tokio::test]
async fn a_document_that_is_too_long_is_an_error() {
    let Some(settings) = with_browser() else { return };
    let site = Site::start().await;
    let script = "<script>document.body.append('a'.repeat(3 << 20))</script>";
    site.set("/app", page(script));
    let render_settings = RenderSettings { document_limit: 1 << 20, ..settings.render.clone() };
    let error = render(FetchSettings { render: render_settings, ..settings }, &site, "/app").await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_browser_that_is_not_there_is_named() {
    let site = Site::start().await;
    let render_settings = RenderSettings { program: Some("/nowhere/chromium".into()), ..RenderSettings::default() };
    let error = render(FetchSettings { render: render_settings, ..settings() }, &site, "/article/1").await.unwrap_err();
    assert!(matches!(error, FetchError::BrowserMissing { .. }), "{error:?}");
}
