//! Anthropic's messages (API reference, "Create a Message"; "Structured outputs" for `output_config.format`).

use serde_json::{Value, json};

use super::streamed::Streamed;
use super::{WireRequest, count, joined, schema, turns};
use crate::message::{ChatAnswer, ChatRequest, Finish, Message, Role, TokenUsage};

/// The version of the form.
const VERSION: &str = "2023-06-01";

/// Maximum number of optional properties; a schema with more is rejected ("Structured outputs", limits of complexity).
const MOST_OPTIONAL: usize = 24;

pub(super) fn encode(model: &str, request: &ChatRequest) -> WireRequest {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": turns(request).iter().map(message).collect::<Vec<_>>(),
    });
    let system = joined(request, Role::System);
    if !system.is_empty() {
        // The same in every request of its kind, and so worth a place in the provider's cache; what is too short for it is not cached.
        body["system"] = json!([{ "type": "text", "text": system, "cache_control": { "type": "ephemeral" } }]);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if !request.stop.is_empty() {
        body["stop_sequences"] = json!(request.stop);
    }
    // Its dialect supports only closed objects of limited size; for others, only the prompt describes the form.
    let closed = request.output.as_ref().and_then(|output| schema::closed(&output.schema));
    if let Some(closed) = closed.filter(|schema| schema::optional_properties(schema) <= MOST_OPTIONAL) {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": closed } });
    }
    let headers = vec![("anthropic-version", VERSION.to_owned())];
    WireRequest { path: "/v1/messages".to_owned(), headers, body }
}

fn message(message: &Message) -> Value {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    if message.images.is_empty() {
        return json!({ "role": role, "content": message.text });
    }
    let images = message.images.iter().map(|image| {
        json!({ "type": "image", "source": { "type": "base64", "media_type": image.media_type, "data": image.base64 } })
    });
    let parts: Vec<Value> = images.chain(std::iter::once(json!({ "type": "text", "text": message.text }))).collect();
    json!({ "role": role, "content": parts })
}

pub(super) fn in_stream(request: &mut WireRequest) {
    request.body["stream"] = json!(true);
}

/// Adds an event ("Streaming messages"). The usage begins in `message_start`; that of `message_delta` is cumulative.
pub(super) fn add(answer: &mut Streamed, event: &Value) {
    match event["type"].as_str() {
        Some("message_start") => answer.update_usage(&event["message"]["usage"]),
        Some("content_block_start") if event["content_block"]["type"] == "text" => {
            answer.add_text(&event["content_block"]["text"]);
        }
        Some("content_block_delta") => {
            answer.add_text(&event["delta"]["text"]);
            answer.add_thought(&event["delta"]["thinking"]);
        }
        Some("message_delta") => {
            answer.update_usage(&event["usage"]);
            answer.end_with(&event["delta"]["stop_reason"]);
        }
        _ => {}
    }
}

pub(super) fn whole(answer: Streamed) -> Value {
    let Streamed { text, finish, usage, .. } = answer;
    json!({ "content": [{ "type": "text", "text": text }], "stop_reason": finish, "usage": usage })
}

pub(super) fn decode(document: &Value) -> Result<ChatAnswer, &'static str> {
    let blocks = document["content"].as_array().ok_or("content")?;
    let text: String =
        blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str()).collect();
    let finish = match document["stop_reason"].as_str() {
        Some("refusal") => Finish::Refused(text.clone()),
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        _ => Finish::Complete,
    };
    let usage = &document["usage"];
    // `input_tokens` does not include tokens that were written to or read from the cache.
    let cached = count(&usage["cache_read_input_tokens"]);
    let written = count(&usage["cache_creation_input_tokens"]);
    let input = count(&usage["input_tokens"]) + written + cached;
    Ok(ChatAnswer {
        text,
        finish,
        usage: TokenUsage { input, output: count(&usage["output_tokens"]), cached, written },
    })
}
