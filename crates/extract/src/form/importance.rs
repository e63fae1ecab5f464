//! Which fields of an item matter on which type of page.

use crate::item::PageType;

/// How much a field matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Importance {
    /// Nice to have.
    Other,
    /// Most pages of the type hold it.
    Expected,
    /// A page of the type without it is hardly one: it is asked for again.
    Required,
}

impl Importance {
    /// What a filled field adds to the score of coverage.
    pub(crate) const fn weight(self) -> u32 {
        match self {
            Self::Other => 1,
            Self::Expected => 3,
            Self::Required => 10,
        }
    }
}

/// What is required and what is expected of a type of page.
const TABLE: [(PageType, &[&str], &[&str]); 6] = [
    (PageType::Product, &["title", "price"], &["description", "image", "brand", "sku", "availability", "rating"]),
    (PageType::Job, &["title", "company"], &["location", "description", "salary", "employment_type", "published_at"]),
    (PageType::Article, &["title"], &["author", "published_at", "description", "image"]),
    (
        PageType::Recipe,
        &["title", "ingredients", "instructions"],
        &["author", "image", "description", "yields", "prep_minutes", "cook_minutes", "total_minutes"],
    ),
    (PageType::Event, &["title", "start"], &["end", "venue", "location", "description", "image", "price"]),
    (PageType::Generic, &["title"], &["description"]),
];

/// How much a field of an item matters on a page of this type.
pub(super) fn of(page_type: PageType, field: &str) -> Importance {
    let row = TABLE.iter().find(|(of, ..)| *of == page_type);
    match row {
        Some((_, required, _)) if required.contains(&field) => Importance::Required,
        Some((_, _, expected)) if expected.contains(&field) => Importance::Expected,
        Some(_) | None => Importance::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;

    #[test]
    fn the_table_names_fields_of_items_and_every_type_of_page() {
        let form = Form::item().unwrap();
        for (page_type, required, expected) in TABLE {
            for name in required.iter().chain(expected) {
                assert!(form.property(name).is_some(), "{name}");
            }
            assert!(!required.is_empty() && of(page_type, required[0]) == Importance::Required);
        }
        assert!(PageType::ALL.iter().all(|all| TABLE.iter().any(|(page_type, ..)| page_type == all)));
    }
}
