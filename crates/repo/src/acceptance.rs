//! Acceptance of a patch (design section 4): a pure comparison of the tree's check results before and after it.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_code::report::formatters::is_about_format;
use autoheal_engine::diagnostics::{Category, Finding, Key, Location, Source};

use crate::check_result::{CheckResult, TestState};

/// Reason a patch is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The run was ended by a limit, so nothing is known.
    #[error("the tests were ended by the {0}")]
    CutShort(String),
    /// Part (a) of the rule: tests that passed before the patch fail after it.
    #[error("{count} test(s) that passed before fail now, such as {example}")]
    Broke {
        /// Number of these tests.
        count: usize,
        /// Name of one of these tests.
        example: String,
    },
    /// Part (b) of the rule: tests that were collected before the patch are missing after it.
    #[error("{count} test(s) collected before have vanished, such as {example}")]
    Vanished {
        /// Number of these tests.
        count: usize,
        /// Name of one of these tests.
        example: String,
    },
    /// A patch whose author may mean it so turned tests off.
    #[error("tests are skipped that did not run so before, such as {0}")]
    Silenced(String),
    /// The test that the patch was made for passes whatever it expects.
    #[error("after this change the test `{0}` can no longer fail")]
    Unfailing(String),
    /// The patch changed what judges in the test that it was made for.
    #[error("after this change the test `{0}` refuses the very value that it expects")]
    Disagreeing(String),
    /// Part (c) of the rule: the target failure is unchanged.
    #[error("the failure is still there")]
    StillThere,
    /// Part (d) of the rule: the patch makes no progress on any failure.
    #[error("nothing moved forward")]
    NoProgress,
    /// A linter or compile check finds what it did not find before.
    #[error("a new finding: {0}")]
    NewFinding(String),
}

/// The failure that a patch is for.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its key.
    pub key: &'a Key,
    /// The tests that may no longer show it; empty: whatever shows it.
    pub tests: &'a [String],
}

impl<'a> From<&'a Key> for Target<'a> {
    fn from(key: &'a Key) -> Self {
        Self { key, tests: &[] }
    }
}

/// Checks whether the tree that gave `after` may replace the one that gave `before`, as a repair of `target`.
///
/// Failures in tests that could not run before are *revealed*, not new: they do not count against the patch.
///
/// # Errors
///
/// The first part of the rule that is not met.
pub fn judge<'a>(before: &CheckResult, after: &CheckResult, target: impl Into<Target<'a>>) -> Result<(), Rejection> {
    let target = target.into();
    if let Some(limit) = &after.cut_short {
        return Err(Rejection::CutShort(limit.clone()));
    }
    let tests = Comparison::of(before, after);
    if let Some(example) = tests.broken.first() {
        return Err(Rejection::Broke { count: tests.broken.len(), example: (*example).to_owned() });
    }
    if let Some(example) = tests.vanished.first() {
        return Err(Rejection::Vanished { count: tests.vanished.len(), example: (*example).to_owned() });
    }
    if is_still_there(before, after, target) {
        return Err(Rejection::StillThere);
    }
    let keys_after = after.keys();
    if let Some(new) = new_static_finding(before, after, &keys_after) {
        return Err(Rejection::NewFinding(new.message.clone()));
    }
    let moved_forward = tests.collected_more
        || tests.still_failing < before.count(TestState::Failed)
        || fewer_findings(before, after)
        || uncovers(before, after, target.key);
    if moved_forward { Ok(()) } else { Err(Rejection::NoProgress) }
}

/// Skipped tests that count against a patch. Against a rule's none does: a test that failed before its `skip` is reached is rightly skipped
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspect {
    /// Those that failed before. The patch brings back what the tests have seen, so those that could not be collected are skipped as ever.
    Failed,
    /// New ones, too: the patch could say `skip` itself.
    FailedOrNew,
}

