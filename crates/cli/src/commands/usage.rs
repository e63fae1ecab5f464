//! Usage of language models.

use std::fmt::Write as _;
use std::time::Duration;

use autoheal_store::{UsageBy, UsageRow};
use serde_json::json;

use crate::args::{By, Usage};
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::{Printer, harmless};
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
    let mut text = format!("{:<32}  {:>6}  {:>10}  {:>8}  {:>10}\n", "", "CALLS", "INPUT", "OUTPUT", "DOLLARS");
    for row in &rows {
        let unpriced =
            if row.unpriced > 0 { format!("  and {} calls of unknown price", row.unpriced) } else { String::new() };
        let (name, calls, input, output) = (harmless(&row.name), row.calls, row.input_tokens, row.output_tokens);
        let _ = writeln!(text, "{name:<32}  {calls:>6}  {input:>10}  {output:>8}  {:>10.4}{unpriced}", dollars(row));
    }
    printer.data(&text)?;
    Ok(Exit::Fine)
}

fn dollars(row: &UsageRow) -> f64 {
    // Exact up to 2 to the 53rd millionths, which is nine thousand million dollars.
    f64::from(u32::try_from(row.micro_dollars / 1_000_000).unwrap_or(u32::MAX))
        + f64::from(u32::try_from(row.micro_dollars % 1_000_000).unwrap_or(0)) / 1e6
}
