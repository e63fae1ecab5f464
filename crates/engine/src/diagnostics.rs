//! The diagnostics log (spec `diagnostics-log.md`; design section 5): normalised errors that are counted instead of
//! repeated, a summary for screens and prompts, the one to fix first, and the difference between two checks. A
//! repository's log is of its findings, a source's of its [`PageFault`](crate::source::PageFault)s.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Origin of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A test that failed or could not be collected.
    Test,
    /// A compile check that failed.
    Build,
    /// Finding of a linter.
    Lint,
    /// Diagnostic of a language server.
    Lsp,
    /// Anything else that ran.
    Runtime,
}

impl Source {
    /// The name, as it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
            Self::Lint => "lint",
            Self::Lsp => "lsp",
            Self::Runtime => "runtime",
        }
    }
}

/// The spec's six bug types, in the order in which they are fixed: those that hide other errors first, lint last (a linter
/// deletes a misspelled import as "unused").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Category {
    /// The file does not parse.
    Syntax,
    /// The file does not parse because of its indentation.
    Indentation,
    /// A module or a name in it cannot be imported.
    Import,
    /// An operation met a value of the wrong kind, or a name that does not exist.
    TypeError,
    /// The code runs and does the wrong thing.
    Logic,
    /// A violation of a linter's rule.
    Linting,
}

impl Category {
    /// Every category, in fixing order.
    pub const ALL: [Self; 6] =
        [Self::Syntax, Self::Indentation, Self::Import, Self::TypeError, Self::Logic, Self::Linting];

    /// Returns the name that the spec uses, such as `SYNTAX`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "SYNTAX",
            Self::Indentation => "INDENTATION",
            Self::Import => "IMPORT",
            Self::TypeError => "TYPE_ERROR",
            Self::Logic => "LOGIC",
            Self::Linting => "LINTING",
        }
    }

    /// Returns whether such a fault hides all others of its file: findings that appear after its fix were hidden, not caused by it.
    pub const fn hides_others(self) -> bool {
        match self {
            Self::Syntax | Self::Indentation | Self::Import => true,
            Self::TypeError | Self::Logic | Self::Linting => false,
        }
    }
}

impl std::fmt::Display for Category {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Line, counted from 1.
    pub line: u32,
    /// Column, counted from 1, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// One finding of one check, before it is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Origin of the finding.
    pub source: Source,
    /// Category of the fault.
    pub category: Category,
    /// The file, relative to the repository's root, with `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Location in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Message, one line or a few.
    pub message: String,
    /// The stack trace, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

/// Identity of a finding: two findings with equal keys are the same finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Origin of the finding.
    pub source: Source,
    /// Category of the fault.
    pub category: Category,
    /// Path of the file, relative to the repository's root; `None` when the finding names no file.
    pub file: Option<String>,
    /// The message with numbers, paths and addresses normalised.
    pub message: String,
}

impl Finding {
    /// Returns the key by which this finding is compared with others.
    pub fn key(&self) -> Key {
        Key { source: self.source, category: self.category, file: self.file.clone(), message: normalize(&self.message) }
    }

    /// The one-line form: `LINTING error in src/utils.py line 15`.
    pub fn headline(&self) -> String {
        let mut text = format!("{} error", self.category);
        if let Some(file) = &self.file {
            let _ = write!(text, " in {file}");
        }
        if let Some(location) = self.location {
            let _ = write!(text, " line {}", location.line);
        }
        text
    }
}

