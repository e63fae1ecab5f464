//! Python programs whose selectors are broken.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use autoheal_code::python::literal::{Literal, plain_literals};
use autoheal_scraper::{Proposal, proposals};
use autoheal_store::Store;
use serde_json::json;

use crate::args::{ScraperCommand, ScraperFix, Scrapers};
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
    let changes: Vec<Change> = Files::new(&arguments.path).changes(proposals(&store).await?);
    if arguments.json {
        printer.json(&changes.iter().map(Change::json).collect::<Vec<_>>())?;
        return Ok(outcome(&changes));
    }
    if changes.is_empty() {
        printer.say("no selector is broken");
        return Ok(Exit::Fine);
    }
    say(&changes, printer);
    let mut by_file: BTreeMap<&Path, Vec<&Edit>> = BTreeMap::new();
    for edit in changes.iter().filter_map(|change| change.edit.as_ref().ok()) {
        by_file.entry(&edit.file).or_default().push(edit);
    }
    for (file, edits) in by_file {
        let path = arguments.path.join(file);
        let before = std::fs::read_to_string(&path).bad_input()?;
        let after = edited(&before, edits);
        if arguments.write {
            std::fs::write(&path, after).environment()?;
            printer.say(&format!("written: {}", path.display()));
        } else {
            let (a, b) = (format!("a/{}", file.display()), format!("b/{}", file.display()));
            printer.diff(&similar::TextDiff::from_lines(&before, &after).unified_diff().header(&a, &b).to_string())?;
        }
    }
    Ok(outcome(&changes))
}

fn outcome(changes: &[Change]) -> Exit {
    if changes.iter().all(|change| change.edit.is_ok()) { Exit::Fine } else { Exit::NotHealed }
}

/// A broken selector, with its replacement in a file or the reason that it is not replaced.
struct Change {
    proposal: Proposal,
    edit: Result<Edit, String>,
}

/// The replacement of a literal's value.
struct Edit {
    /// The file, from the folder of the program.
    file: PathBuf,
    literal: Literal,
    selector: String,
}

impl Change {
    fn json(&self) -> serde_json::Value {
        let site = &self.proposal.site;
        json!({
            "source": self.proposal.source,
            "field": site.field,
            "file": site.file,
            "line": self.edit.as_ref().map_or_else(|_| u64::from(site.line), |edit| edit.literal.line.try_into().unwrap_or(0)),
            "selector": site.selector,
            "new_selector": self.edit.as_ref().ok().map(|edit| &edit.selector),
            "reason": self.edit.as_ref().err(),
            "value_before": self.proposal.before,
            "value_now": self.proposal.now,
        })
    }
}

/// The files of a program, each read once.
struct Files<'a> {
    folder: &'a Path,
    read: BTreeMap<PathBuf, Result<(String, Vec<Literal>), String>>,
}

impl<'a> Files<'a> {
    const fn new(folder: &'a Path) -> Self {
        Self { folder, read: BTreeMap::new() }
    }

    fn changes(mut self, proposals: Vec<Proposal>) -> Vec<Change> {
        proposals.into_iter().map(|proposal| Change { edit: self.edit(&proposal), proposal }).collect()
    }

    fn edit(&mut self, proposal: &Proposal) -> Result<Edit, String> {
        let selector = proposal.selector.clone().map_err(|refusal| refusal.to_string())?;
        let site = &proposal.site;
        let file = PathBuf::from(&site.file);
        // The program wrote the name: it must not lead out of the folder.
        if !file.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("{} is not in the folder {}", file.display(), self.folder.display()));
        }
        let (text, literals) = self.literals(&file)?;
        let same: Vec<&Literal> =
            literals.iter().filter(|literal| text.get(literal.value.clone()) == Some(site.selector.as_str())).collect();
        let line = usize::try_from(site.line).unwrap_or(0);
        let here = same.iter().filter(|literal| literal.line == line);
        let literal = match (here.copied().collect::<Vec<_>>().as_slice(), same.as_slice()) {
            ([one], _) | ([], [one]) => *one,
            ([], []) => {
                return Err("the selector is not a plain string literal of the file: it may be put together".to_owned());
            }
            _ => {
                return Err(format!(
                    "the selector is in the file {} times, and it is not clear which is meant",
                    same.len()
                ));
            }
        };
        if !literal.can_hold(&selector) {
            return Err(format!("`{selector}` cannot be written between the quotes that are there"));
        }
        Ok(Edit { file, literal: literal.clone(), selector })
    }

    fn literals(&mut self, file: &Path) -> Result<&(String, Vec<Literal>), String> {
        let path = self.folder.join(file);
        let read = self.read.entry(file.to_owned()).or_insert_with(|| {
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let literals = plain_literals(&text);
            Ok((text, literals))
        });
        read.as_ref().map_err(Clone::clone)
    }
}

fn edited(before: &str, mut edits: Vec<&Edit>) -> String {
    let mut after = before.to_owned();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.literal.value.start));
    edits.dedup_by_key(|edit| edit.literal.value.start);
    for edit in edits {
        after.replace_range(edit.literal.value.clone(), &edit.selector);
    }
    after
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