/// Checks that a patch turned no test off.
///
/// # Errors
///
/// [`Rejection::Silenced`].
pub fn judge_skips(before: &CheckResult, after: &CheckResult, suspect: Suspect) -> Result<(), Rejection> {
    let is_suspect = |id: &String| match before.tests.get(id) {
        Some(TestState::Skipped) => false,
        Some(TestState::Passed | TestState::Failed) => true,
        None => suspect == Suspect::FailedOrNew && !before.not_repeated.iter().any(|label| id.starts_with(label)),
    };
    let mut silenced = after.tests.iter().filter(|(id, is)| **is == TestState::Skipped && is_suspect(id));
    silenced.next().map_or(Ok(()), |(id, _)| Err(Rejection::Silenced(id.clone())))
}

/// Linters and compile checks see the whole tree each time, so what they did not say before is new, never revealed. The one
/// exceptions are a file that could not be read before, whose findings are revealed with it, and a compiler or linter that gets further.
fn new_static_finding<'after>(
    old: &CheckResult,
    new: &CheckResult,
    after: &'after BTreeSet<Key>,
) -> Option<&'after Key> {
    let before = &old.keys();
    let unreadable: BTreeSet<&Option<String>> =
        before.iter().filter(|key| key.category.hides_others()).map(|key| &key.file).collect();
    // A type checker reads whole programs: what it finds in one file shows when the last other one parses.
    let does_not_parse = |key: &&Key| matches!(key.category, Category::Syntax | Category::Indentation);
    let parses_now = before.iter().filter(does_not_parse).any(|key| !after.contains(key));
    // A linter that compiles stops at once where a file does not parse, and may run out of time or memory where all of them do.
    let is_about_no_file = |key: &Key| key.source == Source::Lint && key.file.is_none();
    let is_revealed = |key: &Key| {
        parses_now && (matches!(key.category, Category::Import | Category::TypeError) || is_about_no_file(key))
    };
    after.iter().find(|key| {
        matches!(key.source, Source::Lint | Source::Build | Source::Lsp)
            && !before.contains(*key)
            && !unreadable.contains(&key.file)
            && !is_revealed(key)
            && !is_met_later(key, old, new)
            // The formatter mends it in the next round, and the run is not green before.
            && !is_about_format(key.source, &key.message)
    })
}

/// Returns whether a compiler could not meet the finding before, because it stopped at others: all of those are gone, and the finding is in
/// another place. In their place it may be the same fault in other words.
fn is_met_later(key: &Key, before: &CheckResult, after: &CheckResult) -> bool {
    let of_builds = |result: &CheckResult| -> BTreeSet<Key> {
        result.findings.iter().filter(|finding| finding.source == Source::Build).map(Finding::key).collect()
    };
    let (old, new) = (of_builds(before), of_builds(after));
    let line = |finding: &Finding| (finding.file.clone(), finding.location.map(|location| location.line));
    let old_lines: BTreeSet<_> =
        before.findings.iter().filter(|finding| finding.source == Source::Build).map(line).collect();
    let mut own = after.findings.iter().filter(|finding| finding.key() == *key);
    key.source == Source::Build
        && !old.is_empty()
        && old.is_disjoint(&new)
        && own.all(|finding| finding.location.is_some() && !old_lines.contains(&line(finding)))
}

/// "A file parses" and "a module imports" show as a collected test, or as a static finding that is gone.
fn fewer_findings(before: &CheckResult, after: &CheckResult) -> bool {
    before.keys().iter().any(|key| key.source != Source::Test && after.times(key) < before.times(key))
}

/// Returns whether the failure is the same as before. One that a tool finds in several places is another one when it finds it in fewer. A parser reports only the first syntax error of a file; where that error is now further
/// down the file, it is the next one. (A check before the candidate was tried made sure that the parser itself gets further, not only the text.)
pub(crate) fn is_still_there(before: &CheckResult, after: &CheckResult, Target { key, tests }: Target<'_>) -> bool {
    if !tests.is_empty() {
        return after.selectors_of(key).iter().any(|selector| tests.contains(selector));
    }
    let times = after.times(key);
    let is_in_fewer_places = key.source != Source::Test && times < before.times(key);
    times > 0 && !is_in_fewer_places && !is_further_on(before, after, key)
}

