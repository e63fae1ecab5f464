//! An extraction mode with its dependencies: every mode behind one function.

use autoheal_llm::{ChatError, ModelUsage, Session};
use autoheal_page::Document;
use url::Url;

use crate::extraction::{ExtractError, Extraction};
use crate::form::Form;
use crate::mode::llm_dynamic::llm_dynamic;
use crate::mode::llm_dynamic_adaptive::llm_dynamic_adaptive;
use crate::mode::llm_fixed::llm_fixed;
use crate::mode::model::reading::Reading;
use crate::mode::model::{Asking, ModelSettings};
use crate::mode::rule_based::rule_based_in;
use crate::mode::rules_then_llm::{ByRules, rules_alone, rules_then_llm};
use crate::mode::{Mode, ModelMode};

/// Method of reading pages.
pub enum Way {
    /// Rules, without a language model.
    Rules,
    /// Rules where a language model would follow, if one were set.
    RulesAlone,
    /// A language model.
    Model {
        /// Mode of the requests to the model.
        mode: ModelMode,
        /// Session that the requests are charged to.
        session: Box<Session>,
        /// Settings of the requests.
        settings: ModelSettings,
    },
}

impl Way {
    /// Returns the way of a mode. Calls `asking` only for modes that use a model; it returns the session and the settings, or `None`
    /// if no model is set. Then `none` is the error of a mode that does nothing without a model.
    ///
    /// # Errors
    ///
    /// The error of `asking`, and that of `none`.
    pub fn of<E>(
        mode: Mode,
        asking: impl FnOnce() -> Result<Option<(Session, ModelSettings)>, E>,
        none: impl FnOnce() -> E,
    ) -> Result<Self, E> {
        let Some(of_model) = mode.of_model() else { return Ok(Self::Rules) };
        match asking()? {
            Some((session, settings)) => Ok(Self::Model { mode: of_model, session: Box::new(session), settings }),
            None if of_model == ModelMode::AfterRules => Ok(Self::RulesAlone),
            None => Err(none()),
        }
    }

    /// Returns the usage of the language model so far; zero without one.
    ///
    /// # Errors
    ///
    /// [`ChatError::Ledger`] when the accounts cannot be read.
    pub async fn usage(&self) -> Result<ModelUsage, ChatError> {
        match self {
            Self::Rules | Self::RulesAlone => Ok(ModelUsage::default()),
            Self::Model { session, .. } => session.usage().await,
        }
    }

    /// Reads the content of a page, in the requested form. `page` is the page in bytes as received, and `url`
    /// its URL if known.
    ///
    /// # Errors
    ///
    /// [`ExtractError`].
    pub async fn read(&self, page: &[u8], url: Option<&Url>, form: &Form) -> Result<Extraction, ExtractError> {
        // A parsed page is large, and nothing of it is needed while a model is waited for.
        match self {
            Self::Rules => rule_based_in(&Document::parse_bytes(page), url, form),
            Self::RulesAlone => rules_alone(&Document::parse_bytes(page), url, form),
            Self::Model { mode, session, settings } => {
                let (reading, found) = {
                    let page = Document::parse_bytes(page);
                    let found = (*mode == ModelMode::AfterRules).then(|| ByRules::of(&page, url, form));
                    (Reading::of(&page, url), found)
                };
                let asking = Asking { session, form, settings };
                match (mode, found) {
                    (_, Some(found)) => rules_then_llm(found, &reading, &asking).await,
                    (ModelMode::Fixed, None) => llm_fixed(&reading, &asking).await,
                    (ModelMode::Dynamic, None) => llm_dynamic(&reading, &asking).await,
                    (ModelMode::Adaptive | ModelMode::AfterRules, None) => {
                        llm_dynamic_adaptive(&reading, &asking).await
                    }
                }
            }
        }
    }
}
