//! Selectors healed offline: from pages on which they worked and the page on which they do not.

mod batch;
mod case;

use anyhow::Context as _;
use autoheal_page::relocate::Relocator;

use self::case::Case;
pub(super) use self::case::read as read_page;
use crate::args::Relocate;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;

/// Relocates the fields of one recipe, or of each case of a file.
pub(super) fn run(arguments: &Relocate, printer: &Printer) -> Result<Exit, Failure> {
    let relocator = Relocator::new()?;
    let relocator = match arguments.threshold {
        Some(threshold) => relocator.with_threshold(threshold),
        None => relocator,
    };
    if let Some(file) = &arguments.batch {
        return batch::run(&relocator, file, arguments.json, printer);
    }
    let (Some(new), Some(recipe)) = (&arguments.new, &arguments.recipe) else {
        return Err(Failure::bad_input("expected --old, --new and --recipe, or --batch CASES.jsonl"));
    };
    let text =
        std::fs::read_to_string(recipe).with_context(|| format!("cannot read {}", recipe.display())).bad_input()?;
    let case = Case {
        id: None,
        old: arguments.old.clone(),
        new: new.clone(),
        recipe: autoheal_page::recipe::Recipe::parse(&text, &recipe.display().to_string()).bad_input()?,
    };
    let answer = case.answer(&relocator).bad_input()?;
    if arguments.json {
        printer.json(&answer)?;
    } else {
        printer.show(&answer.to_string())?;
    }
    Ok(if answer.is_healed() { Exit::Fine } else { Exit::NotHealed })
}
