//! Every branch of the specification's "LLM-dynamic-adaptive, Flow Detailed", each in a test that names it.

use std::sync::Arc;

use autoheal_extract::extraction::WhyLeftOut;
use autoheal_extract::{
    ByRules, ExtractError, Extraction, Field, Form, Grounding, LeftOut, ModelSettings, PageType, Reading, Source,
    Strictness, llm_dynamic_adaptive, rules_then_llm,
};
use autoheal_llm::{ChatError, Finish, Role};
use autoheal_page::Document;
use serde_json::json;

use crate::scripted::{POT, POT_URL, Script, asking, item, own, reading};

async fn run(script: &Arc<Script>, settings: &ModelSettings) -> Result<Extraction, ExtractError> {
    run_on(&reading(POT, POT_URL), script, &Form::item().unwrap(), settings).await
}

async fn run_on(
    reading: &Reading,
    script: &Arc<Script>,
    form: &Form,
    settings: &ModelSettings,
) -> Result<Extraction, ExtractError> {
    let session = script.session();
    llm_dynamic_adaptive(reading, &asking(&session, form, settings)).await
}

fn retries(schema_retries: u32) -> ModelSettings {
    ModelSettings { schema_retries, ..ModelSettings::default() }
}

fn roles(script: &Script, call: usize) -> Vec<Role> {
    script.asked()[call].messages.iter().map(|message| message.role).collect()
}

const TITLE_ONLY: &str = r#"{"page_type": "product", "title": "Pot, large"}"#;
const COMPLETE: &str =
    r#"{"page_type": "product", "title": "Pot, large", "price": {"amount": "12.50", "currency": "EUR"}}"#;

#[tokio::test]
async fn adaptive_initial_prompt_has_system_user_and_context_hints() {
    let script = Script::of([COMPLETE, COMPLETE]);
    run(&script, &retries(0)).await.unwrap();
    assert_eq!(roles(&script, 0), [Role::System, Role::User]);
    let prompt = &script.asked()[0].messages[1].text;
    for hint in [
        "og:type: product",
        "description: A pot for soup.",
        "products\npot",
        "It looks like a page of the type product",
        "- `price` (object with `amount` and `currency`): What it costs",
        "There are no other fields.",
        "- product: price, title",
        "# Pot, large\n12,50 €",
    ] {
        assert!(prompt.contains(hint), "{hint} is missing in {prompt}");
    }
}

