//! Each mode against a server that speaks a provider's real form; retries of transport; and what a wrong model costs.

use std::sync::Arc;

use autoheal_engine::budget::{Exhausted, Limits};
use autoheal_extract::{ExtractError, Form, ModelSettings, llm_dynamic, llm_dynamic_adaptive, llm_fixed};
use autoheal_llm::{ChatError, Connection, Session, Settings};
use autoheal_testkit::model_server::{ModelServer, Scripted};
use serde_json::json;

use crate::scripted::{POT, POT_URL, asking, item, reading, session};

const COMPLETE: &str =
    r#"{"page_type": "product", "title": "Pot, large", "price": {"amount": "12.50", "currency": "EUR"}}"#;

fn connected(model: &str, server: &ModelServer, per_run: Limits) -> Session {
    let connection = Connection::new(model.parse().unwrap(), Some(server.url()), Some("a-secret-key".into())).unwrap();
    session(Arc::new(connection), Settings { per_run, ..Settings::default() })
}

#[tokio::test]
async fn fixed_in_the_form_of_openai_after_a_busy_moment() {
    let busy = Scripted::new(429, &json!({ "error": { "message": "busy" } }));
    let server = ModelServer::start([busy, Scripted::openai(COMPLETE)]).await;
    let session = connected("openai/gpt-4o-mini", &server, Limits::default());
    let (form, settings) = (Form::item().unwrap(), ModelSettings::default());
    let extraction = llm_fixed(&reading(POT, POT_URL), &asking(&session, &form, &settings)).await.unwrap();
    assert_eq!(item(&extraction).price.as_ref().unwrap().to_string(), "12.50 EUR");
    let asked = server.documents();
    assert_eq!(asked.len(), 2, "transport is tried again");
    let wanted = &asked[0]["response_format"]["json_schema"];
    assert_eq!((&wanted["name"], &wanted["strict"]), (&"scraped_item".into(), &true.into()));
    assert_eq!(wanted["schema"]["properties"]["page_type"]["type"], "string", "a node without a type is refused");
}

#[tokio::test]
async fn dynamic_in_the_form_of_ollama() {
    let server = ModelServer::start([Scripted::ollama(COMPLETE)]).await;
    let session = connected("ollama/llama3.2", &server, Limits::default());
    let (form, settings) = (Form::item().unwrap(), ModelSettings::default());
    let extraction = llm_dynamic(&reading(POT, POT_URL), &asking(&session, &form, &settings)).await.unwrap();
    assert_eq!(item(&extraction).title.as_deref(), Some("Pot, large"));
    assert!(server.documents()[0].get("format").is_none(), "the model chooses the fields");
}

#[tokio::test]
async fn adaptive_in_the_forms_of_anthropic_and_gemini() {
    let first = r#"{"page_type": "product", "title": "Pot, large"}"#;
    let anthropic = [first, COMPLETE, COMPLETE].map(Scripted::anthropic);
    let gemini = [first, COMPLETE, COMPLETE].map(Scripted::gemini);
    for (model, answers) in [("anthropic/claude-haiku-4-5", anthropic), ("gemini/gemini-2.0-flash", gemini)] {
        let server = ModelServer::start(answers).await;
        let session = connected(model, &server, Limits::default());
        let (form, settings) = (Form::item().unwrap(), ModelSettings::default());
        let reading = reading(POT, POT_URL);
        let extraction = llm_dynamic_adaptive(&reading, &asking(&session, &form, &settings)).await.unwrap();
        assert_eq!(item(&extraction).price.as_ref().unwrap().to_string(), "12.50 EUR", "{model}");
        assert_eq!(server.requests().len(), 2, "{model}: the first, and one for the open fields");
    }
}

#[tokio::test]
async fn a_model_that_is_always_wrong_costs_at_most_the_budget() {
    for (calls, schema_retries, asked) in [(1, 100, 1), (40, 2, 2), (40, 100, 2), (0, 2, 0)] {
        let server = ModelServer::start([Scripted::openai("I would rather talk about the weather.")]).await;
        let limits = Limits { calls: Some(calls), ..Limits::default() };
        let session = connected("openai/gpt-4o-mini", &server, limits);
        let form = Form::item().unwrap();
        let settings = ModelSettings { schema_retries, ..ModelSettings::default() };
        let refused = llm_dynamic_adaptive(&reading(POT, POT_URL), &asking(&session, &form, &settings)).await;
        let refused = refused.unwrap_err();
        let is_exhausted = matches!(refused, ExtractError::Chat(ChatError::Exhausted(Exhausted::Calls)));
        assert_eq!((server.requests().len(), is_exhausted), (asked, calls < 2), "{refused}");
    }
}