/// The message with everything that varies from run to run replaced: absolute paths by their last component, addresses
/// and numbers by `#`, runs of white space by one space.
pub fn normalize(message: &str) -> String {
    #[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
    static PATTERNS: LazyLock<[(Regex, &'static str); 3]> = LazyLock::new(|| {
        let pattern = |text: &str| Regex::new(text).expect("a constant pattern");
        [
            // Only after a delimiter: in `src/app.py` and in a URL the slash does not begin a path.
            (pattern(r#"(^|[\s'"(\[<=:,])/(?:[^\s/'":,()]+/+)*([^\s/'":,()]+)"#), "${1}${2}"),
            (pattern(r"0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?"), "#"),
            (pattern(r"\s+"), " "),
        ]
    });
    let mut text = message.trim().to_owned();
    for (pattern, replacement) in PATTERNS.iter() {
        text = pattern.replace_all(&text, *replacement).into_owned();
    }
    text
}

/// Something that checks report again and again until it is repaired: a [`Finding`] of a repository's checks, a
/// [`PageFault`](crate::source::PageFault) of a source's runs.
pub trait Fault: Clone {
    /// Identity of the fault: everything about it that does not vary from check to check.
    type Key: Ord;
    /// Urgency of the fault: the smaller, the more urgent.
    type Urgency: Ord;

    /// Returns the key by which the fault is compared with others.
    fn key(&self) -> Self::Key;

    /// Returns the urgency of the fault.
    fn urgency(&self) -> Self::Urgency;
}

impl Fault for Finding {
    type Key = Key;
    type Urgency = Category;

    fn key(&self) -> Key {
        Self::key(self)
    }

    fn urgency(&self) -> Category {
        self.category
    }
}

/// A finding with its history (the spec's `DiagnosticsEntry`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticsEntry<F = Finding> {
    /// The finding, as of the last check that saw it.
    #[serde(flatten)]
    pub finding: F,
    /// Time of the first check that saw it.
    pub first_seen_at: Timestamp,
    /// Time of the last check that saw it.
    pub last_seen_at: Timestamp,
    /// Number of checks that saw it.
    pub occurrence_count: u32,
    /// Time of the first check that missed it; cleared when it is seen again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
}

/// A bounded log of diagnostics, in the order in which they were first seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticsLog<F = Finding> {
    entries: Vec<DiagnosticsEntry<F>>,
    capacity: usize,
}

impl<F> Default for DiagnosticsLog<F> {
    fn default() -> Self {
        Self::with_capacity(Self::DEFAULT_CAPACITY)
    }
}

impl<F> DiagnosticsLog<F> {
    /// Default maximum number of entries in a log.
    pub const DEFAULT_CAPACITY: usize = 500;

    /// An empty log that keeps at most `capacity` entries (at least one).
    pub fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::new(), capacity: capacity.max(1) }
    }

    /// The log with these entries, as they were stored.
    pub const fn of(entries: Vec<DiagnosticsEntry<F>>) -> Self {
        Self { entries, capacity: Self::DEFAULT_CAPACITY }
    }

    /// Every entry, resolved ones too.
    pub fn entries(&self) -> &[DiagnosticsEntry<F>] {
        &self.entries
    }

    /// Returns the entries that the last check saw.
    pub fn current(&self) -> impl Iterator<Item = &DiagnosticsEntry<F>> {
        self.entries.iter().filter(|entry| entry.resolved_at.is_none())
    }
}

impl<F: Fault> DiagnosticsLog<F> {
    /// Records the findings of one check: repeated ones are counted, new ones added, missing ones marked as resolved.
    /// A finding that one check reports several times counts once. When the log is full, the entry resolved longest ago
    /// makes room; if none is resolved, the one least urgent and seen longest ago.
    pub fn observe(&mut self, findings: &[F], now: Timestamp) {
        let seen = self.count(findings, now);
        for (index, entry) in self.entries.iter_mut().enumerate() {
            if entry.resolved_at.is_none() && !seen.contains(&index) {
                entry.resolved_at = Some(now);
            }
        }
        self.make_room();
    }

    /// Records the findings of a check that could not look at everything: as [`Self::observe`], and missing findings stay
    /// current.
    pub fn observe_in_part(&mut self, findings: &[F], now: Timestamp) {
        self.count(findings, now);
        self.make_room();
    }

    /// Counts the findings of one check, and returns the positions of their entries.
    fn count(&mut self, findings: &[F], now: Timestamp) -> BTreeSet<usize> {
        let mut known: BTreeMap<F::Key, usize> =
            self.entries.iter().enumerate().map(|(index, entry)| (entry.finding.key(), index)).collect();
        let mut seen = BTreeSet::new();
        for finding in findings {
            let index = *known.entry(finding.key()).or_insert(self.entries.len());
            if !seen.insert(index) {
                continue;
            }
            if let Some(entry) = self.entries.get_mut(index) {
                entry.finding = finding.clone();
                entry.last_seen_at = now;
                entry.occurrence_count = entry.occurrence_count.saturating_add(1);
                entry.resolved_at = None;
            } else {
                self.entries.push(DiagnosticsEntry {
                    finding: finding.clone(),
                    first_seen_at: now,
                    last_seen_at: now,
                    occurrence_count: 1,
                    resolved_at: None,
                });
            }
        }
        seen
    }

