//! Repairs of LOGIC by [search](crate::search), in the files of every language.

use std::ops::{Range, RangeInclusive};

use autoheal_engine::diagnostics::Finding;

use crate::edit::{Candidate, Edit, FileEdit};
use crate::language::outline::FunctionAround;
use crate::languages;
use crate::search::evidence::Evidence;
use crate::sources::Sources;
use crate::stack::{stack, statement};

/// The likeliest `most` changes that may repair the finding, likeliest first. Each changes one editable file, parses, and makes
/// another text than all others. What is suspicious decides about the language: a repository may hold several.
pub fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let of_each = languages::ALL.into_iter().flat_map(|language| language.searched(finding, sources, evidence, most));
    let mut found: Vec<Candidate> = of_each.collect();
    let complaint = Complaint::of(finding, sources);
    let silences = |candidate: &Candidate| complaint.as_ref().is_some_and(|one| one.is_silenced_by(&candidate.files));
    found.retain(|candidate| !sources.touches_test(candidate) && !silences(candidate));
    found.sort_by_key(|candidate| candidate.cost);
    found.truncate(most);
    found
}

/// The statement that raised the error. The fault that it reports is to be repaired, not the report.
struct Complaint<'s> {
    file: String,
    text: &'s str,
    /// First byte of the statement.
    at: usize,
    /// The function around the statement, if it says that the function is not written yet: no small change writes it.
    unwritten: Option<Range<usize>>,
}

impl<'s> Complaint<'s> {
    fn of(finding: &Finding, sources: &'s Sources) -> Option<Self> {
        let frame = stack(finding, sources).into_iter().next()?;
        let (at, statement) = statement(&frame, sources)?;
        let text = sources.text(&frame.file)?;
        let is_unwritten = languages::says_unwritten(&frame.file, statement);
        let around = languages::outline(&frame.file, sources)?.function_at(&frame.file, at);
        let unwritten = around.filter(|_| is_unwritten).map(|around| around.definition.start..around.definition.end);
        languages::raises(&frame.file, statement).then_some(Self { file: frame.file, text, at, unwritten })
    }

    /// Returns whether a change takes the statement away, or leaves the function directly before it, and raises no error in its place.
    fn is_silenced_by(&self, files: &[FileEdit]) -> bool {
        let Self { file, text, at, unwritten } = self;
        let mut edits = files.iter().filter(|edited| edited.file == *file).flat_map(|edited| &edited.edits);
        let is_blank = |range: Range<usize>| text.get(range).is_some_and(|between| between.trim().is_empty());
        let takes_away = |edit: &Edit| edit.start <= *at && at < &edit.end;
        let goes_around = |edit: &Edit| edit.start == edit.end && edit.end <= *at && is_blank(edit.end..*at);
        let writes = |edit: &Edit| unwritten.as_ref().is_some_and(|around| around.contains(&edit.start));
        let raises = |edit: &Edit| languages::raises(file, &edit.replacement);
        edits.clone().any(|edit| takes_away(edit) || goes_around(edit) || writes(edit)) && !edits.any(raises)
    }
}

/// The files that a failure may come from, the likeliest first: those on the way to the error, tests among them, and those that define
/// what is used there.
pub fn files_of_interest(finding: &Finding, sources: &Sources) -> Vec<String> {
    let of_each = languages::ALL.into_iter().flat_map(|language| language.suspected(finding, sources));
    let mut found: Vec<(f64, String)> = of_each.collect();
    found.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    found.into_iter().map(|(_, file)| file).collect()
}

/// The lines of the function that the candidate's one file is changed in. `None`: what is changed runs while modules are loaded, so any
/// test may depend on it.
pub fn region(candidate: &Candidate, sources: &Sources) -> Option<(String, RangeInclusive<u32>)> {
    let [file] = candidate.files.as_slice() else { return None };
    let first = file.edits.iter().map(|edit| edit.start).min()?;
    let last = file.edits.iter().map(|edit| edit.end).max()?;
    let outline = languages::outline(&file.file, sources)?;
    let FunctionAround { definition, parameters_end, .. } = outline.function_at(&file.file, first)?;
    let is_inside = parameters_end <= first && last <= definition.end;
    let lines = outline.line_of(&file.file, definition.start)..=outline.line_of(&file.file, definition.end);
    is_inside.then(|| (file.file.clone(), lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "pub fn check(a: u8) {\n    if a > 1 {\n        panic!(\"{a}\");\n    }\n}\n";

    fn complaint<'s>(file: &str, text: &'s str, at: &str) -> Complaint<'s> {
        Complaint { file: file.to_owned(), text, at: text.find(at).unwrap(), unwritten: None }
    }

    fn silences(old: &str, new: &str) -> bool {
        let at = TEXT.find(old).unwrap();
        let edit = Edit::replace(at..at + old.len(), new.to_owned());
        complaint("src/a.rs", TEXT, "panic").is_silenced_by(&[FileEdit::single("src/a.rs", edit)])
    }

    #[test]
    fn a_branch_of_one_line_still_raises() {
        let complaint = complaint("a.js", "if (a > 1) throw e;", "if");
        let silences = |new: &str| complaint.is_silenced_by(&[FileEdit::single("a.js", Edit::replace(0..18, new))]);
        assert!(!silences("if (a > 2) throw e;"));
        assert!(silences("if (a > 2) return e;"));
    }

    #[test]
    fn nothing_returns_directly_before_the_complaint() {
        let text = "def f(a):\n    b = a\n    raise ValueError(b)\n";
        let complaint = complaint("a.py", text, "raise");
        let inserted = |before: &str, new: &str| {
            let at = text.find(before).unwrap();
            complaint.is_silenced_by(&[FileEdit::single("a.py", Edit::replace(at..at, new))])
        };
        assert!(inserted("raise", "if a: return True\n    "));
        assert!(inserted("    raise", "    if a: return True\n"));
        assert!(!inserted("raise", "if a: raise KeyError(a)\n    "));
        assert!(!inserted("b = a", "a = 1\n    "));
    }

    #[test]
    fn a_function_that_says_that_it_is_not_written_is_not_searched() {
        let text = "def f(a):\n    b = a\n    raise NotImplementedError\n\n\ndef g():\n    return f(1)\n";
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", text, false);
        let stack = "Traceback (most recent call last):\n  File \"a.py\", line 7, in g\n    return f(1)\n  File \"a.py\", line 3, in f\n    raise NotImplementedError\nNotImplementedError";
        let finding = Finding {
            source: autoheal_engine::diagnostics::Source::Test,
            category: autoheal_engine::diagnostics::Category::Logic,
            file: Some("a.py".to_owned()),
            location: None,
            message: "NotImplementedError".to_owned(),
            stack: Some(stack.to_owned()),
        };
        let found = Complaint::of(&finding, &sources).unwrap();
        let edited = |at: &str| {
            let start = text.find(at).unwrap();
            found.is_silenced_by(&[FileEdit::single("a.py", Edit::replace(start..start, "if a: return 1\n    "))])
        };
        assert!(edited("b = a"));
        assert!(!edited("return f(1)"));
    }

    #[test]
    fn the_complaint_must_not_be_taken_away() {
        assert!(silences("        panic!(\"{a}\");\n", ""));
        assert!(silences("panic!(\"{a}\");", "{}"));
        assert!(!silences("panic!(\"{a}\");", "if a > 2 { panic!(\"{a}\"); }"));
        assert!(!silences("a > 1", "a > 2"));
        assert!(!silences("{a}", "{a:?}"));
    }
}
