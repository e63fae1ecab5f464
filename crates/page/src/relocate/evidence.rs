//! Reasons for an answer, in readable form.

use super::ranking::{Ranked, Row};

/// The beginning of a value in quotes.
pub(super) fn quote(text: &str) -> String {
    let beginning = crate::document::first_characters(text, 60);
    let more = if beginning.len() < text.len() { "…" } else { "" };
    format!("\"{beginning}{more}\"")
}

/// Returns the reasons for and against a candidate.
pub(super) fn reasons(best: &Ranked, second: Option<&Ranked>) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut say = |holds: bool, reason: &str| {
        if holds {
            reasons.push(reason.to_owned());
        }
    };
    say(best.is_only_place, "no other place of the page has the old value");
    match &best.row {
        Row::Single(row) => {
            say(row.stated_best >= 0.85, "the page states this value for machines");
            say(row.is_stated > 0.5 && row.stated_best < 0.3, "the page states another value for machines");
            say(row.label_same > 0.5, "the same label stands before it");
            say(row.heading_same > 0.5, "it stands under the same heading");
            say(row.same_value > 0.5, "the value is the old one");
            say(row.word_in_names + row.word_near > 0.5, "class names or attributes speak of the field");
            say(row.all_names_overlap >= 0.5, "most names of the old place are there again");
            say(row.same_pattern > 0.5, "it is written like the old value");
            say(row.in_around > 0.5, "it stands in navigation, a teaser or a form");
            say(row.seen_on_old > 0.5, "the old page has the same text elsewhere");
        }
        Row::List(row) => {
            say(row.stated_both >= 0.8, "the page states these values for machines");
            say(row.heading_same > 0.5, "it stands under the same heading");
            say(row.word_in_heading > 0.5, "the heading before it speaks of the field");
            say(row.old_values >= 0.5, "most values are old ones");
            say(row.word_in_names + row.word_around > 0.5, "class names or attributes speak of the field");
            say(row.all_names_overlap >= 0.5, "most names of the old place are there again");
            say(row.count_ratio.abs() < 0.2, "there are about as many as before");
            say(row.in_around > 0.5, "it stands in navigation, a teaser or a form");
            say(row.links_change > 0.5, "links and text are exchanged");
        }
    }
    if second.is_some_and(|second| best.odds - second.odds < 1.0) {
        reasons.push("another place is nearly as likely".to_owned());
    }
    reasons
}
