//! Size limits of the prompts for a language model: a setting.

use serde::{Deserialize, Serialize};

/// Size limits of the parts of the prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptLimits {
    /// Lines of code before and after the one in question (spec `get_code_context`).
    pub context_lines: u32,
    /// All code together, in characters.
    pub code_characters: usize,
    /// Longest file of the failing test that is shown whole, in characters.
    pub test_characters: usize,
    /// A message, in characters.
    pub message_characters: usize,
    /// An error with its stack trace, in characters. Own calls are shown in any case.
    pub stack_characters: usize,
    /// Maximum number of diagnostics (spec `diagnostics-log.md`, "top-N current errors").
    pub diagnostics: usize,
    /// All of them together, in characters.
    pub diagnostics_characters: usize,
    /// Earlier attempts, in characters.
    pub tried_characters: usize,
    /// The names of files, in characters.
    pub files_characters: usize,
}

impl Default for PromptLimits {
    fn default() -> Self {
        Self {
            context_lines: 5,
            code_characters: 8000,
            test_characters: 4000,
            message_characters: 2000,
            stack_characters: 3000,
            diagnostics: 10,
            diagnostics_characters: 3000,
            tried_characters: 3000,
            files_characters: 6000,
        }
    }
}
