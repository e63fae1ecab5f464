//! Judgement of a page: its values, and whether to accept them. The ordinary run and the Doctor share it, so that neither
//! accepts what the other rejects.

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord};
use autoheal_page::Document;
use serde_json::Value;
use url::Url;

use crate::facts::PageFacts;
use crate::failure::{ErrorType, Failure};
use crate::loaded::Loaded;
use crate::services::WebPage;
use crate::validation::{validate, values};

/// A page with the recipe applied to it, and the verdict on its values.
pub(crate) struct Judged {
    pub(crate) document: Document,
    pub(crate) facts: PageFacts,
    pub(crate) values: Value,
    /// Failure of the page; `None`: the values may be accepted.
    pub(crate) failure: Option<Failure>,
}

/// Applies the active recipe. After a redirect to a new place, the page must show the same values as before: the front page and
/// the log-in page of a site have headings as well.
pub(crate) fn judge(loaded: &Loaded, page: &WebPage) -> Judged {
    let document = page.document();
    let (extraction, facts) = PageFacts::look(&loaded.recipe, &document, &page.url);
    let last_place = loaded.last.as_ref().and_then(|last| last.place.as_ref());
    let is_elsewhere = page.was_redirected && last_place.is_some_and(|last| *last != page.url);
    let failure = validate(&loaded.recipe, &extraction, &loaded.history).failure();
    let failure = failure.or_else(|| lost_its_next(loaded, &facts)).or_else(|| {
        let message = || format!("the site leads to {}, which has not the values that the page had", page.url);
        (is_elsewhere && !loaded.recognises(&facts)).then(|| Failure::new(ErrorType::HttpError, message()))
    });
    Judged { values: values(&loaded.recipe, &extraction), document, facts, failure }
}

/// A list that led on and is not shorter than it was leads on still: the rule for the link does not find it.
fn lost_its_next(loaded: &Loaded, facts: &PageFacts) -> Option<Failure> {
    let last = loaded.last.as_ref().filter(|_| loaded.recipe.next().is_some())?;
    let is_lost = last.next.is_some() && facts.next.is_none() && facts.records >= last.records;
    is_lost.then(|| Failure::new(ErrorType::ParseError, "Missing field: the link to the next page"))
}

/// Returns the snapshot record of a page, stored under the URL of the request.
pub(crate) fn page_record(
    loaded: &Loaded,
    page: &WebPage,
    url: &Url,
    role: SnapshotRole,
    values: Option<Value>,
    now: Timestamp,
) -> SourceRecord {
    let (url, content) = (url.to_string(), page.html.clone().into_bytes());
    let snapshot = Snapshot { role, url, taken_at: now, content, values };
    SourceRecord::Snapshot { source: loaded.row.source.clone(), snapshot }
}
