use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use autoheal_engine::politeness::{HostReservations, Pace, ReservationError, Reserving};
use autoheal_fetch::{FetchError, FetchRequest, FetchSettings, Fetcher, HostLimits, Provenance, RobotsPolicy};
use autoheal_testkit::site::{Change, Plan, RawAnswer, Scope, Site};
use url::Url;

use crate::{fetch, settings};

#[tokio::test]
async fn what_robots_txt_forbids_is_not_asked_for() {
    let site = Site::start().await;
    site.set_robots(Some("User-agent: *\nDisallow: /article/\nAllow: /article/2\n"));
    let fetcher = Fetcher::new(settings()).unwrap();
    let forbidden = fetcher.fetch(&FetchRequest::new(site.url("/article/1"))).await.unwrap_err();
    assert!(matches!(forbidden, FetchError::RobotsDisallowed { .. }), "{forbidden:?}");
    for path in ["/article/2", "/product/1"] {
        assert!(fetcher.fetch(&FetchRequest::new(site.url(path))).await.unwrap().is_success());
    }
    assert_eq!((site.requests("/article/1"), site.requests("/robots.txt")), (0, 1));
    let ignoring = FetchSettings { robots: RobotsPolicy::Ignore, ..settings() };
    assert!(fetch(ignoring, site.url("/article/1")).await.unwrap().is_success());
    assert_eq!(site.requests("/robots.txt"), 1);
}

#[tokio::test]
async fn a_redirect_does_not_lead_past_robots_txt() {
    let site = Site::start().await;
    site.set_robots(Some("User-agent: autoheal\nDisallow: /article/\n"));
    site.set("/open", Change::RedirectTemporarily("/article/1".to_owned()));
    let error = fetch(settings(), site.url("/open")).await.unwrap_err();
    assert!(matches!(error, FetchError::RobotsDisallowed { .. }), "{error:?}");
    assert_eq!(site.requests("/article/1"), 0);
}

#[tokio::test]
async fn without_robots_txt_all_is_allowed_and_in_trouble_nothing() {
    let site = Site::start().await;
    for status in [401, 403, 404, 410, 429] {
        site.set("/robots.txt", Change::Status(status));
        assert!(fetch(settings(), site.url("/article/1")).await.unwrap().is_success(), "{status}");
    }
    for status in [500, 503] {
        site.set("/robots.txt", Change::Status(status));
        let fetcher = Fetcher::new(settings()).unwrap();
        let before = site.requests("/robots.txt");
        for _ in 0..2 {
            let error = fetcher.fetch(&FetchRequest::new(site.url("/article/1"))).await.unwrap_err();
            assert!(matches!(error, FetchError::RobotsUnavailable { status: told, .. } if told == status), "{error:?}");
        }
        assert_eq!(site.requests("/robots.txt") - before, 1, "remembered for a while");
    }
}

/// Lets time pass without waiting for it; only while nothing is on its way.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn what_a_site_said_is_forgotten_in_time() {
    let site = Site::start().await;
    let fetcher = Fetcher::new(settings()).unwrap();
    let request = FetchRequest::new(site.url("/article/1"));
    let minutes = |count: u64| Duration::from_secs(count * 60);

    site.set("/robots.txt", Change::Status(503));
    assert!(matches!(fetcher.fetch(&request).await, Err(FetchError::RobotsUnavailable { .. })));
    site.reset("/robots.txt");
    pass(minutes(9)).await;
    assert!(matches!(fetcher.fetch(&request).await, Err(FetchError::RobotsUnavailable { .. })));
    pass(minutes(2)).await;
    assert!(fetcher.fetch(&request).await.unwrap().is_success());

    site.set_robots(Some("User-agent: *\nDisallow: /\n"));
    pass(minutes(59)).await;
    assert!(fetcher.fetch(&request).await.unwrap().is_success());
    pass(minutes(2)).await;
    assert!(matches!(fetcher.fetch(&request).await, Err(FetchError::RobotsDisallowed { .. })));

    site.set_robots(None);
    pass(minutes(23 * 60)).await;
    assert!(matches!(fetcher.fetch(&request).await, Err(FetchError::RobotsDisallowed { .. })));
    pass(minutes(61)).await;
    assert!(fetcher.fetch(&request).await.unwrap().is_success());
    assert_eq!(site.requests("/robots.txt"), 4);
}

