//! The format of the log of a job of Actions.

use std::sync::LazyLock;

use regex::Regex;

use crate::host::JobLog;
use crate::host::job_log::{cut_line, plain_line};

/// Folders below which runners check out repositories, before the repository's name.
const WORK_FOLDERS: [&str; 2] = ["/home/runner/work", "/__w"];

#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z ?").expect("a constant pattern"));

/// The folders that a repository of this name lies in on a runner.
pub(super) fn folders(name: &str) -> Vec<String> {
    let below = WORK_FOLDERS.iter().map(|folder| format!("{folder}/{name}/{name}"));
    below.chain(["/github/workspace".to_owned()]).collect()
}

/// Reads a job's log: the output of the steps, and the lines marked `##[error]`.
pub fn read(log: &str) -> JobLog {
    let mut read = JobLog::default();
    for line in log.trim_start_matches('\u{feff}').lines() {
        let line = cut_line(line);
        let line = plain_line(&TIME.replace(line.trim_start_matches('\u{feff}'), ""));
        let marked = line.strip_prefix("##[").and_then(|rest| rest.split_once(']'));
        let text = match marked {
            Some(("error", text)) => {
                // An error before it says more.
                if !text.starts_with("Process completed with exit code") {
                    read.errors.push(text.to_owned());
                }
                text
            }
            Some((_, text)) => text,
            None => &line,
        };
        read.text.push_str(text);
        read.text.push('\n');
    }
    read
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::read;

    const LOG: &str = "\u{feff}2026-01-01T00:00:00.1234567Z ##[group]Run python -m unittest\n\
        2026-01-01T00:00:00.1234567Z \u{1b}[36;1mpython -m unittest\u{1b}[0m\n\
        2026-01-01T00:00:00.1234567Z ##[endgroup]\n\
        2026-01-01T00:00:01.1234567Z Traceback (most recent call last):\n\
        2026-01-01T00:00:01.1234567Z NameError: name 'summ' is not defined\n\
        2026-01-01T00:00:02.1234567Z ##[error]No space left on device\n\
        2026-01-01T00:00:02.1234567Z ##[error]Process completed with exit code 1.\n";

    #[test]
    fn what_the_runner_adds_is_taken_away() {
        let log = read(LOG);
        assert!(log.text.starts_with("Run python -m unittest\npython -m unittest\n\nTraceback (most"), "{}", log.text);
        assert!(log.text.ends_with("Process completed with exit code 1.\n"), "{}", log.text);
        assert_eq!(log.errors, ["No space left on device"]);
        assert_eq!(read("2026-01-01T00:00:00.1Z 10 %\r50 %\rdone\r\n").text, "done\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_log_brings_escapes_or_endless_lines(log in "(?s)(.{0,40}|##\\[error\\]|\u{1b}\\[31m|\r|x{5000}|\n){0,12}") {
            let read = read(&log);
            prop_assert_eq!(read.text.find('\u{1b}'), None);
            prop_assert!(read.text.lines().all(|line| line.len() < 4200));
        }
    }
}
