//! What a page gives, and whether that may be believed: one judgement for the ordinary run and for the Doctor, so that what one
//! refuses the other does not call well.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord};
use autoheal_page::Document;
use serde_json::Value;

use crate::facts::PageFacts;
use crate::failure::{ErrorType, Failure};
use crate::loaded::Loaded;
use crate::services::WebPage;
use crate::validation::{validate, values};

/// A page that was looked at.
pub(crate) struct Judged {
    pub(crate) document: Document,
    pub(crate) facts: PageFacts,
    pub(crate) values: Value,
    /// What is wrong; `None`: the values may be accepted.
    pub(crate) failure: Option<Failure>,
}

/// Applies the recipe in force. A site that sends us somewhere else than before must show the same values there: its front page and
/// its log-in page have headings as well.
pub(crate) fn judge(loaded: &Loaded, page: &WebPage) -> Judged {
    let document = page.document();
    let extraction = loaded.recipe.apply(&document, Some(&page.url));
    let facts = PageFacts::of(&extraction);
    let is_elsewhere =
        page.was_redirected && loaded.last_place.as_deref().is_some_and(|last| last != page.url.as_str());
    let failure = validate(&loaded.recipe, &extraction, &loaded.history).failure().or_else(|| {
        let message = || format!("the site leads to {}, which has not the values that the page had", page.url);
        (is_elsewhere && !loaded.recognises(&facts)).then(|| Failure::new(ErrorType::HttpError, message()))
    });
    Judged { values: values(&loaded.recipe, &extraction), document, facts, failure }
}

/// The page as the store keeps it.
pub(crate) fn page_record(
    loaded: &Loaded,
    page: &WebPage,
    role: SnapshotRole,
    values: Option<Value>,
    now: Timestamp,
) -> SourceRecord {
    let (url, content) = (loaded.definition.url.to_string(), page.html.clone().into_bytes());
    let snapshot = Snapshot { role, url, taken_at: now, content, values };
    SourceRecord::Snapshot { source: loaded.row.source.clone(), snapshot }
}
