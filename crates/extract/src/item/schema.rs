//! JSON Schema of an item, which prompts contain and responses are validated against.

use serde_json::Value;

/// The schema as text (draft 2020-12). Every object is closed; only `page_type` is required, for a field that has to be there
/// is one that gets made up.
pub const SCHEMA: &str = include_str!("schema.json");

/// The schema as a value.
///
/// # Errors
///
/// Never: a test reads it.
pub fn schema() -> serde_json::Result<Value> {
    serde_json::from_str(SCHEMA)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::item::{
        Field, Grounding, List, PageType, Price, Provenance, Rating, Salary, ScrapedItem, Source, Table,
    };

    fn full() -> ScrapedItem {
        let text = || Some("x".to_owned());
        let date = || "2024-10-15T21:01".to_owned().try_into().ok();
        ScrapedItem {
            page_type: PageType::Event,
            url: text(),
            screenshot_path: text(),
            title: text(),
            description: text(),
            author: text(),
            published_at: date(),
            modified_at: date(),
            image: text(),
            price: Some(Price { amount: "12.50".parse().unwrap(), currency: text() }),
            availability: text(),
            brand: text(),
            sku: text(),
            rating: Some(Rating { value: 4.into(), best: Some(5.into()), count: Some(3) }),
            company: text(),
            location: text(),
            salary: Some(Salary { minimum: Some(1.into()), maximum: Some(2.into()), currency: text(), per: text() }),
            employment_type: text(),
            ingredients: vec!["a".to_owned()],
            instructions: vec!["b".to_owned()],
            yields: text(),
            prep_minutes: Some(1),
            cook_minutes: Some(2),
            total_minutes: Some(3),
            start: date(),
            end: date(),
            venue: text(),
            text: text(),
            tables: vec![Table { caption: text(), header: vec!["h".to_owned()], rows: vec![vec!["c".to_owned()]] }],
            lists: vec![List { heading: text(), items: vec!["i".to_owned()] }],
            provenance: [
                (Field::Title, Provenance::by_rule(Source::JsonLd, 0.5)),
                (Field::Price, Provenance::by_model(Grounding::NotFound)),
            ]
            .into(),
        }
    }

    #[test]
    fn an_item_with_everything_is_valid_and_reads_back() {
        let value = serde_json::to_value(full()).unwrap();
        let validator = jsonschema::validator_for(&schema().unwrap()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(serde_json::from_value::<ScrapedItem>(value).unwrap(), full());
    }

    #[test]
    fn the_schema_has_the_fields_of_the_item_and_no_others() {
        let item = serde_json::to_value(full()).unwrap();
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(&schema().unwrap()["properties"]), names(&item));
    }

    #[test]
    fn what_is_unknown_or_of_another_type_is_refused() {
        let validator = jsonschema::validator_for(&schema().unwrap()).unwrap();
        for wrong in [
            json!({}),
            json!({"page_type": "poem"}),
            json!({"page_type": "recipe", "colour": "red"}),
            json!({"page_type": "recipe", "ingredients": "salt"}),
            json!({"page_type": "product", "price": {"amount": "1", "vat": "0"}}),
            json!({"page_type": "product", "price": {"amount": "cheap"}}),
        ] {
            assert!(!validator.is_valid(&wrong), "{wrong}");
        }
        assert!(validator.is_valid(&json!({"page_type": "generic"})));
    }
}
