//! Goals, and how what was returned is compared with them.

use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

/// A file of goals.
#[derive(Deserialize)]
struct File {
    goals: Vec<Goal>,
}

/// A question about the manual.
#[derive(Deserialize)]
pub(crate) struct Goal {
    /// Question about the manual, in plain words.
    #[serde(rename = "goal")]
    pub(crate) question: String,
    /// The value that the returned text must hold; none: the manual does not say, and nothing may be returned.
    pub(crate) answer: Option<String>,
    /// Beginning of the caption of the table that holds the answer.
    pub(crate) table: Option<String>,
    /// End of the address of the page that holds the answer.
    pub(crate) page: Option<String>,
}

pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<Goal>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let file: File = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
    Ok(file.goals)
}

/// Returns whether a text contains a value, as whole words: `8 bytes` is not in `18 bytes`.
pub(crate) fn has(text: &str, value: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (text, value) = (plain(text), plain(value));
    text.match_indices(&value).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Returns whether a table's text begins with a caption: the text of `Table 8.21` does not begin with `Table 8.2`.
pub(crate) fn is_table(text: &str, caption: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(text);
    text.strip_prefix(plain(caption).as_str()).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
}
