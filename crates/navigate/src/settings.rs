//! What can be set (spec `navigator.md`, "Configuration").

use std::time::Duration;

/// The limits of one navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Steps at most: pages looked at by the search, actions of a model.
    pub max_steps: u32,
    /// So many links of a page are shown to a model. When there are more, those that are most relevant to the goal, never the first.
    pub max_links_shown: usize,
    /// So many characters of a page are shown to a model.
    pub max_content_chars: usize,
    /// So many of the last actions are told to a model.
    pub max_path_history: usize,
    /// How long one page may take.
    pub http_timeout: Duration,
}

impl Default for Settings {
    /// 15 steps, 50 links, 4,000 characters, 10 actions, 30 seconds.
    fn default() -> Self {
        Self {
            max_steps: 15,
            max_links_shown: 50,
            max_content_chars: 4000,
            max_path_history: 10,
            http_timeout: Duration::from_secs(30),
        }
    }
}
