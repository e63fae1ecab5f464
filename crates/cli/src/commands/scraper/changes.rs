//! Replacements of broken selectors in the files of a program.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use autoheal_code::python::literal::{Literal, plain_literals};
use autoheal_scraper::Proposal;
use serde_json::json;

/// A broken selector, with its replacement in a file or the reason that it is not replaced.
pub(super) struct Change {
    pub(super) proposal: Proposal,
    pub(super) edit: Result<Edit, String>,
}

/// The replacement of a literal's value.
pub(super) struct Edit {
    /// The file, from the folder of the program.
    pub(super) file: PathBuf,
    pub(super) literal: Literal,
    pub(super) selector: String,
}

impl Change {
    pub(super) fn json(&self) -> serde_json::Value {
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
pub(super) struct Files<'a> {
    folder: &'a Path,
    read: BTreeMap<PathBuf, Result<(String, Vec<Literal>), String>>,
}

impl<'a> Files<'a> {
    pub(super) const fn new(folder: &'a Path) -> Self {
        Self { folder, read: BTreeMap::new() }
    }

    pub(super) fn changes(mut self, proposals: Vec<Proposal>) -> Vec<Change> {
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

/// A file of a program with its edits.
pub(super) struct Edited {
    /// The file, from the folder of the program.
    pub(super) file: PathBuf,
    pub(super) before: String,
    pub(super) after: String,
}

/// The files below `folder` that the changes edit, each once.
pub(super) fn edited_files(folder: &Path, changes: &[Change]) -> std::io::Result<Vec<Edited>> {
    let mut by_file: BTreeMap<&Path, Vec<&Edit>> = BTreeMap::new();
    for edit in changes.iter().filter_map(|change| change.edit.as_ref().ok()) {
        by_file.entry(&edit.file).or_default().push(edit);
    }
    let edited = by_file.into_iter().map(|(file, edits)| {
        let before = std::fs::read_to_string(folder.join(file))?;
        let after = edited(&before, edits);
        Ok(Edited { file: file.to_owned(), before, after })
    });
    edited.collect()
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
