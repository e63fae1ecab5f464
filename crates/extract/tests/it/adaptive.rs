//! Every branch of the specification's "LLM-dynamic-adaptive, Flow Detailed", each in a test that names it.

use std::sync::Arc;

use autoheal_extract::extraction::WhyLeftOut;
use autoheal_extract::{
    ExtractError, Extraction, Form, Grounding, LeftOut, ModelSettings, PageType, Strictness, llm_dynamic_adaptive,
};
use autoheal_extract::{Field, Reading};
use autoheal_llm::{ChatError, Finish, Role};
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
        "- product: important are price, title; also availability",
        "Pot, large\n12,50 €",
    ] {
        assert!(prompt.contains(hint), "{hint} is missing in {prompt}");
    }
}

#[tokio::test]
async fn adaptive_valid_and_complete_triggers_one_discovery_retry_with_the_previous_messages() {
    let script = Script::of([COMPLETE, COMPLETE, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    let asked = script.asked();
    assert_eq!(asked.len(), 2, "the discovery retry, and no second one");
    assert_eq!(asked[0], asked[1], "no prompt change");
    assert_eq!(item(&extraction).price.as_ref().unwrap().to_string(), "12.50 EUR");
    assert_eq!(extraction.missing, [""; 0]);
}

#[tokio::test]
async fn adaptive_discovery_that_finds_nothing_new_exits_early_with_the_best_valid_item() {
    let script = Script::of([COMPLETE, r#"{"page_type": "product", "title": "Pot"}"#, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 2);
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"), "the first was as good, and came first");
}

#[tokio::test]
async fn adaptive_discovery_that_finds_optional_fields_goes_on_until_nothing_is_new() {
    let discovered = COMPLETE.replace("\"title\"", "\"brand\": \"Acme\", \"title\"");
    let script = Script::of([COMPLETE, &discovered, &discovered, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 3);
    assert!(script.asked()[2].messages[2].text.contains("Nothing important. Look for other fields"));
    assert_eq!(item(&extraction).brand.as_deref(), Some("Acme"));
}

#[tokio::test]
async fn adaptive_discovery_is_done_once_even_when_a_retry_completes_the_item() {
    let script = Script::of([TITLE_ONLY, COMPLETE, COMPLETE, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    let asked = script.asked();
    assert_eq!(asked.len(), 3, "the first, one retry, the discovery");
    assert_eq!(asked[1], asked[2], "the discovery repeats the question before it");
    assert!(item(&extraction).price.is_some());
}

#[tokio::test]
async fn adaptive_missing_required_field_builds_a_retry_prompt_of_best_and_missing_fields() {
    let script = Script::of([TITLE_ONLY, COMPLETE, COMPLETE]);
    run(&script, &retries(1)).await.unwrap();
    assert_eq!(
        roles(&script, 1),
        [Role::System, Role::Assistant, Role::User],
        "[system, last assistant, new retry prompt]"
    );
    let messages = &script.asked()[1].messages;
    assert_eq!(messages[0], script.asked()[0].messages[0]);
    assert_eq!(messages[1].text, TITLE_ONLY);
    let retry = &messages[2].text;
    assert!(retry.contains("were not found: price.") && retry.contains("\"title\": \"Pot, large\""), "{retry}");
    assert!(retry.contains("12,50 €"), "the page is shown again: {retry}");
}

#[tokio::test]
async fn adaptive_explicitly_unavailable_field_is_not_missing() {
    let unavailable = r#"{"page_type": "product", "title": "Pot, large", "price": "Not specified"}"#;
    let script = Script::of([unavailable, unavailable, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 2, "valid and complete: the discovery, and nothing new");
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
async fn adaptive_without_anything_valid_does_not_exit_early() {
    let invalid = r#"{"page_type": "product", "title": "Pot, large", "published_at": "some day"}"#;
    let script = Script::of([invalid, invalid, COMPLETE, COMPLETE]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_eq!(script.asked().len(), 4, "two retries, and the discovery after the second");
    let told = &script.asked()[1].messages[2].text;
    assert!(told.contains("/published_at") && told.contains("some day"), "what does not fit is told: {told}");
    assert!(item(&extraction).price.is_some());
}

#[tokio::test]
async fn adaptive_retries_stop_at_the_setting_and_the_discovery_does_not_count() {
    // Each answer brings something new, so that nothing but the setting ends it.
    let parts = ["brand", "sku", "availability", "author", "venue", "yields"];
    let answers = (1..=parts.len()).map(|count| {
        let mut answer = json!({ "page_type": "product", "title": "Pot, large", "price": { "amount": "12.50" } });
        for part in &parts[..count] {
            answer[part] = "Acme".into();
        }
        answer
    });
    for (schema_retries, calls) in [(0, 2), (1, 3), (2, 4), (3, 5)] {
        let script = Script::of(answers.clone());
        run(&script, &retries(schema_retries)).await.unwrap();
        assert_eq!(script.asked().len(), calls, "1, the discovery, and {schema_retries} retries");
    }
}

#[tokio::test]
async fn adaptive_max_retries_reached_falls_back_to_the_best_valid_item() {
    let worse = r#"{"page_type": "product", "brand": "Acme", "published_at": "some day"}"#;
    let script = Script::of([TITLE_ONLY, worse]);
    let extraction = run(&script, &retries(1)).await.unwrap();
    let item = item(&extraction);
    assert_eq!((item.title.as_deref(), item.brand.as_deref()), (Some("Pot, large"), None));
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
    assert_eq!(script.asked().len(), 3);
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
    assert_eq!(script.asked().len(), 3);
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
async fn adaptive_retry_corrects_what_was_as_good_and_the_type_of_page() {
    let page = reading("<h1>Pot, large</h1><p>Lid, small</p><p>12,50 &euro;</p>", "https://a.example/x");
    let first = r#"{"page_type": "product", "title": "Lid, small"}"#;
    let corrected = r#"{"page_type": "article", "title": "Pot, large"}"#;
    let script = Script::of([first, corrected, "{}"]);
    let extraction = run_on(&page, &script, &Form::item().unwrap(), &retries(1)).await.unwrap();
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"));
    assert_eq!(item(&extraction).page_type, PageType::Article);
}

#[tokio::test]
async fn adaptive_answer_that_is_cut_off_is_not_complete_and_is_told() {
    let script = Script::that_ends(Finish::Length, [COMPLETE, COMPLETE, "never asked"]);
    let extraction = run(&script, &retries(2)).await.unwrap();
    assert_ne!(script.asked()[0], script.asked()[1], "no discovery: it is asked again");
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
    assert!(script.asked()[1].messages[2].text.contains("were not found: price."));
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
    assert!(script.asked()[1].messages[2].text.contains("a page of the type job, and were not found: company."));
    assert_eq!(item(&extraction).company.as_deref(), Some("Acme Inc."));
}

#[tokio::test]
async fn adaptive_with_a_schema_takes_its_required_properties_as_the_required_fields() {
    let schema = r#"{"type": "object", "additionalProperties": false, "required": ["articleNumber"],
        "properties": {"articleNumber": {"type": "string"}, "cost": {"type": "number"}}}"#;
    let form = Form::own(schema).unwrap();
    let script = Script::of([r#"{"cost": "12,50 €"}"#, r#"{"article_number": "P-17"}"#, "{}"]);
    let extraction = run_on(&reading(POT, POT_URL), &script, &form, &retries(1)).await.unwrap();
    assert!(script.asked()[1].messages[2].text.contains("were not found: articleNumber."));
    assert_eq!(own(&extraction), json!({ "articleNumber": "P-17", "cost": 12.5 }));
    assert!(
        script
            .asked()
            .iter()
            .all(|asked| asked.output.as_ref().is_some_and(|output| output.schema == form_schema(schema)))
    );
    let script = Script::of([r#"{"cost": "12,50 €"}"#; 3]);
    let refused = run_on(&reading(POT, POT_URL), &script, &form, &retries(2)).await.unwrap_err();
    assert!(refused.to_string().contains("articleNumber"), "{refused}");
}

fn form_schema(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}
