//! Answers that arrive in parts.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use autoheal_llm::{ChatRequest, Finish, Message, Notice, TokenUsage};
use autoheal_testkit::model_server::{End, ModelServer, Plan, Scripted};
use rstest::rstest;
use serde_json::{Value, json};

use crate::ledger::{connection, hasty, session};

const MODEL: &str = "openai/gpt-4o-mini";
const TEXT: &str = "twelve words that say nothing, in several parts of five letters";

fn question() -> ChatRequest {
    ChatRequest::new(vec![Message::user("What is it?")])
}

fn ending(scripted: &Scripted, end: End) -> Scripted {
    scripted.clone().streamed(Plan { end, ..Plan::default() })
}

#[rstest]
#[case::openai(MODEL, Scripted::openai(TEXT))]
#[case::anthropic("anthropic/claude-haiku-4-5", Scripted::anthropic(TEXT))]
#[case::gemini("gemini/gemini-2.0-flash", Scripted::gemini(TEXT))]
#[case::ollama("ollama/llama3.2", Scripted::ollama(TEXT))]
#[tokio::test]
async fn broken_stream_is_retried_and_paid_for(#[case] model: &str, #[case] answer: Scripted) {
    for end in [End::Early(5), End::Severed(5), End::Failed(5, json!({ "error": { "message": "told so" } }))] {
        let server = ModelServer::start([ending(&answer, end.clone()), answer.clone()]).await;
        let (session, accounts) = session(vec![connection(model, &server)], hasty());
        let answered = session.ask("test", &question()).await.unwrap();
        assert_eq!((answered.text.as_str(), answered.finish), (TEXT, Finish::Complete), "{model} {end:?}");
        assert_eq!(accounts.outcomes(), ["BROKEN_OFF", "ANSWERED"], "{model} {end:?}");
        let calls = accounts.calls().clone();
        let broken = &calls[0];
        assert!(broken.input_tokens > 0 && (1..15).contains(&broken.output_tokens), "{model} {end:?} {broken:?}");
        assert_eq!((calls[1].input_tokens, calls[1].output_tokens), (10, 5), "{model}");
    }
}

#[rstest]
#[case::anthropic(json!({ "type": "error", "error": { "type": "overloaded_error", "message": "told so" } }), "BROKEN_OFF")]
#[case::anthropic_rate(json!({ "type": "error", "error": { "type": "rate_limit_error", "message": "told so" } }), "RATE_LIMITED")]
#[case::gemini(json!({ "error": { "code": 503, "status": "UNAVAILABLE", "message": "told so" } }), "BROKEN_OFF")]
#[case::request(json!({ "error": { "type": "invalid_request_error", "message": "told so" } }), "REJECTED")]
#[case::ollama(json!({ "error": "told so: sk-a-secret-key" }), "BROKEN_OFF")]
#[tokio::test]
async fn error_within_stream_has_its_kind(#[case] error: Value, #[case] outcome: &str) {
    let server = ModelServer::start([ending(&Scripted::openai(TEXT), End::Failed(3, error))]).await;
    let failed = connection(MODEL, &server).chat(&question()).await.unwrap_err();
    assert_eq!(failed.outcome(), outcome, "{failed}");
    assert!(failed.to_string().contains("told so") && !failed.to_string().contains("a-secret-key"), "{failed}");
}

#[tokio::test]
async fn event_without_content_does_not_complete_an_answer() {
    let server = ModelServer::start([ending(&Scripted::openai(TEXT), End::Failed(3, json!({ "choices": [] })))]).await;
    assert_eq!(connection(MODEL, &server).chat(&question()).await.unwrap_err().outcome(), "BROKEN_OFF");
}

#[tokio::test]
async fn key_in_several_events_is_removed() {
    let server = ModelServer::start([Scripted::openai("The key is a-secret-key, as you know.")]).await;
    let answered = connection(MODEL, &server).chat(&question()).await.unwrap();
    assert_eq!(answered.text, "The key is ***, as you know.");
}

#[tokio::test]
async fn server_that_refuses_streams_is_asked_without() {
    let refusal = Scripted::new(
        400,
        &json!({ "error": { "message": "verify your organization to stream this model", "param": "stream" } }),
    );
    let server = ModelServer::start([refusal, Scripted::openai("one"), Scripted::openai("two")]).await;
    let connection = connection(MODEL, &server);
    for text in ["one", "two"] {
        assert_eq!(connection.chat(&question()).await.unwrap().text, text);
    }
    let streamed: Vec<bool> = server.documents().iter().map(|document| document["stream"] == true).collect();
    assert_eq!(streamed, [true, false, false]);
}

#[tokio::test]
async fn dropped_request_ends_its_connection_and_is_paid_for() {
    let plan = Plan { pace: Duration::from_millis(20), ..Plan::default() };
    let long = "word ".repeat(400);
    for (scripted, output) in [
        (Scripted::openai(&long).streamed(plan), 1..200),
        // Nothing is known of how much of an answer exists that does not stream.
        (Scripted::openai(&long).after(Duration::from_mins(1)), 2048..2049),
    ] {
        let server = ModelServer::start([scripted]).await;
        let (session, accounts) = session(vec![connection(MODEL, &server)], hasty());
        let waited = tokio::time::timeout(Duration::from_millis(300), session.ask("test", &question())).await;
        assert!(waited.is_err());
        while accounts.calls().is_empty() || server.abandoned() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let call = accounts.calls()[0].clone();
        assert_eq!((call.outcome.as_str(), call.input_tokens), ("CANCELLED", question().estimated_tokens()));
        assert!(output.contains(&call.output_tokens), "{call:?}");
        assert_eq!(session.usage().await.unwrap().calls, 1);
    }
}

#[tokio::test]
async fn progress_of_an_answer_is_reported() {
    let plan = Plan { pace: Duration::from_millis(30), ..Plan::default() };
    let server = ModelServer::start([Scripted::openai(&"word ".repeat(40)).streamed(plan)]).await;
    let (session, _) = session(vec![connection(MODEL, &server)], hasty());
    let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
    let kept = Arc::clone(&notices);
    let session = session.telling(move |notice| kept.lock().unwrap().push(notice));
    session.ask("test", &question()).await.unwrap();
    let notices = notices.lock().unwrap().clone();
    let line = format!("asking {MODEL} (test)");
    assert_eq!(notices[..2], [Notice::Line(line.clone()), Notice::Received(line.clone())]);
    assert_eq!(notices.last(), Some(&Notice::Done));
    let received: Vec<usize> = notices
        .iter()
        .filter_map(|notice| match notice {
            Notice::Received(text) => text.strip_prefix(&format!("{line}: "))?.split_once(' ')?.0.parse().ok(),
            Notice::Line(_) | Notice::Done => None,
        })
        .collect();
    assert!((2..10).contains(&received.len()) && received.is_sorted(), "{notices:?}");
}

#[tokio::test]
async fn thoughts_are_not_part_of_the_answer() {
    let thinking = json!([{ "type": "thinking", "thinking": "let me see" }, { "type": "text", "text": "yes" }]);
    let mut body: Value = serde_json::from_slice(&Scripted::anthropic("").body).unwrap();
    body["content"] = thinking;
    let server = ModelServer::start([Scripted::new(200, &body)]).await;
    let answered = connection("anthropic/claude-haiku-4-5", &server).chat(&question()).await.unwrap();
    let usage = TokenUsage { input: 10, output: 5, cached: 4, written: 0 };
    assert_eq!((answered.text.as_str(), answered.usage), ("yes", usage));
}
