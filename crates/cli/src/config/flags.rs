//! Flags of settings: arguments of the commands that accept them.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use figment::value::Value;

use super::definitions::{Config, SETTINGS};
use super::setting::{GLOBAL, Setting};

/// A setting that has a value.
pub(crate) type Given = (&'static Setting, Value);

/// Adds the flags of settings to the commands that accept them.
pub(crate) fn with_flags(command: Command) -> Command {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let flags_of = |command: &str| {
        let accepted = SETTINGS.iter().filter(|setting| setting.commands.contains(&command));
        accepted.filter_map(|setting| Some(setting.as_argument(setting.flag?, &defaults))).collect::<Vec<_>>()
    };
    command.args(flags_of(GLOBAL)).mut_subcommands(|command| {
        let flags = flags_of(command.get_name());
        command.args(flags)
    })
}

/// Returns the settings that flags set.
pub(crate) fn given(matches: &ArgMatches) -> Vec<Given> {
    let mut all = Vec::new();
    for matches in [Some(matches), matches.subcommand().map(|(_, matches)| matches)].into_iter().flatten() {
        let has_flag = |setting: &&Setting| matches.try_contains_id(setting.key).is_ok_and(|has_flag| has_flag);
        for setting in SETTINGS.iter().filter(has_flag) {
            if matches.value_source(setting.key) == Some(ValueSource::DefaultValue) {
                continue;
            }
            let value = match setting.value_name {
                Some(_) => matches.get_one::<Value>(setting.key).cloned(),
                None => Some(Value::from(setting.switches_to)),
            };
            all.extend(value.map(|value| (setting, value)));
        }
    }
    all
}
