use proptest::prelude::*;

use super::*;
use crate::transform::{Capture, DateOptions, NumberOptions};
use crate::value::date::DateOrder;
use crate::value::number::DecimalMark;

fn error(text: &str, name: &str) -> String {
    Recipe::parse(text, name).map_or_else(|error| error.to_string(), |recipe| format!("{recipe:?}"))
}

#[test]
fn the_smallest_recipe() {
    let text = r#"{"version":1,"fields":{"title":{"select":"h1.headline","take":"text","many":false,"example":["Soup of the day"]}}}"#;
    let recipe = Recipe::from_json(text, "recipe.json").unwrap();
    let title = recipe.field("title").unwrap();
    assert_eq!(title.select().unwrap().source(), "h1.headline");
    assert_eq!((title.take().to_string().as_str(), title.many, title.required), ("text", false, true));
    assert_eq!(title.example, ["Soup of the day"]);
    let written = r#"{
  "version": 1,
  "fields": {
    "title": {
      "select": "h1.headline",
      "example": [
        "Soup of the day"
      ]
    }
  }
}
"#;
    assert_eq!(recipe.to_json().unwrap(), written);
}

#[test]
fn toml_says_the_same() {
    let toml = r#"version = 1

[request]
wait = "10s"

[items]
select = "li.product"

[fields.name]
select = "h2"

[fields.price]
select = "xpath:.//span[@class='price']"
take = "attr:data-price"
transforms = ["collapse", { money = { decimal = ",", currency = "EUR" } }]
required = false

[next]
select = "a[rel=next]"
"#;
    let recipe = Recipe::parse(toml, "shop.toml").unwrap();
    assert_eq!(recipe.to_toml().unwrap(), toml, "written as people would");
    let json = recipe.to_json().unwrap();
    assert_eq!(Recipe::parse(&json, "shop.json").unwrap(), recipe);
    assert_eq!(recipe.next().map(|next| (next.take.to_string(), next.limit)), Some(("attr:href".to_owned(), 10)));
}

#[test]
fn fields_keep_their_order() {
    let json = r#"{"version":1,"fields":{"z":{"select":"a"},"a":{"select":"b"},"m":{"select":"c"}}}"#;
    let toml = "version = 1\n[fields.z]\nselect = 'a'\n[fields.a]\nselect = 'b'\n[fields.m]\nselect = 'c'\n";
    for recipe in [Recipe::from_json(json, "a").unwrap(), Recipe::from_toml(toml, "a").unwrap()] {
        let names: Vec<&str> = recipe.fields().iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["z", "a", "m"]);
    }
}