    fn make_room(&mut self) {
        let excess = self.entries.len().saturating_sub(self.capacity);
        if excess == 0 {
            return;
        }
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|index| self.entries.get(*index).map(dispensability));
        let victims: BTreeSet<usize> = order.into_iter().take(excess).collect();
        let mut index = 0;
        self.entries.retain(|_| {
            index += 1;
            !victims.contains(&(index - 1))
        });
    }
}

/// The smaller, the sooner an entry makes room for others.
fn dispensability<F: Fault>(entry: &DiagnosticsEntry<F>) -> impl Ord + use<F> {
    (entry.resolved_at.is_none(), entry.resolved_at, std::cmp::Reverse(entry.finding.urgency()), entry.last_seen_at)
}

/// Number of other files that import each file, directly or indirectly. Files with more importers are fixed first; a
/// file that is not listed counts as having none.
pub type Importers = BTreeMap<String, usize>;

/// The current entries in the order in which they should be fixed: by category, then files that more others import, then
/// by file and line. The order is total, so two workers agree on it.
pub fn by_priority<'log>(log: &'log DiagnosticsLog, importers: &Importers) -> Vec<&'log DiagnosticsEntry> {
    let mut entries: Vec<&DiagnosticsEntry> = log.current().collect();
    entries.sort_by(|left, right| rank(left, importers).cmp(&rank(right, importers)));
    entries
}

type Rank<'log> = (Category, std::cmp::Reverse<usize>, bool, Option<&'log str>, Option<Location>, &'log str, Source);

fn rank<'log>(entry: &'log DiagnosticsEntry, importers: &Importers) -> Rank<'log> {
    let finding = &entry.finding;
    let needed_by = finding.file.as_ref().and_then(|file| importers.get(file)).copied().unwrap_or(0);
    (
        finding.category,
        std::cmp::Reverse(needed_by),
        finding.file.is_none(),
        finding.file.as_deref(),
        finding.location,
        &finding.message,
        finding.source,
    )
}

/// The one to fix first; `None` when nothing is wrong.
pub fn primary_failure<'log>(log: &'log DiagnosticsLog, importers: &Importers) -> Option<&'log DiagnosticsEntry> {
    by_priority(log, importers).into_iter().next()
}

/// Returns the `count` most urgent current entries as text, one line each, messages cut to one line; a closing line gives
/// the number of the others.
pub fn summarize(log: &DiagnosticsLog, importers: &Importers, count: usize) -> String {
    const MESSAGE_LIMIT: usize = 200;
    let entries = by_priority(log, importers);
    if entries.is_empty() {
        return "no current diagnostics\n".to_owned();
    }
    let mut text = String::new();
    for (index, entry) in entries.iter().take(count).enumerate() {
        let first_line = entry.finding.message.lines().next().unwrap_or_default();
        let message: String = first_line.chars().take(MESSAGE_LIMIT).collect();
        let seen = if entry.occurrence_count > 1 {
            format!(" (seen {} times)", entry.occurrence_count)
        } else {
            String::new()
        };
        let _ = writeln!(text, "{}. {}: {message}{seen}", index + 1, entry.finding.headline());
    }
    if entries.len() > count {
        let _ = writeln!(text, "and {} more", entries.len() - count);
    }
    text
}

/// Difference between the findings of two checks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delta {
    /// There before, gone now.
    pub fixed: Vec<Key>,
    /// Findings of the later check that the earlier one did not have.
    pub new: Vec<Key>,
    /// There before and now.
    pub unchanged: Vec<Key>,
}

impl Delta {
    /// Returns whether both checks had the same findings: the planner's stuck detector.
    pub fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.new.is_empty()
    }
}

/// Compares the findings of two checks; keys are in order, each once.
pub fn delta(before: &[Finding], after: &[Finding]) -> Delta {
    let before: BTreeSet<Key> = before.iter().map(Finding::key).collect();
    let after: BTreeSet<Key> = after.iter().map(Finding::key).collect();
    Delta {
        fixed: before.difference(&after).cloned().collect(),
        new: after.difference(&before).cloned().collect(),
        unchanged: before.intersection(&after).cloned().collect(),
    }
}
