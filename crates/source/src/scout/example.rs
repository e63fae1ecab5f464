//! Proposal by example: from values given as they appear on the page.

use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, FieldName, NodeTake, Recipe, Source};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::structured::{Datum, structured_data};
use autoheal_page::{Document, NodeId};

use super::ScoutError;
use super::label_rule::label_of;
use super::labels::is_by_position;
use super::places::places_of;
use super::statements::source_of;

/// Proposes a recipe that extracts the examples from the page; several examples of one field form a list.
///
/// # Errors
///
/// Returns an error if an example is not on the page, or if nothing distinguishes its position.
pub fn by_example(page: &Document, examples: &[(FieldName, String)]) -> Result<Recipe, ScoutError> {
    let mut fields: Vec<(FieldName, Vec<String>)> = Vec::new();
    for (name, value) in examples {
        match fields.iter_mut().find(|(other, _)| other == name) {
            Some((_, values)) => values.push(value.clone()),
            None => fields.push((name.clone(), vec![value.clone()])),
        }
    }
    let stated = structured_data(page);
    let fields = fields.into_iter().map(|(name, values)| field_by_example(page, &stated, name, values));
    Ok(Recipe::new(fields.collect::<Result<_, _>>()?)?)
}

fn field_by_example(
    page: &Document,
    stated: &[Datum],
    name: FieldName,
    values: Vec<String>,
) -> Result<Field, ScoutError> {
    let mut places = Vec::new();
    for value in &values {
        if let Some(place) = places_of(page, value).into_iter().next() {
            places.push(place);
            continue;
        }
        let datum = stated.iter().find(|datum| normalise(&datum.value) == normalise(value));
        let source = datum.and_then(source_of).filter(|_| values.len() == 1);
        let source = source.ok_or_else(|| ScoutError::NotOnPage { field: name.clone(), value: value.clone() })?;
        return Ok(Field { example: values, ..Field::new(name, source) });
    }
    let not_tellable = || ScoutError::NotTellable { field: name.clone(), value: values.join(", ") };
    let take = places.first().map(|(_, take)| take.clone()).ok_or_else(not_tellable)?;
    let mut nodes: Vec<NodeId> = places.iter().map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let robust = robust_selector(&[(page, &nodes)]);
    let by_label = || match nodes.as_slice() {
        [only] if take == NodeTake::Text => label_of(page, *only).map(|label| label.select),
        _ => None,
    };
    // A position changes with every row that is inserted; a label stays.
    let select = match robust {
        Some(robust) if !is_by_position(robust.source()) => Some(robust),
        robust => by_label().or(robust),
    };
    let select = select.ok_or_else(not_tellable)?;
    let source = Source::Nodes { select, take };
    Ok(Field { many: values.len() > 1, example: values, ..Field::new(name.clone(), source) })
}
