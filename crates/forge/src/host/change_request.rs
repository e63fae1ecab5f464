//! Pull requests and merge requests: which of them are ours, and what becomes of them.

use std::collections::BTreeSet;

/// Maximum length of the text of a change request or comment, in characters.
const LONGEST_TEXT: usize = 65_000;

/// Marks the texts that this program writes, so that it finds them again; browsers do not display it.
const MARK: &str = "<!-- autoheal -->";

/// A change request of a host: a pull request or a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRequest {
    /// Number of the change request in its repository.
    pub number: u64,
    /// URL of its page, on the host.
    pub page: String,
    /// State of the change request.
    pub state: ChangeState,
    /// Description, in Markdown.
    pub body: String,
    /// Title, one line.
    pub title: String,
    /// Branch that is to receive the commits.
    pub base: String,
    /// Hash of the newest commit that it offers.
    pub tip: String,
}

/// State of a change request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeState {
    /// It waits for a reviewer.
    Open,
    /// A reviewer accepted it.
    Merged,
    /// A reviewer closed it, and merged nothing.
    Closed,
}

impl ChangeRequest {
    /// Returns whether the change request is open.
    pub fn is_open(&self) -> bool {
        self.state == ChangeState::Open
    }

    /// Returns whether a reviewer refused these commits: the request was closed without a merge, and its tip is one of them.
    fn is_refused(&self, commits: &BTreeSet<String>) -> bool {
        self.state == ChangeState::Closed && commits.contains(&self.tip)
    }

    /// Returns whether this program wrote the request, and for the branch `base`.
    fn is_ours(&self, base: &str) -> bool {
        self.base == base && self.body.starts_with(MARK)
    }
}

/// A change request to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRequestText {
    /// The branch that holds the commits.
    pub head: String,
    /// The branch that they are for.
    pub base: String,
    /// Title, one line.
    pub title: String,
    /// Description, in Markdown.
    pub body: String,
    /// The commits that it offers, by their ids.
    pub commits: BTreeSet<String>,
}

/// Outcome of opening a change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// A new change request was opened.
    New(ChangeRequest),
    /// There was one, and it says what is new.
    Updated(ChangeRequest),
    /// A reviewer closed an earlier change request with the same commits: no other is opened.
    Refused(ChangeRequest),
    /// One is open from this branch that is not ours, or is for another branch: it is left as it is, and no other is opened.
    Left(ChangeRequest),
}

/// A comment on a change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Id of the comment.
    pub id: u64,
    /// URL of the comment, on the host.
    pub page: String,
    /// Text of the comment, in Markdown.
    pub body: String,
}

impl Comment {
    /// Returns whether it begins with this program's mark, which other users can also write.
    pub(super) fn has_mark(&self) -> bool {
        self.body.starts_with(MARK)
    }
}

/// A change request that is there already.
pub(super) enum Known {
    /// It is ours, and says something else.
    Outdated(ChangeRequest),
    /// It stays as it is.
    Kept(Opened),
}

/// Chooses among the change requests of a branch the one that represents this one, with this description; `None`: a new one is needed.
pub(super) fn decide(known: Vec<ChangeRequest>, text: &ChangeRequestText, body: &str) -> Option<Known> {
    let open = known.iter().filter(|request| request.is_open());
    if let Some(open) = open.min_by_key(|request| !request.is_ours(&text.base)) {
        let open = open.clone();
        return Some(if !open.is_ours(&text.base) {
            Known::Kept(Opened::Left(open))
        } else if open.body == body && open.title == text.title {
            Known::Kept(Opened::Updated(open))
        } else {
            Known::Outdated(open)
        });
    }
    let refused = known.into_iter().find(|request| request.is_refused(&text.commits));
    refused.map(|refused| Known::Kept(Opened::Refused(refused)))
}

/// The text with our mark, cut to what hosts take.
pub(super) fn marked(text: &str) -> String {
    let mut body = format!("{MARK}\n{text}");
    if body.chars().count() > LONGEST_TEXT {
        body = body.chars().take(LONGEST_TEXT).collect();
        body.push_str("\n\n(cut here: the rest is too long)");
    }
    body
}
