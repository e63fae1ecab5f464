//! Every branch of the specification's "LLM-dynamic, Flow Detailed", each in a test that names it; and `llm_fixed`.

use std::sync::Arc;

use autoheal_extract::extraction::WhyLeftOut;
use autoheal_extract::{
    ExtractError, Extraction, Field, Form, Grounding, LeftOut, ModelSettings, PageType, Source, Strictness,
    llm_dynamic, llm_fixed,
};
use autoheal_llm::{AnswerFault, ChatError, Finish};
use serde_json::json;

use crate::scripted::{POT, POT_URL, Script, asking, item, own, reading};

async fn dynamic(script: &Arc<Script>, strictness: Strictness) -> Result<Extraction, ExtractError> {
    let (session, form) = (script.session(), Form::item().unwrap());
    let settings = ModelSettings { strictness, ..ModelSettings::default() };
    llm_dynamic(&reading(POT, POT_URL), &asking(&session, &form, &settings)).await
}

async fn fixed(script: &Arc<Script>) -> Result<Extraction, ExtractError> {
    let (session, form, settings) = (script.session(), Form::item().unwrap(), ModelSettings::default());
    llm_fixed(&reading(POT, POT_URL), &asking(&session, &form, &settings)).await
}

#[tokio::test]
async fn dynamic_valid_answer_is_an_item() {
    let script =
        Script::of([json!({ "Page Type": "product", "Product Name": "Pot, large", "Brand": "Acme", "colour": "red" })]);
    let extraction = dynamic(&script, Strictness::Mark).await.unwrap();
    let item = item(&extraction);
    assert_eq!(item.page_type, PageType::Product);
    assert_eq!((item.title.as_deref(), item.brand.as_deref()), (Some("Pot, large"), Some("Acme")));
    let provenance = item.provenance[&Field::Brand];
    assert_eq!((provenance.source, provenance.grounding), (Source::Model, Some(Grounding::Found)));
    assert_eq!(extraction.left_out, [LeftOut { name: "colour".to_owned(), why: WhyLeftOut::NoPlace }]);
    assert_eq!(extraction.missing, ["price"]);
    assert_eq!(script.asked().len(), 1);
    assert_eq!(script.asked()[0].output, None, "the model chooses the fields");
}

#[tokio::test]
async fn dynamic_url_is_injected_whatever_the_model_says() {
    let script = Script::of([json!({ "title": "Pot, large", "url": "https://elsewhere.example/" })]);
    let extraction = dynamic(&script, Strictness::Mark).await.unwrap();
    assert_eq!(item(&extraction).url.as_deref(), Some(POT_URL));
    assert_eq!(extraction.left_out, []);
}

#[tokio::test]
async fn dynamic_page_type_that_the_model_leaves_out_is_the_suggested_one() {
    let script = Script::of([json!({ "title": "Pot, large" })]);
    let extraction = dynamic(&script, Strictness::Mark).await.unwrap();
    assert_eq!(item(&extraction).page_type, PageType::Product);
    assert_eq!(item(&extraction).provenance[&Field::PageType].source, Source::Heuristic);
}

#[tokio::test]
async fn dynamic_empty_response_is_none_with_the_reason() {
    let refused = dynamic(&Script::of([" \n"]), Strictness::Mark).await.unwrap_err();
    assert!(matches!(refused, ExtractError::Answer(AnswerFault::Empty)), "{refused}");
}

#[tokio::test]
async fn dynamic_response_that_cannot_be_parsed_is_none_with_the_reason() {
    let refused = dynamic(&Script::of(["The page shows a pot."]), Strictness::Mark).await.unwrap_err();
    assert!(matches!(refused, ExtractError::Answer(AnswerFault::NotJson)), "{refused}");
}

#[tokio::test]
async fn dynamic_response_with_words_around_is_parsed() {
    let script = Script::of(["Here you are:\n```json\n{'title': 'Pot, large',}\n```"]);
    assert_eq!(item(&dynamic(&script, Strictness::Mark).await.unwrap()).title.as_deref(), Some("Pot, large"));
}

#[tokio::test]
async fn dynamic_invalid_item_is_none_with_the_reason() {
    let script = Script::of([json!({ "title": "Pot, large", "published_at": "some day" })]);
    let refused = dynamic(&script, Strictness::Mark).await.unwrap_err();
    assert!(
        matches!(&refused, ExtractError::DoesNotFit(_)) && refused.to_string().contains("/published_at"),
        "{refused}"
    );
    assert_eq!(script.asked().len(), 1, "nothing is asked again");
}

#[tokio::test]
async fn dynamic_nothing_but_placeholders_is_none() {
    let script =
        Script::of([json!({ "page_type": "product", "title": "N/A", "price": { "amount": "-" }, "brand": null })]);
    assert!(matches!(dynamic(&script, Strictness::Mark).await, Err(ExtractError::Nothing)));
}

#[tokio::test]
async fn dynamic_value_that_is_not_on_the_page_is_marked_and_with_strict_dropped() {
    let answer = json!({ "title": "Pot, large", "brand": "Globex", "description": "A vessel." });
    let marked = dynamic(&Script::of([&answer]), Strictness::Mark).await.unwrap();
    let grounding = |field| item(&marked).provenance[&field].grounding;
    assert_eq!(grounding(Field::Brand), Some(Grounding::NotFound));
    assert_eq!(grounding(Field::Description), Some(Grounding::OwnWords));
    let strict = dynamic(&Script::of([&answer]), Strictness::Drop).await.unwrap();
    assert_eq!((&item(&strict).brand, &item(&strict).description), (&None, &None));
    assert_eq!(item(&strict).title.as_deref(), Some("Pot, large"));
    assert_eq!(strict.left_out.len(), 2);
}

