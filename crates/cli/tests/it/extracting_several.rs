//! Several pages at once: their order, their budget, and the output that remains when the user stops.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use autoheal_testkit::model_server::{ModelServer, Scripted};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::binary::{Ended, Home};
use crate::extracting_by_model::{ANSWER, POT, command};

/// Creates a home with this number of pages, and a list that names them.
fn home_with(pages: usize) -> Home {
    let home = Home::new();
    fs::create_dir(home.path().join("pages")).unwrap();
    let names: Vec<String> = (0..pages).map(|number| format!("pages/{number:02}.html")).collect();
    for name in &names {
        fs::write(home.path().join(name), format!("{POT}<p>{name}</p>")).unwrap();
    }
    fs::write(home.path().join("list.txt"), names.join("\n")).unwrap();
    home
}

fn lines(ended: &Ended) -> Vec<Value> {
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn answers_are_in_the_order_of_the_pages_whichever_comes_first() {
    let home = home_with(6);
    let slow = Scripted::openai(ANSWER).after(Duration::from_millis(400));
    let server = ModelServer::start([slow, Scripted::openai(ANSWER)]).await;
    for input in [&["pages"][..], &["--list", "list.txt"]] {
        let mode = ["--mode", "llm_fixed", "--jobs", "4"];
        let ended = Ended::of(&mut command(&home, &server, &[input, &mode].concat()));
        assert_eq!(ended.code, Some(0), "{}", ended.told());
        let lines = lines(&ended);
        let inputs: Vec<&str> = lines.iter().map(|line| line["input"].as_str().unwrap()).collect();
        assert_eq!(inputs, ["00", "01", "02", "03", "04", "05"].map(|name| format!("pages/{name}.html")));
        assert!(lines.iter().all(|line| line["item"]["title"] == "Pot, large"), "{}", ended.stdout);
        assert!(ended.stderr.contains("6 pages, 0 without a result"), "{}", ended.stderr);
    }
}

#[tokio::test]
async fn one_budget_holds_for_all_pages_and_one_page_that_fails_stops_no_other() {
    let home = home_with(8);
    let server = ModelServer::start([Scripted::openai("It is a pot."), Scripted::openai(ANSWER)]).await;
    let mut command = command(&home, &server, &["pages", "--mode", "llm_fixed", "--jobs", "3"]);
    let ended = Ended::of(command.env("AUTOHEAL_RUN_CALLS", "4"));
    assert_eq!((ended.code, server.requests().len()), (Some(1), 4), "{}", ended.told());
    let lines = lines(&ended);
    let with = |name: &str| lines.iter().filter(|line| line.get(name).is_some()).count();
    assert_eq!((lines.len(), with("item"), with("error")), (8, 3, 5), "{}", ended.stdout);
    let exhausted = lines.iter().filter(|line| line["error"].as_str().is_some_and(|error| error.contains("budget")));
    assert_eq!(exhausted.count(), 4);
}

#[tokio::test]
async fn a_slow_page_keeps_no_other_waiting_and_ctrl_c_keeps_what_is_done() {
    let home = home_with(6);
    let late = Scripted::openai(ANSWER).after(Duration::from_mins(5));
    let server = ModelServer::start([late, Scripted::openai(ANSWER)]).await;
    let mut child = command(&home, &server, &["pages", "--mode", "llm_fixed", "--jobs", "2"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while server.requests().len() < 6 {
        assert!(start.elapsed() < Duration::from_mins(1), "only {} pages were asked about", server.requests().len());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let (mut printed, mut said) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    // Two at once, and the slow one is whichever was asked about first: when the last was asked about, the rest of those before it were
    // done, and stand in order.
    let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = lines.iter().map(|line| line["input"].as_str().unwrap()).collect();
    let slow = usize::from(names.first() == Some(&"pages/00.html"));
    let others: Vec<String> = (0..5).filter(|page| *page != slow).map(|page| format!("pages/{page:02}.html")).collect();
    assert_eq!(names.get(..4), Some(&others.iter().map(String::as_str).collect::<Vec<_>>()[..]), "{printed}");
    assert!(said.contains(&format!("stopped after {} of 6 pages", lines.len())), "{said}");
}