/// Returns whether the first syntax error of the target's file is further down the file than before.
fn is_further_on(before: &CheckResult, after: &CheckResult, target: &Key) -> bool {
    let first = |result: &CheckResult| -> Option<Location> {
        let broken =
            result.findings.iter().filter(|finding| is_unreadable(finding.category) && finding.file == target.file);
        broken.filter_map(|finding| finding.location).min_by_key(|location| (location.line, location.column))
    };
    let places = first(before).zip(first(after));
    is_unreadable(target.category) && places.is_some_and(|(was, is)| is.line > was.line)
}

/// Returns whether a failure of this category means that a file cannot be parsed.
pub(crate) const fn is_unreadable(category: Category) -> bool {
    matches!(category, Category::Syntax | Category::Indentation)
}

/// A file that did not parse parses now, or its first fault is gone; or an import that failed does not, and no more of its file is in the way.
/// Whatever else is revealed behind it, in a file that was broken all along, is the next fault and not this one.
fn uncovers(before: &CheckResult, after: &CheckResult, target: &Key) -> bool {
    let Some(file) = target.file.as_deref().filter(|_| target.category.hides_others()) else { return false };
    let mut left = after.findings.iter().filter(|finding| finding.file.as_deref() == Some(file));
    match target.category {
        Category::Syntax | Category::Indentation => {
            is_further_on(before, after, target) || !left.any(|finding| is_unreadable(finding.category))
        }
        // What is imported in its place may fail where it is used, which is no step forward.
        Category::Import => left.next().is_none(),
        Category::TypeError | Category::Logic | Category::Linting => false,
    }
}

/// Outcome of the tests that existed before the patch.
#[derive(Default)]
struct Comparison<'result> {
    vanished: Vec<&'result str>,
    /// Passed before and does not now. A test that is skipped now was silenced: no better than a failure.
    broken: Vec<&'result str>,
    still_failing: usize,
    collected_more: bool,
}

impl<'result> Comparison<'result> {
    fn of(before: &'result CheckResult, after: &CheckResult) -> Self {
        let mut comparison = Self::default();
        let mut left = cases(after);
        for (function, old) in cases(before) {
            let new = left.remove(function).unwrap_or_default();
            comparison.collected_more |= new.len() > old.len();
            let has_parameters = !old.contains_key(function);
            let is_renumbered = old.keys().any(|id| !new.contains_key(id)) && new.len() >= old.len();
            if has_parameters && is_renumbered {
                comparison.add_renumbered(&old, &new);
            } else {
                comparison.add_named(&old, &new);
            }
        }
        comparison.collected_more |= !left.is_empty();
        comparison
    }

    fn add_named(&mut self, old: &Cases<'result>, new: &Cases<'_>) {
        for (id, was) in old {
            match new.get(id) {
                None => self.vanished.push(id),
                Some(is) => {
                    if *was == TestState::Passed && *is != TestState::Passed {
                        self.broken.push(id);
                    }
                    self.still_failing += usize::from(*is == TestState::Failed);
                }
            }
        }
    }

    /// The parameters of a test may come from a set, in another order each time, and its cases are named by their number: there
    /// are as many as before, but which is which cannot be known. What can be compared is how many did what.
    fn add_renumbered(&mut self, old: &Cases<'result>, new: &Cases<'_>) {
        let count = |cases: &Cases<'_>, wanted: TestState| cases.values().filter(|state| **state == wanted).count();
        let lost = count(old, TestState::Passed).saturating_sub(count(new, TestState::Passed));
        self.broken.extend(old.keys().take(lost));
        self.still_failing += count(new, TestState::Failed).min(old.len());
    }
}

type Cases<'result> = BTreeMap<&'result str, TestState>;

/// The tests by their function: `file::test[1-2]` and `file::test[3-4]` are cases of one.
fn cases(result: &CheckResult) -> BTreeMap<&str, Cases<'_>> {
    let mut functions: BTreeMap<&str, Cases<'_>> = BTreeMap::new();
    for (id, state) in &result.tests {
        let function = id.split_once('[').map_or(id.as_str(), |(function, _)| function);
        functions.entry(function).or_default().insert(id, *state);
    }
    functions
}