#[tokio::test]
async fn adaptive_valid_and_complete_asks_once_what_else_there_is_and_only_for_open_fields() {
    let script = Script::of([COMPLETE, r#"{"brand": "Acme", "title": "Pot"}"#, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    let asked = script.asked();
    assert_eq!(asked.len(), 2, "what else, and no second time");
    assert_eq!(roles(&script, 1), [Role::System, Role::Assistant, Role::User]);
    let properties = &asked[1].output.as_ref().unwrap().schema["properties"];
    assert!(properties["brand"].is_object() && properties.get("title").is_none(), "{properties}");
    assert!(properties.get("ingredients").is_none(), "a product has none: {properties}");
    assert!(asked[1].messages[2].text.contains("- `brand`") && !asked[1].messages[2].text.contains("- `title`"));
    assert_eq!(item(&extraction).brand.as_deref(), Some("Acme"));
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"), "only what was asked for counts");
    assert_eq!(extraction.missing, [""; 0]);
}

#[tokio::test]
async fn adaptive_asks_nothing_else_when_nothing_that_matters_is_open() {
    let all = COMPLETE.replace(
        "\"title\"",
        r#""brand": "Acme", "sku": "P-17", "availability": "In stock", "description": "A pot for soup.",
           "image": "not on the page", "rating": "Not specified", "title""#,
    );
    let script = Script::of([all.replace("\"not on the page\"", "\"Not specified\""), "never asked".to_owned()]);
    run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 1);
}

#[tokio::test]
async fn adaptive_missing_required_field_builds_a_retry_prompt_of_best_and_open_fields() {
    let script = Script::of([TITLE_ONLY, r#"{"price": "12,50 €"}"#, "never asked"]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    assert_eq!(
        roles(&script, 1),
        [Role::System, Role::Assistant, Role::User],
        "[system, last assistant, new retry prompt]"
    );
    let messages = &script.asked()[1].messages;
    assert_eq!(messages[0], script.asked()[0].messages[0]);
    assert_eq!(messages[1].text, TITLE_ONLY);
    let retry = &messages[2].text;
    assert!(retry.contains("- `price` (object with `amount` and `currency`), important"), "{retry}");
    assert!(retry.contains("\"title\": \"Pot, large\"") && retry.contains("12,50 €"), "{retry}");
    assert!(item(&extraction).price.is_some());
    assert_eq!(script.asked().len(), 2, "what was asked for and not found is not asked for again");
}

#[tokio::test]
async fn adaptive_explicitly_unavailable_field_is_not_missing() {
    let unavailable = r#"{"page_type": "product", "title": "Pot, large", "price": "Not specified"}"#;
    let script = Script::of([unavailable, unavailable, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 2, "valid and complete: one question for open fields");
    assert_eq!(extraction.missing, ["price"], "who asked is told all the same");
}

#[tokio::test]
async fn adaptive_retry_that_fills_nothing_missing_exits_early() {
    let script = Script::of([TITLE_ONLY, TITLE_ONLY, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 2);
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"));
    assert_eq!(extraction.missing, ["price"]);
}

#[tokio::test]
async fn adaptive_what_does_not_fit_is_asked_for_once_more_with_what_is_wanted() {
    let invalid = r#"{"page_type": "product", "title": "Pot, large", "published_at": "02/03/2026"}"#;
    let script = Script::of([invalid, r#"{"published_at": null, "price": "12,50 €"}"#, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 2);
    let told = &script.asked()[1].messages[2].text;
    assert!(
        told.contains("/published_at") && told.contains("02/03/2026") && told.contains("wanted: YYYY-MM-DD"),
        "{told}"
    );
    assert!(!told.contains("[0-9]{4,6}"), "{told}");
    assert!(item(&extraction).price.is_some());
}

#[tokio::test]
async fn adaptive_retries_stop_at_the_setting_and_the_first_question_for_open_fields_does_not_count() {
    for (schema_retries, calls) in [(0, 2), (1, 3), (2, 4), (3, 5)] {
        // Each answer is another, so that nothing but the setting ends it.
        let script = Script::of((0..9).map(|number| format!("no answer {number}")));
        run(&script, &retries(schema_retries)).await.unwrap_err();
        assert_eq!(script.asked().len(), calls, "1, one for open fields, and {schema_retries} repetitions");
    }
}

#[tokio::test]
async fn adaptive_result_keeps_what_is_valid_of_an_answer_and_leaves_out_the_rest() {
    let worse = r#"{"brand": "Acme", "published_at": "some day"}"#;
    let script = Script::of([TITLE_ONLY, worse]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    let item = item(&extraction);
    assert_eq!((item.title.as_deref(), item.brand.as_deref()), (Some("Pot, large"), Some("Acme")));
    assert!(extraction.left_out.iter().any(|left| left.name == "published_at"), "{:?}", extraction.left_out);
}

#[tokio::test]
async fn adaptive_fallback_without_a_valid_item_validates_the_best_fields_again() {
    let invalid = r#"{"page_type": "product", "title": "Pot, large", "published_at": "some day"}"#;
    let script = Script::of([invalid, invalid]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    assert_eq!(item(&extraction).published_at, None);
    assert!(matches!(
        extraction.left_out.as_slice(),
        [LeftOut { name, why: WhyLeftOut::DoesNotFit(_) }] if name == "published_at"
    ));
}

#[tokio::test]
async fn adaptive_fallback_that_cannot_be_made_valid_is_an_error_with_the_reason() {
    let script = Script::of([r#"{"page_type": "poem", "title": "Pot, large"}"#; 3]);
    let refused = run(&script, &retries(2)).await.unwrap_err();
    assert!(matches!(&refused, ExtractError::DoesNotFit(_)) && refused.to_string().contains("page_type"), "{refused}");
    assert_eq!(script.asked().len(), 2);
}

#[tokio::test]
async fn adaptive_answer_that_cannot_be_parsed_is_asked_again_and_told_why() {
    let script = Script::of(["I do not know.", COMPLETE, COMPLETE]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    let messages = &script.asked()[1].messages;
    assert_eq!(messages[1].text, "I do not know.");
    assert!(messages[2].text.contains("the answer holds no JSON"), "{}", messages[2].text);
    assert!(item(&extraction).price.is_some());
}

#[tokio::test]
async fn adaptive_answers_that_can_never_be_parsed_are_an_error() {
    let script = Script::of(["", "", ""]);
    let refused = run(&script, &retries(2)).await.unwrap_err();
    assert!(matches!(refused, ExtractError::Answer(_)), "{refused}");
    assert_eq!(script.asked().len(), 2, "the same question is not asked twice");
    assert_eq!(script.asked()[1].messages[1].text, "{}", "providers refuse an empty turn");
}

#[tokio::test]
async fn adaptive_answers_that_find_nothing_are_no_success() {
    let script = Script::of([r#"{"page_type": "product"}"#, r#"{"title": "N/A", "price": "N/A"}"#]);
    assert!(matches!(run(&script, &retries(1)).await, Err(ExtractError::Nothing)));
}

#[tokio::test]
async fn adaptive_retry_with_only_the_missing_field_adds_to_the_best_fields() {
    let script = Script::of([TITLE_ONLY, r#"{"price": "12,50 €"}"#, COMPLETE]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    let item = item(&extraction);
    assert_eq!((item.title.as_deref(), item.page_type), (Some("Pot, large"), PageType::Product));
    assert_eq!(item.price.as_ref().unwrap().to_string(), "12.50 EUR");
}

#[tokio::test]
async fn adaptive_context_is_updated_only_when_a_value_is_better() {
    let invented =
        COMPLETE.replace("Pot, large", "Pan, small").replace("product\",", "product\", \"brand\": \"Acme\",");
    let script = Script::of([invented.as_str(), COMPLETE, COMPLETE]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"), "what is on the page is better");
    assert_eq!(item(&extraction).brand.as_deref(), Some("Acme"), "what was found before is kept");
    assert_eq!(item(&extraction).provenance[&Field::Title].grounding, Some(Grounding::Found));
}

#[tokio::test]
async fn adaptive_answer_that_is_cut_off_is_not_complete_and_is_told() {
    let script = Script::that_ends(Finish::Length, [COMPLETE, COMPLETE, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_ne!(script.asked()[0], script.asked()[1], "another question: it is asked again");
    assert_eq!(extraction.left_out.iter().map(|left| &left.why).collect::<Vec<_>>(), [&WhyLeftOut::CutOff]);
}

#[tokio::test]
async fn adaptive_later_answer_that_cannot_be_read_is_told() {
    let script = Script::of([TITLE_ONLY, "I would rather not.", "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert!(matches!(extraction.left_out[0].why, WhyLeftOut::Unusable(_)), "{:?}", extraction.left_out);
}

#[tokio::test]
async fn adaptive_retry_prompt_says_what_its_fields_are() {
    let script = Script::of([TITLE_ONLY, COMPLETE, COMPLETE]);
    run(&script, &retries(1)).await.unwrap();
    let retry = &script.asked()[1].messages[2].text;
    assert!(retry.contains("- `price` (object with `amount` and `currency`)"), "{retry}");
}

#[tokio::test]
async fn adaptive_strict_asks_again_for_what_is_not_on_the_page() {
    let invented = COMPLETE.replace("12.50", "99.00");
    let script = Script::of([invented.as_str(), COMPLETE, COMPLETE]);
    let settings = ModelSettings { strictness: Strictness::Drop, ..retries(1) };
    let extraction = run(&script, &settings).await.unwrap();
    assert!(script.asked()[1].messages[2].text.contains("- `price`"));
    assert_eq!(item(&extraction).price.as_ref().unwrap().to_string(), "12.50 EUR");
    assert_eq!(extraction.left_out, [], "the price was found after all");
}

#[tokio::test]
async fn adaptive_a_model_that_fails_at_first_is_an_error_and_later_cuts_it_short() {
    let refused = run(&Script::of([""; 0]), &retries(2)).await.unwrap_err();
    assert!(matches!(refused, ExtractError::Chat(ChatError::Rejected { .. })), "{refused}");
    let extraction = run(&Script::of([TITLE_ONLY]), &retries(2)).await.unwrap();
    assert!(matches!(extraction.cut_short, Some(ChatError::Rejected { .. })));
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"));
}

#[tokio::test]
async fn adaptive_page_type_decides_what_is_required() {
    let job = "<h1>Cook</h1><p>Acme Inc. looks for a cook.";
    let reading = reading(job, "https://a.example/x");
    let script = Script::of([r#"{"page_type": "job", "job title": "Cook"}"#, r#"{"employer": "Acme Inc."}"#, "{}"]);
    let extraction = run_on(&reading, &script, &Form::item().unwrap(), &retries(1)).await.unwrap();
    let told = &script.asked()[1].messages[2].text;
    assert!(told.contains("on this page of the type job") && told.contains("- `company` (text), important"), "{told}");
    assert_eq!(item(&extraction).company.as_deref(), Some("Acme Inc."));
}

#[tokio::test]
async fn adaptive_with_a_schema_takes_its_required_properties_as_the_required_fields() {
    let schema = r#"{"type": "object", "additionalProperties": false, "required": ["articleNumber"],
        "properties": {"articleNumber": {"type": "string"}, "cost": {"type": "number"}}}"#;
    let form = Form::own(schema).unwrap();
    let script = Script::of([r#"{"cost": "12,50 €"}"#, r#"{"article_number": "P-17"}"#, "{}"]);
    let extraction = run_on(&reading(POT, POT_URL), &script, &form, &retries(1)).await.unwrap();
    assert!(script.asked()[1].messages[2].text.contains("- `articleNumber` (text), important"));
    assert_eq!(own(&extraction), json!({ "articleNumber": "P-17", "cost": 12.5 }));
    assert!(script.asked().iter().all(|asked| asked.output.is_some()));
    let script = Script::of([r#"{"cost": "12,50 €"}"#; 3]);
    let refused = run_on(&reading(POT, POT_URL), &script, &form, &retries(2)).await.unwrap_err();
    assert!(refused.to_string().contains("articleNumber"), "{refused}");
}

/// Values that rules find on a page, completed by these answers.
async fn after_rules(html: &str, answers: &[&str]) -> (Extraction, Arc<Script>) {
    let (script, form) = (Script::of(answers), Form::item().unwrap());
    let url = POT_URL.parse().unwrap();
    let found = ByRules::of(&Document::parse(html), Some(&url), &form);
    let (session, settings) = (script.session(), retries(2));
    let extraction = rules_then_llm(found, &reading(html, POT_URL), &asking(&session, &form, &settings)).await;
    (extraction.unwrap(), script)
}

const STATED: &str = r#"<script type="application/ld+json">{"@type": "Product", "name": "Pot, large", "sku": "P-17",
    "offers": {"price": "12.50", "priceCurrency": "EUR", "availability": "InStock"}, "image": "https://a.example/i.jpg",
    "description": "A pot.", "brand": "Acme"}</script><h1>Pot, large</h1><p>Of iron, 4.5 of 5 by 12 buyers"#;

#[tokio::test]
async fn rules_then_llm_asks_for_what_rules_do_not_find_and_each_field_says_who_gave_it() {
    let answer = r#"{"rating": {"value": "4.5", "best": "5", "count": 12}, "title": "Pan", "modified_at": null}"#;
    let (extraction, script) = after_rules(STATED, &[answer, "never asked"]).await;
    let item = item(&extraction);
    assert_eq!(item.title.as_deref(), Some("Pot, large"), "what a rule is sure of stays");
    assert_eq!(item.provenance[&Field::Title].source, Source::JsonLd);
    assert_eq!(item.rating.as_ref().unwrap().count, Some(12));
    let rating = item.provenance[&Field::Rating];
    assert_eq!((rating.source, rating.grounding), (Source::Model, Some(Grounding::Found)));
    let asked = script.asked();
    assert_eq!(asked.len(), 1);
    let properties = &asked[0].output.as_ref().unwrap().schema["properties"];
    assert!(properties["rating"].is_object() && properties.get("price").is_none(), "{properties}");
}

#[tokio::test]
async fn rules_then_llm_asks_nothing_when_rules_are_sure() {
    let whole = STATED.replace("\"brand\"", r#""aggregateRating": {"ratingValue": 4.5}, "brand""#);
    let (extraction, script) = after_rules(&whole, &[]).await;
    assert_eq!(script.asked().len(), 0);
    assert_eq!(item(&extraction).brand.as_deref(), Some("Acme"));
    assert!(extraction.cut_short.is_none());
}

#[tokio::test]
async fn rules_then_llm_gives_what_rules_give_when_the_model_fails_and_says_so() {
    let (extraction, script) = after_rules(STATED, &[]).await;
    assert_eq!(script.asked().len(), 1);
    assert!(extraction.cut_short.is_some());
    assert_eq!(item(&extraction).price.as_ref().unwrap().to_string(), "12.50 EUR");
}

#[tokio::test]
async fn rules_then_llm_keeps_a_guess_of_a_rule_over_a_value_that_is_not_on_the_page() {
    let guessed = "<article><h1>Pot, large</h1><p>Made of iron, and good for soup.</p></article>";
    let (extraction, _) = after_rules(guessed, &[r#"{"author": "Eve", "page_type": "article", "title": "Pan"}"#]).await;
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"));
    assert_eq!(item(&extraction).provenance[&Field::Author].grounding, Some(Grounding::NotFound));
}
