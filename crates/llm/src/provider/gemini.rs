//! Google's Gemini (ai.google.dev, `models.generateContent`).

use std::time::Duration;

use serde_json::{Value, json};

use super::streamed::Streamed;
use super::{WireRequest, count, joined, turns};
use crate::message::{ChatAnswer, ChatRequest, Finish, Message, Role, TokenUsage};

pub(super) fn encode(model: &str, request: &ChatRequest) -> WireRequest {
    let mut generation = json!({ "maxOutputTokens": request.max_tokens });
    if let Some(temperature) = request.temperature {
        generation["temperature"] = json!(temperature);
    }
    if !request.stop.is_empty() {
        generation["stopSequences"] = json!(request.stop);
    }
    if let Some(output) = &request.output {
        generation["responseMimeType"] = json!("application/json");
        generation["responseJsonSchema"] = output.schema.clone();
    }
    let contents: Vec<Value> = turns(request).iter().map(content).collect();
    let mut body = json!({ "contents": contents, "generationConfig": generation });
    let system = joined(request, Role::System);
    if !system.is_empty() {
        body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
    }
    WireRequest { path: format!("/v1beta/models/{model}:generateContent"), headers: Vec::new(), body }
}

fn content(message: &Message) -> Value {
    let role = if message.role == Role::Assistant { "model" } else { "user" };
    let images = message
        .images
        .iter()
        .map(|image| json!({ "inlineData": { "mimeType": image.media_type, "data": image.base64 } }));
    let parts: Vec<Value> = std::iter::once(json!({ "text": message.text })).chain(images).collect();
    json!({ "role": role, "parts": parts })
}

/// Calls `models.streamGenerateContent` instead, for server-sent events.
pub(super) fn in_stream(request: &mut WireRequest) {
    request.path = request.path.replace(":generateContent", ":streamGenerateContent?alt=sse");
}

/// Adds an event, which has the form of a whole answer with the next part of the text.
pub(super) fn add(answer: &mut Streamed, event: &Value) {
    answer.update_usage(&event["usageMetadata"]);
    if let Some(reason) = event["promptFeedback"]["blockReason"].as_str() {
        reason.clone_into(&mut answer.refusal);
        answer.end_with(&event["promptFeedback"]["blockReason"]);
    }
    let candidate = &event["candidates"][0];
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        if part["thought"] == true { answer.add_thought(&part["text"]) } else { answer.add_text(&part["text"]) }
    }
    answer.end_with(&candidate["finishReason"]);
}

pub(super) fn whole(answer: Streamed) -> Value {
    let Streamed { text, refusal, finish, usage, .. } = answer;
    if !refusal.is_empty() {
        return json!({ "promptFeedback": { "blockReason": refusal }, "usageMetadata": usage });
    }
    let content = json!({ "parts": [{ "text": text }] });
    json!({ "candidates": [{ "finishReason": finish, "content": content }], "usageMetadata": usage })
}

pub(super) fn decode(document: &Value) -> Result<ChatAnswer, &'static str> {
    let usage = &document["usageMetadata"];
    let usage = TokenUsage {
        input: count(&usage["promptTokenCount"]) + count(&usage["toolUsePromptTokenCount"]),
        output: count(&usage["candidatesTokenCount"]) + count(&usage["thoughtsTokenCount"]),
        cached: count(&usage["cachedContentTokenCount"]),
        written: 0,
    };
    // A question that is refused has no candidates.
    if let Some(reason) = document["promptFeedback"]["blockReason"].as_str() {
        return Ok(ChatAnswer { text: String::new(), finish: Finish::Refused(reason.to_owned()), usage });
    }
    let candidate = document["candidates"].get(0).ok_or("candidates")?;
    let parts = candidate["content"]["parts"].as_array();
    // Thoughts are parts as well.
    let spoken = parts.into_iter().flatten().filter(|part| part["thought"] != true);
    let text: String = spoken.filter_map(|part| part["text"].as_str()).collect();
    let finish = match candidate["finishReason"].as_str() {
        Some("STOP" | "FINISH_REASON_UNSPECIFIED") | None => Finish::Complete,
        Some("MAX_TOKENS") => Finish::Length,
        Some(reason) => Finish::Refused(reason.to_owned()),
    };
    Ok(ChatAnswer { text, finish, usage })
}

/// Returns the wait that the provider requests in the body of its error, such as `"retryDelay": "12s"`.
pub(super) fn retry_delay(error: &Value) -> Option<Duration> {
    let details = error["details"].as_array()?;
    let text = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
