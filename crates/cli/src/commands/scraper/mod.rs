//! Python programs whose selectors are broken.
//!
//! - `changes`: the replacements in the files of a program
//! - `branch`: a branch that holds them, and the change request for it

mod branch;
mod changes;

use std::path::Path;

use autoheal_scraper::{Proposal, proposals};
use autoheal_store::Store;

use crate::args::{ScraperCommand, ScraperFix, Scrapers};
use crate::commands::scraper::changes::{Change, Files, edited_files};
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::wiring;

pub(super) async fn run(arguments: Scrapers, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    match arguments.command {
        ScraperCommand::Fix(arguments) => fix(&arguments, config, printer).await,
    }
}

async fn fix(arguments: &ScraperFix, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = match &arguments.store {
        Some(file) if !file.is_file() => {
            let message = format!("{} is not there: name the store that the program writes", file.display());
            return Err(Failure::bad_input(message));
        }
        Some(file) => Store::open_file(file).await.environment()?,
        None => wiring::open_store(config).await?,
    };
    let proposals = proposals(&store).await?;
    if arguments.branch.is_some() || arguments.pull_request {
        return branch::deliver(arguments, proposals, config, printer).await;
    }
    let folder = Path::new(&arguments.program);
    if !folder.is_dir() {
        let message = format!("{} is not a folder; for a repository elsewhere, add --branch NAME", arguments.program);
        return Err(Failure::bad_input(message));
    }
    let changes = changes(folder, proposals, printer);
    if arguments.json {
        printer.json(&changes.iter().map(Change::json).collect::<Vec<_>>())?;
        return Ok(outcome(&changes));
    }
    for edited in edited_files(folder, &changes).bad_input()? {
        if arguments.write {
            let path = folder.join(edited.file);
            std::fs::write(&path, edited.after).environment()?;
            printer.say(&format!("written: {}", path.display()));
        } else {
            let (a, b) = (format!("a/{}", edited.file.display()), format!("b/{}", edited.file.display()));
            let diff = similar::TextDiff::from_lines(&edited.before, &edited.after);
            printer.diff(&diff.unified_diff().header(&a, &b).to_string())?;
        }
    }
    Ok(outcome(&changes))
}

/// Finds the place of each proposal in the files below `folder`, and tells what was found.
fn changes(folder: &Path, proposals: Vec<Proposal>, printer: &Printer) -> Vec<Change> {
    let changes = Files::new(folder).changes(proposals);
    if changes.is_empty() {
        printer.say("no selector is broken");
    }
    say(&changes, printer);
    changes
}

fn outcome(changes: &[Change]) -> Exit {
    if changes.iter().all(|change| change.edit.is_ok()) { Exit::Fine } else { Exit::NotHealed }
}

/// Prints the changes to standard error: the patch is the data.
fn say(changes: &[Change], printer: &Printer) {
    for Change { proposal, edit } in changes {
        let site = &proposal.site;
        let line = edit.as_ref().map_or_else(|_| site.line.to_string(), |edit| edit.literal.line.to_string());
        let place = format!("{}:{line} {}: `{}`", site.file, site.field, site.selector);
        let value =
            |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), |value| format!("{value:?}"));
        let (before, now) = (value(&proposal.before), value(&proposal.now));
        match edit {
            Ok(edit) => printer.say(&format!("{place} -> `{}` (before: {before}, now: {now})", edit.selector)),
            Err(reason) => printer.warn(&format!("{place} is not replaced: {reason}")),
        }
    }
}
