//! Modes of extracting an item from a page. A mode is a file or folder here and a variant of [`Mode`].

pub(crate) mod convert;
pub mod llm_dynamic;
pub mod llm_dynamic_adaptive;
pub mod llm_fixed;
pub mod model;
pub mod rule_based;
pub mod rules_then_llm;

use std::fmt;
use std::str::FromStr;

/// Method of extracting an item from a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The page's statements about itself, then rules about the layout of pages. No language model.
    #[default]
    RuleBased,
    /// A language model fills the predefined form.
    LlmFixed,
    /// A language model chooses which fields to fill.
    LlmDynamic,
    /// As `LlmDynamic`, with further requests for missing fields.
    LlmDynamicAdaptive,
    /// Rules first; a language model only for fields that are missing or unsure.
    RulesThenLlm,
}

impl Mode {
    /// Every mode there is.
    pub const ALL: [Self; 5] =
        [Self::RuleBased, Self::LlmFixed, Self::LlmDynamic, Self::LlmDynamicAdaptive, Self::RulesThenLlm];

    /// Its name on the command line and in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RuleBased => "rule_based",
            Self::LlmFixed => "llm_fixed",
            Self::LlmDynamic => "llm_dynamic",
            Self::LlmDynamicAdaptive => "llm_dynamic_adaptive",
            Self::RulesThenLlm => "rules_then_llm",
        }
    }

    /// Returns the way in which the mode queries a model; `None` for the mode without a model.
    pub const fn of_model(self) -> Option<ModelMode> {
        match self {
            Self::RuleBased => None,
            Self::LlmFixed => Some(ModelMode::Fixed),
            Self::LlmDynamic => Some(ModelMode::Dynamic),
            Self::LlmDynamicAdaptive => Some(ModelMode::Adaptive),
            Self::RulesThenLlm => Some(ModelMode::AfterRules),
        }
    }
}

/// A mode that uses a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelMode {
    /// The mode [`Mode::LlmFixed`].
    Fixed,
    /// The mode [`Mode::LlmDynamic`].
    Dynamic,
    /// The mode [`Mode::LlmDynamicAdaptive`].
    Adaptive,
    /// The mode [`Mode::RulesThenLlm`].
    AfterRules,
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The requested mode does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no mode {asked:?}: use {}", Mode::ALL.map(Mode::name).join(", "))]
pub struct UnknownMode {
    /// Name of the requested mode.
    pub asked: String,
}

impl FromStr for Mode {
    type Err = UnknownMode;

    /// # Errors
    ///
    /// When no mode has that name; the message lists those that do.
    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.name() == text).ok_or_else(|| UnknownMode { asked: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_known_by_their_names() {
        for mode in Mode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
        }
        let refused = "llm_telepathic".parse::<Mode>().unwrap_err().to_string();
        assert!(refused.contains("llm_telepathic") && refused.contains("rule_based"), "{refused}");
    }
}
