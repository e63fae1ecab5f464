//! Proof that the healed test can still fail.
//!
//! A test that passes because a judge was changed passes whatever it expects. So before a change is accepted,
//! the test that it heals is run once more with another expectation, and has to be red
//! ([`autoheal_code::expectation`]). Where no expectation is found, the test is made to fail at its end, and
//! the changed function is made to return at once: with a program that does nothing, the test fails; with a
//! judge that does nothing, it passes.

use std::time::Duration;

use autoheal_code::expectation::{self, Form, TestPlace};
use autoheal_code::stack::{StackFrame, stack, statement};
use autoheal_code::{Candidate, FileEdit, languages};
use autoheal_engine::diagnostics::{Category, Finding};
use autoheal_engine::workflow::StepError;

use super::prepare::Refusal;
use super::trial::Trial;
use crate::acceptance::{Rejection, is_unreadable};
use crate::check_result::{CheckResult, TestState};
use crate::discovery::is_test_file;
use crate::drift;
use crate::protected::standing::Standing;
use crate::state::FileText;
use crate::test_scope::Scope;

/// A test that the change heals.
struct HealedTest {
    selector: String,
    id: String,
    /// The file whose text is perturbed.
    file: String,
    place: TestPlace,
    /// Category of its failure.
    category: Category,
    /// Files between the test and its error.
    passed: Vec<String>,
}

/// Reaction of the test to a perturbed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noticed {
    /// It failed as tests fail.
    Yes,
    /// It passed, or did not run.
    No,
    /// It broke in another way, or nothing is known: no evidence.
    Unknown,
}

