//! The error of a failure as a model sees it: the repository's own calls and the message, each once.

use std::collections::BTreeSet;

use autoheal_code::languages;
use autoheal_code::stack::{PrintedCall, printed_calls};
use autoheal_engine::diagnostics::Finding;
use autoheal_llm::prompt::cut;

/// Maximum number of folders that a line names whose calls are left out.
const MOST_FOLDERS: usize = 3;

/// The stack of a finding with its message, as far as the message is not part of it: without calls outside of the repository, and each
/// own call once. Where it is longer than `limit` characters, the code below the calls is left out first, then the middle of the rest;
/// no own call is.
pub(super) fn error_text(finding: &Finding, limit: usize) -> String {
    let Some(stack) = finding.stack.as_deref().filter(|stack| !stack.trim().is_empty()) else {
        return cut(&finding.message, limit);
    };
    let parts = parts(stack);
    let with_code = parts.iter().map(Part::text).collect::<Vec<_>>();
    let mut shown = with_code.join("\n");
    if shown.chars().count() > limit {
        shown = shortened(&parts, limit);
    }
    if holds(stack, &finding.message) { shown } else { format!("{}\n\n{shown}", cut(&finding.message, limit)) }
}

/// A piece of a stack, in its order.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    /// A call of the repository: its lines.
    Own(Vec<&'a str>),
    /// Calls that are left out, in a line.
    LeftOut(String),
    /// Text between calls.
    Other(Vec<&'a str>),
}

impl Part<'_> {
    fn text(&self) -> String {
        match self {
            Self::Own(lines) | Self::Other(lines) => lines.join("\n"),
            Self::LeftOut(line) => line.clone(),
        }
    }
}

/// Calls that are left out one after another.
#[derive(Default)]
struct LeftOut {
    foreign: usize,
    repeated: usize,
    folders: Vec<String>,
}

impl LeftOut {
    fn close(&mut self, parts: &mut Vec<Part<'_>>) {
        let LeftOut { foreign, repeated, folders } = std::mem::take(self);
        let frames = |count: usize| if count == 1 { "1 frame".to_owned() } else { format!("{count} frames") };
        let mut named = folders.iter().take(MOST_FOLDERS).cloned().collect::<Vec<_>>().join(", ");
        if folders.len() > MOST_FOLDERS {
            named.push_str(", ...");
        }
        if foreign > 0 {
            parts.push(Part::LeftOut(format!("  [{} of {named} left out]", frames(foreign))));
        }
        if repeated > 0 {
            parts.push(Part::LeftOut(format!("  [{} from above repeated]", frames(repeated))));
        }
    }
}

fn parts(stack: &str) -> Vec<Part<'_>> {
    let lines: Vec<&str> = stack.lines().collect();
    let (mut parts, mut left_out) = (Vec::new(), LeftOut::default());
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut at = 0;
    for PrintedCall { lines: range, file } in printed_calls(stack) {
        if let Some(between) = lines.get(at..range.start).filter(|between| !between.is_empty()) {
            left_out.close(&mut parts);
            parts.push(Part::Other(between.to_vec()));
        }
        at = range.end;
        let own = lines.get(range).unwrap_or_default();
        if let Some(folder) = foreign_folder(&file) {
            left_out.foreign += 1;
            if !left_out.folders.contains(&folder) {
                left_out.folders.push(folder);
            }
        } else if seen.insert(own.first().copied().unwrap_or_default()) {
            left_out.close(&mut parts);
            parts.push(Part::Own(own.to_vec()));
        } else {
            left_out.repeated += 1;
        }
    }
    left_out.close(&mut parts);
    parts.extend(lines.get(at..).filter(|rest| !rest.is_empty()).map(|rest| Part::Other(rest.to_vec())));
    parts
}

/// The stack within a limit: the heads of own calls, and as much of the text between as there is room for.
fn shortened(parts: &[Part<'_>], limit: usize) -> String {
    let head = |part: &Part<'_>| match part {
        Part::Own(lines) => lines.first().copied().unwrap_or_default().to_owned(),
        Part::LeftOut(_) | Part::Other(_) => part.text(),
    };
    let is_other = |part: &&Part<'_>| matches!(part, Part::Other(_));
    let length = |part: &Part<'_>| head(part).chars().count() + 1;
    let calls: usize = parts.iter().filter(|part| !is_other(part)).map(length).sum();
    let others = parts.iter().filter(is_other).count().max(1);
    let room = limit.saturating_sub(calls) / others;
    let shown = parts.iter().map(|part| if is_other(&part) { cut(&part.text(), room) } else { head(part) });
    shown.collect::<Vec<_>>().join("\n")
}

