use crate::args::{Graph, WorkflowName};
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Prints a workflow as a Mermaid flowchart.
pub(super) fn run(arguments: &Graph, printer: &Printer) -> Result<Exit, Failure> {
    let drawing = match arguments.workflow {
        WorkflowName::Repo => autoheal_repo::graph()?.mermaid(),
        WorkflowName::Source => autoheal_source::doctor::graph()?.mermaid(),
    };
    printer.data(&drawing)?;
    Ok(Exit::Fine)
}
