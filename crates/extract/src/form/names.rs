//! Alternative names of properties.

use super::{Kind, Property};

/// Property that a value belongs to, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place<'a> {
    pub(crate) property: &'a Property,
    pub(crate) part: Option<&'static str>,
}

/// Names that mean the same, below the one that items have for it.
const SAME: &[(&str, &[&str])] = &[
    ("page_type", &["type", "page_kind", "kind", "content_type"]),
    (
        "title",
        &[
            "name",
            "headline",
            "heading",
            "page_title",
            "job_title",
            "position",
            "job_name",
            "role",
            "product_name",
            "product_title",
            "event_name",
            "event_title",
            "recipe_name",
            "recipe_title",
            "article_title",
        ],
    ),
    (
        "description",
        &["summary", "abstract", "overview", "excerpt", "short_description", "product_description", "job_description"],
    ),
    ("author", &["authors", "byline", "by", "writer", "written_by", "creator", "posted_by", "recipe_author", "chef"]),
    (
        "published_at",
        &[
            "published",
            "date",
            "date_published",
            "publish_date",
            "published_date",
            "publication_date",
            "published_on",
            "pub_date",
            "posted",
            "posted_at",
            "posted_on",
            "date_posted",
            "posted_date",
            "post_date",
            "published_time",
        ],
    ),
    (
        "modified_at",
        &[
            "modified",
            "date_modified",
            "last_modified",
            "modified_time",
            "updated",
            "updated_at",
            "updated_time",
            "last_updated",
            "date_updated",
        ],
    ),
    ("image", &["image_url", "main_image", "picture", "photo", "thumbnail", "cover_image", "product_image"]),
    ("price", &["cost", "current_price", "sale_price", "offer_price", "price_amount", "product_price", "ticket_price"]),
    ("availability", &["stock", "stock_status", "availability_status"]),
    ("brand", &["manufacturer", "brand_name", "maker", "make"]),
    ("sku", &["item_number", "product_code", "product_number", "article_number", "stock_number"]),
    ("rating", &["average_rating", "stars", "customer_rating", "aggregate_rating"]),
    (
        "company",
        &["company_name", "employer", "hiring_organization", "hiring_organisation", "hiring_company", "organization"],
    ),
    ("location", &["job_location", "work_location", "event_location", "place"]),
    ("salary", &["pay", "compensation", "wage", "base_salary", "salary_range", "remuneration"]),
    ("employment_type", &["job_type", "contract_type", "employment", "work_type"]),
    ("ingredients", &["ingredient", "ingredient_list", "recipe_ingredient", "recipe_ingredients"]),
    ("instructions", &["steps", "directions", "method", "procedure", "recipe_instructions", "cooking_steps"]),
    ("yields", &["yield", "servings", "serves", "portions", "recipe_yield"]),
    ("prep_minutes", &["prep_time", "preparation_time", "prep_time_minutes"]),
    ("cook_minutes", &["cook_time", "cooking_time", "cook_time_minutes"]),
    ("total_minutes", &["total_time", "ready_in", "total_time_minutes"]),
    ("start", &["start_date", "start_time", "starts_at", "starts", "begins", "event_date", "start_datetime"]),
    ("end", &["end_date", "end_time", "ends_at", "ends", "end_datetime"]),
    ("venue", &["venue_name", "event_venue"]),
    ("text", &["content", "body", "main_text", "article_body", "article_text", "full_text", "body_text"]),
    ("url", &["page_url", "canonical_url"]),
];

/// Names of parts that are separate fields elsewhere: the name, the whole, and the name of the part in the whole.
const PARTS: &[(&str, &str, &str)] = &[
    ("currency", "price", "currency"),
    ("price_currency", "price", "currency"),
    ("rating_value", "rating", "value"),
    ("best_rating", "rating", "best"),
    ("review_count", "rating", "count"),
    ("rating_count", "rating", "count"),
    ("number_of_reviews", "rating", "count"),
    ("reviews_count", "rating", "count"),
    ("salary_currency", "salary", "currency"),
    ("salary_min", "salary", "minimum"),
    ("min_salary", "salary", "minimum"),
    ("minimum_salary", "salary", "minimum"),
    ("salary_max", "salary", "maximum"),
    ("max_salary", "salary", "maximum"),
    ("maximum_salary", "salary", "maximum"),
    ("salary_period", "salary", "per"),
    ("pay_period", "salary", "per"),
];

/// A name in lower case with `_` between its words: `jobTitle`, `Job title` and `job-title` are `job_title`.
pub(crate) fn words_of(name: &str) -> String {
    let mut words = String::new();
    let mut previous = ' ';
    for character in name.chars() {
        let begins = character.is_uppercase() && (previous.is_lowercase() || previous.is_numeric());
        if (begins || !character.is_alphanumeric()) && !words.is_empty() && !words.ends_with('_') {
            words.push('_');
        }
        if character.is_alphanumeric() {
            words.extend(character.to_lowercase());
        }
        previous = character;
    }
    words.trim_end_matches('_').to_owned()
}

