use crate::args::Explain;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::terms;

/// Explains one term, or lists all.
pub(super) fn run(arguments: &Explain, printer: &Printer) -> Result<Exit, Failure> {
    match arguments.term {
        Some(term) => printer.markdown(&term.page())?,
        None => printer.data(&terms::list())?,
    }
    Ok(Exit::Fine)
}
