//! Knowledge about a field that follows from its name alone.

use super::concepts::{concepts_of, plain_name};
use super::lexicon::{FieldKind, field_words};
use crate::structured::Datum;

/// Returns whether fields with this name, or with a part of it, are known from other sources: `price`,
/// `sale_price`, `Preis`.
pub fn is_known(name: &str) -> bool {
    field_words(name).kind != FieldKind::Other
}

/// Returns whether two names mean the same kind of field, such as `headline` and `title`. Names of no known
/// kind match only if they are equal apart from case and separators.
pub fn same_kind(one: &str, other: &str) -> bool {
    let (one, other) = (field_words(one), field_words(other));
    one.plain == other.plain || (one.kind != FieldKind::Other && one.kind == other.kind)
}

/// Returns whether two names are equal apart from case and separators, such as `cook_time` and `cookTime`.
pub fn same_name(one: &str, other: &str) -> bool {
    plain_name(one) == plain_name(other)
}

/// Returns the rank of a statement among the kinds in which a field of this name is usually found; 0 is the best. `None` if
/// it is none of them, or describes something that pages are hardly ever about.
pub fn stated_rank(datum: &Datum, field: &str) -> Option<usize> {
    let path = datum.path.to_lowercase();
    let stated = concepts_of(datum, &path);
    field_words(field).concepts.iter().position(|concept| stated.contains(concept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use crate::structured::structured_data;

    #[test]
    fn names_are_compared_by_what_they_mean() {
        assert!(is_known("Sale price") && is_known("headline") && !is_known("horsepower"));
        assert!(same_kind("headline", "title") && same_kind("cookTime", "cook_time") && !same_kind("title", "price"));
        assert!(same_kind("horse_power", "horsePower") && !same_kind("horsepower", "torque"));
        assert!(same_name("cookTime", "cook_time") && !same_name("headline", "title"));
    }

    #[test]
    fn statements_are_ranked_for_a_field() {
        let page = Document::parse(
            r#"<script type="application/ld+json">{"@type":"Product","name":"Lamp","publisher":{"name":"House"},"author":"Ada"}</script>"#,
        );
        let stated = structured_data(&page);
        let rank = |field: &str| stated.iter().filter_map(|datum| stated_rank(datum, field)).collect::<Vec<_>>();
        assert_eq!(rank("headline"), [0]);
        assert_eq!(rank("developer"), [0, 1], "whose author it is counts before who published it");
        assert!(rank("horsepower").is_empty());
    }
}
