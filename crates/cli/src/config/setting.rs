//! The definition of one setting: its key, type, default and limits, and the variable and the flag that set it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgAction};
use figment::value::Value;
use regex::Regex;
use serde::de::DeserializeOwned;

/// Prefix of the environment variables of settings.
pub(crate) const PREFIX: &str = "AUTOHEAL_";

/// The command whose flags all commands accept.
pub(super) const GLOBAL: &str = "autoheal";

/// Description of a default that is nothing at all.
const NONE: &str = "none";

/// One setting. The macro `settings!` makes it from a field, its type and its documentation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// Key in the settings file, such as `heal.team`.
    pub(crate) key: &'static str,
    /// Environment variable, without [`PREFIX`].
    pub(super) variable: Option<&'static str>,
    /// True if the value can be a secret, such as an address that allows everyone who knows it to post.
    pub(super) is_private: bool,
    /// Name of the flag.
    pub(super) flag: Option<&'static str>,
    /// The commands that accept the flag. A flag without commands here is an argument that its commands define themselves.
    pub(super) commands: &'static [&'static str],
    /// Name of the flag's value in help. A flag without one is a switch.
    pub(super) value_name: Option<&'static str>,
    /// The value that a switch sets.
    pub(super) switches_to: bool,
    /// Changes of the flag's argument.
    argument: fn(Arg) -> Arg,
    pub(super) description: &'static str,
    /// Help of the flag that differs from the description of the setting.
    help: Option<&'static str>,
    /// Description of the default of a setting that has no default value.
    pub(super) unset: &'static str,
    /// The valid values, each with its description; empty: all values of the type.
    pub(super) values: &'static [(&'static str, &'static str)],
    /// A value, and its former name.
    former_value: Option<(&'static str, &'static str)>,
    limits: (u64, u64),
    parse: fn(&str) -> Result<Value, String>,
}

impl Setting {
    pub(super) const fn new<T: DeserializeOwned>(key: &'static str, description: &'static str) -> Self {
        Self {
            key,
            variable: None,
            is_private: false,
            flag: None,
            commands: &[],
            value_name: None,
            switches_to: true,
            argument: std::convert::identity,
            description,
            help: None,
            unset: NONE,
            values: &[],
            former_value: None,
            limits: (0, u64::MAX),
            parse: parse::<T>,
        }
    }

    /// Only the settings file can set it.
    pub(super) const fn file_only(self) -> Self {
        self
    }

    pub(super) const fn variable(self, name: &'static str) -> Self {
        Self { variable: Some(name), ..self }
    }

    /// The value is never displayed.
    pub(super) const fn private(self) -> Self {
        Self { is_private: true, ..self }
    }

    pub(super) const fn unset(self, unset: &'static str) -> Self {
        Self { unset, ..self }
    }

    pub(super) const fn values(self, values: &'static [(&'static str, &'static str)]) -> Self {
        Self { values, ..self }
    }

    /// A former name of a value, which flags still accept.
    pub(super) const fn former_value(self, value: &'static str, former: &'static str) -> Self {
        Self { former_value: Some((value, former)), ..self }
    }

    pub(super) const fn limits(self, least: u64, most: u64) -> Self {
        Self { limits: (least, most), ..self }
    }

    /// A flag that sets `true`.
    pub(super) const fn switch(self, flag: &'static str, commands: &'static [&'static str]) -> Self {
        Self { flag: Some(flag), commands, ..self }
    }

    /// Returns a flag that sets `false`, with its own help.
    pub(super) const fn off_switch(
        self,
        flag: &'static str,
        commands: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self { switches_to: false, help: Some(help), ..self.switch(flag, commands) }
    }

    /// A flag with a value.
    pub(super) const fn flag(self, flag: &'static str, name: &'static str, commands: &'static [&'static str]) -> Self {
        Self { value_name: Some(name), ..self.switch(flag, commands) }
    }

    /// Further properties of the flag.
    pub(super) const fn argument(self, argument: fn(Arg) -> Arg) -> Self {
        Self { argument, ..self }
    }

    /// Returns the value that a text denotes.
    ///
    /// # Errors
    ///
    /// When it is not a value of the setting's type, or outside of its limits.
    pub(super) fn parse(&self, text: &str) -> Result<Value, String> {
        let value = (self.parse)(text)?;
        self.check(&value)?;
        Ok(value)
    }

