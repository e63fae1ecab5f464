//! Result of an extraction: an item or the user's own form, and notes about what is missing or left out.

use std::collections::BTreeMap;
use std::fmt;

use autoheal_llm::prompt::PromptError;
use autoheal_llm::{AnswerFault, ChatError};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::item::{Provenance, ScrapedItem};

/// Extracted content, in the form that was requested.
#[derive(Debug, Clone, PartialEq)]
pub enum Extracted {
    /// An item of this program.
    Item(Box<ScrapedItem>),
    /// Content in the form of a schema that the user supplied.
    Own(Box<OwnItem>),
}

/// Content of a page in the user's own form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnItem {
    /// URL of the page, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Path of the screenshot, if one was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_path: Option<String>,
    /// Properties that are valid according to the schema.
    pub item: Map<String, Value>,
    /// Origin of each of its properties.
    pub provenance: BTreeMap<String, Provenance>,
}

/// Something in the model's response that is not in the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the field that was left out.
    pub name: String,
    /// Reason why it was left out.
    pub why: WhyLeftOut,
}

/// Reason why something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyLeftOut {
    /// The form has no place for it.
    NoPlace,
    /// The value is not on the page, and [`Strictness::Drop`](crate::Strictness::Drop) is set.
    NotOnPage,
    /// Some items of a list are not on the page, and `Strictness::Drop` is set.
    ItemsNotOnPage(usize),
    /// The value does not fit the form.
    DoesNotFit(String),
    /// The response reached its token limit; the last value before the cut may be incomplete.
    CutOff,
    /// The value cannot be read.
    Unusable(String),
}

impl fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            WhyLeftOut::NoPlace => write!(formatter, "{}: the form has no place for it", self.name),
            WhyLeftOut::NotOnPage => write!(formatter, "{}: it is not on the page", self.name),
            WhyLeftOut::ItemsNotOnPage(count) => write!(formatter, "{}: {count} not on the page", self.name),
            WhyLeftOut::CutOff => write!(
                formatter,
                "{}: it was cut off at its limit of tokens, and what comes last in it may not be whole",
                self.name
            ),
            WhyLeftOut::Unusable(why) => write!(formatter, "{}: it is of no use: {why}", self.name),
            WhyLeftOut::DoesNotFit(why) => write!(formatter, "{}: it does not fit: {why}", self.name),
        }
    }
}

/// Result of an extraction.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// Content of the page in the requested form.
    pub extracted: Extracted,
    /// Names of the fields that pages of its type nearly always have and that a model did not find. Always
    /// empty if rules extracted the content.
    pub missing: Vec<String>,
    /// Values that a model gave and that are not in the result.
    pub left_out: Vec<LeftOut>,
    /// Error that prevented further requests to a model; `None` if there was none.
    pub cut_short: Option<ChatError>,
}

/// Returns the note of an extraction that would have asked a model, if one were set.
pub(crate) fn no_model() -> ChatError {
    ChatError::Unavailable {
        model: "none".to_owned(),
        message: "no model is set, so rules alone read the page: name one with --model".to_owned(),
        retry_after: None,
    }
}

/// Reason why an extraction has no result.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The request to the language model failed.
    #[error("no language model answered")]
    Chat(#[from] ChatError),
    /// The model's response cannot be read.
    #[error("what the language model answered is of no use; try another one, or --mode rule_based")]
    Answer(#[from] AnswerFault),
    /// The model reported that the page has no content.
    #[error("nothing was found on the page; try another mode")]
    Nothing,
    /// The values found do not fit the form.
    #[error("what was found does not fit: {}; nothing is given rather than something wrong", .0.join("; "))]
    DoesNotFit(Vec<String>),
    /// The schema requires a value that the page does not hold.
    #[error(
        "the schema requires what was not found on the page: {}; make it optional, or try another mode",
        .0.join(", ")
    )]
    RequiredMissing(Vec<String>),
    /// A prompt cannot be filled, or the form of items not be made: a fault of this program, which its tests show.
    #[error("a prompt cannot be filled")]
    Prompt(#[from] PromptError),
}
