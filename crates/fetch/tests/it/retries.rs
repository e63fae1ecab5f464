use std::time::{Duration, Instant};

use autoheal_fetch::{FetchError, FetchRequest, FetchSettings, Fetcher, RetrySettings};
use autoheal_testkit::site::{Change, Site};

use crate::{fetch, patient};

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    let site = Site::start().await;
    for status in [429, 500, 502, 503, 504] {
        site.set("/article/1", Change::Failures { status, times: 1 });
        let page = fetch(patient(), site.url("/article/1")).await.unwrap();
        assert_eq!((page.status, page.tries), (200, 2), "{status}");
    }
}

#[tokio::test]
async fn after_the_last_try_the_answer_is_what_it_is() {
    let site = Site::start().await;
    site.set("/article/1", Change::Status(500));
    let page = fetch(patient(), site.url("/article/1")).await.unwrap();
    assert_eq!((page.status, page.tries, site.requests("/article/1")), (500, 3, 3));
}

#[tokio::test]
async fn what_does_not_pass_is_asked_once() {
    let site = Site::start().await;
    for status in [400, 401, 403, 404, 410, 418, 501] {
        site.set("/article/1", Change::Status(status));
        let before = site.requests("/article/1");
        let page = fetch(patient(), site.url("/article/1")).await.unwrap();
        assert_eq!((page.status, page.tries, site.requests("/article/1") - before), (status, 1, 1));
        assert!(!page.body.is_empty(), "the page of an error may say more");
    }
}

#[tokio::test]
async fn a_host_is_asked_again_when_it_wants_to_be() {
    let site = Site::start().await;
    let settings = patient();
    let retries = RetrySettings { longest_wait: Duration::from_secs(5), ..settings.retries };
    site.set("/article/1", Change::RateLimit { retry_after: Some("1".to_owned()), times: Some(1) });
    let started = Instant::now();
    let page = fetch(FetchSettings { retries, ..settings }, site.url("/article/1")).await.unwrap();
    assert_eq!((page.status, page.tries), (200, 2));
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_host_that_wants_too_long_a_wait_is_left_to_the_caller() {
    let site = Site::start().await;
    site.set("/article/1", Change::RateLimit { retry_after: Some("3600".to_owned()), times: None });
    let page = fetch(patient(), site.url("/article/1")).await.unwrap();
    assert_eq!((page.status, page.tries), (429, 1));
    assert_eq!(page.headers.retry_after, Some(Duration::from_hours(1)));
}

#[tokio::test]
async fn a_site_that_comes_back_between_two_tries_is_reached() {
    let mut site = Site::start().await;
    let url = site.url("/article/1");
    let settings = patient();
    let retries = RetrySettings { tries: 60, first_wait: Duration::from_millis(20), ..settings.retries };
    let fetcher = Fetcher::new(FetchSettings { retries, ..settings }).unwrap();
    site.go_away();
    let request = FetchRequest::new(url);
    let (page, ()) = tokio::join!(fetcher.fetch(&request), site.come_back());
    assert!(page.unwrap().is_success());
}

#[tokio::test]
async fn an_address_that_is_refused_is_not_tried_again() {
    let settings = FetchSettings { allow_private: Vec::new(), ..patient() };
    let started = Instant::now();
    let error = fetch(settings, "http://10.0.0.1/".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, FetchError::AddressForbidden { .. }) && !error.may_pass());
    assert!(started.elapsed() < Duration::from_secs(1));
}
