//! Attempts to escape from each sandbox of this machine: which ones were refused, and by which mechanism.
//!
//! Arguments: `--reference` adds Docker with its defaults (`docker run` without any of autoheal's settings) and nsjail.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for people, which starts what it compares with"
)]

#[path = "../tests/it/escape.rs"]
mod escape;
#[path = "../tests/it/place.rs"]
#[expect(dead_code, reason = "what other tests use")]
mod place;

use std::io::ErrorKind;
use std::process::Command;

use autoheal_sandbox::Choice;
use escape::{Attempt, Outside, attempt_all};
use place::Place;

#[tokio::main]
async fn main() {
    let mut columns = Vec::new();
    for (name, choice) in [("bubblewrap", Choice::Bubblewrap), ("docker", Choice::Docker)] {
        if let Some(mut place) = Place::open(choice).await {
            columns.push((name, attempt_all(&mut place).await));
        }
    }
    if std::env::args().any(|word| word == "--reference") {
        let tree = tempfile::tempdir().unwrap();
        let outside = Outside::new();
        let words = outside.argv(tree.path());
        let docker = ["docker", "run", "--rm", "--workdir", "/tmp", "autoheal-python:local"];
        let nsjail =
            ["nsjail", "--quiet", "--mode", "o", "--chroot", "/", "--cwd", "/tmp", "--tmpfsmount", "/tmp", "--"];
        for (name, before) in [("docker as it comes", docker.as_slice()), ("nsjail", &nsjail)] {
            match reference(before, &words) {
                Ok(attempts) => columns.push((name, attempts)),
                Err(reason) => println!("{name}: not tried: {reason}"),
            }
        }
    }
    print(&columns);
}

/// Makes the attempts under another program.
fn reference(before: &[&str], words: &[String]) -> Result<Vec<Attempt>, String> {
    let output =
        Command::new(before[0]).args(&before[1..]).args(words).output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!("the program `{}` is not installed", before[0]),
            _ => error.to_string(),
        })?;
    serde_json::from_slice(&output.stdout).map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

fn print(columns: &[(&str, Vec<Attempt>)]) {
    let Some((_, rows)) = columns.first() else { return println!("no sandbox works here") };
    println!("| attempt | {} |", columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | "));
    println!("| --- |{}", " --- |".repeat(columns.len()));
    for row in rows {
        let cells = columns.iter().map(|(_, attempts)| {
            let attempt = attempts.iter().find(|attempt| attempt.name == row.name);
            attempt.map_or_else(String::new, |Attempt { refused, by, .. }| match refused {
                Some(true) => by.clone(),
                Some(false) => format!("**{by}**"),
                None => "-".to_owned(),
            })
        });
        println!("| {}: {} | {} |", row.name, row.tries, cells.collect::<Vec<_>>().join(" | "));
    }
    for (name, attempts) in columns {
        let count = |refused| attempts.iter().filter(|attempt| attempt.refused == refused).count();
        let (tried, refused) = (attempts.len() - count(None), count(Some(true)));
        println!("{name}: {tried} attempts, {refused} refused, {} succeeded", count(Some(false)));
    }
}
