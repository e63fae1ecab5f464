//! When a patch is accepted (design section 4): a pure comparison of two looks.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Key, Source};

use crate::look::{Look, TestState};

/// Why a patch is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The run was ended by a limit, so nothing is known.
    #[error("the tests were ended by the {0}")]
    CutShort(String),
    /// (a)
    #[error("{count} test(s) that passed before fail now, such as {example}")]
    Broke {
        /// How many.
        count: usize,
        /// One of them.
        example: String,
    },
    /// (b)
    #[error("{count} test(s) collected before have vanished, such as {example}")]
    Vanished {
        /// How many.
        count: usize,
        /// One of them.
        example: String,
    },
    /// (c)
    #[error("the failure is still there")]
    StillThere,
    /// (d)
    #[error("nothing moved forward")]
    NoProgress,
    /// A linter or compile check finds what it did not find before.
    #[error("a new finding: {0}")]
    NewFinding(String),
}

/// May the tree that gave `after` replace the one that gave `before`, as a repair of `target`?
///
/// Failures in tests that could not run before are *revealed*, not new: they do not count against the patch.
///
/// # Errors
///
/// The first part of the rule that is not met.
pub fn judge(before: &Look, after: &Look, target: &Key) -> Result<(), Rejection> {
    if let Some(limit) = &after.cut_short {
        return Err(Rejection::CutShort(limit.clone()));
    }
    let passed_before = || before.tests.iter().filter(|(_, state)| **state == TestState::Passed).map(|(id, _)| id);
    let vanished: Vec<&String> = before.tests.keys().filter(|id| !after.tests.contains_key(*id)).collect();
    if let Some(example) = vanished.first() {
        return Err(Rejection::Vanished { count: vanished.len(), example: (*example).clone() });
    }
    // A test that passed and is skipped now was silenced: no better than a failure.
    let broken: Vec<&String> =
        passed_before().filter(|id| after.tests.get(*id).is_some_and(|state| *state != TestState::Passed)).collect();
    if let Some(example) = broken.first() {
        return Err(Rejection::Broke { count: broken.len(), example: (*example).clone() });
    }
    let keys_after = after.keys();
    if keys_after.contains(target) {
        return Err(Rejection::StillThere);
    }
    let keys_before = before.keys();
    if let Some(new) = new_static_finding(&keys_before, &keys_after) {
        return Err(Rejection::NewFinding(new.message.clone()));
    }
    if moved_forward(before, after) { Ok(()) } else { Err(Rejection::NoProgress) }
}

/// Linters and compile checks see the whole tree each time, so what they did not say before is new, never revealed. The one
/// exception is a file that could not be read before: its findings are revealed with it.
fn new_static_finding<'after>(before: &BTreeSet<Key>, after: &'after BTreeSet<Key>) -> Option<&'after Key> {
    let unreadable: BTreeSet<&Option<String>> =
        before.iter().filter(|key| key.category.hides_others()).map(|key| &key.file).collect();
    after.iter().find(|key| {
        matches!(key.source, Source::Lint | Source::Build | Source::Lsp)
            && !before.contains(*key)
            && !unreadable.contains(&key.file)
    })
}

/// A test is collected that was not before, or one that failed passes, or a static finding is gone.
///
/// "A file parses" and "a module imports" show as one of these: as a collected test, or as the finding that is gone.
fn moved_forward(before: &Look, after: &Look) -> bool {
    let collected_more = after.tests.keys().any(|id| !before.tests.contains_key(id));
    let fewer_failures = failed_among(before, after) < before.count(TestState::Failed);
    let fewer_findings = {
        let after_keys = after.keys();
        before.keys().iter().any(|key| key.source != Source::Test && !after_keys.contains(key))
    };
    collected_more || fewer_failures || fewer_findings
}

fn failed_among(before: &Look, after: &Look) -> usize {
    before.tests.keys().filter(|id| after.tests.get(*id) == Some(&TestState::Failed)).count()
}
