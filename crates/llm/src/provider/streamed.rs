//! The parts of a streamed answer, put together into the document that the provider would have sent as a whole: the answer
//! is then read in the same way, and is the same.

use serde_json::{Map, Value};

/// The part of an answer that has arrived.
#[derive(Debug, Default)]
pub(crate) struct Streamed {
    /// Text of the answer.
    pub(super) text: String,
    /// Explanation of a refusal.
    pub(super) refusal: String,
    /// Reason the answer ends, in the provider's word. Without one, the answer is not complete.
    pub(super) finish: Option<String>,
    /// Usage as last reported, field by field: some providers spread it over several events.
    pub(super) usage: Map<String, Value>,
    /// Number of characters that have arrived, those of thoughts included.
    received: usize,
}

impl Streamed {
    /// Number of characters that have arrived, those of thoughts included.
    pub(crate) const fn received(&self) -> usize {
        self.received
    }

    /// Returns whether the provider has said why the answer ends.
    pub(crate) const fn is_complete(&self) -> bool {
        self.finish.is_some()
    }

    pub(super) fn add_text(&mut self, part: &Value) {
        let part = part.as_str().unwrap_or_default();
        self.text.push_str(part);
        self.received += part.chars().count();
    }

    pub(super) fn add_refusal(&mut self, part: &Value) {
        self.refusal.push_str(part.as_str().unwrap_or_default());
    }

    /// Counts a thought, which is not part of the answer.
    pub(super) fn add_thought(&mut self, part: &Value) {
        self.received += part.as_str().unwrap_or_default().chars().count();
    }

    pub(super) fn end_with(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str() {
            self.finish = Some(reason.to_owned());
        }
    }

    pub(super) fn update_usage(&mut self, usage: &Value) {
        let fields = usage.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        self.usage.extend(fields.map(|(name, value)| (name.clone(), value.clone())));
    }
}
