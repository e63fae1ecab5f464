//! Combined result of the answers so far: the specification's `best_fields` and `all_fields`.

use std::collections::BTreeSet;

use autoheal_llm::prompt::PromptError;
use autoheal_llm::{AnswerFault, ChatAnswer, Finish, Message};
use serde_json::Value;

use crate::extraction::{ExtractError, Extraction, LeftOut, WhyLeftOut};
use crate::form::{Fault, Importance};
use crate::item::Grounding;
use crate::mode::model::Asking;
use crate::mode::model::candidate::Candidate;
use crate::mode::model::filled::filled_without_faults;
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

/// Confidence from which a value of a rule is sure.
const SURE: f32 = 0.7;

/// Combined result of the answers so far.
pub(crate) struct Progress<'a> {
    reading: &'a Reading,
    pub(super) asking: &'a Asking<'a>,
    /// The best value of each field over all answers.
    best_fields: Candidate,
    /// True if everything was valid at some point, with at least one field.
    has_valid: bool,
    /// The names of all fields that any answer had.
    all_fields: BTreeSet<String>,
    /// Required fields that were neither found nor reported as unavailable.
    missing: Vec<String>,
    /// The fields that a question was about: they are not asked for again.
    looked_for: BTreeSet<String>,
    /// Values that do not fit the form.
    faults: Vec<Fault>,
    /// Reason why the last answer could not be read; `None` if it could be read.
    fault: Option<AnswerFault>,
    /// The answers that could not be read.
    unusable: Vec<LeftOut>,
    /// True if the last answer was cut off.
    is_cut_off: bool,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(reading: &'a Reading, asking: &'a Asking<'a>) -> Self {
        let mut progress = Self {
            reading,
            asking,
            best_fields: Candidate::default(),
            has_valid: false,
            all_fields: BTreeSet::new(),
            missing: Vec::new(),
            looked_for: BTreeSet::new(),
            faults: Vec::new(),
            fault: None,
            unusable: Vec::new(),
            is_cut_off: false,
        };
        progress.missing = progress.best_fields.missing(asking.form);
        progress
    }

    /// Begins with values that rules found.
    pub(crate) fn begin(&mut self, found: Candidate) {
        self.all_fields.extend(found.found().map(str::to_owned));
        self.best_fields = found;
        self.score();
    }

    /// Reads and scores an answer, and keeps the values that are better than before. `open` are the fields that the question
    /// was about, if it was about some: others in the answer do not count.
    pub(super) fn take(&mut self, answer: &ChatAnswer, open: Option<&[String]>) -> Step {
        self.is_cut_off = answer.finish == Finish::Length;
        let mut candidate = match Candidate::read(answer, self.reading, self.asking) {
            Ok(candidate) => candidate,
            Err(fault) => {
                self.unusable
                    .push(LeftOut { name: "an answer".to_owned(), why: WhyLeftOut::Unusable(fault.to_string()) });
                self.fault = Some(fault);
                return Step { has_new_fields: false, has_filled_missing: false };
            }
        };
        self.fault = None;
        if let Some(open) = open {
            candidate.fields.retain(|name, _| open.contains(name));
            candidate.provenance.retain(|name, _| open.contains(name));
            // The part that was cut off may have had more.
            let is_seen = |name: &&String| !self.is_cut_off || candidate.fields.contains_key(*name);
            self.looked_for.extend(open.iter().filter(is_seen).cloned());
        }
        let found: BTreeSet<String> = candidate.found().map(str::to_owned).collect();
        let step = Step {
            has_new_fields: found.iter().any(|name| !self.all_fields.contains(name)),
            has_filled_missing: self.missing.iter().any(|name| found.contains(name)),
        };
        self.all_fields.extend(found);
        self.merge(&candidate);
        self.score();
        step
    }

    /// Judges the best fields so far.
    fn score(&mut self) {
        let form = self.asking.form;
        let mut whole = self.best_fields.fields.clone();
        form.add_nulls(&mut whole);
        self.faults = form.faults(&whole);
        self.has_valid |= self.faults.is_empty() && self.best_fields.found().next().is_some();
        self.missing = self.best_fields.missing(form);
        tracing::debug!(score = self.best_fields.score(form), missing = ?self.missing, faults = ?self.faults, "what was found was scored");
    }

    /// Returns the fields that a further question is about: those that pages of the type have and that are missing, do not fit,
    /// or are unsure. Empty if none of them matters.
    pub(super) fn open(&self) -> Vec<String> {
        let form = self.asking.form;
        let page_type = self.best_fields.page_type();
        let is_unfit = |name: &str| self.faults.iter().any(|fault| fault.property.as_deref() == Some(name));
        let is_open = |name: &str| {
            let is_known = self.best_fields.unavailable.contains(name);
            let is_sure = || self.best_fields.fields.contains_key(name) && !self.is_unsure(name);
            !self.looked_for.contains(name) && (is_unfit(name) || (!is_known && !is_sure()))
        };
        let mut open = form.asked_on(page_type);
        open.retain(|name| is_open(name));
        let matters = |name: &String| is_unfit(name) || form.importance(page_type, name) > Importance::Other;
        if open.iter().any(matters) || self.fault.is_some() { open } else { Vec::new() }
    }

    /// Returns whether a value is a guess of a rule, or not on the page.
    fn is_unsure(&self, name: &str) -> bool {
        self.best_fields.provenance.get(name).is_some_and(|provenance| match provenance.grounding {
            None => provenance.confidence < SURE,
            Some(grounding) => grounding == Grounding::NotFound,
        })
    }

    /// Keeps the better value of each field: a valid value over an invalid one, one on the page over one that is not, and a sure one
    /// over a guess. Of equals, the earlier value is kept. An invalid value is dropped when the next response does not repeat it.
    fn merge(&mut self, candidate: &Candidate) {
        let form = self.asking.form;
        let unfit = |candidate: &Candidate| {
            form.faults(&candidate.fields).into_iter().filter_map(|fault| fault.property).collect::<BTreeSet<_>>()
        };
        let (unfit_before, unfit_now) = (unfit(&self.best_fields), unfit(candidate));
        let rank = |of: &Candidate, unfit: &BTreeSet<String>, name: &str| {
            let provenance = of.provenance.get(name);
            let is_found = provenance.is_none_or(|provenance| {
                matches!(provenance.grounding, None | Some(Grounding::Found | Grounding::Judgement))
            });
            let is_sure =
                provenance.is_none_or(|provenance| provenance.grounding.is_some() || provenance.confidence >= SURE);
            of.fields.contains_key(name).then(|| (!unfit.contains(name), is_found, is_sure))
        };
        // An invalid field was reported before, and is not reported again.
        for name in unfit_before.iter().filter(|name| !candidate.fields.contains_key(*name)) {
            self.best_fields.fields.remove(name);
            self.best_fields.provenance.remove(name);
        }
        for (name, value) in &candidate.fields {
            let now = rank(candidate, &unfit_now, name);
            let before = rank(&self.best_fields, &unfit_before, name);
            if now > before {
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

    /// Returns whether there was a valid result with at least one field.
    pub(super) const fn has_valid(&self) -> bool {
        self.has_valid
    }

    /// Returns whether nothing was found so far.
    pub(super) fn is_empty(&self) -> bool {
        self.all_fields.is_empty()
    }

    /// Returns the question for these fields: with the fields found, and the invalid ones.
    pub(super) fn question_for(&self, open: &[String]) -> Result<Message, PromptError> {
        let page_type = self.best_fields.page_type();
        let shown = self.asking.form.asked_on(page_type);
        let best = self.best_fields.fields.iter().filter(|(name, _)| shown.contains(name));
        let best = Value::Object(best.map(|(name, value)| (name.clone(), value.clone())).collect());
        let mut faults: Vec<String> = self.faults.iter().map(|fault| fault.message.clone()).collect();
        faults.extend(self.fault.as_ref().map(ToString::to_string));
        let so_far = SoFar { best: &best, page_type, open, faults: &faults };
        retry(self.reading, self.asking, &so_far)
    }

    /// The best fields without those that do not fit.
    pub(super) fn result(self) -> Result<Extraction, ExtractError> {
        if let Some(fault) = self.fault.filter(|_| self.all_fields.is_empty()) {
            return Err(fault.into());
        }
        let mut extraction = filled_without_faults(self.best_fields, self.reading, self.asking.form)?;
        extraction.left_out.extend(self.unusable);
        Ok(extraction)
    }
}
