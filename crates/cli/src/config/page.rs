//! The tables of `docs/settings.md`, made from the definitions of the settings.

use std::fmt::Write as _;
use std::path::Path;

use super::definitions::{Config, SECTIONS, SETTINGS};
use super::setting::{PREFIX, Setting};
use crate::help::assert_plain;

const BEGIN: &str =
    "<!-- The tables are generated: UPDATE_DOCS=1 cargo nextest run -p autoheal-cli settings_page -->\n";
const END: &str = "<!-- End of the generated tables. -->\n";

fn row(setting: &Setting, defaults: &serde_json::Value) -> String {
    let code = |text: Option<String>| text.map(|text| format!("`{text}`")).unwrap_or_default();
    let variable = code(setting.variable.map(|name| format!("{PREFIX}{name}")));
    let flag = code(setting.flag.map(|flag| format!("--{flag}")));
    let mut description = setting.description.trim().to_owned();
    if !setting.values.is_empty() {
        let values = setting.values.iter().map(|(name, help)| format!(". `{name}`: {help}"));
        description.extend(values);
    }
    if let Some(limits) = setting.limits_text() {
        let _ = write!(description, ", {limits}");
    }
    format!("| `{}` | {variable} | {flag} | {description} | {} |\n", setting.key, setting.default_in(defaults))
}

fn tables() -> String {
    let defaults = serde_json::to_value(Config::default()).unwrap();
    let mut text = String::new();
    for (prefix, about) in SECTIONS {
        let is_of_section =
            |setting: &&Setting| setting.key.strip_prefix(prefix).is_some_and(|rest| !rest.contains('.'));
        let title =
            if prefix.is_empty() { "General".to_owned() } else { format!("`{}`", prefix.trim_end_matches('.')) };
        let _ = write!(text, "\n## {title}\n\n{}\n\n", about.trim());
        text.push_str("| setting | variable | flag | description | default |\n| --- | --- | --- | --- | --- |\n");
        text.extend(SETTINGS.iter().filter(is_of_section).map(|setting| row(setting, &defaults)));
    }
    text + "\n"
}

#[test]
fn settings_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let current = [before, BEGIN, &tables(), END, after].concat();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, current).unwrap();
    } else {
        assert!(
            page == current,
            "docs/settings.md is stale: UPDATE_DOCS=1 cargo nextest run -p autoheal-cli settings_page"
        );
    }
}

#[test]
fn settings_page_names_only_flags_that_exist() {
    let command = crate::args::command();
    let commands: Vec<_> = std::iter::once(&command).chain(command.get_subcommands()).collect();
    for flag in SETTINGS.iter().filter_map(|setting| setting.flag) {
        let has_flag =
            |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_long() == Some(flag));
        assert!(commands.iter().any(has_flag), "no command has --{flag}");
    }
}

#[test]
fn keys_and_variables_are_unique() {
    let mut names: Vec<_> =
        SETTINGS.iter().flat_map(|setting| [Some(setting.key), setting.variable]).flatten().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn descriptions_follow_the_rules_of_help() {
    for setting in SETTINGS {
        assert_plain(setting.key, setting.description.trim());
    }
}
