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
            json!({
                "name": row.name, "calls": row.calls, "input_tokens": row.input_tokens, "output_tokens": row.output_tokens,
                "cached_tokens": row.cached_tokens, "dollars": dollars(row), "unpriced_calls": row.unpriced,
            })
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
        let unpriced =
            if row.unpriced == 0 { Cell::short("", "0") } else { Cell::of(&row.unpriced).tone(Tone::Caution) };
        table.push([
            Cell::new(&row.name),
            Cell::of(&row.calls),
            Cell::of(&row.input_tokens),
            Cell::of(&row.output_tokens),
            Cell::new(&format!("{:.4}", dollars(row))),
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

fn dollars(row: &UsageRow) -> f64 {
    // Exact up to 2 to the 53rd millionths, which is nine thousand million dollars.
    f64::from(u32::try_from(row.micro_dollars / 1_000_000).unwrap_or(u32::MAX))
        + f64::from(u32::try_from(row.micro_dollars % 1_000_000).unwrap_or(0)) / 1e6
}