    /// # Errors
    ///
    /// When the value is a number outside of the setting's limits.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        let (least, most) = self.limits;
        let number = value.to_u128().or_else(|| value.to_i128().and_then(|signed| signed.try_into().ok()));
        let is_outside = number.is_some_and(|number| !(least.into()..=most.into()).contains(&number));
        if is_outside { Err(format!("expected {}", self.limits_text().unwrap_or_default())) } else { Ok(()) }
    }

    /// Returns the description of the limits, if there are any.
    pub(super) fn limits_text(&self) -> Option<String> {
        match self.limits {
            (0, u64::MAX) => None,
            (least, u64::MAX) => Some(format!("at least {least}")),
            (least, most) => Some(format!("{least} to {most}")),
        }
    }

    /// Returns the flag as an argument of clap's. `defaults` holds the defaults of all settings.
    pub(super) fn as_argument(&'static self, flag: &'static str, defaults: &serde_json::Value) -> Arg {
        let help = self.help.map_or_else(|| self.text(), str::to_owned);
        let mut notes = Vec::new();
        if self.value_name.is_some() {
            let default = self.default_in(defaults).replace('`', "");
            notes.extend(self.limits_text().map(|limits| format!("[values: {limits}]")));
            notes.extend((default != NONE).then(|| format!("[default: {default}]")));
        }
        let short_help = format!("{help} {}", notes.join(" "));
        notes.extend(self.variable.map(|name| format!("[env: {PREFIX}{name}]")));
        let argument = Arg::new(self.key)
            .long(flag)
            .help(short_help.trim_end().to_owned())
            .long_help(format!("{help}\n\n{}", notes.join("\n")))
            .global(self.commands.contains(&GLOBAL));
        (self.argument)(match self.value_name {
            Some(name) => argument.value_name(name).value_parser(self.value_parser()),
            None => argument.action(ArgAction::SetTrue),
        })
    }

    fn value_parser(&'static self) -> ValueParser {
        if self.values.is_empty() {
            return ValueParser::new(|text: &str| self.parse(text));
        }
        let former = |name: &str| self.former_value.filter(|(value, _)| *value == name).map(|(_, former)| former);
        let values = self.values.iter().map(|(name, help)| PossibleValue::new(*name).help(*help).aliases(former(name)));
        ValueParser::new(PossibleValuesParser::new(values).try_map(|text| self.parse(&text)))
    }

    /// Returns the description without links, which a terminal cannot show.
    fn text(&self) -> String {
        let text = self.description.trim();
        Regex::new(r"\[([^\]]*)\]\([^)]*\)")
            .map_or_else(|_| text.to_owned(), |link| link.replace_all(text, "$1").into())
    }

    /// Returns the default, in Markdown. `defaults` holds the defaults of all settings.
    pub(super) fn default_in(&self, defaults: &serde_json::Value) -> String {
        use serde_json::Value::{Array, Null, Object};
        let value = self.key.split('.').fold(defaults, |value, part| &value[part]);
        match value {
            Null => self.unset.to_owned(),
            Array(items) if items.is_empty() => self.unset.to_owned(),
            Object(entries) if entries.is_empty() => self.unset.to_owned(),
            Object(entries) => {
                let entries = entries.iter().map(|(name, value)| format!("`{name}`: {value}"));
                entries.collect::<Vec<_>>().join(", ")
            }
            value => format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
        }
    }
}

/// Text is a value of a type when it is one as it is written, or as text (a name may look like a number), or as a list with commas.
fn parse<T: DeserializeOwned>(text: &str) -> Result<Value, String> {
    let Ok(value) = text.parse::<Value>();
    let Err(error) = value.deserialize::<T>() else { return Ok(value) };
    let elements: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut others = [Value::from(text), Value::from(elements)].into_iter();
    others.find(|value| value.deserialize::<T>().is_ok()).ok_or_else(|| error.kind.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_may_be_written_with_commas() {
        let list = |text: &str| parse::<Vec<String>>(text).map(|value| value.deserialize::<Vec<String>>().unwrap());
        let expected = Ok(vec!["10.0.0.0/8".to_owned(), "127.0.0.1/32".to_owned()]);
        assert_eq!(list("10.0.0.0/8, 127.0.0.1/32"), expected);
        assert_eq!(list(r#"["10.0.0.0/8", "127.0.0.1/32"]"#), expected);
        assert_eq!(parse::<String>("7").map(|value| value.deserialize::<String>().unwrap()), Ok("7".to_owned()));
        assert!(parse::<u64>("a, b").is_err());
    }
}
