//! The accepted values, for other programs.

use std::fmt::Write as _;

use anyhow::Context as _;
use autoheal_engine::Timestamp;
use autoheal_source::SourceName;
use autoheal_store::{Store, ValueRow};
use serde_json::{Value, json};

use super::find;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::source_args::Format;

pub(super) async fn print(
    name: &SourceName,
    format: Format,
    since: Option<&str>,
    limit: u32,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    find(store, name).await?;
    let since = since.map(time).transpose()?.unwrap_or_default();
    let rows = store.values(name.as_str(), since, limit).await?;
    let text = match format {
        Format::Jsonl => jsonl(name, &rows),
        Format::Csv => csv(&rows),
    };
    if !text.is_empty() {
        printer.data(&text)?;
    }
    Ok(Exit::Fine)
}

fn time(text: &str) -> Result<Timestamp, Failure> {
    let wrong = || format!("{text:?} is not a time; expected one such as 2026-11-01 or 2026-11-01T12:00:00Z");
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(Timestamp::from_millis(time.as_millisecond()));
    }
    let day: jiff::civil::Date = text.parse().with_context(wrong).bad_input()?;
    let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).with_context(wrong).bad_input()?;
    Ok(Timestamp::from_millis(midnight.timestamp().as_millisecond()))
}

/// A list page's records one by one, any other page's only one.
fn records(values: &Value) -> Vec<&Value> {
    values.as_array().map_or_else(|| vec![values], |records| records.iter().collect())
}

fn jsonl(name: &SourceName, rows: &[ValueRow]) -> String {
    let mut text = String::new();
    for row in rows {
        for values in records(&row.values) {
            let line = json!({
                "source": name, "url": row.url, "at": row.at.to_rfc3339(), "recipe_version": row.version, "values": values,
            });
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

/// The fields of the newest row are the columns.
fn csv(rows: &[ValueRow]) -> String {
    let newest = rows.last().map(|row| records(&row.values));
    let Some(fields) = newest.and_then(|records| records.first().and_then(|record| record.as_object()).cloned()) else {
        return String::new();
    };
    let header: Vec<String> =
        ["at", "url", "recipe_version"].into_iter().map(str::to_owned).chain(fields.keys().cloned()).collect();
    let mut text = line(&header);
    for row in rows {
        for values in records(&row.values) {
            let cell = |field: &String| match values.get(field) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            let fixed = [row.at.to_rfc3339(), row.url.clone(), row.version.to_string()];
            text.push_str(&line(&fixed.into_iter().chain(fields.keys().map(cell)).collect::<Vec<_>>()));
        }
    }
    text
}

/// A line as RFC 4180 has it. A cell that a spreadsheet would take for a formula is made text.
fn line(cells: &[String]) -> String {
    let cell = |cell: &String| {
        let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
        let plain = if is_formula { format!("'{cell}") } else { cell.clone() };
        if plain.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain }
    };
    format!("{}\r\n", cells.iter().map(cell).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        let cells = ["a,b", "say \"hi\"", "=1+1", "-5", "two\nlines"].map(str::to_owned);
        assert_eq!(line(&cells), "\"a,b\",\"say \"\"hi\"\"\",'=1+1,-5,\"two\nlines\"\r\n");
    }

    #[test]
    fn a_list_page_gives_a_line_for_each_record() {
        let row = ValueRow {
            id: 1,
            at: Timestamp::from_millis(0),
            url: "http://a/".to_owned(),
            version: 2,
            values: json!([{ "title": "A", "tags": ["x"] }, { "title": null, "tags": [] }]),
        };
        let text = csv(&[row]);
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "at,url,recipe_version,tags,title",
                "1970-01-01T00:00:00.000Z,http://a/,2,\"[\"\"x\"\"]\",A",
                "1970-01-01T00:00:00.000Z,http://a/,2,[],",
            ]
        );
    }
}
