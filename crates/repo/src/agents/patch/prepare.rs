//! Preparation of a candidate: the files that it would write, or the reason for its refusal.

use std::collections::BTreeSet;

use autoheal_code::edit::EditError;
use autoheal_code::formatting::is_same_program;
use autoheal_code::tampering::{self, Tampering};
use autoheal_code::{Candidate, LanguageId, Sources, languages};

use super::EXAMINED;
use crate::change::hash_of;
use crate::lint::formatting;
use crate::protected::{Protection, keeps_configuration, protection};
use crate::state::FileText;

/// Reason for which a candidate is not even tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it would change a protected file")]
    Protected,
    #[error("it would change a test in the file, or keep it from running")]
    Test,
    #[error("it does not fit the file: {0}")]
    DoesNotFit(#[from] EditError),
    #[error("it would change how tests or linters run")]
    Configuration,
    #[error("syntax validation failed: {0}")]
    Syntax(String),
    #[error("it would undo an earlier fix")]
    Repeated,
    #[error("it would add {0}")]
    Tampering(Tampering),
    #[error("it would change more than the format")]
    Format,
    #[error("it would change what failed the test's assertion")]
    Judge,
}

/// The files after the candidate, if it applies, touches nothing protected, adds no fault of syntax (spec `validate_syntax`) and leads nowhere
/// where the run has been. Nothing is written before all of that is known.
///
/// `is_bound`: it is the change of manifests that the search for drifted dependencies proposed, which states bounds and nothing else.
pub(super) fn prepare(
    candidate: &Candidate,
    sources: &Sources,
    visited: &BTreeSet<String>,
    is_bound: bool,
) -> Result<Vec<FileText>, Refusal> {
    let mut files = Vec::new();
    for edit in &candidate.files {
        let is_format = formatting::is_formatting(candidate);
        // A test that is the same program is the same judge.
        let may_edit = sources.is_editable(&edit.file)
            || (is_format && LanguageId::of(&edit.file).is_some())
            || (is_bound && matches!(protection(&edit.file), None | Some(Protection::Configuration)));
        let before = sources.text(&edit.file).filter(|_| may_edit).ok_or(Refusal::Protected)?;
        let text = edit.apply(before)?;
        if is_format && !is_same_program(&edit.file, before, &text) {
            return Err(Refusal::Format);
        }
        if !is_format && !is_bound && !sources.permits(edit, &text) {
            return Err(Refusal::Test);
        }
        if !keeps_configuration(&edit.file, before, &text) {
            return Err(Refusal::Configuration);
        }
        languages::check_repair(before, edit, &text).map_err(Refusal::Syntax)?;
        if EXAMINED.contains(&candidate.fixer.as_str())
            && let Some(found) = tampering::added(&edit.file, before, &text)
        {
            return Err(Refusal::Tampering(found));
        }
        files.push(FileText { file: edit.file.clone(), text });
    }
    if files.iter().all(|file| visited.contains(&hash_of(file))) {
        return Err(Refusal::Repeated);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;

    use autoheal_code::{Edit, FileEdit};
    use autoheal_engine::diagnostics::Category;
    use autoheal_engine::event::EventBody;
    use autoheal_engine::workflow::{StepContext, StepServices};
    use autoheal_engine::{RunId, Timestamp};
    use proptest::prelude::*;

    use super::super::log;
    use super::*;
    use crate::HealRequest;
    use crate::state::{HealState, PatchStatus};
    use crate::tree;

    const TEXT: &str = "def area(width, height):\n    return width * height\n\n\nTABLE = {'a': [1, 2], 'b': (3,)}\n";

    const SCRIPT: &str =
        "export function area(width, height) {\n  return width * height;\n}\nconst table = { a: [1, 2], b: (3) };\n";

    fn text_of(file: &str) -> &'static str {
        if file == "a.py" { TEXT } else { SCRIPT }
    }

    struct Silent;

    impl StepServices for Silent {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(7)
        }

        fn emit(&self, _: EventBody) {}

        fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(std::future::ready(true))
        }
    }

    fn context() -> StepContext {
        StepContext::new(RunId(uuid::Uuid::nil()), "patch_code", Arc::new(Silent))
    }

    fn candidate(start: usize, end: usize, replacement: &str, line: u32) -> Candidate {
        candidate_in("a.py", start, end, replacement, line)
    }

    fn candidate_in(file: &str, start: usize, end: usize, replacement: &str, line: u32) -> Candidate {
        Candidate {
            fixer: "test".to_owned(),
            category: Category::Syntax,
            line,
            description: "change something".to_owned(),
            cost: 100,
            files: vec![FileEdit::single(file, Edit::replace(start..end, replacement))],
        }
    }

    fn sources() -> Sources {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", TEXT, false);
        sources.insert("a.js", SCRIPT, false);
        sources.insert("a.ts", SCRIPT, false);
        sources.insert("test_a.py", TEXT, true);
        sources
    }

    fn state() -> HealState {
        HealState::new(HealRequest::new("/some/repository"), Timestamp::from_millis(0))
    }

    fn range() -> impl Strategy<Value = (usize, usize)> {
        (0..TEXT.len(), 0..6_usize).prop_map(|(start, length)| (start, (start + length).min(TEXT.len())))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        // Feature: autoheal-ci-agent, Property 8: Syntax Validation Rollback
        #[test]
        fn what_does_not_parse_leaves_the_file_as_it_was(
            file in prop::sample::select(vec!["a.py", "a.js", "a.ts"]),
            (start, end) in range(),
            replacement in "[(){}:=a-z' ]{0,3}",
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(file);
            std::fs::write(&path, text_of(file)).unwrap();
            let candidate = candidate_in(file, start, end, &replacement, 1);
            let mut state = state();
            match prepare(&candidate, &sources(), &state.tried.visited, false) {
                Ok(files) => {
                    prop_assert!(languages::check(file, &files[0].text).is_ok());
                    let undo = tree::write(folder.path(), &files).unwrap();
                    prop_assert_eq!(&std::fs::read_to_string(&path).unwrap(), &files[0].text);
                    tree::write(folder.path(), &undo).unwrap();
                }
                Err(refusal) => {
                    log(&mut state, &context(), None, &candidate, PatchStatus::Failed, &refusal.to_string());
                    prop_assert_eq!(state.tried.patch_log[0].status, PatchStatus::Failed);
                    prop_assert!(candidate.files[0].apply(text_of(file)).is_ok_and(|text| languages::check(file, &text).is_err()));
                }
            }
            prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), text_of(file));
        }

        // Feature: autoheal-ci-agent, Property 35: Patch Log Maintenance
        #[test]
        fn every_operation_is_logged(operations in prop::collection::vec((range(), 0_u32..90, any::<bool>()), 0..12)) {
            let mut state = state();
            for ((start, end), line, kept) in &operations {
                let status = if *kept { PatchStatus::Applied } else { PatchStatus::Failed };
                log(&mut state, &context(), None, &candidate(*start, *end, "", *line), status, "why");
            }
            prop_assert_eq!(state.tried.patch_log.len(), operations.len());
            for (entry, (_, line, kept)) in state.tried.patch_log.iter().zip(&operations) {
                prop_assert_eq!(&entry.file, "a.py");
                prop_assert_eq!(entry.line, (*line).max(1));
                prop_assert_eq!(entry.status == PatchStatus::Applied, *kept);
            }
        }
    }

    #[test]
    fn a_protected_file_is_never_changed() {
        let mut candidate = candidate(0, 0, "x = 1\n", 1);
        candidate.files[0].file = "test_a.py".to_owned();
        assert_eq!(prepare(&candidate, &sources(), &BTreeSet::new(), false), Err(Refusal::Protected));
    }

    #[test]
    fn a_message_leads_to_nothing_that_starts_a_program() {
        let mut candidate = candidate(0, 0, "import os\nos.system('a')\n", 1);
        candidate.fixer = autoheal_code::fix::TOLD_NAMES.to_owned();
        let refused = prepare(&candidate, &sources(), &BTreeSet::new(), false);
        assert!(matches!(refused, Err(Refusal::Tampering(Tampering::Power(_)))), "{refused:?}");
    }

    #[test]
    fn a_protected_manifest_is_changed_only_by_a_bound_that_was_searched_for() {
        let text = "[options]\ninstall_requires =\n    six\n";
        let mut sources = sources();
        sources.insert("setup.cfg", text, true);
        let mut candidate = candidate(text.len() - 1, text.len() - 1, "<2", 1);
        candidate.files[0].file = "setup.cfg".to_owned();
        let mut state = state();
        for fixer in [crate::model::FIXER, "dependency", crate::drift::FIXER] {
            candidate.fixer = fixer.to_owned();
            let is_bound = crate::drift::is_own(&state, &candidate);
            assert_eq!(prepare(&candidate, &sources, &BTreeSet::new(), is_bound), Err(Refusal::Protected), "{fixer}");
        }
        state.drift.bounds = Some(candidate.clone());
        let is_bound = crate::drift::is_own(&state, &candidate);
        assert_eq!(prepare(&candidate, &sources, &BTreeSet::new(), is_bound).map(|files| files.len()), Ok(1));
        // No other file, not even for that step.
        candidate.files[0].file = "test_a.py".to_owned();
        state.drift.bounds = Some(candidate.clone());
        let is_bound = crate::drift::is_own(&state, &candidate);
        assert_eq!(prepare(&candidate, &sources, &BTreeSet::new(), is_bound), Err(Refusal::Protected));
    }

    #[test]
    fn a_fix_that_undoes_an_earlier_one_is_seen() {
        let mut state = state();
        let before = FileText { file: "a.py".to_owned(), text: format!("x = 1\n{TEXT}") };
        state.tried.visited.insert(hash_of(&before));
        assert_eq!(
            prepare(&candidate(0, 0, "x = 1\n", 1), &sources(), &state.tried.visited, false),
            Err(Refusal::Repeated)
        );
    }
}
