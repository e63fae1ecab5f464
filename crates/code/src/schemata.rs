//! Many changes of a program in one text, one of which an environment variable chooses when the program runs: mutant schemata (Untch,
//! Offutt and Harrold, "Mutation analysis using mutant schemata", ISSTA 1993). Where a build takes longer than the tests, one build
//! then serves hundreds of changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::edit::Candidate;
use crate::language::switch::{Change, Switch};
use crate::languages;
use crate::sources::Sources;

/// The text of a file with changes in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// Path of the file, relative to the repository's root.
    pub file: String,
    /// The text that chooses when it runs.
    pub text: String,
    switches: Vec<Switch>,
}

impl Schema {
    /// The changes that have a place in the text.
    pub fn changes(&self) -> impl Iterator<Item = usize> {
        self.switches.iter().flat_map(|switch| &switch.changes).map(|(number, _)| *number)
    }

    /// The change whose copy of a function holds this byte of the text.
    pub fn change_at(&self, byte: usize) -> Option<usize> {
        let all = self.switches.iter().flat_map(|switch| &switch.changes);
        all.filter(|(_, range)| range.contains(&byte)).map(|(number, _)| *number).next()
    }

    /// The changes of the function that holds this byte of the text.
    pub fn changes_around(&self, byte: usize) -> impl Iterator<Item = usize> {
        let around = self.switches.iter().filter(move |switch| switch.range.contains(&byte));
        around.flat_map(|switch| &switch.changes).map(|(number, _)| *number)
    }
}

/// The files that the candidates change, each with all of its changes. A candidate's number is its place in `candidates`, from 1. Left out
/// are candidates that are not in `wanted`, that change several files, or that cannot be chosen when the program runs.
pub fn schemata(candidates: &[Candidate], wanted: &BTreeSet<usize>, sources: &Sources) -> Vec<Schema> {
    let mut files: BTreeMap<&str, Vec<Change<'_>>> = BTreeMap::new();
    for number in wanted {
        let candidate = number.checked_sub(1).and_then(|at| candidates.get(at));
        if let Some([edit]) = candidate.map(|candidate| candidate.files.as_slice()) {
            files.entry(&edit.file).or_default().push(Change { number: *number, edits: &edit.edits });
        }
    }
    let schema = |(file, changes): (&str, Vec<Change<'_>>)| {
        let (text, switches) = languages::of(file)?.schema(sources.text(file)?, &changes)?;
        Some(Schema { file: file.to_owned(), text, switches })
    };
    files.into_iter().filter_map(schema).collect()
}
