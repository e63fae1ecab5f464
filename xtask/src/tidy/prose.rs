//! Rules about doc comments: they open with a noun phrase or a verb, not with a question.

use super::{Complaint, SourceFile};

/// Words that open a question.
const QUESTIONS: &[&str] = &["Whether", "What", "Which", "How", "Who", "Whose", "Where", "When", "Why", "If"];

pub(super) fn check(file: &SourceFile) -> Vec<Complaint> {
    if !file.has_extension(&["rs"]) {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let mut mark_before = None;
    for (number, line) in file.lines() {
        let comment = ["///", "//!"].iter().find_map(|mark| Some((*mark, line.trim_start().strip_prefix(mark)?)));
        if let Some((mark, text)) = comment
            && mark_before != Some(mark)
        {
            let word = text.trim_start().split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
            if QUESTIONS.contains(&word) {
                let message = format!(
                    "a doc comment opens with `{word}`: begin with what it is, or with a verb (\"Returns ...\")"
                );
                complaints.push(Complaint::new(&file.path, number, message));
            }
        }
        mark_before = comment.map(|(mark, _)| mark);
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn doc_comments_open_with_what_something_is() {
        let complaints = |text: &str| check(&file("a.rs", text)).len();
        assert_eq!(complaints("/// What it does.\nfn f() {}\n"), 1);
        assert_eq!(complaints("//! How it is done.\n\n/// Whether it is.\nfn f() {}\n"), 2);
        assert_eq!(
            complaints("/// Returns the sum.\n/// What else there is stands below.\n// Why not.\nfn f() {}\n"),
            0
        );
        assert_eq!(check(&file("a.md", "/// What it does.\n")).len(), 0);
    }
}
