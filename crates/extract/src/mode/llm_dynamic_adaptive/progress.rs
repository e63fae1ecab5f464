//! Combined result of the answers so far: the specification's `best_fields`, `best_valid_item` and
//! `all_fields`.

use std::collections::BTreeSet;

use autoheal_llm::prompt::PromptError;
use autoheal_llm::{AnswerFault, ChatAnswer, Finish, Message};
use serde_json::Value;

use crate::extraction::{ExtractError, Extraction, LeftOut, WhyLeftOut};
use crate::item::Grounding;
use crate::mode::model::Asking;
use crate::mode::model::candidate::{Candidate, PAGE_TYPE};
use crate::mode::model::filled::{filled, filled_without_faults};
use crate::mode::model::prompt::{SoFar, retry};
use crate::mode::model::reading::Reading;

/// Contribution of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// True if it has a field that no earlier answer had.
    pub(super) has_new_fields: bool,
    /// True if it has a field that was missing before.
    pub(super) has_filled_missing: bool,
}

/// Purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Finds the fields of the page: the first request, and the discovery retry.
    Discovery,
    /// Adds and corrects fields.
    Retry,
}

/// Combined result of the answers so far.
pub(super) struct Progress<'a> {
    reading: &'a Reading,
    asking: &'a Asking<'a>,
    /// The best value of each field over all answers.
    best_fields: Candidate,
    /// Best valid result so far, with its score.
    best_valid: Option<(u32, Candidate)>,
    /// The names of all fields that any answer had.
    all_fields: BTreeSet<String>,
    /// Required fields that were neither found nor reported as unavailable.
    missing: Vec<String>,
    /// Descriptions of the values that do not fit the form.
    faults: Vec<String>,
    /// Reason why the last answer could not be read; `None` if it could be read.
    fault: Option<AnswerFault>,
    /// The answers that could not be read.
    unusable: Vec<LeftOut>,
    /// True if the last answer was cut off.
    is_cut_off: bool,
}

impl<'a> Progress<'a> {
    pub(super) fn new(reading: &'a Reading, asking: &'a Asking<'a>) -> Self {
        let mut progress = Self {
            reading,
            asking,
            best_fields: Candidate::default(),
            best_valid: None,
            all_fields: BTreeSet::new(),
            missing: Vec::new(),
            faults: Vec::new(),
            fault: None,
            unusable: Vec::new(),
            is_cut_off: false,
        };
        progress.missing = progress.best_fields.missing(asking.form);
        progress
    }

    /// Reads and scores an answer, and keeps the values that are better than before.
    pub(super) fn take(&mut self, answer: &ChatAnswer, question: Question) -> Step {
        let form = self.asking.form;
        self.is_cut_off = answer.finish == Finish::Length;
        let candidate = match Candidate::read(answer, self.reading, self.asking) {
            Ok(candidate) => candidate,
            Err(fault) => {
                self.faults = vec![fault.to_string()];
                self.unusable
                    .push(LeftOut { name: "an answer".to_owned(), why: WhyLeftOut::Unusable(fault.to_string()) });
                self.fault = Some(fault);
                return Step { has_new_fields: false, has_filled_missing: false };
            }
        };
        self.fault = None;
        let found: BTreeSet<String> = candidate.found().map(str::to_owned).collect();
        let step = Step {
            has_new_fields: found.iter().any(|name| !self.all_fields.contains(name)),
            has_filled_missing: self.missing.iter().any(|name| found.contains(name)),
        };
        self.all_fields.extend(found);
        self.merge(&candidate, question);
        let mut whole = self.best_fields.fields.clone();
        form.add_nulls(&mut whole);
        let faults = form.faults(&whole);
        let score = self.best_fields.score(form);
        if faults.is_empty() && self.best_valid.as_ref().is_none_or(|(best, _)| score >= *best) {
            self.best_valid = Some((score, self.best_fields.clone()));
        }
        self.faults = faults.into_iter().map(|fault| fault.message).collect();
        self.missing = self.best_fields.missing(form);
        tracing::debug!(score, missing = ?self.missing, faults = ?self.faults, "an answer was scored");
        step
    }

