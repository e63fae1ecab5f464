//! What is known about a field by nothing but its name.

use super::concepts::{concepts_of, plain_name};
use super::lexicon::{FieldKind, field_words};
use crate::structured::Datum;

/// Whether fields of this name, or of a part of it, are known from other sources: `price`, `sale_price`, `Preis`.
pub fn is_known(name: &str) -> bool {
    field_words(name).kind != FieldKind::Other
}

/// Whether two names are names of one kind of field: `headline` and `title`. Names of no known kind are alike only when they are
/// the same but for case and separators.
pub fn same_kind(one: &str, other: &str) -> bool {
    let (one, other) = (field_words(one), field_words(other));
    one.plain == other.plain || (one.kind != FieldKind::Other && one.kind == other.kind)
}

/// Whether two names are one but for case and separators: `cook_time` and `cookTime`.
pub fn same_name(one: &str, other: &str) -> bool {
    plain_name(one) == plain_name(other)
}

/// The place of a statement among those that a field of this name is usually found in, 0 for the best; none when it is not one of
/// them, or is said of something that pages are hardly ever about.
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
