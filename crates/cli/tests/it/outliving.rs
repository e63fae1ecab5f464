//! Nothing that the program started outlives it, whatever ends it; the next start removes its folders.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use autoheal_testkit::git_http::{Behaviour, GitHttp};
use autoheal_testkit::site::{Change, RawAnswer};

use crate::scraper::Scraper;

/// Processes of this machine, but for the program itself, of whose arguments one contains this text.
fn with_argument(text: &str, program: &Child) -> Vec<String> {
    let commands = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse::<u32>().ok()?;
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        (pid != program.id()).then(|| String::from_utf8_lossy(&words).replace('\0', " "))
    });
    commands.filter(|words| words.contains(text)).collect()
}

/// Starts the program with temporary files in `temporary`, kills it once `is_ready` and something with `text` among its
/// arguments runs, and awaits that nothing of that is left.
async fn kill_amid(mut command: Command, temporary: &Path, text: &str, is_ready: impl Fn() -> bool) {
    command.env("TMPDIR", temporary).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = command.spawn().unwrap();
    while !is_ready() || with_argument(text, &program).is_empty() {
        assert!(program.try_wait().unwrap().is_none(), "it ended before it was killed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!folders(temporary).is_empty());
    program.kill().unwrap();
    program.wait().unwrap();
    while !with_argument(text, &program).is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn folders(temporary: &Path) -> Vec<String> {
    let entries = fs::read_dir(temporary).unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    entries.filter(|name| name.starts_with("autoheal-git-") || name.starts_with("autoheal-browser-")).collect()
}

#[tokio::test]
async fn a_clone_ends_with_the_program_that_is_killed() {
    let (served, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (server, scraper) = (GitHttp::serve(served.path(), Behaviour::Silent), Scraper::new().await);
    let url = server.url("any");
    let command = scraper.home.command(&["heal", &url, "--no-push"]);
    kill_amid(command, temporary.path(), &url, || !server.requests().is_empty()).await;
    scraper.home.command(&["check", "--quick"]).env("TMPDIR", temporary.path()).output().unwrap();
    assert_eq!(folders(temporary.path()), Vec::<String>::new());
}

#[tokio::test]
#[cfg_attr(not(feature = "render"), ignore = "needs the feature render")]
async fn a_page_without_an_end_ends_with_the_program_that_is_killed() {
    let temporary = tempfile::tempdir().unwrap();
    let scraper = Scraper::new().await;
    let check = scraper.home.command(&["check", "--quick"]).output().unwrap();
    if !String::from_utf8_lossy(&check.stdout).lines().any(|line| line.starts_with("yes  browser")) {
        return autoheal_testkit::skip("a killed program that renders", "`autoheal check` finds no browser");
    }
    let page = RawAnswer::new("text/html", "<!doctype html><p>text<script>fetch('/began'); for (;;) {}</script>");
    scraper.site.set("/loop", Change::Raw(page));
    let url = scraper.site.url("/loop").to_string();
    let command = scraper.command(&["add", &url, "--render", "--name", "news", "--example", "title=x"]);
    kill_amid(command, temporary.path(), &url, || scraper.site.requests("/loop") > 1).await;
    scraper.home.command(&["check", "--quick"]).env("TMPDIR", temporary.path()).output().unwrap();
    assert_eq!(folders(temporary.path()), Vec::<String>::new());
}
