//! Repairs of LOGIC by [search](crate::search), in the files of every language.

use std::ops::RangeInclusive;

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
    let complaint = complaint(finding, sources);
    let silences =
        |candidate: &Candidate| complaint.as_ref().is_some_and(|(file, at)| takes_away(&candidate.files, file, *at));
    found.retain(|candidate| !sources.touches_test(candidate) && !silences(candidate));
    found.sort_by_key(|candidate| candidate.cost);
    found.truncate(most);
    found
}

/// The statement that raised the error: its file and its first byte. The fault that it reports is to be repaired, not the report.
fn complaint(finding: &Finding, sources: &Sources) -> Option<(String, usize)> {
    let frame = stack(finding, sources).into_iter().next()?;
    let (at, statement) = statement(&frame, sources)?;
    languages::raises(&frame.file, statement).then_some((frame.file, at))
}

/// Returns whether a change takes away the statement that begins at a byte, and raises no error in its place.
fn takes_away(files: &[FileEdit], file: &str, at: usize) -> bool {
    let mut edits = files.iter().filter(|edited| edited.file == file).flat_map(|edited| &edited.edits);
    let raises = |edit: &Edit| languages::raises(file, &edit.replacement);
    let is_gone = edits.clone().any(|edit| edit.start <= at && at < edit.end);
    is_gone && !edits.any(raises)
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

    fn silences(old: &str, new: &str) -> bool {
        let at = TEXT.find(old).unwrap();
        let edit = Edit::replace(at..at + old.len(), new.to_owned());
        takes_away(&[FileEdit::single("src/a.rs", edit)], "src/a.rs", TEXT.find("panic").unwrap())
    }

    #[test]
    fn a_branch_of_one_line_still_raises() {
        let silences = |new: &str| takes_away(&[FileEdit::single("a.js", Edit::replace(0..18, new))], "a.js", 0);
        assert!(!silences("if (a > 2) throw e;"));
        assert!(silences("if (a > 2) return e;"));
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
