//! The ways to get an item from a page. A mode is a file or folder here and a variant of [`Mode`].

pub mod llm_dynamic;
pub mod llm_dynamic_adaptive;
pub mod llm_fixed;
pub mod model;
pub mod rule_based;

use std::fmt;
use std::str::FromStr;

/// How an item is got from a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// What the page states about itself, then rules about how pages look. No language model.
    #[default]
    RuleBased,
    /// A language model fills the predefined form.
    LlmFixed,
    /// A language model chooses the fields.
    LlmDynamic,
    /// The same, asked again for what is missing.
    LlmDynamicAdaptive,
}

impl Mode {
    /// Every mode there is.
    pub const ALL: [Self; 4] = [Self::RuleBased, Self::LlmFixed, Self::LlmDynamic, Self::LlmDynamicAdaptive];

    /// Its name on the command line and in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RuleBased => "rule_based",
            Self::LlmFixed => "llm_fixed",
            Self::LlmDynamic => "llm_dynamic",
            Self::LlmDynamicAdaptive => "llm_dynamic_adaptive",
        }
    }

    /// How it asks a model; `None` for the one that asks none.
    pub const fn of_model(self) -> Option<ModelMode> {
        match self {
            Self::RuleBased => None,
            Self::LlmFixed => Some(ModelMode::Fixed),
            Self::LlmDynamic => Some(ModelMode::Dynamic),
            Self::LlmDynamicAdaptive => Some(ModelMode::Adaptive),
        }
    }
}

/// A mode that asks a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelMode {
    /// [`Mode::LlmFixed`].
    Fixed,
    /// [`Mode::LlmDynamic`].
    Dynamic,
    /// [`Mode::LlmDynamicAdaptive`].
    Adaptive,
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A mode was asked for that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no mode {asked:?}: use {}", Mode::ALL.map(Mode::name).join(", "))]
pub struct UnknownMode {
    /// What was asked for.
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
