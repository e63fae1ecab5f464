//! Each provider's form, to the letter.

use std::collections::BTreeMap;
use std::time::Duration;

use autoheal_llm::price::Prices;
use autoheal_llm::{ChatError, ChatRequest, Finish, Image, Message, ModelName, TokenUsage};
use autoheal_testkit::model_server::{ModelServer, Plan, Scripted};
use rstest::rstest;
use serde_json::{Value, json};

use crate::ledger::connection;

const MODELS: [&str; 4] =
    ["openai/gpt-4o-mini", "anthropic/claude-haiku-4-5", "gemini/gemini-2.0-flash", "ollama/llama3.2"];

fn question() -> ChatRequest {
    let schema = json!({
        "type": "object", "required": ["title"],
        "properties": { "title": { "type": "string", "minLength": 1 }, "price": { "type": "number" } },
    });
    let mut seeing = Message::user("What is this?");
    seeing.images.push(Image { media_type: "image/png".to_owned(), base64: "iVBORw0KGgo=".to_owned() });
    let messages =
        vec![Message::system("Answer briefly."), seeing, Message::assistant("A chair."), Message::user("Sure?")];
    let mut request = ChatRequest::new(messages).in_form("item", schema);
    request.stop = vec!["END".to_owned()];
    request
}

fn answer(model: &str, text: &str) -> Scripted {
    match model.split_once('/').unwrap().0 {
        "openai" => Scripted::openai(text),
        "anthropic" => Scripted::anthropic(text),
        "gemini" => Scripted::gemini(text),
        _ => Scripted::ollama(text),
    }
}

#[tokio::test]
async fn the_question_is_asked_in_each_form() {
    for model in MODELS {
        let server = ModelServer::start([answer(model, "{}")]).await;
        connection(model, &server).chat(&question()).await.unwrap();
        let request = server.requests().remove(0);
        let kept = ["authorization", "x-api-key", "x-goog-api-key", "anthropic-version", "content-type"];
        let headers: Vec<(&String, &String)> =
            request.headers.iter().filter(|(name, _)| kept.contains(&name.as_str())).collect();
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let provider = model.split_once('/').unwrap().0;
        insta::assert_snapshot!(
            format!("question_{provider}"),
            format!("POST {}\n{headers:?}\n{}", request.path, serde_json::to_string_pretty(&body).unwrap())
        );
    }
}

#[tokio::test]
async fn a_conversation_that_begins_with_an_answer_gets_a_question_where_a_provider_wants_one() {
    let request = ChatRequest::new(vec![Message::system("rules"), Message::assistant("{}"), Message::user("Again.")]);
    for (model, place, roles) in [
        (MODELS[0], "messages", vec!["system", "assistant", "user"]),
        (MODELS[1], "messages", vec!["user", "assistant", "user"]),
        (MODELS[2], "contents", vec!["user", "model", "user"]),
        (MODELS[3], "messages", vec!["system", "assistant", "user"]),
    ] {
        let server = ModelServer::start([answer(model, "{}")]).await;
        connection(model, &server).chat(&request).await.unwrap();
        let asked = server.documents().remove(0);
        let turns = asked[place].as_array().unwrap();
        assert_eq!(turns.iter().map(|turn| turn["role"].as_str().unwrap()).collect::<Vec<_>>(), roles, "{model}");
    }
}

#[tokio::test]
async fn a_form_that_is_too_large_for_a_provider_is_left_to_the_prompt() {
    for (count, is_sent) in [(24, true), (25, false)] {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|number| (format!("p{number}"), json!({ "type": "string" }))).collect();
        let request = question().in_form("item", json!({ "type": "object", "properties": properties }));
        let server = ModelServer::start([answer(MODELS[1], "{}")]).await;
        connection(MODELS[1], &server).chat(&request).await.unwrap();
        assert_eq!(server.documents()[0].get("output_config").is_some(), is_sent, "{count}");
    }
}

#[tokio::test]
async fn the_answer_is_read_from_each_form() {
    let text = "It is a \u{6c64}, 12\u{a0}\u{20ac}.\n\ndata: none";
    for (model, is_whole) in MODELS.into_iter().flat_map(|model| [(model, false), (model, true)]) {
        let plan = Plan { is_whole, ..Plan::default() };
        let server = ModelServer::start([answer(model, text).streamed(plan)]).await;
        let answered = connection(model, &server).chat(&question()).await.unwrap();
        assert_eq!((answered.text.as_str(), &answered.finish), (text, &Finish::Complete), "{model}");
        let cached = if model.starts_with("ollama") { 0 } else { 4 };
        assert_eq!(answered.usage, TokenUsage { input: 10, output: 5, cached, written: 0 }, "{model}");
        assert_eq!(server.requests().len(), 1, "{model}");
    }
}

