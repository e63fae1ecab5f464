//! Edits as a language model writes them: pieces of text to search for, with their replacements. They are
//! applied exactly or rejected; a near match may be a different line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::edit::{Edit, FileEdit};
use crate::sources::Sources;
use crate::tampering::{self, Tampering};

/// One piece of a file and the text that replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// Current text, whole and exact, which must occur at one place only.
    pub search: String,
    /// Text that replaces `search`.
    pub replace: String,
}

/// Reason replacements are refused. The number is that of the replacement, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplacementError {
    /// The file does not exist among the files that were read.
    #[error("edit {0}: there is no file `{1}`")]
    UnknownFile(usize, String),
    /// The file decides whether the tests pass, or belongs to a tool.
    #[error("edit {0}: `{1}` may not be changed")]
    Protected(usize, String),
    /// Nothing is searched for.
    #[error("edit {0}: `search` is empty")]
    EmptySearch(usize),
    /// The text stands nowhere in the file.
    #[error("edit {0}: `search` does not stand in `{1}`; copy it exactly, white space included")]
    NotFound(usize, String),
    /// The text stands at several places.
    #[error("edit {0}: `search` stands {2} times in `{1}`; take more lines into it")]
    Ambiguous(usize, String, usize),
    /// Two replacements overlap.
    #[error("two edits of `{0}` overlap; make them one")]
    Overlap(String),
    /// The replacements change nothing.
    #[error("nothing would change")]
    NoChange,
    /// The replacements change more lines than a targeted fix does.
    #[error("{0} lines would change; at most {MOST_LINES} may")]
    TooLarge(usize),
    /// A test that stands in the file would be changed, or kept from running.
    #[error("`{0}` holds tests of its own; leave them as they are, and what says that they run")]
    Test(String),
    /// It adds explanations to the code, directives that tell a tool to
    /// look away, or code that switches tests off.
    #[error("`{0}` would get {1}; answer with the code of the repair only")]
    Tampering(String, Tampering),
}

/// Maximum number of changed lines; more is a rewrite, which was not requested.
pub const MOST_LINES: usize = 120;

/// The edits that the replacements come to, trimmed to the lines that change.
///
/// # Errors
///
/// [`ReplacementError`], when one of them does not fit: none is applied then.
pub fn edits(replacements: &[Replacement], sources: &Sources) -> Result<Vec<FileEdit>, ReplacementError> {
    let mut files: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
    let mut changed_lines = 0;
    for (index, replacement) in replacements.iter().enumerate() {
        let edit = located(index + 1, replacement, sources)?;
        if let Some(edit) = edit {
            let before = sources.text(&replacement.file).and_then(|text| text.get(edit.start..edit.end));
            changed_lines += before.unwrap_or_default().lines().count().max(edit.replacement.lines().count());
            files.entry(&replacement.file).or_default().push(edit);
        }
    }
    if files.is_empty() {
        return Err(ReplacementError::NoChange);
    }
    if changed_lines > MOST_LINES {
        return Err(ReplacementError::TooLarge(changed_lines));
    }
    files.into_iter().map(|(file, edits)| file_edit(file, edits, sources)).collect()
}

fn file_edit(file: &str, mut edits: Vec<Edit>, sources: &Sources) -> Result<FileEdit, ReplacementError> {
    // Insertions at one place stay in the order in which they were answered.
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let edit = FileEdit { file: file.to_owned(), edits };
    let before = sources.text(file).unwrap_or_default();
    let after = edit.apply(before).map_err(|_| ReplacementError::Overlap(file.to_owned()))?;
    if !sources.permits(&edit, &after) {
        return Err(ReplacementError::Test(file.to_owned()));
    }
    match tampering::added(file, before, &after) {
        Some(found) => Err(ReplacementError::Tampering(file.to_owned(), found)),
        None => Ok(edit),
    }
}

