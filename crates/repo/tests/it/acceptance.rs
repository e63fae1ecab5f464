//! The acceptance rule: what a patch must never do, and what it must.

use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use autoheal_repo::acceptance::{Rejection, Suspect, judge, judge_skips};
use autoheal_repo::check_result::{CheckResult, TestState};
use proptest::prelude::*;

use crate::strategies::result;

fn finding(message: &str) -> Finding {
    Finding {
        source: Source::Test,
        category: Category::TypeError,
        file: Some("a.py".to_owned()),
        location: None,
        message: message.to_owned(),
        stack: None,
    }
}

fn seen(tests: &[(&str, TestState)], findings: &[Finding]) -> CheckResult {
    CheckResult {
        tests: tests.iter().map(|(id, state)| ((*id).to_owned(), *state)).collect(),
        findings: findings.to_vec(),
        ..CheckResult::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// An accepted patch breaks nothing, loses nothing, removes its target and moves forward.
    #[test]
    fn what_is_accepted_keeps_the_rule(before in result(), after in result()) {
        let Some(target) = before.findings.first().map(Finding::key) else { return Ok(()) };
        if judge(&before, &after, &target).is_ok() {
            for (id, state) in &before.tests {
                prop_assert!(after.tests.contains_key(id));
                prop_assert!(*state != TestState::Passed || after.tests[id] == TestState::Passed);
            }
            let is_next_in_file = matches!(target.category, Category::Syntax | Category::Indentation);
            prop_assert!(is_next_in_file || !after.keys().contains(&target));
            prop_assert!(after != before);
        }
    }

    /// Changing nothing is never accepted.
    #[test]
    fn standing_still_is_refused(before in result()) {
        for finding in &before.findings {
            prop_assert_eq!(judge(&before, &before, &finding.key()), Err(Rejection::StillThere));
        }
    }

    /// A result that a limit cut short proves nothing, whatever it shows.
    #[test]
    fn an_unfinished_run_is_refused(before in result(), after in result()) {
        let Some(target) = before.findings.first().map(Finding::key) else { return Ok(()) };
        let after = CheckResult { cut_short: Some("time limit".to_owned()), ..after };
        prop_assert_eq!(judge(&before, &after, &target), Err(Rejection::CutShort("time limit".to_owned())));
    }
}

#[test]
fn failures_in_tests_that_could_not_run_before_are_revealed_not_new() {
    let hidden = Finding { category: Category::Syntax, ..finding("SyntaxError: invalid syntax") };
    let before = seen(&[], std::slice::from_ref(&hidden));
    let after = seen(&[("t1", TestState::Passed), ("t2", TestState::Failed)], &[finding("TypeError: x")]);
    assert_eq!(judge(&before, &after, &hidden.key()), Ok(()));
}

/// Nothing is collected before or after: another file is broken, too.
#[test]
fn a_file_that_parses_or_is_imported_again_is_progress() {
    let broken =
        |category, file: &str, message: &str| Finding { category, file: Some(file.to_owned()), ..finding(message) };
    let syntax = broken(Category::Syntax, "a.py", "SyntaxError: expected ':'");
    let import = broken(Category::Import, "b.py", "ImportError: cannot import name 'hlaf' from 'a'");
    let (first, second) = (seen(&[], std::slice::from_ref(&syntax)), seen(&[], std::slice::from_ref(&import)));
    assert_eq!(judge(&first, &second, &syntax.key()), Ok(()));
    let other = broken(Category::Syntax, "a.py", "SyntaxError: invalid syntax");
    assert_eq!(judge(&first, &seen(&[], &[other]), &syntax.key()), Err(Rejection::NoProgress), "it does not parse");
    let at = |line| Finding { location: Some(Location { line, column: None }), ..syntax.clone() };
    assert_eq!(judge(&seen(&[], &[at(3)]), &seen(&[], &[at(9)]), &syntax.key()), Ok(()), "the next fault of the file");
    for line in [2, 3] {
        let after = seen(&[], &[at(line)]);
        assert_eq!(judge(&seen(&[], &[at(3)]), &after, &syntax.key()), Err(Rejection::StillThere), "line {line}");
    }
    let elsewhere = broken(Category::Import, "c.py", "ImportError: cannot import name 'thrid' from 'b'");
    assert_eq!(judge(&second, &seen(&[], &[elsewhere]), &import.key()), Ok(()));
    let used = broken(Category::TypeError, "b.py", "AttributeError: module 'html' has no attribute 'safe_load'");
    assert_eq!(
        judge(&second, &seen(&[], &[used]), &import.key()),
        Err(Rejection::NoProgress),
        "it fails where it is used"
    );
}

#[test]
fn a_test_that_is_silenced_is_a_test_that_is_broken() {
    let target = finding("TypeError: x");
    let before = seen(&[("t1", TestState::Passed), ("t2", TestState::Failed)], std::slice::from_ref(&target));
    let after = seen(&[("t1", TestState::Skipped), ("t2", TestState::Passed)], &[]);
    assert!(matches!(judge(&before, &after, &target.key()), Err(Rejection::Broke { count: 1, .. })));
}

#[test]
fn a_test_that_vanishes_is_no_way_to_green() {
    let target = finding("TypeError: x");
    let before = seen(&[("t1", TestState::Passed), ("t2", TestState::Failed)], std::slice::from_ref(&target));
    let after = seen(&[("t1", TestState::Passed)], &[]);
    assert!(matches!(judge(&before, &after, &target.key()), Err(Rejection::Vanished { count: 1, .. })));
}

#[test]
fn cases_that_are_only_named_anew_have_not_vanished() {
    use TestState::{Failed, Passed};
    let target = finding("TypeError: x");
    let before = seen(&[("t[a-1]", Passed), ("t[b-2]", Failed)], std::slice::from_ref(&target));
    let healed = seen(&[("t[b-1]", Passed), ("t[a-2]", Passed)], &[]);
    assert_eq!(judge(&before, &healed, &target.key()), Ok(()));
    let shuffled = seen(&[("t[b-1]", Failed), ("t[a-2]", Passed)], &[]);
    assert_eq!(judge(&before, &shuffled, &target.key()), Err(Rejection::NoProgress));
    let worse = seen(&[("t[b-1]", Failed), ("t[a-2]", Failed)], &[]);
    assert!(matches!(judge(&before, &worse, &target.key()), Err(Rejection::Broke { count: 1, .. })));
    let fewer = seen(&[("t[b-1]", Passed)], &[]);
    assert!(matches!(judge(&before, &fewer, &target.key()), Err(Rejection::Vanished { count: 2, .. })));
}

#[test]
fn a_new_lint_finding_in_a_readable_file_is_refused() {
    let target = finding("TypeError: x");
    let lint = Finding { source: Source::Lint, category: Category::Linting, ..finding("F401 `os` unused") };
    let before = seen(&[("t1", TestState::Failed)], std::slice::from_ref(&target));
    let after = seen(&[("t1", TestState::Passed)], &[lint]);
    assert!(matches!(judge(&before, &after, &target.key()), Err(Rejection::NewFinding(_))));
}

fn of_checker(category: Category, file: &str, message: &str) -> Finding {
    Finding { source: Source::Lint, category, file: Some(file.to_owned()), message: message.to_owned(), ..finding("") }
}

#[test]
fn what_a_type_checker_finds_is_revealed_by_the_file_that_parses_again_and_by_nothing_else() {
    let broken = of_checker(Category::Syntax, "a.py", "unexpected EOF");
    let revealed = of_checker(Category::TypeError, "b.py", "Incompatible return value type");
    let test = [("t", TestState::Passed)];
    let (before, after) = (seen(&test, std::slice::from_ref(&broken)), seen(&test, std::slice::from_ref(&revealed)));
    assert_eq!(judge(&before, &after, &broken.key()), Ok(()));
    let other = of_checker(Category::TypeError, "a.py", "Name \"x\" is not defined");
    let before = seen(&test, std::slice::from_ref(&other));
    assert!(matches!(judge(&before, &after, &other.key()), Err(Rejection::NewFinding(_))));
    let unparsed = seen(&test, &[broken.clone(), other.clone()]);
    let still_unparsed = seen(&test, &[broken, revealed]);
    assert!(matches!(judge(&unparsed, &still_unparsed, &other.key()), Err(Rejection::NewFinding(_))));
}

#[test]
fn a_linter_that_runs_out_of_time_is_revealed_by_the_file_that_parses_again_and_by_nothing_else() {
    let broken = of_checker(Category::Syntax, "a.rs", "expected `;`, found `format`");
    let late =
        Finding { file: None, ..of_checker(Category::Linting, "", "`cargo-clippy clippy` did not run (time limit)") };
    let test = [("t", TestState::Passed)];
    let after = seen(&test, std::slice::from_ref(&late));
    assert_eq!(judge(&seen(&test, std::slice::from_ref(&broken)), &after, &broken.key()), Ok(()));
    let other = of_checker(Category::TypeError, "a.rs", "mismatched types");
    let judged = judge(&seen(&test, std::slice::from_ref(&other)), &after, &other.key());
    assert!(matches!(judged, Err(Rejection::NewFinding(_))), "{judged:?}");
}

#[test]
fn a_file_that_is_left_unformatted_is_no_reason_to_refuse_a_fix_and_is_red() {
    let fault = finding("NameError: name 'x' is not defined");
    let format = of_checker(Category::Linting, "a.py", "black would write this file otherwise");
    let before = seen(&[("t", TestState::Failed)], std::slice::from_ref(&fault));
    let after = seen(&[("t", TestState::Passed)], &[format]);
    assert_eq!(judge(&before, &after, &fault.key()), Ok(()));
    assert!(!after.is_green());
}

#[test]
fn tests_that_are_skipped_in_a_suite_that_was_not_run_before_are_not_silenced() {
    let skipped = TestState::Skipped;
    let any = Suspect::FailedOrNew;
    let mut before = seen(&[("t1", TestState::Failed)], &[finding("KeyError: 1")]);
    let after = seen(&[("t1", TestState::Passed), ("Python 3.9: t2", skipped)], &[]);
    assert_eq!(judge_skips(&before, &after, any), Err(Rejection::Silenced("Python 3.9: t2".to_owned())));
    before.not_repeated.insert("Python 3.9: ".to_owned());
    assert_eq!(judge_skips(&before, &after, any), Ok(()));
    let silenced = seen(&[("t1", skipped), ("Python 3.9: t2", skipped)], &[]);
    assert_eq!(judge_skips(&before, &silenced, any), Err(Rejection::Silenced("t1".to_owned())));
}

#[test]
fn what_is_brought_back_may_reveal_tests_that_are_skipped_as_ever_but_turn_none_off() {
    let before = seen(&[("a.test.js", TestState::Failed)], &[finding("ReferenceError: Identifier is not defined")]);
    let after = seen(&[("a.test.js::runs", TestState::Passed), ("a.test.js::later", TestState::Skipped)], &[]);
    assert_eq!(judge_skips(&before, &after, Suspect::Failed), Ok(()));
    assert!(judge_skips(&before, &after, Suspect::FailedOrNew).is_err());
    let off = seen(&[("a.test.js", TestState::Skipped)], &[]);
    assert_eq!(judge_skips(&before, &off, Suspect::Failed), Err(Rejection::Silenced("a.test.js".to_owned())));
}

fn of_compiler(file: &str, line: u32, message: &str) -> Finding {
    let location = Some(Location { line, column: None });
    Finding { source: Source::Build, location, ..of_checker(Category::TypeError, file, message) }
}

#[test]
fn errors_that_a_compiler_meets_only_now_are_revealed_unless_they_are_in_the_old_place() {
    let name = of_compiler("a.rs", 3, "E0425: cannot find value `x` in this scope");
    let borrowed = of_compiler("a.rs", 9, "E0502: cannot borrow `y` as mutable");
    let elsewhere = of_compiler("b.rs", 3, "E0308: mismatched types");
    let same_place = of_compiler("a.rs", 3, "E0308: mismatched types");
    let before = seen(&[], std::slice::from_ref(&name));
    for revealed in [&borrowed, &elsewhere] {
        let after = seen(&[], std::slice::from_ref(revealed));
        assert_eq!(judge(&before, &after, &name.key()), Ok(()), "{revealed:?}");
    }
    let after = seen(&[], &[same_place]);
    assert!(matches!(judge(&before, &after, &name.key()), Err(Rejection::NewFinding(_))));
    // The compiler did not get further: the other error is still there.
    let before = seen(&[], &[name.clone(), elsewhere.clone()]);
    let after = seen(&[], &[borrowed, elsewhere]);
    assert!(matches!(judge(&before, &after, &name.key()), Err(Rejection::NewFinding(_))));
}

#[test]
fn an_error_in_two_places_is_repaired_in_one_after_the_other() {
    let message = "E0599: no method named `to_ownd` found for reference `&str`";
    let (first, second) = (of_compiler("a.rs", 10, message), of_compiler("a.rs", 24, message));
    let both = seen(&[], &[first.clone(), second.clone()]);
    let one = seen(&[], &[second]);
    assert_eq!(judge(&both, &one, &first.key()), Ok(()));
    assert_eq!(judge(&both, &both, &first.key()), Err(Rejection::StillThere));
    let moved = seen(&[], &[of_compiler("a.rs", 11, message), of_compiler("a.rs", 24, message)]);
    assert_eq!(judge(&both, &moved, &first.key()), Err(Rejection::StillThere));
}
