use autoheal_fetch::{FetchError, FetchRequest, FetchSettings, Fetcher, Provenance};
use autoheal_testkit::site::{Change, Site};

use crate::{fetch, settings};

#[tokio::test]
async fn a_page_is_fetched_as_it_is() {
    let site = Site::start().await;
    let page = fetch(settings(), site.url("/article/1")).await.unwrap();
    assert_eq!((page.status, page.tries, page.provenance), (200, 1, Provenance::Network));
    assert_eq!(page.headers.content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert!(page.headers.etag.is_some() && page.redirects.is_empty() && page.moved_to().is_none());
    let title = site.values("/article/1")["title"].as_str().unwrap().to_owned();
    assert!(String::from_utf8(page.body.to_vec()).unwrap().contains(&title));
}

#[tokio::test]
async fn each_redirect_is_recorded_with_its_kind() {
    let site = Site::start().await;
    site.set("/first", Change::RedirectPermanently("/second".to_owned()));
    site.set("/second", Change::RedirectPermanently(site.url("/third").to_string()));
    site.set("/third", Change::RedirectTemporarily("article/1".to_owned()));
    let page = fetch(settings(), site.url("/first#part")).await.unwrap();
    assert_eq!(page.url, site.url("/article/1#part"));
    let kinds: Vec<(u16, bool)> = page.redirects.iter().map(|step| (step.status, step.is_permanent())).collect();
    assert_eq!(kinds, [(301, true), (301, true), (302, false)]);
    // What is temporary is not to be remembered, nor what comes after it.
    assert_eq!(page.moved_to(), Some(&site.url("/third#part")));
}

#[tokio::test]
async fn a_loop_ends() {
    let site = Site::start().await;
    site.set("/here", Change::RedirectTemporarily("/there".to_owned()));
    site.set("/there", Change::RedirectTemporarily("/here".to_owned()));
    let error = fetch(FetchSettings { redirect_limit: 4, ..settings() }, site.url("/here")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { limit: 4, .. }), "{error:?}");
    assert_eq!(site.requests("/here") + site.requests("/there"), 5);
}

#[tokio::test]
async fn a_redirect_leads_to_web_pages_only() {
    let site = Site::start().await;
    for to in ["file:///etc/hostname", "ftp://127.0.0.1/a", "data:text/html,a", "javascript:alert(1)"] {
        site.set("/elsewhere", Change::RedirectTemporarily(to.to_owned()));
        let settings = FetchSettings { allow_files: vec!["/".into()], ..settings() };
        let error = fetch(settings, site.url("/elsewhere")).await.unwrap_err();
        assert!(matches!(error, FetchError::NotHttp { .. }), "{to}: {error:?}");
    }
    site.set("/elsewhere", Change::RedirectTemporarily("http://[".to_owned()));
    let error = fetch(settings(), site.url("/elsewhere")).await.unwrap_err();
    assert!(matches!(error, FetchError::InvalidRedirect { .. }), "{error:?}");
}

#[tokio::test]
async fn headers_do_not_follow_to_another_origin() {
    let (here, there) = (Site::start().await, Site::start().await);
    here.set("/same", Change::RedirectTemporarily("/article/1".to_owned()));
    here.set("/other", Change::RedirectTemporarily(there.url("/article/1").to_string()));
    let fetcher = Fetcher::new(settings()).unwrap();
    for path in ["/same", "/other"] {
        let request = FetchRequest::new(here.url(path)).header("Authorization", "Bearer secret");
        assert!(fetcher.fetch(&request).await.unwrap().is_success());
    }
    let authorization = |site: &Site| site.last_request("/article/1").unwrap().headers.get("authorization").cloned();
    assert_eq!(authorization(&here).as_deref(), Some("Bearer secret"));
    assert_eq!(authorization(&there), None);
}
