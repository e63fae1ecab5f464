//! Extraction of pages: one page in readable form, several as one JSON line each.

mod extractor;
mod input;
mod pictures;
mod readable;
mod several;

use autoheal_extract::Extracted;

use self::extractor::Extractor;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::extract_args::Extract;
use crate::printer::Printer;

/// Maximum number of pages processed at once.
const MOST_JOBS: usize = 64;

/// Extracts the data of the given pages and prints it.
pub(super) async fn run(arguments: &Extract, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let (inputs, are_several) = input::all(&arguments.inputs, arguments.list.as_deref())?;
    if are_several && arguments.markdown {
        return Err(Failure::bad_input("--markdown supports only one page; several pages are printed as JSON lines"));
    }
    if are_several && arguments.url.is_some() {
        return Err(Failure::bad_input("--url supports only one page"));
    }
    let Some(first) = inputs.first() else {
        return Err(Failure::bad_input(
            "no pages found; expected a folder with .html files, or a list with one page per line",
        ));
    };
    let extractor = Extractor::new(arguments, config, printer).await?;
    if are_several {
        let jobs = config.extract.jobs.clamp(1, MOST_JOBS);
        let exit = several::extract(&extractor, &inputs, jobs, printer).await?;
        extractor.show_usage(printer).await?;
        return Ok(exit);
    }
    let extracted = extractor.extract(first, 1).await;
    extractor.show_usage(printer).await?;
    let (extraction, notes) = extracted?;
    for note in notes {
        printer.warn(&note);
    }
    match &extraction.extracted {
        Extracted::Item(item) if arguments.json => printer.json(item)?,
        Extracted::Item(item) if arguments.markdown => printer.data(&item.to_markdown())?,
        Extracted::Item(item) => printer.show(&readable::item(item))?,
        Extracted::Own(own) if arguments.json => printer.json(own)?,
        Extracted::Own(own) => printer.show(&readable::own(own))?,
    }
    Ok(Exit::Fine)
}
