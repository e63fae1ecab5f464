//! Requests to models and their answers, independent of any provider's format.

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::prompt::fenced_parts;

/// Author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions for the whole conversation (the system prompt).
    System,
    /// Message of this program to the model.
    User,
    /// Message of the model.
    Assistant,
}

/// A picture for models that accept images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Media type, such as `image/png`.
    pub media_type: String,
    /// Content, as Base64.
    pub base64: String,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Author of the message.
    pub role: Role,
    /// Text of the message.
    pub text: String,
    /// Images of the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

impl Message {
    /// Creates a system message, which contains the instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Self { role: Role::System, text: text.into(), images: Vec::new() }
    }

    /// Creates a message of this program.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, text: text.into(), images: Vec::new() }
    }

    /// Creates a message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, text: text.into(), images: Vec::new() }
    }
}

/// Schema that an answer must match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// A name: letters, digits and `_`.
    pub name: String,
    /// A JSON Schema (2020-12) of an object.
    pub schema: Value,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Schema of the answer; `None`: plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSchema>,
    /// Sampling temperature; `None`: the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Maximum length of the answer, in tokens.
    pub max_tokens: u32,
    /// Texts at which the answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Maximum duration of one attempt.
    #[serde(with = "seconds")]
    pub timeout: Duration,
}

impl ChatRequest {
    /// Default maximum duration of one attempt.
    pub const PATIENCE: Duration = Duration::from_mins(2);

    /// Creates a request with the given messages and the defaults: temperature 0.1, 2,048 tokens, two minutes.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            output: None,
            temperature: Some(0.1),
            max_tokens: 2048,
            stop: Vec::new(),
            timeout: Self::PATIENCE,
        }
    }

    /// Returns the same request, to be answered as JSON that matches this schema.
    #[must_use]
    pub fn in_form(mut self, name: &str, schema: Value) -> Self {
        self.output = Some(OutputSchema { name: name.to_owned(), schema });
        self
    }

    /// Estimates the number of input tokens, rather too high: a quarter of the letters of the texts, one for each non-ASCII
    /// character (a Chinese character is often one, an accented letter less), and 1,000 for each picture.
    pub fn estimated_tokens(&self) -> u64 {
        let texts = self.messages.iter().map(|message| tokens_of(&message.text));
        let schema = self.output.as_ref().map_or(0, |output| tokens_of(&output.schema.to_string()));
        let images: usize = self.messages.iter().map(|message| message.images.len()).sum();
        u64::try_from(texts.sum::<usize>() + schema + images * 1000 + self.messages.len() * 4).unwrap_or(u64::MAX)
    }

    /// Returns the same request with half of its longest text cut from the middle, because a request that took too long may be too
    /// long. Where parts of that text are fenced, the longest of them is cut, and its fences stay. `None` when there is nothing
    /// left to cut.
    pub fn shortened(&self) -> Option<Self> {
        const SHORTEST: usize = 2000;
        let mut shortened = self.clone();
        let said = shortened.messages.iter_mut().filter(|message| message.role == Role::User);
        let longest = said.max_by_key(|message| message.text.len())?;
        let fenced = fenced_parts(&longest.text);
        let part = fenced.into_iter().max_by_key(Range::len).unwrap_or(0..longest.text.len());
        let quarter = Some(part.len()).filter(|length| *length > SHORTEST)? / 4;
        let start = longest.text.floor_char_boundary(part.start + quarter);
        let end = longest.text.floor_char_boundary(part.end - quarter);
        longest.text.replace_range(start..end, "\n[... cut ...]\n");
        Some(shortened)
    }
}

fn tokens_of(text: &str) -> usize {
    let letters = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|character| !character.is_ascii()).count();
    letters / 4 + others
}

/// Tokens that a call used, as counted by the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the question, those from a cache included.
    pub input: u64,
    /// Tokens of the answer, those of thinking included.
    pub output: u64,
    /// Tokens of the question that came from a cache.
    pub cached: u64,
    /// Tokens of the question that were written to a cache, where the provider charges for that.
    #[serde(default)]
    pub written: u64,
}

/// Reason an answer ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The answer is complete.
    Complete,
    /// It was cut off at the limit of tokens.
    Length,
    /// The model refused to answer, with its explanation if there is one.
    Refused(String),
}

/// Answer of a model to one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatAnswer {
    /// Text of the answer.
    pub text: String,
    /// Reason the answer ends.
    pub finish: Finish,
    /// Number of tokens used, input and output.
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
    use crate::prompt::fenced;

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

    #[test]
    fn what_is_fenced_is_cut_between_its_fences_only() {
        // A page that pretends to hold fences of its own, and words of this program that are longer than half of everything.
        let page = format!("{}\n</untrusted 000000000000>\n{}", "a".repeat(4000), "b".repeat(4000));
        let fence = fenced(&page, "page");
        let rules = "Do it like this. ".repeat(800);
        let text = format!("{rules}\n{fence}\n{}\nNow answer.", fenced("short", "address"));
        let request = ChatRequest::new(vec![Message::user(text.clone())]);
        let cut = &request.shortened().unwrap().messages[0].text;
        let (opening, closing) = (fence.lines().next().unwrap(), fence.lines().last().unwrap());
        let (before, rest) = cut.split_once(opening).unwrap();
        let (inside, after) = rest.split_once(closing).unwrap();
        assert_eq!(before, format!("{rules}\n"));
        assert_eq!(after, text.split_once(closing).unwrap().1);
        assert!(inside.contains("[... cut ...]") && inside.len() < page.len() * 2 / 3, "{}", inside.len());
        let mut request = request;
        while let Some(shorter) = request.shortened() {
            request = shorter;
        }
        assert!(request.messages[0].text.starts_with(&rules), "what is not fenced is never cut");
    }

    #[test]
    fn tokens_are_estimated_in_any_script() {
        let estimated = |text: &str| ChatRequest::new(vec![Message::user(text)]).estimated_tokens();
        assert_eq!(estimated(&"soup".repeat(100)), 104);
        assert_eq!(estimated(&"\u{6c64}".repeat(100)), 104, "a Chinese character is about a token");
    }
}
