//! What a navigation came to (spec `navigator.md`, `NavigationResult`).

use serde::{Deserialize, Serialize};

/// What was found and how, or why nothing was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NavigationResult {
    /// Whether a page holds the answer.
    pub success: bool,
    /// The passage, or the row of a table with its caption and header cells, as the page has it. Where nothing was found: empty, or
    /// what comes nearest when the steps ran out (see `error`), which is no answer.
    pub content: String,
    /// The page of the content; where there is none, the last page seen.
    pub url: String,
    /// Where that page stands in the manual, from the outside in, with ` > ` between.
    pub breadcrumb: String,
    /// Why there is no answer; empty where there is one.
    pub error: String,
    /// What was done, in order.
    pub path_taken: Vec<PathStep>,
    /// What a language model used; zero without one.
    pub tokens_used: TokensUsed,
    /// Steps: pages looked at by the search, actions of a model.
    pub steps_taken: u32,
    /// Pages that were asked for. A page that is looked at again is not asked for again.
    pub fetches: u32,
}

/// One action and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// Such as `CLICK 'Specifications'`.
    pub action: String,
    /// What was seen then.
    pub result_hint: String,
}

/// Tokens, as the provider counts them, or as they are estimated where it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokensUsed {
    /// Of questions and answers together.
    pub total: u64,
    /// Requests to a model.
    pub calls: u64,
}
