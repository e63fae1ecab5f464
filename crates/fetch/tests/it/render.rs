use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use autoheal_fetch::render::{BrowserSandbox, RelayProgram, RenderSettings, check};
use autoheal_fetch::{FetchError, FetchRequest, FetchSettings, Fetched, Fetcher, Phase, Provenance};
use autoheal_testkit::site::{Change, RawAnswer, Site};

use crate::settings;

/// Settings with a browser in its namespaces, where the machine has both.
async fn with_browser() -> Option<FetchSettings> {
    let render = contained();
    match check(&render).await {
        Ok(_) => Some(FetchSettings { render, ..settings() }),
        Err(error) => {
            autoheal_testkit::skip("Chromium in bubblewrap", &error.to_string());
            None
        }
    }
}

fn contained() -> RenderSettings {
    let relay = RelayProgram { program: env!("CARGO_BIN_EXE_autoheal-test-relay").into(), arguments: Vec::new() };
    RenderSettings { relay: Some(relay), ..RenderSettings::default() }
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
    let Some(settings) = with_browser().await else { return };
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
async fn a_picture_shows_what_scripts_build() {
    let Some(settings) = with_browser().await else { return };
    let site = Site::start().await;
    site.set("/app", page("<script>document.body.style.background = 'red'</script>"));
    site.set("/plain", page(""));
    let fetcher = Fetcher::new(settings).unwrap();
    let mut pictures = Vec::new();
    for path in ["/app", "/plain"] {
        let picture = fetcher.picture(&site.url(path), Duration::from_secs(1)).await.unwrap();
        assert!(picture.starts_with(b"\x89PNG\r\n"), "{path}");
        pictures.push(picture);
    }
    assert_ne!(pictures[0], pictures[1]);
    let forbidden = "http://127.0.0.2:9/".parse().unwrap();
    assert!(fetcher.picture(&forbidden, Duration::from_secs(1)).await.is_err());
}

#[tokio::test]
async fn a_browser_that_takes_no_picture_says_so() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    let settings = instead_of_browser(folder.path(), "echo '<p>a document</p>'");
    let error = Fetcher::new(settings).unwrap().picture(&site.url("/article/1"), Duration::ZERO).await.unwrap_err();
    assert!(
        matches!(&error, FetchError::RenderFailed { reason, .. } if reason.contains("took no picture")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_page_cannot_make_the_browser_ask_what_is_forbidden() {
    let Some(settings) = with_browser().await else { return };
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
    let Some(settings) = with_browser().await else { return };
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
    let Some(settings) = with_browser().await else { return };
    let site = Site::start().await;
    site.set("/gone", Change::Status(404));
    let page = render(settings.clone(), &site, "/gone").await.unwrap();
    assert_eq!((page.status, page.provenance, site.requests("/gone")), (404, Provenance::Network, 1));
    site.set("/picture", Change::Raw(RawAnswer::new("image/png", [137, 80, 78, 71])));
    let picture = render(settings, &site, "/picture").await.unwrap();
    assert_eq!((&picture.body[..], picture.provenance), (&[137, 80, 78, 71][..], Provenance::Network));
}

#[tokio::test]
async fn a_page_without_an_end_times_out() {
    let Some(settings) = with_browser().await else { return };
    let site = Site::start().await;
    site.set("/app", page("<script>for (;;) {}</script>"));
    let render_settings = RenderSettings { time: Duration::from_secs(3), ..settings.render.clone() };
    let error = render(FetchSettings { render: render_settings, ..settings }, &site, "/app").await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { phase: Phase::Render, .. }), "{error:?}");
}

#[tokio::test]
async fn a_document_that_is_too_long_is_an_error() {
    let Some(settings) = with_browser().await else { return };
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

/// A program in the browser's place: what starts and ends it need not be a browser.
fn instead_of_browser(folder: &Path, script: &str) -> FetchSettings {
    let program = folder.join("browser");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let render = RenderSettings {
        program: Some(program),
        time: Duration::from_millis(500),
        document_limit: 4_000,
        sandbox: BrowserSandbox::Off,
        ..RenderSettings::default()
    };
    FetchSettings { render, ..settings() }
}

#[tokio::test]
async fn the_document_is_what_the_browser_prints() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    // With the arguments and the environment that it was given.
    let settings = instead_of_browser(folder.path(), "echo \"$@\"; env; pwd");
    let page = render(settings, &site, "/article/1").await.unwrap();
    let told = text(&page);
    assert!(
        told.contains(site.url("/article/1").as_str()) && told.contains("--proxy-bypass-list=<-loopback>"),
        "{told}"
    );
    assert!(!told.contains("CARGO"), "nothing of the environment is passed on: {told}");
    let home = told.lines().last().unwrap();
    assert!(told.contains(&format!("--user-data-dir={home} ")) && !Path::new(home).exists(), "{told}");
}

#[tokio::test]
async fn a_browser_that_fails_says_why() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    let settings = instead_of_browser(folder.path(), "echo 'no usable sandbox' >&2; exit 1");
    let error = render(settings, &site, "/article/1").await.unwrap_err();
    assert!(matches!(&error, FetchError::RenderFailed { reason, .. } if reason == "no usable sandbox"), "{error:?}");
}

