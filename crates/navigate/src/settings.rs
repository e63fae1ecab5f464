//! Settings of a navigation (spec `navigator.md`, "Configuration").

use std::time::Duration;

/// The limits of one navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Maximum number of steps: pages visited by the search, or actions of a model.
    pub max_steps: u32,
    /// Maximum number of links of a page in the prompt. If there are more, the most relevant ones are used, not the first.
    pub max_links_shown: usize,
    /// Maximum number of characters of a page in the prompt.
    pub max_content_chars: usize,
    /// Maximum number of past actions in the prompt.
    pub max_path_history: usize,
    /// Time limit of one request for a page.
    pub http_timeout: Duration,
}

impl Default for Settings {
    /// 15 steps, 150 links, 4,000 characters, 10 actions, 30 seconds.
    fn default() -> Self {
        Self {
            max_steps: 15,
            max_links_shown: 150,
            max_content_chars: 4000,
            max_path_history: 10,
            http_timeout: Duration::from_secs(30),
        }
    }
}