/// Returns the edit that a replacement makes; `None` if it changes nothing.
fn located(number: usize, replacement: &Replacement, sources: &Sources) -> Result<Option<Edit>, ReplacementError> {
    let file = &replacement.file;
    let text = sources.text(file).ok_or_else(|| ReplacementError::UnknownFile(number, file.clone()))?;
    if !sources.is_editable(file) {
        return Err(ReplacementError::Protected(number, file.clone()));
    }
    if replacement.search.is_empty() {
        return Err(ReplacementError::EmptySearch(number));
    }
    // JSON is written with line feeds; the file's own ends of lines stay.
    let (search, replace) = if text.contains("\r\n") {
        (with_carriage_returns(&replacement.search), with_carriage_returns(&replacement.replace))
    } else {
        (replacement.search.clone(), replacement.replace.clone())
    };
    let mut places = text.match_indices(search.as_str());
    let (start, _) = places.next().ok_or_else(|| ReplacementError::NotFound(number, file.clone()))?;
    // Also places that overlap with the first.
    let others = text.get(start + 1..).map_or_else(|| places.count(), |rest| overlapping(rest, &search));
    if others > 0 {
        return Err(ReplacementError::Ambiguous(number, file.clone(), others + 1));
    }
    Ok(trimmed(start, &search, &replace))
}

fn overlapping(rest: &str, search: &str) -> usize {
    rest.char_indices().filter(|(at, _)| rest.get(*at..).is_some_and(|tail| tail.starts_with(search))).count()
}

