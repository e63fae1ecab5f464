//! The format of the log of a job of GitLab CI (GitLab documentation, "CI/CD job logs"; GitLab Runner's `FF_TIMESTAMPS`).

use std::sync::LazyLock;

use regex::Regex;

use crate::host::job_log::{cut_line, plain_line, without_escapes};
use crate::host::{JobLog, RepositoryName};

/// The folder below which most executors check out repositories.
const BUILDS: &str = "/builds";

/// The section in which a runner clears up after the job.
const CLEANUP: &str = "cleanup_file_variables";

/// The last word of a runner.
const FAILED: &str = "ERROR: Job failed";

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z [0-9a-f]{2}[EO]([+ ]?)").expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static SECTION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"section_(start|end):\d+:([\w.-]+)(?:\[[^\]\r]*\])?\r?").expect("a constant pattern"));

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static ENDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^ERROR: Job failed: (?:command terminated with )?exit (?:code|status) \d+$")
        .expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static CHECKED_OUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:Initialized empty|Reinitialized existing) Git repository in (/.+)/\.git/?$")
        .expect("a constant pattern")
});

/// Reads a job's log: what the script printed and what the runner said about it, without what it cleared up.
pub fn read(log: &str, repository: &RepositoryName) -> JobLog {
    let mut read = JobLog { folders: vec![format!("{BUILDS}/{repository}")], ..JobLog::default() };
    let mut is_cleanup = false;
    for line in whole_lines(log) {
        let line = without_escapes(&cut_line(&line));
        let mut is_marked = false;
        for marker in SECTION.captures_iter(&line) {
            is_marked = true;
            is_cleanup = &marker[1] == "start" && &marker[2] == CLEANUP;
        }
        let line = plain_line(&SECTION.replace_all(&line, ""));
        if ENDED.is_match(&line) || (is_marked && line.is_empty()) {
            continue;
        }
        if line.starts_with(FAILED) {
            read.errors.push(line.clone());
        } else if is_cleanup {
            continue;
        }
        let folder = CHECKED_OUT.captures(&line).map(|found| found[1].to_owned());
        // A log names where the runner put this repository, and no other folder.
        read.folders.extend(folder.filter(|folder| folder.ends_with(&format!("/{repository}"))));
        read.text.push_str(&line);
        read.text.push('\n');
    }
    read.folders.dedup();
    read
}

/// The lines, without times; one that the runner wrote in pieces as one.
fn whole_lines(log: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in log.trim_start_matches('\u{feff}').lines() {
        let Some(time) = TIME.captures(line) else {
            lines.push(line.to_owned());
            continue;
        };
        let rest = &line[time[0].len()..];
        match lines.last_mut().filter(|_| &time[1] == "+") {
            Some(last) => last.push_str(rest),
            None => lines.push(rest.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LOG: &str = "\u{1b}[0KRunning with gitlab-runner 17.0.0\u{1b}[0;m\n\
        section_start:1560896352:get_sources\r\u{1b}[0K\u{1b}[0K\u{1b}[36;1mGetting source from Git repository\u{1b}[0;m\n\
        Initialized empty Git repository in /home/gitlab-runner/builds/t1_/0/group/sub/shop/.git/\n\
        section_end:1560896353:get_sources\r\u{1b}[0Ksection_start:1560896353:step_script\r\u{1b}[0K\n\
        \u{1b}[32;1m$ python -m unittest\u{1b}[0;m\n\
        NameError: name 'summ' is not defined\n\
        section_end:1560896354:step_script\r\u{1b}[0Ksection_start:1560896354:cleanup_file_variables\r\u{1b}[0K\u{1b}[0KCleaning up\n\
        section_end:1560896355:cleanup_file_variables\r\u{1b}[0K\u{1b}[31;1mERROR: Job failed: exit code 1\n\u{1b}[0;m\n";

    fn shop() -> RepositoryName {
        RepositoryName { owner: "group/sub".to_owned(), name: "shop".to_owned() }
    }

    #[test]
    fn what_the_runner_adds_is_taken_away() {
        let log = read(LOG, &shop());
        let expected = "Running with gitlab-runner 17.0.0\nGetting source from Git repository\n\
            Initialized empty Git repository in /home/gitlab-runner/builds/t1_/0/group/sub/shop/.git/\n\
            $ python -m unittest\nNameError: name 'summ' is not defined\n\n";
        assert_eq!(log.text, expected);
        assert_eq!(log.errors, Vec::<String>::new());
        assert_eq!(log.folders, ["/builds/group/sub/shop", "/home/gitlab-runner/builds/t1_/0/group/sub/shop"]);
    }

    #[test]
    fn what_the_runner_could_not_do_is_an_error() {
        let log = read("x\n\u{1b}[31;1mERROR: Job failed (system failure): no space left on device\n", &shop());
        assert_eq!(log.errors, ["ERROR: Job failed (system failure): no space left on device"]);
        let other = read("Initialized empty Git repository in /etc/.git/\n", &shop());
        assert_eq!(other.folders, ["/builds/group/sub/shop"]);
    }

    #[test]
    fn times_are_taken_away_and_pieces_joined() {
        let log = "2024-05-14T11:19:20.000000Z 00O Traceback (most\n2024-05-14T11:19:20.000001Z 00O+ recent call last):\n\
            2024-05-14T11:19:20.000002Z 01E x\n";
        assert_eq!(read(log, &shop()).text, "Traceback (most recent call last):\nx\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_log_brings_escapes_or_endless_lines(
            log in "(?s)(.{0,40}|section_start:1:a\r|\u{1b}\\[31m|\r|x{5000}|2024-05-14T11:19:20.0Z 00O\\+|\n){0,12}",
        ) {
            let read = read(&log, &shop());
            prop_assert_eq!(read.text.find('\u{1b}'), None);
            prop_assert!(read.text.lines().all(|line| line.len() < 4200));
        }
    }
}
