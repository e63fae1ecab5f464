use std::path::Path;

use serde_json::{Value, json};

use crate::args::{Settings, SettingsCommand};
use crate::config::{Effective, Given, Origin, effective};
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::table::{Cell, Column, Table};
use crate::text::Tone;

/// Shows the settings.
pub(crate) fn run(
    arguments: &Settings,
    file: Option<&Path>,
    flags: &[Given],
    printer: &Printer,
) -> Result<Exit, Failure> {
    let SettingsCommand::Show { changed, json } = arguments.command;
    let mut settings = effective(file, flags).bad_input()?;
    settings.retain(|setting| !changed || setting.origin != Origin::Default);
    if json {
        printer.json(&settings.iter().map(document).collect::<Vec<_>>())?;
    } else if settings.is_empty() {
        printer.say("all settings have their defaults; docs/settings.md describes them");
    } else {
        printer.table(&table(&settings))?;
    }
    Ok(Exit::Fine)
}

fn document(setting: &Effective) -> Value {
    let Effective { key, value, origin, unset: _ } = setting;
    json!({ "key": key, "value": value, "origin": origin.name(), "set_by": origin.detail() })
}

fn table(settings: &[Effective]) -> Table {
    let mut table = Table::new([
        Column::new("SETTING"),
        Column::new("VALUE").cut_end(),
        Column::new("ORIGIN"),
        Column::new("SET BY").optional(),
    ]);
    for Effective { key, value, unset, origin } in settings {
        let value = match value {
            Value::Null => Cell::new(&unset.replace('`', "")).tone(Tone::Faint),
            Value::String(text) => Cell::new(text),
            value => Cell::of(value),
        };
        let tone = if *origin == Origin::Default { Tone::Faint } else { Tone::Label };
        table.push([
            Cell::new(key),
            value,
            Cell::new(origin.name()).tone(tone),
            Cell::new(origin.detail().unwrap_or_default()),
        ]);
    }
    table
}
