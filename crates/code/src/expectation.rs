//! A test that is made to expect something else. One that still passes then says nothing about the program.
//!
//! What is expected is perturbed while the test runs: the expression is wrapped in a call of a function that is put at the end of the test's
//! file, and that gives another value of the same kind. So constants, variables, parameters and fixtures are perturbed alike.

use std::collections::BTreeSet;

use crate::edit::{Edit, FileEdit};
pub use crate::language::plan::{Form, TestPlace};
use crate::language::plan::{Found, Mutation};
use crate::languages;
use crate::span::Span;

/// The texts of a test's file in which the test expects something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Comparison that the test makes.
    pub form: Form,
    /// Texts of which at least one has to make the test fail, the most telling first.
    pub perturbed: Vec<String>,
    /// Texts each of which has to make it fail, when what compares is not trusted: the expected number is a little larger, or smaller.
    pub exact: Vec<String>,
    /// True if the test wants something not to be: a function that does nothing may satisfy it.
    pub is_negative: bool,
    /// The text in which what is expected stands in the place of what is computed: what accepts equal values passes.
    pub agreed: Option<String>,
    /// The text in which the test fails at its very end.
    pub failing: Option<String>,
}

/// The texts in which a test of `file` expects something else; `None` when the file is in no known language or cannot be read.
pub fn of(file: &str, text: &str, place: &TestPlace) -> Option<Expectation> {
    let (plan, failing, other, wrapped) = match languages::of(file)?.expectation(file, text, place)? {
        Found::Code { plan, failing, other, wrapped } => (plan, failing, other, wrapped),
        Found::Example(edits) => {
            let perturbed = readable(file, FileEdit { file: file.to_owned(), edits }.apply(text).ok()?)?;
            return Some(Expectation {
                form: Form::Equality,
                perturbed: vec![perturbed],
                exact: Vec::new(),
                is_negative: false,
                agreed: None,
                failing: None,
            });
        }
    };
    let mutated = |mutation: &Mutation| {
        let spans: BTreeSet<Span> = mutation.iter().map(|(span, _)| *span).collect();
        let is_outer = |span: &Span| !spans.iter().any(|around| around != span && around.contains(*span));
        let mut edits: Vec<Edit> = mutation
            .iter()
            .filter(|(span, _)| is_outer(span))
            .map(|(span, how)| Edit::replace(span.range(), wrapped(span.text(text), *how)))
            .collect();
        edits.sort();
        edits.dedup_by_key(|edit| edit.start);
        let edit = FileEdit { file: file.to_owned(), edits };
        readable(file, format!("{}\n{other}", edit.apply(text).ok()?.trim_end()))
    };
    let failing = failing.and_then(|edit| readable(file, FileEdit::single(file, edit).apply(text).ok()?));
    Some(Expectation {
        form: plan.form,
        perturbed: plan.any.iter().filter_map(mutated).collect(),
        exact: plan.each.iter().filter_map(mutated).collect(),
        is_negative: plan.is_negative,
        agreed: plan.pair.and_then(|(computed, expected)| {
            let edit = Edit::replace(computed.range(), expected.text(text));
            readable(file, FileEdit::single(file, edit).apply(text).ok()?)
        }),
        failing,
    })
}

fn readable(file: &str, text: String) -> Option<String> {
    languages::check(file, &text).is_ok().then_some(text)
}

/// The text of a file in which the function around a byte does nothing but return at once; `None` outside of functions.
pub fn hollow(file: &str, text: &str, at: usize) -> Option<String> {
    let edit = languages::of(file)?.hollow(file, text, at)?;
    readable(file, FileEdit::single(file, edit).apply(text).ok()?)
}
