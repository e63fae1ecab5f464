//! Measurement of the relocator's answers for the fields of a case.

use std::time::Instant;

use autoheal_page::relocate::{Answer, Relocator, Status};
use serde::Serialize;

use super::corpus::{Case, Side};
use super::{deletion, score};

/// The answer for one field, judged.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Judged {
    pub(super) case: String,
    pub(super) site: String,
    pub(super) kind: String,
    pub(super) field: String,
    pub(super) is_list: bool,
    pub(super) test: Test,
    pub(super) status: &'static str,
    pub(super) confidence: f32,
    /// From 0 to 1: for lists F1.
    pub(super) rightness: f64,
    pub(super) is_right: bool,
    pub(super) values: Vec<String>,
    pub(super) truth: Vec<String>,
    pub(super) select: Option<String>,
    pub(super) evidence: Vec<String>,
}

/// Condition under which a field is relocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Test {
    /// The old selector is broken and the field is there.
    Broken,
    /// The old selector still works, on a page with broken fields.
    Unbroken,
    /// The old selectors of all fields still work.
    Control,
    /// The field was broken, and then deleted from the page.
    Deleted,
}

/// Results for a case.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) judged: Vec<Judged>,
    /// Milliseconds for both pages parsed and all fields relocated.
    pub(super) milliseconds: f64,
    /// Fields whose old selector is not understood.
    pub(super) left_out: Vec<String>,
}

/// Relocates the fields of a case; with every answer given at any confidence, so that thresholds can be compared.
pub(super) fn measure(relocator: &Relocator, case: &Case, with_deletions: bool) -> anyhow::Result<Outcome> {
    let relocator = relocator.clone().with_threshold(0.0);
    let (recipe, left_out) = case.recipe(Side::Old)?;
    let bytes = (case.bytes(Side::Old)?, case.bytes(Side::New)?);
    let start = Instant::now();
    let old = autoheal_page::Document::parse_bytes(&bytes.0);
    let new = autoheal_page::Document::parse_bytes(&bytes.1);
    let relocation = relocator.relocate(&[&old], &recipe, &new);
    let milliseconds = start.elapsed().as_secs_f64() * 1000.0;
    let mut judged = Vec::new();
    for (name, answer) in &relocation.fields {
        let test = match (case.is_control, case.is_broken(name.as_str())) {
            (true, _) => Test::Control,
            (false, true) => Test::Broken,
            (false, false) => Test::Unbroken,
        };
        judged.extend(judge(case, name.as_str(), answer, test));
    }
    let broken = case.fields().filter(|(name, _)| with_deletions && case.is_broken(name));
    for (name, field) in broken {
        let Some(page) = deletion::without(&new, field, Side::New) else { continue };
        let relocation = relocator.relocate(&[&old], &recipe, &page);
        judged.extend(relocation.field(name).and_then(|answer| judge(case, name, answer, Test::Deleted)));
    }
    Ok(Outcome { judged, milliseconds, left_out })
}

fn judge(case: &Case, name: &str, answer: &Answer, test: Test) -> Option<Judged> {
    let (_, field) = case.fields().find(|(other, _)| *other == name)?;
    let accepted = matches!(answer.status, Status::Kept | Status::Moved);
    let is_right = accepted && score::is_right(field, Side::New, &answer.values);
    Some(Judged {
        case: case.id.clone(),
        site: case.site.clone(),
        kind: case.kind.clone(),
        field: name.to_owned(),
        is_list: field.multi,
        test,
        status: answer.status.name(),
        confidence: if accepted { answer.confidence } else { 0.0 },
        rightness: score::rightness(field, Side::New, &answer.values),
        is_right,
        values: answer.values.iter().take(12).map(|value| shortened(value)).collect(),
        truth: field.truth(Side::New).iter().take(12).map(|value| shortened(value)).collect(),
        select: answer.select.as_ref().map(ToString::to_string),
        evidence: answer.evidence.clone(),
    })
}

fn shortened(value: &str) -> String {
    value.chars().take(160).collect()
}
