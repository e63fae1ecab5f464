//! Candidates of formatters for the files that they would write differently: the tool itself runs in the
//! sandbox, and what it writes becomes an edit.

use std::path::Path;

use autoheal_code::formatting::is_same_program;
use autoheal_code::report::formatters::is_about_format;
use autoheal_code::{Candidate, Edit, FileEdit};
use autoheal_engine::diagnostics::{Category, Finding};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::untrusted::UntrustedFolder;

use super::{findings, placed, tools};
use crate::repo_config::Protection;
use crate::session::Session;
use crate::setup::LintCommand;
use crate::state::FileText;
use crate::step_error::disk;
use crate::tree;

/// Name of the fixer under which these changes are reported.
pub(crate) const FIXER: &str = "formatter";

/// Returns whether a change is a formatter's: the files that it writes hold the same program.
pub(crate) fn is_formatting(candidate: &Candidate) -> bool {
    candidate.fixer == FIXER
}

/// Returns whether a formatter can fix a finding.
pub(crate) fn is_target(finding: &Finding) -> bool {
    is_about_format(finding.source, &finding.message)
}

/// Returns what the tools that report the target would write, in all files whose format they report, except
/// those that are left alone.
pub(crate) async fn candidates(
    session: &mut Session,
    target: &Finding,
    context: &StepContext,
) -> Result<Vec<Candidate>, StepError> {
    let mut candidates = Vec::new();
    for command in session.setup().linters.clone() {
        if tools::of(command.linter).is_none_or(|tool| tool.rewrite.is_none()) {
            continue;
        }
        let outcome =
            super::lint_in(session, &command, &command.directory, super::words(session, &command), context).await?;
        let prefixes = session.prefixes();
        let found: Vec<Finding> =
            findings(session, &command, &outcome, &prefixes).into_iter().filter(is_target).collect();
        if found.iter().any(|one| one.key() == target.key()) {
            candidates.extend(rewritten(session, &command, &found, target, context).await?);
        }
    }
    Ok(candidates)
}

/// Runs the tool so that it writes, reads what it left of the wanted files, and puts every file back that it wrote.
async fn rewritten(
    session: &mut Session,
    command: &LintCommand,
    found: &[Finding],
    target: &Finding,
    context: &StepContext,
) -> Result<Option<Candidate>, StepError> {
    let Some(tool) = tools::of(command.linter) else { return Ok(None) };
    let Some(rewrite) = tool.rewrite else { return Ok(None) };
    let mut kept = Vec::new();
    for file in found.iter().filter_map(|one| one.file.clone()) {
        let text = text_of(&session.tree(), &file).or_else(|| session.sources().text(&file).map(str::to_owned));
        if let Some(text) = text {
            kept.push(FileText { file, text });
        }
    }
    let words = std::iter::once(command.program.display().to_string())
        .chain(rewrite(command.arguments.clone()))
        .map(|word| placed(session, &word))
        .collect();
    let outcome = super::lint_in(session, command, &command.directory, words, context).await;
    let left: Vec<Option<String>> = kept.iter().map(|file| text_of(&session.tree(), &file.file)).collect();
    // Also on an error: nothing that was not accepted stays.
    tree::write(&session.tree(), &kept).map_err(|error| disk("taking back what a formatter wrote", &error))?;
    outcome?;
    let setup = session.setup();
    let protection = Protection::new(&setup.protect, true).unwrap_or_default();
    // What the repository itself protects is not even formatted.
    let is_kept = |file: &str| setup.external_files.is_foreign(file) || protection.is_protected(file, false);
    let old = &setup.old_findings;
    let is_wanted = |file: &str| {
        let mut keys = found.iter().filter(|one| one.file.as_deref() == Some(file)).map(Finding::key);
        keys.any(|key| key == target.key() || !old.ignored.contains(&key))
    };
    let edits = kept.iter().zip(left).filter_map(|(before, after)| {
        let after = after.filter(|after| *after != before.text)?;
        let is_one = session.sources().text(&before.file) == Some(before.text.as_str())
            && is_wanted(&before.file)
            && !is_kept(&before.file)
            && is_same_program(&before.file, &before.text, &after);
        is_one.then(|| FileEdit::single(before.file.clone(), whole(&before.text, &after)))
    });
    let mut files: Vec<FileEdit> = edits.collect();
    // The file that the finding is about is what the fix is told of.
    files.sort_by_key(|edit| (Some(&edit.file) != target.file.as_ref(), edit.file.clone()));
    if files.first().is_none_or(|edit| Some(&edit.file) != target.file.as_ref()) {
        return Ok(None);
    }
    let line = files.first().and_then(|edit| edit.edits.first()).map_or(1, |edit| {
        let text = session.sources().text(&files[0].file).unwrap_or_default();
        text.get(..edit.start).unwrap_or_default().matches('\n').count() + 1
    });
    let count = match files.len() {
        1 => String::new(),
        count => format!(" ({count} files)"),
    };
    Ok(Some(Candidate {
        fixer: FIXER.to_owned(),
        category: Category::Linting,
        line: u32::try_from(line).unwrap_or(1),
        description: format!("format with {}{count}", tool.name()),
        cost: 0,
        files,
    }))
}

/// The edit that makes one text of another: what they share at both ends stays.
fn whole(before: &str, after: &str) -> Edit {
    let pairs = before.char_indices().zip(after.chars());
    let start = pairs.take_while(|((_, old), new)| old == new).last().map_or(0, |((at, old), _)| at + old.len_utf8());
    let (old, new) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    let shared = old.chars().rev().zip(new.chars().rev()).take_while(|(old, new)| old == new);
    let shared: usize = shared.map(|(old, _)| old.len_utf8()).sum();
    let (old_end, new_end) = (before.len() - shared, after.len() - shared);
    Edit::replace(start..old_end, after.get(start..new_end).unwrap_or_default())
}

fn text_of(tree: &Path, file: &str) -> Option<String> {
    tree::text_of(&UntrustedFolder::open(tree).ok()?, file)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_edit_makes_the_one_text_of_the_other(before in "[ab\né]{0,12}", after in "[ab\né]{0,12}") {
            let edit = FileEdit::single("a", whole(&before, &after));
            prop_assert_eq!(edit.apply(&before).unwrap(), after);
        }
    }
}
