//! Result of a navigation (spec `navigator.md`, `NavigationResult`).

use autoheal_llm::ModelUsage;
use serde::{Deserialize, Serialize};

/// Answer with the path to it, or the reason why there is no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NavigationResult {
    /// True if a page holds the answer.
    pub success: bool,
    /// The passage, or the row of a table with its caption and header cells, as on the page. Without an answer it is empty, or
    /// the closest text, which is not an answer (see `error`).
    pub content: String,
    /// URL of the page with the content; without content, of the last page visited.
    pub url: String,
    /// Path of that page within the manual, from the outside in, separated by ` > `.
    pub breadcrumb: String,
    /// Reason there is no answer; empty if there is one.
    pub error: String,
    /// Actions taken, in order.
    pub path_taken: Vec<PathStep>,
    /// Tokens that a language model used; zero without one.
    pub tokens_used: TokensUsed,
    /// Number of steps: pages visited by the search, or actions of a model.
    pub steps_taken: u32,
    /// Number of pages requested. Visiting a page again does not request it again.
    pub fetches: u32,
}

/// Beginning of the error if the first page is not available.
pub(crate) const UNAVAILABLE: &str = "the page to start at cannot be read";

impl NavigationResult {
    /// Returns whether the first page is not available, so that nothing is known of the manual's contents.
    pub fn is_unavailable(&self) -> bool {
        !self.success && self.error.starts_with(UNAVAILABLE)
    }
}

/// One action and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// Description of the action, such as `CLICK 'Specifications'`.
    pub action: String,
    /// Summary of the page after the action, or the error.
    pub result_hint: String,
}

/// Number of tokens, as counted by the provider, or else an estimate; those of failed requests are included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokensUsed {
    /// Tokens of questions and answers together.
    pub total: u64,
    /// Tokens of the questions.
    pub input: u64,
    /// Tokens of the answers.
    pub output: u64,
    /// Requests to a model.
    pub calls: u64,
}

impl TokensUsed {
    /// The usage of a session between two moments.
    pub(crate) const fn between(before: ModelUsage, now: ModelUsage) -> Self {
        Self {
            total: now.tokens().saturating_sub(before.tokens()),
            input: now.input_tokens.saturating_sub(before.input_tokens),
            output: now.output_tokens.saturating_sub(before.output_tokens),
            calls: now.calls.saturating_sub(before.calls),
        }
    }
}