#[tokio::test]
async fn robots_txt_may_be_elsewhere_and_is_asked_for_once_by_many() {
    let site = Site::start().await;
    site.set("/robots.txt", Change::RedirectPermanently("/rules".to_owned()));
    let rules = RawAnswer::new("text/plain", "User-agent: *\nDisallow: /list\nSitemap: /map.xml\n");
    site.set("/rules", Change::Raw(rules));
    let fetcher = Arc::new(Fetcher::new(settings()).unwrap());
    let fetching: Vec<_> = (1..=8)
        .map(|number| {
            let (fetcher, url) = (Arc::clone(&fetcher), site.url(&format!("/article/{number}")));
            tokio::spawn(async move { fetcher.fetch(&FetchRequest::new(url)).await })
        })
        .collect();
    for task in fetching {
        assert!(task.await.unwrap().unwrap().is_success());
    }
    assert_eq!((site.requests("/robots.txt"), site.requests("/rules")), (1, 1));
    let error = fetcher.fetch(&FetchRequest::new(site.url("/list/1"))).await.unwrap_err();
    assert!(matches!(error, FetchError::RobotsDisallowed { .. }));
    assert_eq!(fetcher.sitemaps(&site.url("/")).await.unwrap(), [site.url("/map.xml")]);
}

#[tokio::test]
async fn who_asks_is_told() {
    let site = Site::start().await;
    let contact = Some(Url::parse("https://example.org/bot").unwrap());
    fetch(FetchSettings { contact, ..settings() }, site.url("/article/1")).await.unwrap();
    for path in ["/article/1", "/robots.txt"] {
        let agent = site.last_request(path).unwrap().headers["user-agent"].clone();
        assert!(agent.starts_with("autoheal/") && agent.ends_with(" (+https://example.org/bot)"), "{agent}");
    }
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let site = Site::start().await;
    let fetcher = Fetcher::new(settings()).unwrap();
    let first = fetcher.fetch(&FetchRequest::new(site.url("/article/1"))).await.unwrap();
    let again = FetchRequest::new(site.url("/article/1")).when_changed(first.conditions());
    let second = fetcher.fetch(&again).await.unwrap();
    assert_eq!((second.status, second.provenance), (304, Provenance::NotModified));
    assert!(second.body.is_empty());
    site.set("/article/1", Change::Retag);
    let third = fetcher.fetch(&again).await.unwrap();
    assert_eq!((third.status, third.provenance), (200, Provenance::Network));
    assert_ne!(third.headers.etag, first.headers.etag);
}

#[tokio::test]
async fn a_host_is_asked_at_its_pace() {
    let site = Site::start().await;
    let pace = Pace { interval: Duration::from_millis(60), burst: 1 };
    let fetcher = Fetcher::new(FetchSettings {
        host_limits: [(site.host(), HostLimits { pace, at_once: 9 })].into(),
        ..settings()
    })
    .unwrap();
    let started = Instant::now();
    for number in 1..=3 {
        fetcher.fetch(&FetchRequest::new(site.url(&format!("/article/{number}")))).await.unwrap();
    }
    // robots.txt takes the first turn.
    assert!(started.elapsed() >= Duration::from_millis(3 * 60 - 3), "{:?}", started.elapsed());
}

