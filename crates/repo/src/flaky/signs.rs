//! Signs that a failure depends on more than the program. A sign by itself is no evidence, except for what
//! cannot be varied: there is no network here, and a full disk is a full disk.

use std::collections::BTreeSet;

use autoheal_code::Sources;
use autoheal_engine::diagnostics::Finding;

use super::FlakyKind;

/// Something that a test may depend on, noted while it ran or read in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// The date, the time or the zone was asked for.
    Clock,
    /// Something random was asked for.
    Random,
    /// Hashes decide about an order.
    Hashes,
    /// Something was started that runs at the same time as the test.
    Threads,
    /// It was measured or waited how long something takes.
    Speed,
    /// A host elsewhere was asked for.
    Network,
    /// A port was asked for by its number.
    Ports,
    /// A file was written whose name stays the same.
    Files,
}

/// Name of each sign in notes, and strings in the text of tests and programs that indicate it.
const SIGNS: [(Sign, &str, &[&str]); 8] = [
    (Sign::Clock, "clock", &[]),
    (Sign::Random, "random", &["np.random", "numpy.random"]),
    (Sign::Hashes, "hashes", &["set(", "hash(", "{*"]),
    (Sign::Threads, "threads", &["asyncio", "multiprocessing", "worker_threads"]),
    (Sign::Speed, "speed", &["performance.now", "hrtime", "perf_counter", "monotonic"]),
    (Sign::Network, "network", &[]),
    (Sign::Ports, "ports", &[]),
    (Sign::Files, "files", &[]),
];

/// Words of messages that say what was missing.
const MESSAGES: [(FlakyKind, &[&str]); 2] = [
    (
        FlakyKind::Network,
        &[
            "getaddrinfo",
            "gaierror",
            "name resolution",
            "name or service not known",
            "nodename nor servname",
            "enotfound",
            "eai_again",
            "enetunreach",
            "ehostunreach",
            "network is unreachable",
            "no route to host",
            "max retries exceeded with url",
            "newconnectionerror",
            "nameresolutionerror",
            "connecttimeout",
            "fetch failed",
            "could not resolve host",
        ],
    ),
    (
        FlakyKind::Resource,
        &[
            "eaddrinuse",
            "address already in use",
            "emfile",
            "too many open files",
            "enospc",
            "no space left on device",
            "enomem",
            "memoryerror",
            "cannot allocate memory",
            "eexist",
            "file exists",
            "fileexistserror",
            "database is locked",
            "resource temporarily unavailable",
            "can't start new thread",
            "too many open",
            "eagain",
        ],
    ),
];

/// The kind that the failure's own words name.
pub(super) fn named(finding: &Finding) -> Option<FlakyKind> {
    let text = format!("{}\n{}", finding.message, finding.stack.as_deref().unwrap_or_default()).to_lowercase();
    let last = text.len().saturating_sub(8000);
    let text = text.get(last..).unwrap_or(&text);
    // `FileNotFoundError` holds `enotfound`: a name begins where a word does.
    let begins_word = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
    let says = |words: &&[&str]| words.iter().any(|word| text.match_indices(word).any(|(at, _)| begins_word(at)));
    MESSAGES.iter().find(|(_, words)| says(words)).map(|(kind, _)| *kind)
}

/// The signs in what was noted and in the text of these files.
pub(super) fn of(noted: &BTreeSet<String>, files: &BTreeSet<String>, sources: &Sources) -> BTreeSet<Sign> {
    let text: String = files.iter().filter_map(|file| sources.text(file)).collect();
    let shows = |name: &str, words: &[&str]| noted.contains(name) || words.iter().any(|word| text.contains(word));
    let mut signs: BTreeSet<Sign> =
        SIGNS.iter().filter(|(_, name, words)| shows(name, words)).map(|(sign, _, _)| *sign).collect();
    signs.extend(text.lines().any(has_set).then_some(Sign::Hashes));
    signs
}

/// Returns whether a line has a set in braces, as Python writes them.
fn has_set(line: &str) -> bool {
    line.match_indices('{').any(|(at, _)| {
        let inside = line[at + 1..].split('}').next().unwrap_or_default();
        let before = line[..at].trim_end();
        let is_value =
            before.is_empty() || before.ends_with(['=', '(', '[', ',', '|', '&', '-']) || before.ends_with(" in");
        is_value && !inside.contains(':') && (inside.contains(',') || inside.contains(" for "))
    })
}

/// Returns the condition that an intermittent failure most likely depends on, when no variation decided, with
/// the reason.
pub(super) fn likeliest(signs: &BTreeSet<Sign>) -> (FlakyKind, &'static str) {
    const RANKS: [(Sign, FlakyKind, &str); 7] = [
        (Sign::Network, FlakyKind::Network, "it asks for a host elsewhere"),
        (Sign::Ports, FlakyKind::Resource, "it asks for a port by its number"),
        (Sign::Threads, FlakyKind::Concurrency, "it starts something that goes on beside it"),
        (Sign::Random, FlakyKind::Randomness, "it asks for random numbers"),
        (Sign::Speed, FlakyKind::Concurrency, "it waits, or measures how long something takes"),
        (Sign::Clock, FlakyKind::Time, "it asks for the time"),
        (Sign::Files, FlakyKind::Resource, "it writes a file that the next run finds"),
    ];
    let rank = RANKS.iter().find(|(sign, _, _)| signs.contains(sign));
    rank.map_or((FlakyKind::Unknown, "nothing was seen on which it could depend"), |(_, kind, why)| (*kind, why))
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Category, Source};

    use super::*;

    #[test]
    fn a_file_that_is_not_found_is_no_host() {
        let finding = |message: &str| Finding {
            source: Source::Test,
            category: Category::Logic,
            file: None,
            location: None,
            message: message.to_owned(),
            stack: None,
        };
        let kind = |message: &str| named(&finding(message));
        assert_eq!(kind("FileNotFoundError: [Errno 2] No such file or directory: 'a'"), None);
        assert_eq!(kind("Error: getaddrinfo ENOTFOUND example.org"), Some(FlakyKind::Network));
        assert_eq!(kind("socket.gaierror: [Errno -2] Name or service not known"), Some(FlakyKind::Network));
        assert_eq!(kind("OSError: [Errno 98] Address already in use"), Some(FlakyKind::Resource));
    }

    #[test]
    fn sets_in_braces_are_told_from_other_braces() {
        assert!(has_set("    names = {'a', 'b'}") && has_set("return sorted({n for n in names})"));
        assert!(!has_set("    prices = {'a': 1, 'b': 2}") && !has_set("print(f'{name}, {price}')"));
    }
}