fn with_carriage_returns(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// The edit without the lines at both ends that stay as they are.
fn trimmed(start: usize, search: &str, replace: &str) -> Option<Edit> {
    if search == replace {
        return None;
    }
    let same = |left: &mut dyn Iterator<Item = &str>, right: &mut dyn Iterator<Item = &str>| -> usize {
        left.zip(right)
            .take_while(|(left, right)| left == right && left.ends_with('\n'))
            .map(|(line, _)| line.len())
            .sum()
    };
    let head = same(&mut search.split_inclusive('\n'), &mut replace.split_inclusive('\n'));
    let (search, replace) = (&search[head..], &replace[head..]);
    let tail: usize = search
        .split_inclusive('\n')
        .rev()
        .zip(replace.split_inclusive('\n').rev())
        .take_while(|(left, right)| left == right)
        .map(|(line, _)| line.len())
        .sum();
    // A line that both end with is whole in both only when another one stands before it, or nothing does.
    let tail = if is_line_start(search, tail) && is_line_start(replace, tail) { tail } else { 0 };
    let (search, replace) = (&search[..search.len() - tail], &replace[..replace.len() - tail]);
    let start = start + head;
    Some(Edit::replace(start..start + search.len(), replace))
}

fn is_line_start(text: &str, tail: usize) -> bool {
    let before = &text[..text.len() - tail];
    before.is_empty() || before.ends_with('\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str =
        "def f(a):\n    # why\n    b = a + 1\n    return b\n\n\ndef g(a):\n    b = a + 1\n    return a\n";

    fn sources() -> Sources {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", TEXT, false);
        sources.insert("windows.py", "x = 1\r\ny = 2\r\n", false);
        sources.insert("test_a.py", TEXT, true);
        sources
    }

    fn one(file: &str, search: &str, replace: &str) -> Result<Vec<FileEdit>, ReplacementError> {
        edits(&[Replacement { file: file.into(), search: search.into(), replace: replace.into() }], &sources())
    }

    #[test]
    fn what_stands_there_once_is_replaced_and_nothing_else() {
        let edit = one("a.py", "    b = a + 1\n    return b\n", "    b = a + 2\n    return b\n").unwrap();
        assert_eq!(edit[0].edits, [Edit::replace(20..34, "    b = a + 2\n")], "only the line that changes");
        assert_eq!(edit[0].apply(TEXT).unwrap(), TEXT.replacen("a + 1", "a + 2", 1));
        let edit = one("windows.py", "x = 1\ny = 2", "x = 1\ny = 3").unwrap();
        assert_eq!(edit[0].apply("x = 1\r\ny = 2\r\n").unwrap(), "x = 1\r\ny = 3\r\n");
    }

    #[test]
    fn what_does_not_fit_exactly_is_refused() {
        let not_found = |file: &str| ReplacementError::NotFound(1, file.to_owned());
        assert_eq!(one("a.py", "b = a+1", "b = a"), Err(not_found("a.py")));
        assert_eq!(one("a.py", "b = a + 1", "b = a"), Err(ReplacementError::Ambiguous(1, "a.py".into(), 2)));
        assert_eq!(one("test_a.py", "return b", "return 1"), Err(ReplacementError::Protected(1, "test_a.py".into())));
        assert_eq!(one("../b.py", "x", "y"), Err(ReplacementError::UnknownFile(1, "../b.py".into())));
        assert_eq!(one("a.py", "", "x"), Err(ReplacementError::EmptySearch(1)));
        assert_eq!(one("a.py", "return b", "return b"), Err(ReplacementError::NoChange));
        assert_eq!(one("a.py", "return b", &"x\n".repeat(121)), Err(ReplacementError::TooLarge(121)));
        let twice = ["return b", "return b\n\n"].map(|search| Replacement {
            file: "a.py".into(),
            search: search.into(),
            replace: "return a".into(),
        });
        assert_eq!(edits(&twice, &sources()), Err(ReplacementError::Overlap("a.py".into())));
    }

    #[test]
    fn code_that_is_said_again_with_an_explanation_is_refused() {
        for replace in [
            "return b  # the test wants b",
            "return b  # noqa",
            "# fixed\n    return b",
            "\"\"\"Fixed.\"\"\"\n    return b + 0",
            "b\"Fixed.\"\n    return b + 0",
            "\"Fixed\", \"it.\"\n    return b + 0",
        ] {
            assert!(matches!(one("a.py", "return b", replace), Err(ReplacementError::Tampering(..))), "{replace}");
        }
        assert!(one("a.py", "    # why\n    b = a + 1\n    return b", "    # why\n    return a + 1").is_ok());
        assert!(one("a.py", "return b", "return '# no comment'").is_ok());
    }

    #[test]
    fn a_suppression_belongs_to_its_line_and_insertions_keep_their_order() {
        let mut sources = Sources::new(Vec::new());
        sources.insert("a.py", "import os  # noqa: F401\nx = 1\ny = 2\n", false);
        let replacement = |search: &str, replace: &str| Replacement {
            file: "a.py".into(),
            search: search.into(),
            replace: replace.into(),
        };
        let moved = [replacement("import os  # noqa: F401\nx = 1\n", "import os\nx = 1  # noqa: F401\n")];
        assert!(matches!(edits(&moved, &sources), Err(ReplacementError::Tampering(..))));
        let inserted = [replacement("x = 1\n", "x = 1\nz = 3\n"), replacement("y = 2\n", "b = z\ny = 2\n")];
        let edit = edits(&inserted, &sources).unwrap();
        let after = edit[0].apply(sources.text("a.py").unwrap()).unwrap();
        assert_eq!(after, "import os  # noqa: F401\nx = 1\nz = 3\nb = z\ny = 2\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        // Feature: autoheal-ci-agent, Property 33: Minimal Patch Generation
        #[test]
        fn a_patch_is_the_code_that_was_answered_and_no_more(
            before in "[ab \n]{0,20}",
            old in "[ab \n]{0,6}",
            new in "[abc \n]{0,12}",
            after in "[ab \n]{0,20}",
            comment in "#[a-z ]{0,9}",
        ) {
            let old = format!("{old}x");
            let text = format!("{before}{old}{after}");
            let mut sources = Sources::new(Vec::new());
            sources.insert("a.txt", text.clone(), false);
            let replacement = |replace: &str| [Replacement {
                file: "a.txt".into(), search: old.clone(), replace: replace.to_owned(),
            }];
            let edit = edits(&replacement(&new), &sources).unwrap();
            prop_assert_eq!(edit[0].apply(&text).unwrap(), format!("{before}{new}{after}"));
            prop_assert_eq!(edit[0].edits.len(), 1);
            prop_assert!(new.contains(edit[0].edits[0].replacement.as_str()), "nothing but what was answered");
            let explained = edits(&replacement(&format!("{new}\n{comment}\n")), &sources);
            prop_assert!(matches!(explained, Err(ReplacementError::Tampering(..))), "{:?}", explained);
        }
    }
}
