//! The ways through a manual, behind one function.

use autoheal_llm::Session;
use autoheal_store::ManualIndex;
use url::Url;

use crate::address::without_fragment;
use crate::asking::Asked;
use crate::by_passages;
use crate::cache::Cache;
use crate::goal::Goal;
use crate::index::lookup;
use crate::model;
use crate::pages::Pages;
use crate::progress::{Progress, Silent};
use crate::result::{NavigationResult, TokensUsed, UNAVAILABLE};
use crate::search;
use crate::settings::Settings;
use crate::trace::Trace;

/// Method that chooses the next page.
#[derive(Clone, Copy)]
pub enum Guide<'a> {
    /// A best-first search that uses only the words of the goal.
    Search,
    /// The index of the manual; a search follows if the index is not complete and has no answer.
    Index(&'a ManualIndex),
    /// A language model, within the budget of its session.
    Model(&'a Session),
}

/// Finds answers in manuals.
pub struct Navigator<'a> {
    pages: &'a dyn Pages,
    settings: Settings,
    progress: &'a dyn Progress,
    index: Option<&'a ManualIndex>,
}

impl<'a> Navigator<'a> {
    /// Creates a navigator that reports no progress.
    pub fn new(pages: &'a dyn Pages, settings: Settings) -> Self {
        Self { pages, settings, progress: &Silent, index: None }
    }

    /// Returns the navigator with `progress` as the receiver of every step.
    #[must_use]
    pub fn telling(mut self, progress: &'a dyn Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Returns the navigator with an index of the manual, whose passages a language model sees first.
    #[must_use]
    pub const fn with_index(mut self, index: Option<&'a ManualIndex>) -> Self {
        self.index = index;
        self
    }

    /// Looks for an answer, beginning at `start`: the home page of a manual, or any page of it. Failures on the way are part of the
    /// result.
    pub async fn navigate(&self, start: &Url, goal: &Goal, guide: Guide<'_>) -> NavigationResult {
        let mut cache = Cache::new(self.pages);
        let mut trace = Trace::new(self.progress, self.settings.max_steps);
        let mut result = match guide {
            Guide::Search => searched(search::search(start, goal, &mut cache, &mut trace).await),
            Guide::Index(index) => match self.look_up(start, goal, index, &mut trace).await {
                Some(result) => result,
                None => searched(search::search(start, goal, &mut cache, &mut trace).await),
            },
            Guide::Model(session) => {
                let before = session.usage().await.unwrap_or_default();
                let asked = Asked { goal, session, settings: &self.settings };
                let address = self.pages.address(&without_fragment(start));
                let looked_up = match self.index {
                    Some(index) => by_passages::answer(&address, &asked, index, &mut trace).await,
                    None => None,
                };
                let result = match looked_up {
                    Some(result) => result,
                    None => model::navigate(start, &asked, &mut cache, &mut trace).await,
                };
                let used = session.usage().await.unwrap_or_default();
                NavigationResult { tokens_used: TokensUsed::between(before, used), ..result }
            }
        };
        result.steps_taken = trace.taken();
        result.path_taken = trace.into_steps();
        result.fetches = cache.fetches();
        result
    }
}

impl Navigator<'_> {
    /// Returns the result by the index; `None` if only a search can tell.
    async fn look_up(
        &self,
        start: &Url,
        goal: &Goal,
        index: &ManualIndex,
        trace: &mut Trace<'_>,
    ) -> Option<NavigationResult> {
        let start = self.pages.address(&without_fragment(start));
        let action = "LOOK UP in the index".to_owned();
        let looked = async {
            let looked = lookup(&start, goal, index).await?;
            let is_final = looked.result.success || index.summary().await?.is_complete;
            Ok::<_, autoheal_store::StoreError>((looked, is_final))
        };
        match looked.await {
            Ok((looked, is_final)) => {
                trace.step(action, looked.hint);
                is_final.then_some(looked.result)
            }
            Err(error) => {
                trace.step(action, format!("the index cannot be read: {error}"));
                None
            }
        }
    }
}

fn searched(outcome: search::Outcome) -> NavigationResult {
    match outcome.answer {
        Some((answer, page)) => NavigationResult {
            success: true,
            content: answer.text,
            url: page.url.to_string(),
            breadcrumb: page.place(),
            ..NavigationResult::default()
        },
        None => NavigationResult {
            error: match outcome.unavailable {
                Some(reason) => format!("{UNAVAILABLE}: {reason}"),
                None => format!("not found: {}", outcome.reason),
            },
            url: outcome.last.as_ref().map(|page| page.url.to_string()).unwrap_or_default(),
            breadcrumb: outcome.last.as_ref().map(|page| page.place()).unwrap_or_default(),
            ..NavigationResult::default()
        },
    }
}
