//! Limits on the content of prompts.

use serde::{Deserialize, Serialize};

/// Limits of a question about fields that rules do not find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptLimits {
    /// Size that a question keeps to where it can, in tokens; it is never more than 6,000.
    pub tokens: u64,
    /// Number of candidates of each field in the first question.
    pub candidates: usize,
    /// Number of lines of the page around each candidate.
    pub lines: usize,
    /// Maximum length of each value, in characters.
    pub text_characters: usize,
}

impl PromptLimits {
    /// The limits within what one question can hold at all.
    pub(crate) fn bounded(self) -> Self {
        Self {
            tokens: self.tokens,
            candidates: self.candidates.clamp(1, 20),
            lines: self.lines.min(40),
            text_characters: self.text_characters.clamp(30, 1000),
        }
    }
}

impl Default for PromptLimits {
    fn default() -> Self {
        Self { tokens: 2500, candidates: 5, lines: 10, text_characters: 160 }
    }
}