/// The folder outside of the repository that a printed file lies in; `None`: the file is the repository's own. The text is without
/// the folders of the run, so that own files have relative names.
fn foreign_folder(file: &str) -> Option<String> {
    const ELSEWHERE: [&str; 5] = ["/", "<temporary>", "<data>", "<frozen", "<anonymous>"];
    let parts: Vec<&str> = file.trim_start_matches("file://").split('/').collect();
    let holds_packages = |folder: &&str| languages::known_files().any(|known| known.foreign_folders.contains(folder));
    let folders = parts.split_last().map_or(&[][..], |(_, folders)| folders);
    if let Some(at) = folders.iter().rposition(holds_packages) {
        let length = if parts.get(at + 1).is_some_and(|name| name.starts_with('@')) { 3 } else { 2 };
        return Some(parts.iter().skip(at).take(length).copied().collect::<Vec<_>>().join("/"));
    }
    let scheme = file.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| !scheme.contains(['/', '.', '<']));
    let is_elsewhere = ELSEWHERE.iter().any(|beginning| file.starts_with(beginning));
    scheme.map(str::to_owned).or_else(|| is_elsewhere.then(|| "the interpreter and its tools".to_owned()))
}

/// Returns whether a stack says all that a message says, line by line; the first one may be behind another class name.
fn holds(stack: &str, message: &str) -> bool {
    let first = message.lines().next().unwrap_or_default();
    let after_class = first.split_once(": ").map_or(first, |(_, rest)| rest);
    let lines = std::iter::once(after_class).chain(message.lines().skip(1));
    !message.trim().is_empty() && lines.map(str::trim).all(|line| stack.contains(line))
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Category, Source};

    use super::*;

    fn finding(message: &str, stack: &str) -> Finding {
        Finding {
            source: Source::Test,
            category: Category::Logic,
            file: None,
            location: None,
            message: message.to_owned(),
            stack: Some(stack.to_owned()),
        }
    }

    #[test]
    fn calls_outside_of_the_repository_become_one_line() {
        let stack = "Traceback (most recent call last):\n  \
                     File \"<data>/lib/python3.11/site-packages/_pytest/runner.py\", line 1, in a\n    b()\n  \
                     File \"<data>/lib/python3.11/site-packages/pluggy/call.py\", line 2, in b\n    c()\n    ~^^\n  \
                     File \"tests/test_a.py\", line 3, in test_a\n    assert f() == 1\n  \
                     File \"/usr/lib/python3.11/json/decoder.py\", line 4, in f\n    raise\n\
                     AssertionError: assert 2 == 1\n";
        assert_eq!(
            error_text(&finding("AssertionError: assert 2 == 1", stack), 1000),
            "Traceback (most recent call last):\n  [2 frames of site-packages/_pytest, site-packages/pluggy left out]\n  \
             File \"tests/test_a.py\", line 3, in test_a\n    assert f() == 1\n  \
             [1 frame of the interpreter and its tools left out]\nAssertionError: assert 2 == 1"
        );
        let node = "AssertionError [ERR_ASSERTION]: one\n\n  two\n    at f (src/a.js:1:2)\n    \
                    at g (node_modules/@scope/name/index.js:3:4)\n    at node:internal/a:5:6\n    at <temporary>:7:8";
        assert_eq!(
            error_text(&finding("AssertionError: one\ntwo", node), 1000),
            "AssertionError [ERR_ASSERTION]: one\n\n  two\n    at f (src/a.js:1:2)\n  \
             [3 frames of node_modules/@scope/name, node, the interpreter and its tools left out]"
        );
    }

    #[test]
    fn the_message_stands_once() {
        let stack = "  File \"a.py\", line 1, in f\nshop.Broken: it is\nbroken";
        assert_eq!(error_text(&finding("Broken: it is\nbroken", stack), 1000), stack);
        let other = error_text(&finding("KeyError: 'x'", stack), 1000);
        assert_eq!(other, format!("KeyError: 'x'\n\n{stack}"));
        assert_eq!(error_text(&Finding { stack: None, ..finding("KeyError", "") }, 1000), "KeyError");
    }

    #[test]
    fn no_own_call_is_lost_to_a_limit() {
        let calls: String = (0..60)
            .map(|line| format!("  File \"a.py\", line {line}, in f\n    f{line}()\n"))
            .collect::<Vec<_>>()
            .concat();
        let stack = format!("Traceback (most recent call last):\n{calls}{calls}ValueError: {}", "x".repeat(5000));
        let shown = error_text(&finding("ValueError: y", &stack), 3000);
        assert!((0..60).all(|line| shown.contains(&format!("line {line}, in f\n"))), "{shown}");
        assert!(shown.contains("  [60 frames from above repeated]") && shown.chars().count() < 3200, "{shown}");
    }
}