/// The answer with one place changed.
fn changed(scripted: &Scripted, place: &str, value: Value) -> Scripted {
    let mut body: Value = serde_json::from_slice(&scripted.body).unwrap();
    *body.pointer_mut(place).unwrap() = value;
    Scripted::new(scripted.status, &body)
}

#[tokio::test]
async fn what_was_cut_off_and_what_was_refused_says_so() {
    let refusal = "I would rather not.";
    for (model, place, value, finish) in [
        (MODELS[0], "/choices/0/finish_reason", json!("length"), Finish::Length),
        (MODELS[0], "/choices/0/message/refusal", json!(refusal), Finish::Refused(refusal.to_owned())),
        (
            MODELS[0],
            "/choices/0/finish_reason",
            json!("content_filter"),
            Finish::Refused("the provider's filter".to_owned()),
        ),
        (MODELS[1], "/stop_reason", json!("max_tokens"), Finish::Length),
        (MODELS[1], "/stop_reason", json!("refusal"), Finish::Refused("half".to_owned())),
        (MODELS[2], "/candidates/0/finishReason", json!("MAX_TOKENS"), Finish::Length),
        (MODELS[2], "/candidates/0/finishReason", json!("SAFETY"), Finish::Refused("SAFETY".to_owned())),
        (MODELS[3], "/done_reason", json!("length"), Finish::Length),
    ] {
        for is_whole in [false, true] {
            let scripted = changed(&answer(model, "half"), place, value.clone());
            let server = ModelServer::start([scripted.streamed(Plan { is_whole, ..Plan::default() })]).await;
            let answered = connection(model, &server).chat(&question()).await.unwrap();
            assert_eq!(answered.finish, finish, "{model} {place}");
        }
    }
    let blocked = Scripted::new(200, &json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } }));
    let server = ModelServer::start([blocked]).await;
    let answered = connection(MODELS[2], &server).chat(&question()).await.unwrap();
    assert_eq!(answered.finish, Finish::Refused("PROHIBITED_CONTENT".to_owned()));
}

#[tokio::test]
async fn every_failure_has_its_kind() {
    let gemini_says = json!({
        "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down", "details": [
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s" },
        ] },
    });
    let message = json!({ "error": { "type": "x", "message": "told so" } });
    let cases: [(&str, Scripted, &str, Option<Duration>); 10] = [
        (
            MODELS[0],
            Scripted::new(429, &message).header("Retry-After", "7"),
            "RATE_LIMITED",
            Some(Duration::from_secs(7)),
        ),
        (
            MODELS[0],
            Scripted::new(429, &json!({ "error": { "code": "insufficient_quota", "message": "told so" } })),
            "UNAUTHORIZED",
            None,
        ),
        (MODELS[2], Scripted::new(429, &gemini_says), "RATE_LIMITED", Some(Duration::from_millis(12_500))),
        (MODELS[1], Scripted::new(529, &message), "UNAVAILABLE", None),
        (MODELS[1], Scripted::new(503, &message), "UNAVAILABLE", None),
        (MODELS[0], Scripted::new(401, &message), "UNAUTHORIZED", None),
        (MODELS[0], Scripted::new(400, &message), "REJECTED", None),
        (MODELS[3], Scripted::new(404, &json!({ "error": "told so" })), "REJECTED", None),
        (MODELS[0], Scripted::raw(200, "<html>"), "MALFORMED", None),
        (MODELS[1], Scripted::new(200, &json!({ "type": "message" })), "MALFORMED", None),
    ];
    for (model, scripted, outcome, wait) in cases {
        let told = scripted.body.windows(7).any(|window| window == b"told so");
        let server = ModelServer::start([scripted]).await;
        let error = connection(model, &server).chat(&question()).await.unwrap_err();
        assert_eq!((error.outcome(), error.retry_after()), (outcome, wait), "{model}: {error}");
        assert!(!told || error.to_string().contains("told so"), "{error}");
        assert!(!error.to_string().contains("a-secret-key"), "{error}");
    }
}

