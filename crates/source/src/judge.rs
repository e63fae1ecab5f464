//! Judgement of a page: its values, and whether to accept them. The ordinary run and the Doctor share it, so that neither
//! accepts what the other rejects.

use std::collections::BTreeSet;

use autoheal_engine::Timestamp;
use autoheal_engine::source::{Snapshot, SnapshotRole, SourceRecord};
use autoheal_page::Document;
use autoheal_page::obstacle::{Obstacle, ObstacleKind};
use autoheal_page::recipe::Recipe;
use serde_json::Value;
use url::Url;

use crate::displaced::displaced;
use crate::facts::PageFacts;
use crate::failure::{ErrorType, Failure};
use crate::loaded::Loaded;
use crate::services::WebPage;
use crate::site_title::site_titles;
use crate::validation::{validate_page, values};

/// A page with the recipe applied to it, and the verdict on its values.
pub(crate) struct Judged {
    pub(crate) document: Document,
    pub(crate) facts: PageFacts,
    pub(crate) values: Value,
    /// Failure of the page; `None`: the values may be accepted.
    pub(crate) failure: Option<Failure>,
    /// Names of the fields that a failure of the recipe is about; empty if it is about the whole page.
    pub(crate) doubtful: BTreeSet<String>,
}

impl Judged {
    /// Returns the values without those of the doubtful fields, if only some fields are in doubt.
    pub(crate) fn certain_values(&self, recipe: &Recipe) -> Option<Value> {
        let is_about_the_recipe = self.failure.as_ref()?.error_type.is_about_the_recipe();
        let mut certain = recipe.fields().iter().filter(|field| !self.doubtful.contains(field.name.as_str()));
        if !is_about_the_recipe || self.doubtful.is_empty() || !certain.any(|field| self.facts.has(field.name.as_str()))
        {
            return None;
        }
        let mut values = self.values.clone();
        let records = match &mut values {
            Value::Array(records) => records.as_mut_slice(),
            only => std::slice::from_mut(only),
        };
        for record in records.iter_mut().filter_map(Value::as_object_mut) {
            for (_, value) in record.iter_mut().filter(|(name, _)| self.doubtful.contains(*name)) {
                *value = Value::Null;
            }
        }
        Some(values)
    }
}

/// Applies the active recipe. After a redirect to a new place, the page must show the same values as before: the front page and
/// the log-in page of a site have headings as well.
pub(crate) fn judge(loaded: &Loaded, page: &WebPage) -> Judged {
    let document = page.document();
    let (extraction, facts) = PageFacts::look(&loaded.recipe, &document, &page.url);
    let last_place = loaded.last.as_ref().and_then(|last| last.place.as_ref());
    let is_elsewhere = page.was_redirected && last_place.is_some_and(|last| *last != page.url);
    let mut verdict = validate_page(&loaded.recipe, &document, &extraction, &loaded.history, &[]);
    if verdict.passed && loaded.last.as_ref().is_some_and(|last| last.texts != facts.texts) {
        verdict.doubt(not_the_fields_own(loaded, &document, &facts));
    }
    let failure = verdict.failure();
    let failure = failure.or_else(|| lost_its_next(loaded, &facts)).or_else(|| {
        let message = || format!("the site leads to {}, which has not the values that the page had", page.url);
        (is_elsewhere && !loaded.recognises(&facts)).then(|| Failure::new(ErrorType::HttpError, message()))
    });
    let failure = match failure {
        // A response with the values of the last good page is the page.
        Some(failure) if !loaded.recognises(&facts) => Some(page.obstacle(&document).unwrap_or(failure)),
        other => other,
    };
    let failure = in_another_language(loaded, &facts, &page.url).or(failure);
    let values = values(&loaded.recipe, &extraction);
    Judged { values, document, facts, failure, doubtful: verdict.doubtful() }
}

/// Fields whose values the last good page shows to be something else.
fn not_the_fields_own(loaded: &Loaded, page: &Document, facts: &PageFacts) -> Vec<(String, String)> {
    let Some(good) = loaded.good.first().filter(|good| good.url == loaded.page.as_str()) else { return Vec::new() };
    let before = Document::parse_bytes(&good.content);
    let mut found = displaced(&loaded.recipe, &before, page);
    found.extend(site_titles(&loaded.recipe, (&before, page), facts, &loaded.history));
    found
}

/// A page in a language in which none of the earlier ones was, with other values: a site chooses the language by where a request comes from.
fn in_another_language(loaded: &Loaded, facts: &PageFacts, url: &Url) -> Option<Failure> {
    let now = facts.language.as_ref()?;
    let earlier: Vec<_> = loaded.history.iter().filter_map(|page| page.language.as_ref()).collect();
    if earlier.is_empty() || earlier.iter().any(|earlier| now.may_be(earlier)) || loaded.recognises(facts) {
        return None;
    }
    let earlier: BTreeSet<&str> = earlier.into_iter().map(|earlier| earlier.detected.as_str()).collect();
    let earlier: Vec<&str> = earlier.into_iter().collect();
    let evidence = format!("its text is in `{}`, and was in `{}`", now.detected, earlier.join("`, `"));
    Some(Failure::of_obstacle(url, &Obstacle { kind: ObstacleKind::OtherLanguage, evidence }))
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