    /// Keeps the better value of each field: a valid value over an invalid one, and one on the page over one that is not. Of
    /// equals, the earlier value is kept, unless the new one comes from a retry, which asked for corrections. The page type is that
    /// of the newest response that states it. An invalid value is dropped when the next response does not repeat it.
    fn merge(&mut self, candidate: &Candidate, question: Question) {
        let form = self.asking.form;
        let unfit = |candidate: &Candidate| {
            form.faults(&candidate.fields).into_iter().filter_map(|fault| fault.property).collect::<BTreeSet<_>>()
        };
        let (unfit_before, unfit_now) = (unfit(&self.best_fields), unfit(candidate));
        let rank = |of: &Candidate, unfit: &BTreeSet<String>, name: &str| {
            let is_found = of
                .provenance
                .get(name)
                .is_none_or(|provenance| matches!(provenance.grounding, Some(Grounding::Found | Grounding::Judgement)));
            of.fields.contains_key(name).then(|| (!unfit.contains(name), is_found))
        };
        // An invalid field was reported before, and is not reported again.
        for name in unfit_before.iter().filter(|name| !candidate.fields.contains_key(*name)) {
            self.best_fields.fields.remove(name);
            self.best_fields.provenance.remove(name);
        }
        for (name, value) in &candidate.fields {
            let now = rank(candidate, &unfit_now, name);
            let before = rank(&self.best_fields, &unfit_before, name);
            let is_corrected = question == Question::Retry || name == PAGE_TYPE;
            if now > before || (is_corrected && now == before) {
                match candidate.provenance.get(name) {
                    Some(provenance) => self.best_fields.provenance.insert(name.clone(), *provenance),
                    None => self.best_fields.provenance.remove(name),
                };
                self.best_fields.fields.insert(name.clone(), value.clone());
            }
        }
        self.best_fields.unavailable.extend(candidate.unavailable.iter().cloned());
        for left_out in &candidate.left_out {
            if !self.best_fields.left_out.contains(left_out) {
                self.best_fields.left_out.push(left_out.clone());
            }
        }
    }

    /// Returns whether everything fits the form and no required field is missing.
    pub(super) fn is_valid_and_complete(&self) -> bool {
        self.has_valid()
            && !self.is_cut_off
            && self.fault.is_none()
            && self.faults.is_empty()
            && self.missing.is_empty()
    }

    /// Returns whether there is a valid result with at least one field.
    pub(super) fn has_valid(&self) -> bool {
        self.best_valid.as_ref().is_some_and(|(_, candidate)| candidate.found().next().is_some())
    }

    /// Returns the next question: the fields found, the missing ones, the invalid ones.
    pub(super) fn retry_prompt(&self) -> Result<Message, PromptError> {
        let best = Value::Object(self.best_fields.fields.clone());
        let page_type = self.best_fields.page_type();
        let so_far = SoFar { best: &best, page_type, missing: &self.missing, faults: &self.faults };
        retry(self.reading, self.asking, &so_far)
    }

    /// The best valid result.
    pub(super) fn best_valid(self) -> Result<Extraction, ExtractError> {
        let best = self.best_valid.map_or(self.best_fields, |(_, candidate)| candidate);
        noted(filled(best, self.reading, self.asking.form), self.unusable)
    }

    /// The best valid result, else the best fields without those that do not fit.
    pub(super) fn fallback(self) -> Result<Extraction, ExtractError> {
        if self.has_valid() {
            return self.best_valid();
        }
        if let Some(fault) = self.fault.filter(|_| self.all_fields.is_empty()) {
            return Err(fault.into());
        }
        noted(filled_without_faults(self.best_fields, self.reading, self.asking.form), self.unusable)
    }
}

/// With the answers that could not be read.
fn noted(extraction: Result<Extraction, ExtractError>, unusable: Vec<LeftOut>) -> Result<Extraction, ExtractError> {
    extraction.map(|mut extraction| {
        extraction.left_out.extend(unusable);
        extraction
    })
}
