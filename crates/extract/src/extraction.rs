//! What an extraction comes to: an item or somebody's own form, and what has to be said about it.

use std::collections::BTreeMap;
use std::fmt;

use autoheal_llm::prompt::PromptError;
use autoheal_llm::{AnswerFault, ChatError};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::item::{Provenance, ScrapedItem};

/// What was extracted.
#[derive(Debug, Clone, PartialEq)]
pub enum Extracted {
    /// An item of this program.
    Item(Box<ScrapedItem>),
    /// What the schema asked for that somebody brought along.
    Own(Box<OwnItem>),
}

/// What a page holds, in somebody's own form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnItem {
    /// The page's address, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The file with a picture of the page, where one was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_path: Option<String>,
    /// What is valid by the schema.
    pub item: Map<String, Value>,
    /// Where each of its properties comes from.
    pub provenance: BTreeMap<String, Provenance>,
}

/// Something that an answer held, and the result does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What it was called.
    pub name: String,
    /// Why.
    pub why: WhyLeftOut,
}

/// Why something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyLeftOut {
    /// The form has no place for it.
    NoPlace,
    /// It is not on the page, and strictness was asked for.
    NotOnPage,
    /// Some of the items of a list are not on the page, and strictness was asked for.
    ItemsNotOnPage(usize),
    /// It does not fit the form.
    DoesNotFit(String),
    /// It came after the limit of tokens of an answer; what came last before it may not be whole.
    CutOff,
    /// It could not be read.
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

/// What an extraction comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// What was extracted.
    pub extracted: Extracted,
    /// What pages of its type nearly always hold, and a model did not find: the names. Of rules nothing is said.
    pub missing: Vec<String>,
    /// What was said and left out.
    pub left_out: Vec<LeftOut>,
    /// Why a model was not asked as often as it might have been, when that is so.
    pub cut_short: Option<ChatError>,
}

/// Why there is nothing to give.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// No model answered.
    #[error("no language model answered")]
    Chat(#[from] ChatError),
    /// What it answered cannot be read.
    #[error("what the language model answered is of no use; try another one, or --mode rule_based")]
    Answer(#[from] AnswerFault),
    /// It answered that there is nothing.
    #[error("nothing was found on the page; try another mode")]
    Nothing,
    /// What was found does not fit the form.
    #[error("what was found does not fit: {}; nothing is given rather than something wrong", .0.join("; "))]
    DoesNotFit(Vec<String>),
    /// The schema requires what the page does not hold.
    #[error(
        "the schema requires what was not found on the page: {}; make it optional, or try another mode",
        .0.join(", ")
    )]
    RequiredMissing(Vec<String>),
    /// A prompt cannot be filled, or the form of items not be made: a fault of this program, which its tests show.
    #[error("a prompt cannot be filled")]
    Prompt(#[from] PromptError),
}