#[tokio::test]
async fn everything_that_the_browser_started_ends_with_it() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    for ending in ["wait", "echo '<p>document</p>'; exec >&-; wait", "yes | head -c 5000; wait"] {
        let pid_file = folder.path().join("pid");
        let script = format!("sleep 600 >&- 2>&- & echo $! > {}\n{ending}", pid_file.display());
        let _ = render(instead_of_browser(folder.path(), &script), &site, "/article/1").await;
        let pid = fs::read_to_string(&pid_file).unwrap();
        let stat = Path::new("/proc").join(pid.trim()).join("stat");
        let is_alive = || fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        let mut looks = 0;
        while is_alive() {
            looks += 1;
            assert!(looks < 200, "{ending}: still there");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Everything in a page that may send a datagram, to this port of this machine.
fn datagrams(port: u16) -> String {
    format!(
        "<link rel=dns-prefetch href='http://localhost:{port}'><link rel=preconnect href='https://127.0.0.1:{port}'>
        <p id=a>waiting</p><script>
        const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}},
            {{urls: 'turn:127.0.0.1:{port}', username: 'a', credential: 'b'}}]}});
        peer.createDataChannel('x');
        peer.createOffer().then(offer => peer.setLocalDescription(offer));
        try {{ new WebTransport('https://127.0.0.1:{port}/').ready.catch(() => {{}}); }} catch {{}}
        setTimeout(() => document.getElementById('a').textContent = 'done', 2000);
        </script>"
    )
}

#[tokio::test]
async fn a_page_sends_no_datagram() {
    let Some(settings) = with_browser().await else { return };
    let site = Site::start().await;
    let listener = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    site.set("/app", page(&datagrams(listener.local_addr().unwrap().port())));
    let page = render(settings, &site, "/app").await.unwrap();
    assert!(text(&page).contains("done"), "{}", text(&page));
    let mut datagram = [0_u8; 64];
    let received = listener.try_recv(&mut datagram);
    assert_eq!(received.unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "{datagram:?}");
}

#[tokio::test]
async fn a_browser_whose_processes_need_too_much_memory_is_ended() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    // Each of them alone is within the limit, also while the shell copies what it keeps. The `:` stops the shell from becoming `sleep`.
    let settings = instead_of_browser(
        folder.path(),
        "for n in 1 2 3 4 5 6 7 8; do (kept=$(yes | tr -d '\\n' | head -c 20000000); sleep 600; :) & done; wait",
    );
    let render_settings = RenderSettings { memory: 128 << 20, time: Duration::from_mins(1), ..settings.render.clone() };
    let settings = FetchSettings { render: render_settings, ..settings };
    let error = render(settings, &site, "/article/1").await.unwrap_err();
    assert!(matches!(&error, FetchError::RenderFailed { reason, .. } if reason.contains("memory")), "{error:?}");
}

#[tokio::test]
async fn the_browser_sees_neither_files_nor_network_nor_processes() {
    let Some(settings) = with_browser().await else { return };
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    let script = "id -u; ls -A /tmp /home/browser; ls -d /root /home/* /etc/passwd /run/* 2>&1; cat /proc/net/dev; \
                  ls -d /proc/[0-9]*; grep CapEff /proc/self/status; touch /usr/x 2>&1; env";
    let render_settings = instead_of_browser(folder.path(), script).render;
    let render_settings = RenderSettings {
        sandbox: BrowserSandbox::Bubblewrap,
        relay: settings.render.relay.clone(),
        time: settings.render.time,
        ..render_settings
    };
    let seen = text(&render(FetchSettings { render: render_settings, ..settings }, &site, "/article/1").await.unwrap());
    assert!(seen.starts_with("1000\n") && seen.contains("CapEff:\t0000000000000000"), "{seen}");
    assert!(seen.contains("'/root': No such file") && seen.contains("'/etc/passwd': No such file"), "{seen}");
    assert!(seen.contains("/usr/x': Read-only file system") && !seen.contains("CARGO"), "{seen}");
    let interfaces = seen
        .lines()
        .filter_map(|line| line.trim().split_once(": "))
        .filter(|(_, rest)| rest.split_whitespace().count() == 16);
    assert_eq!(interfaces.map(|(name, _)| name).collect::<Vec<_>>(), ["lo"], "{seen}");
    assert!(seen.lines().filter(|line| line.starts_with("/proc/")).count() < 8, "{seen}");
}

#[tokio::test]
async fn a_picture_that_is_a_link_is_not_followed() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    let script =
        "for word; do case $word in --screenshot=*) ln -s /etc/hostname \"${word#*=}\";; esac; done; echo document";
    let settings = instead_of_browser(folder.path(), script);
    let error = Fetcher::new(settings).unwrap().picture(&site.url("/article/1"), Duration::ZERO).await.unwrap_err();
    assert!(
        matches!(&error, FetchError::RenderFailed { reason, .. } if reason.contains("took no picture")),
        "{error:?}"
    );
}

#[tokio::test]
async fn without_a_way_to_contain_it_nothing_is_rendered() {
    let (site, folder) = (Site::start().await, tempfile::tempdir().unwrap());
    let settings = instead_of_browser(folder.path(), "echo document");
    let render_settings = RenderSettings { sandbox: BrowserSandbox::Bubblewrap, ..settings.render.clone() };
    let error = render(FetchSettings { render: render_settings, ..settings }, &site, "/article/1").await.unwrap_err();
    assert!(
        matches!(&error, FetchError::BrowserMissing { reason } if reason.contains("fetch.browser_sandbox")),
        "{error:?}"
    );
}
