//! `OpenAI`'s chat completions (platform.openai.com, API reference, "Create chat completion"), also spoken by llama.cpp, vLLM,
//! `DeepSeek` and others.

use serde_json::{Value, json};

use super::streamed::Streamed;
use super::{WireRequest, count, schema};
use crate::message::{ChatAnswer, ChatRequest, Finish, Message, Role, TokenUsage};

pub(super) fn encode(model: &str, request: &ChatRequest, is_own: bool) -> WireRequest {
    // OpenAI's newer models refuse `max_tokens`, and compatible servers support only that.
    let limit = if is_own { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({
        "model": model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        limit: request.max_tokens,
    });
    if let Some(temperature) = request.temperature.filter(|_| !(is_own && reasons(model))) {
        body["temperature"] = json!(temperature);
    }
    if !request.stop.is_empty() {
        body["stop"] = json!(request.stop);
    }
    if let Some(output) = &request.output {
        // The strict form knows closed objects only, with every property required.
        let strict = schema::strict(&output.schema);
        let is_strict = strict.is_some();
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {
                "name": output.name, "strict": is_strict, "schema": strict.unwrap_or_else(|| output.schema.clone()),
            },
        });
    }
    WireRequest { path: "/chat/completions".to_owned(), headers: Vec::new(), body }
}

/// Returns whether a model thinks before it answers: such models choose their temperature themselves, and
/// reject a request that sets one.
fn reasons(model: &str) -> bool {
    ["o1", "o3", "o4", "gpt-5"].iter().any(|family| model.starts_with(family))
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if message.images.is_empty() {
        return json!({ "role": role, "content": message.text });
    }
    let images = message.images.iter().map(|image| {
        json!({ "type": "image_url", "image_url": { "url": format!("data:{};base64,{}", image.media_type, image.base64) } })
    });
    let parts: Vec<Value> = std::iter::once(json!({ "type": "text", "text": message.text })).chain(images).collect();
    json!({ "role": role, "content": parts })
}

/// Asks for a stream, with the usage in its last event.
pub(super) fn in_stream(request: &mut WireRequest) {
    request.body["stream"] = json!(true);
    request.body["stream_options"] = json!({ "include_usage": true });
}

/// Adds an event, `chat.completion.chunk`.
pub(super) fn add(answer: &mut Streamed, event: &Value) {
    answer.update_usage(&event["usage"]);
    let choice = &event["choices"][0];
    let delta = &choice["delta"];
    answer.add_text(&delta["content"]);
    answer.add_refusal(&delta["refusal"]);
    // Of DeepSeek and vLLM.
    answer.add_thought(&delta["reasoning_content"]);
    answer.end_with(&choice["finish_reason"]);
}

pub(super) fn whole(answer: Streamed) -> Value {
    let Streamed { text, refusal, finish, usage, .. } = answer;
    let message = json!({ "content": text, "refusal": refusal });
    json!({ "choices": [{ "finish_reason": finish, "message": message }], "usage": usage })
}

pub(super) fn decode(document: &Value) -> Result<ChatAnswer, &'static str> {
    let choice = document["choices"].get(0).ok_or("choices")?;
    let message = choice.get("message").ok_or("message")?;
    let refusal = message["refusal"].as_str().filter(|refusal| !refusal.is_empty());
    let finish = match (refusal, choice["finish_reason"].as_str()) {
        (Some(refusal), _) => Finish::Refused(refusal.to_owned()),
        (None, Some("content_filter")) => Finish::Refused("the provider's filter".to_owned()),
        (None, Some("length")) => Finish::Length,
        (None, _) => Finish::Complete,
    };
    let usage = &document["usage"];
    Ok(ChatAnswer {
        text: message["content"].as_str().unwrap_or_default().to_owned(),
        finish,
        usage: TokenUsage {
            input: count(&usage["prompt_tokens"]),
            output: count(&usage["completion_tokens"]),
            cached: count(&usage["prompt_tokens_details"]["cached_tokens"]),
            written: 0,
        },
    })
}