#[test]
fn errors_name_the_place() {
    let json = "{\n  \"version\": 1,\n  \"fields\": {\n    \"title\": {\n      \"select\": \"h1\",\n      \"selekt\": 1\n    }\n  }\n}\n";
    let said = error(json, "a.json");
    assert!(said.starts_with("a.json:6:14: fields.title.selekt: unknown field `selekt`, expected one of"), "{said}");

    let toml = "version = 1\n\n[fields.title]\nselect = \"h1\"\nselekt = 1\n";
    let said = error(toml, "a.toml");
    assert!(said.starts_with("a.toml:5:1: fields.title.selekt: unknown field `selekt`"), "{said}");

    let said = error("version = 1\n\n[fields.title]\nselect = \"h1..a\"\n", "a.toml");
    assert!(said.starts_with("a.toml:4:10: fields.title.select: `h1..a` is not a CSS selector"), "{said}");

    let said = error("{\"version\": 1,\n\"fields\": {\"../../x\": {\"select\": \"h1\"}}}", "a.json");
    assert!(said.starts_with("a.json:2:") && said.contains("\"../../x\" is no field name"), "{said}");

    let said =
        error("{\"version\": 1,\n\"fields\": {\"a\": {\"select\": \"h1\"},\n\"a\": {\"select\": \"h1\"}}}", "a.json");
    assert!(said.starts_with("a.json:3:") && said.contains("the field `a` stands there twice"), "{said}");

    assert!(error("version = 1\nfields = ", "a.toml").starts_with("a.toml:2:"));
    assert!(error("{\"version\": 2, \"fields\": {}}", "a.json").contains("version 2 is not known"));
    assert!(error("{}", "a.json").contains("missing field `version`"));
    assert!(error(r#"{"version":1,"fields":{}}"#, "a.json").contains("name at least one field"));
    assert!(error(r#"{"version":1,"fields":{"a":{"select":"b"}}} x"#, "a.json").contains("trailing characters"));
    assert!(error(&" ".repeat(2_000_000), "a.json").contains("shorten its examples"));
}

#[test]
fn what_means_nothing_is_refused() {
    let field = |field: &str| error(&format!(r#"{{"version":1,"fields":{{"a":{field}}}}}"#), "a.json");
    assert!(field("{}").contains("a.json:1:30: fields.a: `select` is missing"), "{}", field("{}"));
    assert!(field(r#"{"select":"h1","take":"meta:og:title"}"#).contains("leave one of the two out"));
    assert!(field(r#"{"select":"h1","take":"title"}"#).contains("cannot be taken"));
    assert!(field(r#"{"select":"h1","transforms":["number","trim"]}"#).contains("nothing can follow"));
    assert!(field(r#"{"select":"h1","transforms":["number"],"type":"date"}"#).contains("its type is `date`"));
    assert!(field(r#"{"select":"h1","transforms":[{"split":","}]}"#).contains("`split` gives several"));
    assert!(field(r#"{"select":"h1","transforms":[{"regex":"("}]}"#).contains("fields.a.transforms[0]"));
    assert!(field(r#"{"select":"h1","type":"price"}"#).contains("unknown variant `price`"));
    let items = r#"{"version":1,"items":{"select":"li"},"fields":{"a":{"take":"jsonld:Recipe.name"}}}"#;
    assert!(error(items, "a.json").contains("belongs to the page"));
    let next = r#"{"version":1,"fields":{"a":{"select":"b"}},"next":{"select":"a","limit":0}}"#;
    assert!(error(next, "a.json").contains("not between 1 and 1000"));
}

fn any_step() -> impl Strategy<Value = TextStep> {
    prop_oneof![
        Just(TextStep::Trim),
        Just(TextStep::Collapse),
        "[a-z(]{0,5}".prop_filter_map("a pattern", |text| Capture::parse(&text).ok()).prop_map(TextStep::Regex),
        "\\PC{0,8}".prop_map(TextStep::StripPrefix),
        "\\PC{0,8}".prop_map(TextStep::StripSuffix),
    ]
}

fn any_conversion() -> impl Strategy<Value = Conversion> {
    prop_oneof![
        Just(Conversion::Text),
        Just(Conversion::Url),
        Just(Conversion::Minutes),
        Just(Conversion::to(ValueType::Number)),
        Just(Conversion::Number(NumberOptions { decimal: DecimalMark::Comma })),
        Just(Conversion::Date(DateOptions { order: DateOrder::DayMonthYear })),
    ]
}

fn any_source() -> impl Strategy<Value = Source> {
    prop_oneof![
        ("[a-z]{1,6}(\\.[a-z]{1,4})?( > [a-z]{1,4})?", "text|own_text|html|attr:[a-z-]{1,6}").prop_map(
            |(select, take)| {
                let Ok(Take::Node(take)) = take.parse() else { unreachable!("takes of nodes") };
                Source::Nodes { select: Selector::parse(&select).unwrap(), take }
            }
        ),
        "(jsonld|microdata|rdfa|meta):[A-Za-z.:]{1,12}".prop_map(|take| {
            let Ok(Take::Structured(path)) = take.parse() else { unreachable!("takes of pages") };
            Source::Structured(path)
        }),
    ]
}

prop_compose! {
    fn any_field()(
        name in "[a-z][a-z0-9_-]{0,8}",
        source in any_source(),
        many: bool,
        required: bool,
        steps in proptest::collection::vec(any_step(), 0..4),
        conversion in any_conversion(),
        example in proptest::collection::vec("(?s).{0,12}", 0..3),
    ) -> Field {
        Field { name: FieldName::parse(&name).unwrap(), source, many, steps, conversion, required, example }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(fields in proptest::collection::vec(any_field(), 1..5), render: bool) {
        let Ok(recipe) = Recipe::new(fields) else { return Ok(()) };
        let recipe = recipe.with_request(Request { render, ..Request::default() });
        let json = recipe.to_json().unwrap();
        prop_assert_eq!(&Recipe::from_json(&json, "a").unwrap(), &recipe);
        let toml = recipe.to_toml().unwrap();
        prop_assert_eq!(&Recipe::from_toml(&toml, "a").unwrap(), &recipe, "{}", toml);
        prop_assert_eq!(Recipe::from_toml(&toml, "a").unwrap().to_json().unwrap(), json);
    }
}
