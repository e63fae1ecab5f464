//! Limits on the content of prompts.

use serde::{Deserialize, Serialize};

/// Maximum size of each part of the prompt, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptLimits {
    /// The message of the error, and what rules found out.
    pub error_characters: usize,
    /// The last good values.
    pub values_characters: usize,
    /// Changes in the structure of the page (spec "The Diagnosis Prompt": 2,000).
    pub diff_characters: usize,
    /// The structure of the page as it is now.
    pub page_characters: usize,
    /// The current recipe.
    pub recipe_characters: usize,
}

impl Default for PromptLimits {
    fn default() -> Self {
        Self {
            error_characters: 2000,
            values_characters: 3000,
            diff_characters: 2000,
            page_characters: 12_000,
            recipe_characters: 12_000,
        }
    }
}
