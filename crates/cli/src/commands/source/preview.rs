//! Preview of a source: the fields that adding a page would find. Nothing is stored.

use anyhow::Context as _;
use autoheal_page::recipe::Field;
use autoheal_source::add;
use autoheal_store::Store;

use super::run::request_of;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::source_args::Add;
use crate::table::{Cell, Column, Table};
use crate::wiring;

/// Prints the fields of the recipe that adding the page would store, and their values.
pub(super) async fn preview(
    arguments: &Add,
    json: bool,
    store: &Store,
    config: &Config,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let request = request_of(arguments, printer)?;
    let services = wiring::source_services(config, store)?;
    let found = add::preview(&services, &request, &|_| {}).await.context("cannot preview the page")?;
    let preview = found.map_err(|reason| Failure::bad_input(format!("cannot add {}: {reason}", request.url)))?;
    if json {
        printer.json(&preview)?;
        return Ok(Exit::Fine);
    }
    for note in &preview.notes {
        printer.say(note);
    }
    let columns =
        [Column::new("FIELD"), Column::new("TYPE"), Column::new("SELECTOR").wrap(), Column::new("TAKE").wrap()];
    let mut table = Table::new(columns);
    for field in preview.recipe.fields() {
        table.push(row(field));
    }
    printer.table(&table)?;
    printer.show(&serde_json::to_string_pretty(&preview.values)?)?;
    printer.say("nothing is stored; without --dry-run the page is added with this recipe");
    Ok(Exit::Fine)
}

/// Name, type (`[]`: a list, `?`: optional), selector and extracted part of a field.
fn row(field: &Field) -> [Cell; 4] {
    let marks = [(field.many, "[]"), (!field.required, "?")];
    let marks: String = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
    let select = field.select().map(|select| select.source().to_owned()).unwrap_or_default();
    [
        Cell::of(&field.name),
        Cell::new(&format!("{}{marks}", field.value_type())),
        Cell::new(&select),
        Cell::of(&field.take()),
    ]
}
