//! From fields to a valid form, or the reason why there is nothing to return.

use serde_json::{Map, Value};

use super::candidate::Candidate;
use super::reading::Reading;
use crate::extraction::{ExtractError, Extracted, Extraction, LeftOut, OwnItem, WhyLeftOut};
use crate::form::{Fault, Form, Owner};

/// The extraction that a candidate is, where it fits the form.
///
/// # Errors
///
/// [`ExtractError::Nothing`], [`ExtractError::DoesNotFit`], [`ExtractError::RequiredMissing`].
pub(crate) fn filled(mut candidate: Candidate, reading: &Reading, form: &Form) -> Result<Extraction, ExtractError> {
    if candidate.found().next().is_none() {
        return Err(ExtractError::Nothing);
    }
    let missing = candidate.all_missing(form);
    form.add_nulls(&mut candidate.fields);
    refuse_faults(&form.faults(&candidate.fields), &candidate.all_missing(form))?;
    // Another answer had the value for which this one was dropped.
    candidate.left_out.retain(|left| left.why != WhyLeftOut::NotOnPage || !candidate.fields.contains_key(&left.name));
    let extracted = match form.owner {
        Owner::Item => item_of(&candidate)?,
        Owner::User => Extracted::Own(Box::new(OwnItem {
            url: reading.url.as_ref().map(ToString::to_string),
            screenshot_path: None,
            item: candidate.fields,
            provenance: candidate.provenance,
        })),
    };
    Ok(Extraction { extracted, missing, left_out: candidate.left_out, cut_short: None })
}

/// The same, without invalid values that the form does not require.
pub(crate) fn filled_without_faults(
    mut candidate: Candidate,
    reading: &Reading,
    form: &Form,
) -> Result<Extraction, ExtractError> {
    for Fault { property, message } in form.faults(&candidate.fields) {
        if let Some(name) = property.filter(|name| candidate.fields.remove(name).is_some()) {
            candidate.provenance.remove(&name);
            candidate.left_out.push(LeftOut { name, why: WhyLeftOut::DoesNotFit(message) });
        }
    }
    filled(candidate, reading, form)
}

fn refuse_faults(faults: &[Fault], missing: &[String]) -> Result<(), ExtractError> {
    let of_values: Vec<String> =
        faults.iter().filter(|fault| fault.property.is_some()).map(|fault| fault.message.clone()).collect();
    match (faults, of_values.is_empty(), missing.is_empty()) {
        ([], ..) => Ok(()),
        (_, true, false) => Err(ExtractError::RequiredMissing(missing.to_vec())),
        (_, true, true) => Err(ExtractError::DoesNotFit(faults.iter().map(|fault| fault.message.clone()).collect())),
        (_, false, _) => Err(ExtractError::DoesNotFit(of_values)),
    }
}

fn item_of(candidate: &Candidate) -> Result<Extracted, ExtractError> {
    let unfit = |error: serde_json::Error| ExtractError::DoesNotFit(vec![error.to_string()]);
    let mut members: Map<String, Value> = candidate.fields.clone();
    members.insert("provenance".to_owned(), serde_json::to_value(&candidate.provenance).map_err(unfit)?);
    serde_json::from_value(Value::Object(members)).map(|item| Extracted::Item(Box::new(item))).map_err(unfit)
}
