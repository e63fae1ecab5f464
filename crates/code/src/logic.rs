//! Repairs of LOGIC by [search](crate::search), in the files of every language.

use std::ops::RangeInclusive;

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::language::outline::FunctionAround;
use crate::languages;
use crate::search::evidence::Evidence;
use crate::sources::Sources;

/// The likeliest `most` changes that may repair the finding, likeliest first. Each changes one editable file, parses, and makes
/// another text than all others. What is suspicious decides about the language: a repository may hold several.
pub fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let of_each = languages::ALL.into_iter().flat_map(|language| language.searched(finding, sources, evidence, most));
    let mut found: Vec<Candidate> = of_each.collect();
    found.retain(|candidate| !sources.touches_test(candidate));
    found.sort_by_key(|candidate| candidate.cost);
    found.truncate(most);
    found
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