impl Trial<'_> {
    /// Runs the healed test with other expectations. `files`: what the candidate writes, and what is not in the tree now.
    pub(super) async fn must_fail(
        &mut self,
        candidate: &Candidate,
        files: &[FileText],
    ) -> Result<Result<(), Rejection>, StepError> {
        // Another release of a dependency leaves every judge of the repository as it was.
        let is_bound = drift::is_own(self.state, candidate);
        let Some(test) = self.healed_test(candidate).filter(|_| !is_bound) else { return Ok(Ok(())) };
        self.context.progress(format!("{}: can `{}` still fail?", self.target.headline(), test.id));
        let undo = self.session.write(files)?;
        let can_fail = self.can_fail(&test, candidate).await;
        let disagreed = match can_fail {
            Ok(true) => self.disagreed(&test, candidate).await,
            Ok(false) | Err(_) => Ok(None),
        };
        // Also on an error: the workspace must never keep what was not accepted.
        self.session.write(&undo)?;
        let rejection = if can_fail? {
            let Some(agreed) = disagreed? else { return Ok(Ok(())) };
            if self.noticed(&test, &test.file, &agreed).await? != Noticed::No {
                return Ok(Ok(()));
            }
            Rejection::Disagreeing(test.id)
        } else {
            Rejection::Unfailing(test.id)
        };
        let is_file = |edit: &&FileEdit| self.standings.get(&edit.file) == Standing::Unclear;
        let unclear = candidate.files.iter().filter(is_file);
        self.unfailing.extend(unclear.map(|edit| edit.file.clone()));
        let file = files.first().map_or("", |file| file.file.as_str());
        self.state.warn(format!("a change of {file} was refused ({}): {rejection}", candidate.description));
        Ok(Err(rejection))
    }

    /// Refuses to change a file between the test and what failed it, unless it is known to be the program.
    ///
    /// What failed it is an assertion, or any error that a function raises which the test itself calls: a helper may judge by any class of
    /// error.
    pub(super) fn keeps_judges(&mut self, candidate: &Candidate) -> Result<(), Refusal> {
        let judges = self.judges_on_the_way();
        for edit in candidate.files.iter().filter(|edit| judges.contains(&edit.file)) {
            self.state.tried.add_judge(self.key, &edit.file, &self.state.fixes);
        }
        if self.state.tried.changes_judge(self.key, candidate) { Err(Refusal::Judge) } else { Ok(()) }
    }

    /// Files between the test and what failed it that are not known to be the program.
    fn judges_on_the_way(&self) -> Vec<String> {
        // What does not parse has raised nothing, whatever its line says.
        if is_unreadable(self.target.category) {
            return Vec::new();
        }
        let frames = stack(self.target, self.session.sources());
        let between: Vec<&StackFrame> = frames.iter().take_while(|frame| !self.is_test(frame)).collect();
        let raised_at_once = matches!(between.as_slice(), [only] if self.raises(only));
        if !raised_at_once && !is_assertion(&self.target.message) {
            return Vec::new();
        }
        let unclear =
            between.iter().filter(|frame| self.standing_at(&frame.file, self.byte_of(frame)) == Standing::Unclear);
        unclear.map(|frame| frame.file.clone()).collect()
    }

    /// Returns whether the statement of a frame raises an error itself.
    fn raises(&self, frame: &StackFrame) -> bool {
        let statement = statement(frame, self.session.sources());
        statement.is_some_and(|(_, statement)| languages::raises(&frame.file, statement))
    }

    /// Returns whether a frame is in a test. In a program file that contains tests, only the frames within
    /// these tests count.
    fn is_test(&self, frame: &StackFrame) -> bool {
        match self.session.sources().test_regions(&frame.file) {
            Some(regions) => regions.contain(self.byte_of(frame)),
            None => self.before.test_files.contains(&frame.file) || is_test_file(&frame.file),
        }
    }

    /// The first byte of a frame's statement.
    fn byte_of(&self, frame: &StackFrame) -> usize {
        statement(frame, self.session.sources()).map_or(0, |(at, _)| at)
    }

    /// Returns the standing of a position in a file. In a program file that contains tests, code that only
    /// these tests need is unclear.
    fn standing_at(&self, file: &str, at: usize) -> Standing {
        let standing = self.standings.get(file);
        let regions = self.session.sources().test_regions(file);
        if regions.is_some_and(|regions| !regions.is_surely_program(at)) {
            standing.max(Standing::Unclear)
        } else {
            standing
        }
    }

    /// The same of what an edit changes.
    fn standing_of(&self, edit: &FileEdit) -> Standing {
        let standings = edit.edits.iter().map(|one| self.standing_at(&edit.file, one.start));
        standings.max().unwrap_or(Standing::Program)
    }

    /// A test of the target whose file is known.
    fn healed_test(&self, candidate: &Candidate) -> Option<HealedTest> {
        self.tests_to_heal(candidate).into_iter().find_map(|selector| {
            let id = self.before.selected.get(&selector)?.clone();
            let finding = self.before.findings.get(*self.before.selectors.get(&selector)?)?;
            let frames = stack(finding, self.session.sources());
            let files = || frames.iter().map(|frame| &frame.file);
            // A helper may lie where tests do: what tests were collected from is known better than what looks like it.
            let is_collected =
                |frame: &&StackFrame| self.before.test_files.contains(&frame.file) && self.is_test(frame);
            let file = frames.iter().find(is_collected).map(|frame| &frame.file);
            let file = file.or_else(|| files().find(|file| is_test_file(file))).cloned();
            let file = file.or_else(|| self.file_of(&selector))?;
            let is_of_test = |frame: &&StackFrame| frame.file == file && self.is_test(frame);
            let passed: Vec<String> =
                frames.iter().take_while(|frame| !is_of_test(frame)).map(|frame| frame.file.clone()).collect();
            let lines = frames.iter().filter(is_of_test).map(|StackFrame { line, column, .. }| (*line, *column));
            let place =
                TestPlace { name: id.clone(), lines: lines.collect(), is_asserted: self.is_asserted(finding, &passed) };
            Some(HealedTest { selector, id, file, place, category: finding.category, passed })
        })
    }

    /// The test's file, as selectors name it: by path, or by dotted name.
    fn file_of(&self, selector: &str) -> Option<String> {
        let path = selector.split("::").next().unwrap_or(selector);
        let dotted = |file: &str| file.trim_end_matches(".py").replace('/', ".");
        let mut files = self.before.test_files.iter();
        files
            .find(|file| *file == path || file.ends_with(&format!("/{path}")) || path.starts_with(&dotted(file)))
            .cloned()
    }

    /// Returns whether an assertion failed, judging by the message of a framework or because a judge threw
    /// the error.
    fn is_asserted(&self, finding: &Finding, passed: &[String]) -> bool {
        let thrown_by_judge = passed.first().is_some_and(|file| self.standings.get(file) == Standing::Judge);
        is_assertion(&finding.message) || thrown_by_judge
    }

    /// With the candidate's files in the tree.
    async fn can_fail(&mut self, test: &HealedTest, candidate: &Candidate) -> Result<bool, StepError> {
        let text = self.session.sources().text(&test.file).unwrap_or_default().to_owned();
        let Some(expectation) = expectation::of(&test.file, &text, &test.place) else { return Ok(true) };
        let is_unclear = candidate.files.iter().any(|edit| self.standing_of(edit) > Standing::Tested);
        let is_edited = candidate.files.iter().any(|edit| test.passed.contains(&edit.file));
        let mut noticed = Noticed::Unknown;
        for perturbed in &expectation.perturbed {
            noticed = match self.noticed(test, &test.file, perturbed).await? {
                Noticed::Yes => Noticed::Yes,
                Noticed::No => Noticed::No,
                Noticed::Unknown => noticed,
            };
            if noticed == Noticed::Yes {
                break;
            }
        }
        if noticed == Noticed::Yes {
            if is_unclear {
                for exact in &expectation.exact {
                    if self.noticed(test, &test.file, exact).await? == Noticed::No {
                        return Ok(false);
                    }
                }
            }
            return Ok(true);
        }
        // The assertion stands in something that the test calls, which so cannot notice anything.
        let is_called = test.place.is_asserted && !test.passed.is_empty();
        if noticed == Noticed::No && (expectation.form == Form::Equality || is_unclear || is_called) {
            return Ok(false);
        }
        if let Some(failing) = &expectation.failing
            && self.noticed(test, &test.file, failing).await? == Noticed::No
        {
            return Ok(false);
        }
        // What does nothing gives nothing, which is what such a test wants.
        if expectation.is_negative && !is_unclear {
            return Ok(true);
        }
        // What cannot be loaded has called nothing.
        let is_on_the_way = is_unclear && is_edited && !test.category.hides_others();
        if test.place.is_asserted || is_on_the_way {
            return self.is_program(test, candidate).await;
        }
        Ok(true)
    }

    /// Returns the text in which what is expected stands in the place of what is computed, if the test then fails: a judge refuses equal
    /// values. With the candidate's files in the tree.
    async fn disagreed(&mut self, test: &HealedTest, candidate: &Candidate) -> Result<Option<String>, StepError> {
        if candidate.files.iter().all(|edit| self.standing_of(edit) <= Standing::Tested) {
            return Ok(None);
        }
        let text = self.session.sources().text(&test.file).unwrap_or_default();
        let Some(agreed) = expectation::of(&test.file, text, &test.place).and_then(|found| found.agreed) else {
            return Ok(None);
        };
        Ok((self.noticed(test, &test.file, &agreed).await? == Noticed::Yes).then_some(agreed))
    }

    /// Returns whether the test notices when the changed function does nothing. A change outside of a
    /// function, or one of which this cannot be found out, counts as a change of the program.
    async fn is_program(&mut self, test: &HealedTest, candidate: &Candidate) -> Result<bool, StepError> {
        let Some(edit) = candidate.files.first() else { return Ok(true) };
        let Some(at) = edit.edits.first().map(|edit| edit.start) else { return Ok(true) };
        let text = self.session.sources().text(&edit.file).unwrap_or_default();
        let Some(hollow) = expectation::hollow(&edit.file, text, at) else { return Ok(true) };
        Ok(self.noticed(test, &edit.file, &hollow).await? != Noticed::No)
    }

    /// Runs the test with `text` as the content of `file`, and returns its reaction.
    async fn noticed(&mut self, test: &HealedTest, file: &str, text: &str) -> Result<Noticed, StepError> {
        let limit = Duration::from_secs(self.state.request.limits.test_seconds);
        let undo = self.session.write(&[FileText { file: file.to_owned(), text: text.to_owned() }])?;
        let result = self.session.run_checks(&Scope::Again(vec![test.selector.clone()]), limit, self.context).await;
        self.session.write(&undo)?;
        Ok(read(&result?, test))
    }
}

fn read(result: &CheckResult, test: &HealedTest) -> Noticed {
    if result.cut_short.is_some() {
        return Noticed::Unknown;
    }
    match result.tests.get(&test.id) {
        Some(TestState::Failed) => {
            let index = result.selectors.get(&test.selector);
            let category = index.and_then(|index| result.findings.get(*index)).map(|finding| finding.category);
            // A value of the wrong kind breaks in its own way, which shows nothing.
            let is_its_kind = category.is_none_or(|category| category == Category::Logic || category == test.category);
            if is_its_kind { Noticed::Yes } else { Noticed::Unknown }
        }
        Some(TestState::Passed | TestState::Skipped) => Noticed::No,
        None if result.count(TestState::Failed) > 0 => Noticed::Yes,
        None if result.count(TestState::Passed) > 0 => Noticed::No,
        None => Noticed::Unknown,
    }
}

/// Returns whether an error message is that of a failed assertion.
fn is_assertion(message: &str) -> bool {
    let class = message.split(':').next().unwrap_or_default().trim();
    class.ends_with("AssertionError") || class == "Failed" || message.contains("expect(")
}
