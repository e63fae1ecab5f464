//! Importance of an item's fields on each type of page.

use crate::item::PageType;

/// Importance of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Importance {
    /// Optional field that few pages of the type have.
    Other,
    /// Field that most pages of the type have.
    Expected,
    /// Field that defines the type: if it is missing, the model gets another request.
    Required,
}

impl Importance {
    /// Returns the contribution of a filled field to the coverage score.
    pub(crate) const fn weight(self) -> u32 {
        match self {
            Self::Other => 1,
            Self::Expected => 3,
            Self::Required => 10,
        }
    }
}

/// Required fields and expected fields of each type of page.
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

/// Fields that only pages of some types have.
const OF_TYPES: [(&[PageType], &[&str]); 7] = [
    (&[PageType::Product], &["availability", "brand", "sku"]),
    (&[PageType::Product, PageType::Event], &["price"]),
    (&[PageType::Product, PageType::Recipe], &["rating"]),
    (&[PageType::Job, PageType::Event], &["location"]),
    (&[PageType::Job], &["company", "salary", "employment_type"]),
    (&[PageType::Recipe], &["ingredients", "instructions", "yields", "prep_minutes", "cook_minutes", "total_minutes"]),
    (&[PageType::Event], &["start", "end", "venue"]),
];

/// Returns whether pages of this type have a field. A page that is of no type may have any.
pub(super) fn belongs(page_type: PageType, field: &str) -> bool {
    let row = OF_TYPES.iter().find(|(_, fields)| fields.contains(&field));
    page_type == PageType::Generic || row.is_none_or(|(types, _)| types.contains(&page_type))
}

/// Returns the importance of an item's field on a page of this type.
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
                assert!(form.property(name).is_some() && belongs(page_type, name), "{name}");
            }
            assert!(!required.is_empty() && of(page_type, required[0]) == Importance::Required);
        }
        assert!(PageType::ALL.iter().all(|all| TABLE.iter().any(|(page_type, ..)| page_type == all)));
    }
}
