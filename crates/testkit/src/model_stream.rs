//! The answers of the scripted models as streams, in the formats of the providers' documentation.

use std::time::Duration;

use serde_json::{Value, json};

/// The end of a stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum End {
    /// After all events.
    #[default]
    Complete,
    /// After that many events, as if the answer were complete.
    Early(usize),
    /// After that many events, with the connection.
    Severed(usize),
    /// After that many events, with this error as the last one.
    Failed(usize, Value),
}

/// The way in which an answer is streamed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// True if the server ignores the request for a stream.
    pub is_whole: bool,
    /// Time between two events.
    pub pace: Duration,
    /// End of the stream.
    pub end: End,
}

/// Returns the media type and the events of an answer; `None`: it is the answer of no provider.
pub(crate) fn streamed(answer: &Value) -> Option<(&'static str, Vec<String>)> {
    if answer["choices"].is_array() {
        let mut events = data(&openai(answer));
        events.push("data: [DONE]\n\n".to_owned());
        return Some(("text/event-stream; charset=utf-8", events));
    }
    if answer["content"].is_array() {
        let named = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
        return Some(("text/event-stream; charset=utf-8", anthropic(answer).iter().map(named).collect()));
    }
    if answer["candidates"].is_array() || answer["promptFeedback"].is_object() {
        return Some((
            "text/event-stream",
            gemini(answer).iter().map(|event| format!("data: {event}\r\n\r\n")).collect(),
        ));
    }
    let lines = || ollama(answer).iter().map(|line| format!("{line}\n")).collect();
    answer["message"].is_object().then(|| ("application/x-ndjson", lines()))
}

fn data(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// Returns a text in pieces of a few characters.
fn pieces(text: &Value) -> Vec<String> {
    let characters: Vec<char> = text.as_str().unwrap_or_default().chars().collect();
    characters.chunks(5).map(|piece| piece.iter().collect()).collect()
}

fn openai(answer: &Value) -> Vec<Value> {
    let choice = &answer["choices"][0];
    let message = &choice["message"];
    let chunk = |choices: Value, usage: &Value| json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "choices": choices, "usage": usage });
    let delta = |delta: Value, finish: &Value| {
        chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]), &Value::Null)
    };
    let mut events = vec![delta(json!({ "role": "assistant", "content": "", "refusal": null }), &Value::Null)];
    for name in ["content", "refusal"] {
        let parts = pieces(&message[name]).into_iter();
        events.extend(parts.map(|part| delta(json!({ name: part }), &Value::Null)));
    }
    events.push(delta(json!({}), &choice["finish_reason"]));
    events.push(chunk(json!([]), &answer["usage"]));
    events
}

/// The usage of the beginning counts one token of the answer; that of the end replaces it.
fn anthropic(answer: &Value) -> Vec<Value> {
    let mut message = answer.clone();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    let mut events = vec![json!({ "type": "message_start", "message": message }), json!({ "type": "ping" })];
    for (index, block) in answer["content"].as_array().into_iter().flatten().enumerate() {
        let (name, kind) =
            if block["type"] == "thinking" { ("thinking", "thinking_delta") } else { ("text", "text_delta") };
        let start = json!({ "type": block["type"], name: "" });
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        let delta =
            |part| json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, name: part } });
        events.extend(pieces(&block[name]).into_iter().map(delta));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let delta = json!({ "stop_reason": answer["stop_reason"], "stop_sequence": null });
    let usage = json!({ "output_tokens": answer["usage"]["output_tokens"] });
    events.push(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    events.push(json!({ "type": "message_stop" }));
    events
}

/// Each event repeats the tokens of the question; the last one counts all of the answer.
fn gemini(answer: &Value) -> Vec<Value> {
    let candidate = &answer["candidates"][0];
    let parts = candidate["content"]["parts"].as_array();
    if parts.is_none() {
        return vec![answer.clone()];
    }
    let question = json!({ "promptTokenCount": answer["usageMetadata"]["promptTokenCount"], "totalTokenCount": 10 });
    let mut events = Vec::new();
    for part in parts.into_iter().flatten() {
        for text in pieces(&part["text"]) {
            let mut spoken = part.clone();
            spoken["text"] = json!(text);
            let content = json!({ "role": "model", "parts": [spoken] });
            events.push(json!({ "candidates": [{ "index": 0, "content": content }], "usageMetadata": question }));
        }
    }
    let content = json!({ "role": "model", "parts": [{ "text": "" }] });
    let last = json!({ "index": 0, "content": content, "finishReason": candidate["finishReason"] });
    events.push(json!({ "candidates": [last], "usageMetadata": answer["usageMetadata"] }));
    events
}

fn ollama(answer: &Value) -> Vec<Value> {
    let line = |text: String| json!({ "model": answer["model"], "message": { "role": "assistant", "content": text }, "done": false });
    let mut lines: Vec<Value> = pieces(&answer["message"]["content"]).into_iter().map(line).collect();
    let mut last = answer.clone();
    last["message"]["content"] = json!("");
    last["done"] = json!(true);
    lines.push(last);
    lines
}
