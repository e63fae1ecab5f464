//! The effective settings, each with its origin.

use std::path::Path;

use figment::value::Value;

use super::definitions::{Config, SETTINGS};
use super::setting::PREFIX;
use super::{Given, environment, read_file};
use crate::masking::mask;

/// Origin of the value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File,
    /// A variable, with its name.
    Environment(String),
    /// A flag, with its name.
    Flag(String),
}

impl Origin {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }

    /// Returns the name of the variable or the flag.
    pub(crate) fn detail(&self) -> Option<&str> {
        match self {
            Self::Default | Self::File => None,
            Self::Environment(name) | Self::Flag(name) => Some(name),
        }
    }
}

/// A setting with its effective value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Effective {
    pub(crate) key: &'static str,
    /// The value as JSON; credentials in it are masked.
    pub(crate) value: serde_json::Value,
    /// Description of the default of a setting that has no value.
    pub(crate) unset: &'static str,
    pub(crate) origin: Origin,
}

/// Returns all settings, in the order of the documentation.
///
/// # Errors
///
/// As [`Config::load`].
pub(crate) fn effective(file: Option<&Path>, flags: &[Given]) -> anyhow::Result<Vec<Effective>> {
    let (in_file, in_environment) = (read_file(file)?, environment()?);
    let config = serde_json::to_value(Config::load(file, flags.to_vec())?)?;
    let is_in = |given: &[(_, Value)], key: &str| given.iter().any(|(setting, _): &Given| setting.key == key);
    let origin = |setting: &'static super::setting::Setting| {
        if is_in(flags, setting.key) {
            return Origin::Flag(format!("--{}", setting.flag.unwrap_or_default()));
        }
        if is_in(&in_environment, setting.key) {
            return Origin::Environment(format!("{PREFIX}{}", setting.variable.unwrap_or_default()));
        }
        if in_file.find_value(setting.key).is_ok() { Origin::File } else { Origin::Default }
    };
    let all = SETTINGS.iter().map(|setting| {
        let value = setting.key.split('.').fold(&config, |value, part| &value[part]);
        let value = if setting.is_private && !value.is_null() { "(hidden)".into() } else { masked(value) };
        Effective { key: setting.key, value, unset: setting.unset, origin: origin(setting) }
    });
    Ok(all.collect())
}

/// Returns the value with credentials masked in every text.
fn masked(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value::{Array, Object, String};
    match value {
        String(text) => mask(text).into(),
        Array(items) => items.iter().map(masked).collect(),
        Object(entries) => entries.iter().map(|(name, value)| (name.clone(), masked(value))).collect(),
        value => value.clone(),
    }
}