#[tokio::test]
async fn sources_with_a_delay_are_refreshed_one_after_the_other() {
    let site = Site::start().await;
    let fetcher = Fetcher::new(FetchSettings { robots: RobotsPolicy::Ignore, ..settings() }).unwrap();
    let request =
        |number: u32| FetchRequest::new(site.url(&format!("/article/{number}"))).after(Duration::from_millis(60));
    let started = Instant::now();
    let (first, second, third) = (request(1), request(2), request(3));
    let pages = tokio::join!(fetcher.fetch(&first), fetcher.fetch(&second), fetcher.fetch(&third));
    assert!(pages.0.is_ok() && pages.1.is_ok() && pages.2.is_ok());
    assert!(started.elapsed() >= Duration::from_millis(2 * 60 - 3), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_crawl_delay_is_honoured_and_one_without_end_sends_away() {
    let site = Site::start().await;
    site.set_robots(Some("User-agent: *\nCrawl-delay: 86400\n"));
    let fetcher = Fetcher::new(settings()).unwrap();
    let outcomes = [
        fetcher.fetch(&FetchRequest::new(site.url("/article/1"))).await,
        fetcher.fetch(&FetchRequest::new(site.url("/article/2"))).await,
    ];
    assert!(matches!(&outcomes[1], Err(FetchError::Postponed { wait, .. }) if wait.as_secs() > 86_000), "{outcomes:?}");
    assert_eq!(site.requests("/article/2"), 0);
}

/// Keeps a book instead of a clock.
#[derive(Default)]
struct Shared {
    reserved: Mutex<Vec<String>>,
    is_down: bool,
}

impl HostReservations for Shared {
    fn reserve<'call>(&'call self, host: &'call str, _pace: Pace, _patience: Duration) -> Reserving<'call> {
        Box::pin(async move {
            if self.is_down {
                return Err(ReservationError("the database is down".into()));
            }
            self.reserved.lock().unwrap().push(host.to_owned());
            Ok(Duration::ZERO)
        })
    }
}

#[tokio::test]
async fn every_request_takes_a_turn_that_others_can_see() {
    let site = Site::start().await;
    site.set("/first", Change::RedirectTemporarily("/article/1".to_owned()));
    let shared = Arc::new(Shared::default());
    let turns: Arc<dyn HostReservations> = Arc::<Shared>::clone(&shared);
    let fetcher = Fetcher::with_reservations(settings(), turns).unwrap();
    fetcher.fetch(&FetchRequest::new(site.url("/first"))).await.unwrap();
    // robots.txt, the redirect, the page.
    assert_eq!(*shared.reserved.lock().unwrap(), vec![site.host(); 3]);
    assert_eq!(site.requests_in_all(), 3);

    let down: Arc<dyn HostReservations> = Arc::new(Shared { is_down: true, ..Shared::default() });
    let fetcher = Fetcher::with_reservations(settings(), down).unwrap();
    let error = fetcher.fetch(&FetchRequest::new(site.url("/article/1"))).await.unwrap_err();
    assert!(matches!(error, FetchError::Reservation { .. }), "{error:?}");
    assert_eq!(site.requests_in_all(), 3, "nobody is asked without a turn");
}

#[tokio::test]
async fn many_pages_of_a_slow_site_are_asked_for_few_at_a_time() {
    let site = Site::start().await;
    site.set(Scope::Whole, Change::Delay(Duration::from_millis(30)));
    let limits = HostLimits { pace: Pace::UNLIMITED, at_once: 2 };
    let fetcher = Arc::new(Fetcher::new(FetchSettings { limits, robots: RobotsPolicy::Ignore, ..settings() }).unwrap());
    let started = Instant::now();
    let fetching: Vec<_> = (1..=6)
        .map(|number| {
            let (fetcher, url) = (Arc::clone(&fetcher), site.url(&format!("/article/{number}")));
            tokio::spawn(async move { fetcher.fetch(&FetchRequest::new(url)).await })
        })
        .collect();
    for task in fetching {
        task.await.unwrap().unwrap();
    }
    assert!(started.elapsed() >= Duration::from_millis(3 * 30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_thousand_pages_are_asked_for_once_each() {
    let site = Site::with(Plan { articles: 1_000, products: 0, lists: 0, entries: 0 }).await;
    let limits = HostLimits::unlimited(16);
    let fetcher = Arc::new(Fetcher::new(FetchSettings { limits, ..settings() }).unwrap());
    let fetching: Vec<_> = site
        .paths()
        .into_iter()
        .map(|path| {
            let (fetcher, url) = (Arc::clone(&fetcher), site.url(&path));
            let title = site.values(&path)["title"].as_str().unwrap().to_owned();
            tokio::spawn(async move { (fetcher.fetch(&FetchRequest::new(url)).await, title) })
        })
        .collect();
    for task in fetching {
        let (page, title) = task.await.unwrap();
        assert!(String::from_utf8(page.unwrap().body.to_vec()).unwrap().contains(&title));
    }
    assert!(site.paths().iter().all(|path| site.requests(path) == 1));
    assert_eq!(site.requests("/robots.txt"), 1);
}