/// The name under which [`SAME`] lists a name, in the form that [`words_of`] gives.
pub(super) fn group_of(name: &str) -> Option<&'static str> {
    let row = SAME.iter().find(|(first, others)| *first == name || others.contains(&name));
    row.map(|(first, _)| *first)
}

/// Returns the field of an item, or the part of one, that corresponds to this name in another form. `type` alone is not the
/// type of the page; elsewhere it may mean anything.
pub(crate) fn of_item(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    let name = words_of(name);
    let whole = group_of(&name).map(|group| (group, None));
    let part = || PARTS.iter().find(|(alias, ..)| *alias == name).map(|(_, group, part)| (*group, Some(*part)));
    whole.or_else(part).filter(|(group, _)| *group != "page_type" || name == "page_type")
}

/// Every name that means the same as this one, itself first, with spaces between their words.
pub(crate) fn spoken(name: &str) -> Vec<String> {
    let name = words_of(name);
    let row = SAME.iter().find(|(first, others)| *first == name || others.contains(&name.as_str()));
    let same = row.into_iter().flat_map(|(first, others)| std::iter::once(first).chain(*others));
    let others = same.filter(|other| **other != name).map(|other| other.replace('_', " "));
    std::iter::once(name.replace('_', " ")).chain(others).collect()
}

/// Returns the property, or the part of one, that corresponds to a name.
pub(super) fn place_of<'a>(name: &str, properties: &'a [Property]) -> Option<Place<'a>> {
    let name = words_of(name);
    let by_group = |group: &str| {
        let is_it = |property: &&Property| group_of(&words_of(&property.name)) == Some(group);
        properties.iter().find(is_it)
    };
    let whole = |property| Place { property, part: None };
    if let Some(property) = properties.iter().find(|property| words_of(&property.name) == name) {
        return Some(whole(property));
    }
    if let Some(property) = group_of(&name).and_then(by_group) {
        return Some(whole(property));
    }
    let (_, group, part) = PARTS.iter().find(|(alias, ..)| *alias == name)?;
    let has_parts = |property: &&Property| matches!(property.kind, Kind::Money | Kind::Rating | Kind::Salary);
    by_group(group).filter(has_parts).map(|property| Place { property, part: Some(part) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::form::Form;

    #[test]
    fn names_are_the_same_however_they_are_written() {
        for name in ["jobTitle", "Job title", "job-title", " JOB TITLE ", "job_title", "job  title:"] {
            assert_eq!(words_of(name), "job_title", "{name}");
        }
        assert_eq!(words_of("h2Heading"), "h2_heading");
        assert_eq!(words_of("--"), "");
    }

    #[test]
    fn other_names_lead_to_the_fields_of_items() {
        let form = Form::item().unwrap();
        for (name, wanted, part) in [
            ("Job Title", "title", None),
            ("datePublished", "published_at", None),
            ("recipeIngredient", "ingredients", None),
            ("prepTime", "prep_minutes", None),
            ("currency", "price", Some("currency")),
            ("reviewCount", "rating", Some("count")),
        ] {
            let place = form.place_of(name).unwrap();
            assert_eq!((place.property.name.as_str(), place.part), (wanted, part), "{name}");
        }
        assert_eq!(form.place_of("colour"), None);
        assert_eq!(form.place_of("url"), None, "the address is known");
    }

    #[test]
    fn other_names_lead_to_the_properties_of_other_forms() {
        let schema = r#"{"properties": {"jobTitle": {"type": "string"}, "name": {}, "cost": {"type": "number"}}}"#;
        let form = Form::own(schema).unwrap();
        let name = |text: &str| form.place_of(text).map(|place| place.property.name.clone());
        assert_eq!(name("job title").as_deref(), Some("jobTitle"));
        assert_eq!(name("Name").as_deref(), Some("name"), "its own name counts first");
        assert_eq!(name("headline").as_deref(), Some("jobTitle"));
        assert_eq!(name("price").as_deref(), Some("cost"));
        assert_eq!(name("currency"), None, "a number has no currency");
    }

    #[test]
    fn no_name_means_two_things_and_all_are_written_as_words() {
        let names = SAME.iter().flat_map(|(first, others)| std::iter::once(first).chain(*others));
        let names: Vec<&str> = names.chain(PARTS.iter().map(|(alias, ..)| alias)).copied().collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(names.iter().all(|name| words_of(name) == *name));
        assert!(PARTS.iter().all(|(_, group, _)| group_of(group) == Some(group)));
    }
}
