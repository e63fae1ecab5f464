//! What is asked of a model, and what it answers, in no provider's form.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The rules of the conversation.
    System,
    /// This program.
    User,
    /// The model.
    Assistant,
}

/// A picture for models that can see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// The bytes, Base64.
    pub base64: String,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: String,
    /// What is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

impl Message {
    /// The rules.
    pub fn system(text: impl Into<String>) -> Self {
        Self { role: Role::System, text: text.into(), images: Vec::new() }
    }

    /// What this program says.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, text: text.into(), images: Vec::new() }
    }

    /// What the model said.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, text: text.into(), images: Vec::new() }
    }
}

/// The form that an answer must have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// A name: letters, digits and `_`.
    pub name: String,
    /// A JSON Schema (2020-12) of an object.
    pub schema: Value,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The form of the answer; `None`: text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    /// How much chance there is in the answer; `None`: as the provider likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// Texts at which the answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// How long one try may take.
    #[serde(with = "seconds")]
    pub timeout: Duration,
}

impl ChatRequest {
    /// A question of which only the words are special: 0.1 of chance, 2,048 tokens, two minutes.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            output: None,
            temperature: Some(0.1),
            max_tokens: 2048,
            stop: Vec::new(),
            timeout: Duration::from_mins(2),
        }
    }

    /// The same question, to be answered in this form.
    #[must_use]
    pub fn in_form(mut self, name: &str, schema: Value) -> Self {
        self.output = Some(OutputSchema { name: name.to_owned(), schema });
        self
    }

    /// About so many tokens: a quarter of the bytes of its texts, which is more than most languages need, and 1,000 for a picture.
    pub fn estimated_tokens(&self) -> u64 {
        let bytes: usize = self.messages.iter().map(|message| message.text.len()).sum();
        let schema = self.output.as_ref().map_or(0, |output| output.schema.to_string().len());
        let images: usize = self.messages.iter().map(|message| message.images.len()).sum();
        u64::try_from((bytes + schema) / 4 + images * 1000 + self.messages.len() * 4).unwrap_or(u64::MAX)
    }

    /// The same question with half of its longest text cut out of the middle: what took too long may be too long. `None` when
    /// there is nothing left to cut.
    pub fn shortened(&self) -> Option<Self> {
        const SHORTEST: usize = 2000;
        let mut shortened = self.clone();
        let said = shortened.messages.iter_mut().filter(|message| message.role == Role::User);
        let longest = said.max_by_key(|message| message.text.len()).filter(|message| message.text.len() > SHORTEST)?;
        let quarter = longest.text.len() / 4;
        let start = longest.text.floor_char_boundary(quarter);
        let end = longest.text.floor_char_boundary(longest.text.len() - quarter);
        longest.text.replace_range(start..end, "\n[... cut ...]\n");
        Some(shortened)
    }
}

/// What a call used, as the provider counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the question, those from a cache included.
    pub input: u64,
    /// Tokens of the answer, those of thinking included.
    pub output: u64,
    /// Tokens of the question that came from a cache.
    pub cached: u64,
}

/// Why an answer ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was complete.
    Complete,
    /// It was cut off at the limit of tokens.
    Length,
    /// The model would not, with its words if it has some.
    Refused(String),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatAnswer {
    /// What the model says.
    pub text: String,
    /// Why it ends.
    pub finish: Finish,
    /// What it cost.
    pub usage: TokenUsage,
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(duration.as_secs())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_text_loses_its_middle_and_keeps_its_ends() {
        let text = format!("begin {} end", "\u{e9}".repeat(5000));
        let request = ChatRequest::new(vec![Message::system("rules"), Message::user(text), Message::user("short")]);
        let shorter = request.shortened().unwrap();
        let cut = &shorter.messages[1].text;
        assert!(cut.starts_with("begin") && cut.ends_with("end") && cut.contains("cut"));
        assert!(cut.len() < request.messages[1].text.len() * 2 / 3);
        assert_eq!((&shorter.messages[0], &shorter.messages[2]), (&request.messages[0], &request.messages[2]));
        assert_eq!(ChatRequest::new(vec![Message::user("short")]).shortened(), None);
    }
}
