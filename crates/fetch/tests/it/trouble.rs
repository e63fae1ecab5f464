use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::thread;
use std::time::Duration;

use autoheal_fetch::{FetchError, FetchRequest, FetchSettings, Fetcher, Phase, RobotsPolicy, TimeLimits};
use autoheal_testkit::site::{Change, RawAnswer, Site};
use flate2::Compression;
use flate2::write::GzEncoder;
use url::Url;

use crate::{fetch, settings};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzipped(body: Vec<u8>) -> Change {
    Change::Raw(RawAnswer::new("text/html", body).header("Content-Encoding", "gzip"))
}

/// Answers the first client with these bytes, hangs up, and is gone.
fn answers_once(bytes: &'static [u8]) -> Url {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = Url::parse(&format!("http://{}/page", listener.local_addr().unwrap())).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(bytes);
    });
    url
}

fn without_robots() -> FetchSettings {
    FetchSettings { robots: RobotsPolicy::Ignore, ..settings() }
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_told_from_one_that_cannot_be_looked_up() {
    let error = fetch(settings(), "http://name.invalid/".parse().unwrap()).await.unwrap_err();
    assert!(matches!(&error, FetchError::UnknownName { host } if host == "name.invalid"), "{error:?}");
    assert!(!error.may_pass());
}

#[tokio::test]
async fn a_closed_port_refuses() {
    let mut site = Site::start().await;
    let url = site.url("/article/1");
    site.go_away();
    let error = fetch(settings(), url).await.unwrap_err();
    assert!(matches!(error, FetchError::Refused { .. }), "{error:?}");
    assert!(error.may_pass());
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_a_tls_error() {
    let site = Site::start().await;
    let mut url = site.url("/article/1");
    url.set_scheme("https").unwrap();
    let error = fetch(settings(), url).await.unwrap_err();
    assert!(matches!(error, FetchError::Tls { .. }), "{error:?}");
    assert!(error.to_string().contains("does not answer with TLS"), "{error}");
}

#[tokio::test]
async fn what_is_not_http_or_breaks_off_is_interrupted() {
    let answers: [&[u8]; 4] = [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf a page",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense",
    ];
    for bytes in answers {
        let error = fetch(without_robots(), answers_once(bytes)).await.unwrap_err();
        assert!(matches!(error, FetchError::Interrupted { .. }), "{bytes:?}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_go_on_times_out() {
    let site = Site::start().await;
    let time = TimeLimits { read: Duration::from_millis(100), ..settings().time };
    site.set("/article/1", Change::Delay(Duration::from_mins(1)));
    let error = fetch(FetchSettings { time, ..settings() }, site.url("/article/1")).await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { phase: Phase::Read, .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_that_trickles_in_for_ever_times_out() {
    let site = Site::start().await;
    let pause = Duration::from_millis(10);
    site.set("/article/1", Change::Endless { piece: b"<p>more</p>".to_vec(), pause });
    let fetcher = Fetcher::new(settings()).unwrap();
    let request = FetchRequest::new(site.url("/article/1")).within(Duration::from_millis(200));
    let error = fetcher.fetch(&request).await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { phase: Phase::Total, .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_without_an_end_is_too_large() {
    let site = Site::start().await;
    site.set("/article/1", Change::Endless { piece: vec![b'a'; 64 << 10], pause: Duration::ZERO });
    let error = fetch(FetchSettings { body_limit: 1 << 20, ..settings() }, site.url("/article/1")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { limit: 0x10_0000, .. }), "{error:?}");
}

#[tokio::test]
async fn a_compression_bomb_is_too_large() {
    let site = Site::start().await;
    let bomb = gzip(&vec![0; 16 << 20]);
    assert!(bomb.len() < 100 << 10);
    site.set("/bomb", gzipped(bomb));
    let error = fetch(FetchSettings { body_limit: 1 << 20, ..settings() }, site.url("/bomb")).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_compressed_page_is_decompressed_and_a_false_one_is_an_error() {
    let site = Site::start().await;
    site.set("/true", gzipped(gzip(b"<p>true</p>")));
    assert_eq!(&fetch(settings(), site.url("/true")).await.unwrap().body[..], b"<p>true</p>");
    site.set("/false", gzipped(b"<p>false</p>".to_vec()));
    let error = fetch(settings(), site.url("/false")).await.unwrap_err();
    assert!(matches!(error, FetchError::Undecodable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_not_too_large() {
    let site = Site::start().await;
    site.set("/page", Change::Raw(RawAnswer::new("text/html", vec![b'a'; 1_000])));
    let limited = |body_limit| FetchSettings { body_limit, ..settings() };
    assert_eq!(fetch(limited(1_000), site.url("/page")).await.unwrap().body.len(), 1_000);
    assert!(matches!(fetch(limited(999), site.url("/page")).await, Err(FetchError::TooLarge { .. })));
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_an_error() {
    let fetcher = Fetcher::new(settings()).unwrap();
    for (name, value) in [("Host", "other"), ("a b", "c"), ("X-A", "line\nbreak"), ("transfer-encoding", "chunked")] {
        let request = FetchRequest::parse("http://127.0.0.1:9/").unwrap().header(name, value);
        let error = fetcher.fetch(&request).await.unwrap_err();
        assert!(matches!(error, FetchError::InvalidHeader { .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn credentials_of_a_url_are_not_told() {
    let mut site = Site::start().await;
    let mut url = site.url("/article/1");
    url.set_username("somebody").unwrap();
    url.set_password(Some("secret")).unwrap();
    site.go_away();
    let error = fetch(settings(), url).await.unwrap_err();
    let told = format!("{error} {error:?}");
    assert!(!told.contains("secret") && !told.contains("somebody"), "{told}");
    let error = FetchRequest::parse("http://somebody:secret@[nowhere/").unwrap_err();
    assert_eq!(error.to_string(), "\"...@[nowhere/\" is not a URL; write it in full, such as https://example.com/page");
}
