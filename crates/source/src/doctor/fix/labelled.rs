//! A value that has a label is where the label is.

use autoheal_page::recipe::{Field, NodeTake, Source};
use autoheal_page::relocate::Status;
use autoheal_page::{Document, NodeId, Selector};

use super::place::Place;
use crate::scout::label_rule::{LabelRule, by_label, label_of, plain};

/// Result of a search for the label of a field's value.
#[derive(Debug)]
pub(super) enum ByLabel {
    /// The value is at this location.
    At(Place),
    /// No single value has the label, and the old rule finds the value of another one.
    Lost(String),
    /// Nothing that is not known.
    Silent,
}

/// Compares the label of a field's value on the old page with the labels on the new one. `status` and `place` are the answer by
/// resemblance.
pub(super) fn by_its_label(
    (old, page): (&Document, &Document),
    field: &Field,
    status: Status,
    place: Option<&Place>,
) -> ByLabel {
    let Source::Nodes { select, take: NodeTake::Text } = &field.source else { return ByLabel::Silent };
    let first = |page: &Document, select: &Selector| page.select(select).first().copied();
    let was = first(old, select).filter(|_| !field.many).and_then(|node| label_of(old, node));
    let Some(was) = was.filter(|label| label.is_certain) else { return ByLabel::Silent };
    // Where resemblance finds the value: under the old rule if it is kept, else at the new location.
    let found = match status {
        Status::Kept => first(page, select),
        Status::Moved | Status::Gone | Status::Unsure => place.and_then(|place| first(page, place.select()?)),
    };
    match by_label(page, &was.label) {
        Some(now) if Some(now.node) == found => same(status, place, &now),
        // The very value is a stronger sign than a label next to another one.
        Some(now)
            if found
                .is_some_and(|found| is_last_value(page, field, found) && !is_last_value(page, field, now.node)) =>
        {
            ByLabel::Silent
        }
        Some(now) if field.conversion.apply(&page.text(now.node), None).is_ok() || !field.steps.is_empty() => {
            ByLabel::At(at(page, &now))
        }
        Some(_) => ByLabel::Silent,
        None => {
            let other = found.filter(|_| status == Status::Kept).and_then(|node| label_of(page, node));
            let is_of_another =
                |label: &LabelRule| plain(&label.label) != plain(&was.label) && by_label(old, &label.label).is_some();
            match other.filter(is_of_another) {
                Some(other) => ByLabel::Lost(format!(
                    "no single value has its label `{}`, and the old rule finds `{}`",
                    was.label, other.label
                )),
                None => ByLabel::Silent,
            }
        }
    }
}

/// The label finds the same as resemblance: its rule replaces one by position.
fn same(status: Status, place: Option<&Place>, label: &LabelRule) -> ByLabel {
    match place.filter(|place| status == Status::Moved && place.is_by_position()) {
        Some(place) => ByLabel::At(place.by(label.select.clone())),
        None => ByLabel::Silent,
    }
}

fn is_last_value(page: &Document, field: &Field, node: NodeId) -> bool {
    field.example.first().is_some_and(|value| *value == page.text(node))
}

fn at(page: &Document, label: &LabelRule) -> Place {
    let why = format!("`{}`: it is the value of `{}`, as it was", label.select, label.label);
    let source = Source::Nodes { select: label.select.clone(), take: NodeTake::Text };
    Place::new(source, vec![page.text(label.node).into_owned()], why)
}

#[cfg(test)]
mod tests {
    use autoheal_page::recipe::Recipe;

    use super::*;

    const FACTS: &str = "<table><tr><td>Author<td>Frank<tr><td>Rating<td>4.5<tr><td>Pages<td>688</table>";

    fn field(select: &str) -> Field {
        let recipe = format!(
            r#"{{"version": 1, "fields": {{"rating": {{"select": "{select}", "type": "number", "example": ["4.5"]}}}}}}"#
        );
        Recipe::parse(&recipe, "test").unwrap().fields()[0].clone()
    }

    fn answer(select: &str, status: Status, page: &str) -> ByLabel {
        by_its_label((&Document::parse(FACTS), &Document::parse(page)), &field(select), status, None)
    }

    fn text(answer: &ByLabel, page: &str) -> String {
        let ByLabel::At(place) = answer else { panic!("{answer:?}") };
        let page = Document::parse(page);
        page.text(page.select(place.select().unwrap())[0]).into_owned()
    }

    const SECOND: &str = "tr:nth-child(2) > td:nth-child(2)";

    #[test]
    fn value_moves_with_its_label() {
        let inserted = FACTS.replace("<table>", "<table><tr><td>Series<td>1.5");
        assert_eq!(text(&answer(SECOND, Status::Kept, &inserted), &inserted), "4.5");
        let changed = inserted.replace("4.5", "4.7");
        assert_eq!(text(&answer(SECOND, Status::Kept, &changed), &changed), "4.7");
        let terms = "<dl><dt>Pages<dd>688<dt>Rating<dd>4.6</dl>";
        assert_eq!(text(&answer(SECOND, Status::Unsure, terms), terms), "4.6");
    }

    #[test]
    fn value_of_another_label_is_not_kept() {
        let removed = FACTS.replace("<tr><td>Rating<td>4.5", "");
        assert!(matches!(answer(SECOND, Status::Kept, &removed), ByLabel::Lost(_)));
        let renamed = FACTS.replace("Rating", "Mean rating");
        assert!(
            matches!(answer(SECOND, Status::Kept, &renamed), ByLabel::Silent),
            "a label that is new may be a new name"
        );
        assert!(matches!(answer(SECOND, Status::Kept, FACTS), ByLabel::Silent));
        let twice = FACTS.replace("<table>", "<table><tr><td>Rating<td>3");
        assert!(matches!(answer(SECOND, Status::Kept, &twice), ByLabel::Lost(_)), "two values have the label");
        let word = FACTS.replace("4.5", "none yet").replace("<table>", "<table><tr><td>Series<td>1.5");
        assert!(matches!(answer(SECOND, Status::Unsure, &word), ByLabel::Silent), "it is of another type");
    }
}
