//! Usage of language models.

use std::time::Duration;

use autoheal_store::{UsageBy, UsageRow};
use serde_json::json;

use crate::args::{By, Usage};
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::table::{Cell, Column, Table};
use crate::text::Tone;
use crate::wiring;

pub(super) async fn run(arguments: &Usage, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let by = match arguments.by {
        By::Day => UsageBy::Day,
        By::Model => UsageBy::Model,
        By::Target => UsageBy::Target,
        By::User => UsageBy::User,
        By::Purpose => UsageBy::Purpose,
    };
    let since = store.now().minus(Duration::from_hours(24 * u64::from(arguments.days)));
    let rows = store.usage(since, by).await?;
    if arguments.json {
        let row = |row: &UsageRow| {
            let mut document = json!(row.usage);
            document["name"] = json!(row.name);
            document
        };
        printer.json(&rows.iter().map(row).collect::<Vec<_>>())?;
        return Ok(Exit::Fine);
    }
    if rows.is_empty() {
        printer.say("no model was used");
        return Ok(Exit::Fine);
    }
    let mut table = Table::new([
        Column::new(title(arguments.by)).cut_start(),
        Column::number("CALLS"),
        Column::number("INPUT").optional(),
        Column::number("OUTPUT").optional(),
        Column::number("DOLLARS"),
        Column::number("UNPRICED").optional(),
    ]);
    for row in &rows {
        let usage = row.usage;
        let unpriced = match usage.unpriced_calls {
            0 => Cell::short("", "0"),
            unpriced => Cell::of(&unpriced).tone(Tone::Caution),
        };
        table.push([
            Cell::new(&row.name),
            Cell::of(&usage.calls),
            Cell::of(&usage.input_tokens),
            Cell::of(&usage.output_tokens),
            Cell::new(&usage.dollars()),
            unpriced,
        ]);
    }
    printer.table(&table)?;
    Ok(Exit::Fine)
}

const fn title(by: By) -> &'static str {
    match by {
        By::Day => "DAY",
        By::Model => "MODEL",
        By::Target => "TARGET",
        By::User => "USER",
        By::Purpose => "PURPOSE",
    }
}