#[tokio::test]
async fn dynamic_answer_that_is_cut_off_is_told() {
    let script = Script::that_ends(Finish::Length, [json!({ "title": "Pot, large" })]);
    let extraction = dynamic(&script, Strictness::Mark).await.unwrap();
    assert!(extraction.left_out[0].to_string().contains("cut off"), "{:?}", extraction.left_out);
}

#[tokio::test]
async fn dynamic_model_that_does_not_answer_is_an_error() {
    assert!(matches!(
        dynamic(&Script::of([""; 0]), Strictness::Mark).await,
        Err(ExtractError::Chat(ChatError::Rejected { .. }))
    ));
}

#[tokio::test]
async fn dynamic_with_a_schema_answers_in_it_under_its_names() {
    let schema = r#"{"properties": {"pageHeading": {"type": "string"}, "articleNumber": {"type": "string"}}}"#;
    let (form, script) = (Form::own(schema).unwrap(), Script::of([json!({ "article number": "P-17" })]));
    let (session, settings) = (script.session(), ModelSettings::default());
    let extraction = llm_dynamic(&reading(POT, POT_URL), &asking(&session, &form, &settings)).await.unwrap();
    assert_eq!(own(&extraction), json!({ "articleNumber": "P-17" }));
    assert!(script.asked()[0].output.is_some());
    assert!(script.asked()[0].messages[1].text.contains("- `pageHeading` (text)"));
}

#[tokio::test]
async fn dynamic_with_a_schema_that_requires_nulls_has_them_and_nothing_but_nulls_is_none() {
    let schema = r#"{"required": ["articleNumber", "colour"], "properties": {
        "articleNumber": {"type": ["string", "null"]}, "colour": {"type": ["string", "null"]}}}"#;
    let (form, settings) = (Form::own(schema).unwrap(), ModelSettings::default());
    let reading = reading(POT, POT_URL);
    let session = Script::of([json!({ "articleNumber": "P-17", "colour": null })]).session();
    let extraction = llm_dynamic(&reading, &asking(&session, &form, &settings)).await.unwrap();
    assert_eq!(own(&extraction), json!({ "articleNumber": "P-17", "colour": null }));
    assert_eq!(extraction.missing, ["colour"]);
    let session = Script::of([json!({ "articleNumber": "N/A", "colour": null })]).session();
    let refused = llm_dynamic(&reading, &asking(&session, &form, &settings)).await;
    assert!(matches!(refused, Err(ExtractError::Nothing)));
}

#[tokio::test]
async fn fixed_asks_once_for_the_closed_form() {
    let script = Script::of([json!({ "page_type": "product", "title": "Pot, large", "price": null, "brand": "n/a" })]);
    let extraction = fixed(&script).await.unwrap();
    assert_eq!((&item(&extraction).price, &item(&extraction).brand), (&None, &None), "what is null is absent");
    let asked = script.asked();
    assert_eq!(asked.len(), 1);
    let form = &asked[0].output.as_ref().unwrap().schema;
    assert_eq!(form["additionalProperties"], false);
    assert!(form["properties"]["price"]["properties"]["amount"].is_object());
}

#[tokio::test]
async fn fixed_does_not_ask_again_for_its_form() {
    for answer in ["", "no idea", r#"{"page_type": "product", "title": "Pot, large", "start": "soon"}"#] {
        let script = Script::of([answer, "never asked"]);
        fixed(&script).await.unwrap_err();
        assert_eq!(script.asked().len(), 1, "{answer}");
    }
}

#[tokio::test]
async fn the_same_question_about_the_same_page_is_asked_once_unless_its_answer_is_of_no_use() {
    let script = Script::of(["no idea", r#"{"title": "Pot, large"}"#, "never asked"]);
    let (session, form, settings) = (script.session(), Form::item().unwrap(), ModelSettings::default());
    let (reading, asking) = (reading(POT, POT_URL), asking(&session, &form, &settings));
    llm_dynamic(&reading, &asking).await.unwrap_err();
    for _ in 0..2 {
        let extraction = llm_dynamic(&reading, &asking).await.unwrap();
        assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"));
    }
    assert_eq!(script.asked().len(), 2);
}

#[tokio::test]
async fn fixed_asks_for_the_fields_of_the_type_that_the_page_states_and_describes_them_once() {
    let page = r#"<script type="application/ld+json">{"@type": "Recipe", "name": "Soup"}</script><h1>Soup</h1>"#;
    let script = Script::of([r#"{"page_type": "recipe", "title": "Soup"}"#]);
    let (session, form, settings) = (script.session(), Form::item().unwrap(), ModelSettings::default());
    llm_fixed(&reading(page, "https://a.example/x"), &asking(&session, &form, &settings)).await.unwrap();
    let request = &script.asked()[0];
    let schema = &request.output.as_ref().unwrap().schema;
    assert!(schema["properties"]["ingredients"].is_object() && schema["properties"]["rating"].is_object());
    assert!(schema["properties"].get("company").is_none() && schema["properties"].get("start").is_none());
    assert!(schema["properties"]["title"].get("description").is_none(), "{schema}");
    let prompt = &request.messages[1].text;
    assert!(prompt.contains("- `title` (text), important: The headline, without the site's name"), "{prompt}");
    assert!(!prompt.contains("`company`"), "{prompt}");
}
