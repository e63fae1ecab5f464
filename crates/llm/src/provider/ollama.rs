//! Ollama's chat (docs/api.md of ollama/ollama, "Generate a chat completion").

use serde_json::{Value, json};

use super::streamed::Streamed;
use super::{WireRequest, count};
use crate::message::{ChatAnswer, ChatRequest, Finish, Message, Role, TokenUsage};

/// Minimum and maximum context length that is requested, in tokens.
const CONTEXTS: (u64, u64) = (4096, 131_072);

pub(super) fn encode(model: &str, request: &ChatRequest) -> WireRequest {
    // It silently cuts off the beginning of a text that exceeds its context, and its default context is small.
    let needed = request.estimated_tokens() + u64::from(request.max_tokens);
    let context = needed.next_power_of_two().clamp(CONTEXTS.0, CONTEXTS.1);
    let mut options = json!({ "num_predict": request.max_tokens, "num_ctx": context });
    if let Some(temperature) = request.temperature {
        options["temperature"] = json!(temperature);
    }
    if !request.stop.is_empty() {
        options["stop"] = json!(request.stop);
    }
    let mut body = json!({
        "model": model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "stream": false,
        "options": options,
    });
    if let Some(output) = &request.output {
        body["format"] = output.schema.clone();
    }
    WireRequest { path: "/api/chat".to_owned(), headers: Vec::new(), body }
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let mut encoded = json!({ "role": role, "content": message.text });
    if !message.images.is_empty() {
        encoded["images"] = message.images.iter().map(|image| Value::from(image.base64.clone())).collect();
    }
    encoded
}

pub(super) fn in_stream(request: &mut WireRequest) {
    request.body["stream"] = json!(true);
}

/// Adds a line. The last one has `done`, the usage, and sometimes no reason.
pub(super) fn add(answer: &mut Streamed, event: &Value) {
    answer.add_text(&event["message"]["content"]);
    answer.add_thought(&event["message"]["thinking"]);
    if event["done"] == true {
        answer.update_usage(event);
        answer.finish = Some(event["done_reason"].as_str().unwrap_or("stop").to_owned());
    }
}

pub(super) fn whole(answer: Streamed) -> Value {
    let Streamed { text, finish, usage, .. } = answer;
    let mut document = Value::Object(usage);
    document["message"] = json!({ "content": text });
    document["done_reason"] = json!(finish);
    document
}

pub(super) fn decode(document: &Value) -> Result<ChatAnswer, &'static str> {
    let text = document["message"]["content"].as_str().ok_or("message")?.to_owned();
    let finish = if document["done_reason"] == "length" { Finish::Length } else { Finish::Complete };
    let (input, output) = (count(&document["prompt_eval_count"]), count(&document["eval_count"]));
    Ok(ChatAnswer { text, finish, usage: TokenUsage { input, output, ..TokenUsage::default() } })
}