#[tokio::test]
async fn a_key_that_a_provider_repeats_is_told_to_nobody() {
    for (status, model) in [(401, MODELS[0]), (403, MODELS[1]), (400, MODELS[2]), (500, MODELS[0]), (200, MODELS[0])] {
        let message = "Incorrect API key provided: sk-a-secret-key. Told so.";
        let said = json!({ "error": { "type": "x", "message": message }, "choices": message });
        let server = ModelServer::start([Scripted::new(status, &said)]).await;
        let error = connection(model, &server).chat(&question()).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("a-secret-key"), "{status}: {error:?}");
    }
}

#[tokio::test]
async fn nobody_there_and_nobody_answering_are_told_apart() {
    let server = ModelServer::start([Scripted::openai("late").after(Duration::from_mins(1))]).await;
    let request = ChatRequest { timeout: Duration::from_millis(50), ..question() };
    let error = connection(MODELS[0], &server).chat(&request).await.unwrap_err();
    assert!(matches!(error, ChatError::TimedOut { .. }), "{error}");
    let gone = {
        let server = ModelServer::start([]).await;
        connection(MODELS[0], &server)
    };
    let error = gone.chat(&question()).await.unwrap_err();
    assert!(matches!(&error, ChatError::Unavailable { message, .. } if message.contains("refused")), "{error}");
}

/// Cached, written, reasoning and tool tokens, as each provider reports them; the costs are computed by hand from `prices.toml`.
#[rstest]
#[case::openai_counts_what_is_cached_and_reasoning_among_the_others(
    "openai/gpt-4.1",
    json!({
        "choices": [{ "finish_reason": "stop", "message": { "content": "yes" } }],
        "usage": {
            "prompt_tokens": 10_000, "completion_tokens": 2000,
            "prompt_tokens_details": { "cached_tokens": 4000 }, "completion_tokens_details": { "reasoning_tokens": 1500 },
        },
    }),
    TokenUsage { input: 10_000, output: 2000, cached: 4000, written: 0 },
    6000 * 2 + 4000 / 2 + 2000 * 8,
)]
#[case::anthropic_counts_its_cache_apart(
    "anthropic/claude-sonnet-4-5",
    json!({
        "content": [{ "type": "text", "text": "yes" }], "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 1000, "cache_creation_input_tokens": 4000, "cache_read_input_tokens": 10_000,
            "output_tokens": 2000,
        },
    }),
    TokenUsage { input: 15_000, output: 2000, cached: 10_000, written: 4000 },
    1000 * 3 + 4000 * 15 / 4 + 10_000 * 3 / 10 + 2000 * 15,
)]
#[case::gemini_counts_thoughts_and_tools_apart(
    "gemini/gemini-2.5-flash",
    json!({
        "candidates": [{ "finishReason": "STOP", "content": { "parts": [{ "text": "yes" }] } }],
        "usageMetadata": {
            "promptTokenCount": 9000, "toolUsePromptTokenCount": 1000, "cachedContentTokenCount": 4000,
            "candidatesTokenCount": 500, "thoughtsTokenCount": 1500,
        },
    }),
    TokenUsage { input: 10_000, output: 2000, cached: 4000, written: 0 },
    6000 * 3 / 10 + 4000 * 75 / 1000 + 2000 * 25 / 10,
)]
#[case::an_own_machine_costs_nothing(
    "ollama/llama3.2",
    json!({ "message": { "content": "yes" }, "done_reason": "stop", "prompt_eval_count": 900, "eval_count": 100 }),
    TokenUsage { input: 900, output: 100, cached: 0, written: 0 },
    0,
)]
#[tokio::test]
async fn a_call_costs_what_the_provider_counts(
    #[case] model: ModelName,
    #[case] answer: Value,
    #[case] usage: TokenUsage,
    #[case] micro_dollars: u64,
) {
    let whole = model.decode(200, None, answer.to_string().as_bytes()).unwrap();
    let server = ModelServer::start([Scripted::new(200, &answer)]).await;
    let streamed = connection(&model.to_string(), &server).chat(&question()).await.unwrap();
    assert_eq!(streamed, whole);
    assert_eq!(whole.usage, usage);
    let price = Prices::with(BTreeMap::new()).of(&model).unwrap();
    assert_eq!(price.micro_dollars(whole.usage), micro_dollars);
}
