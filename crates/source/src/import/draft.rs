//! Fields on their way into a recipe.

use autoheal_page::recipe::{Field, FieldName, NextPage, NodeTake, Recipe, Source};
use autoheal_page::transform::{Capture, Conversion, TextStep};
use url::Url;

use super::scope::Scope;
use super::{Format, ImportError, Imported};
use crate::scout::field_name;

/// Contents of a file that have been read so far.
pub(super) struct Draft {
    pub(super) format: Format,
    pub(super) name: Option<String>,
    pub(super) urls: Vec<Url>,
    pub(super) items: Option<Scope>,
    pub(super) next: Option<NextPage>,
    pub(super) notes: Vec<String>,
    fields: Vec<Field>,
}

/// A field as another tool has it.
pub(super) struct Part<'a> {
    /// As the file calls it.
    pub(super) name: &'a str,
    pub(super) scope: Scope,
    pub(super) take: NodeTake,
    pub(super) many: bool,
    pub(super) steps: Vec<TextStep>,
    pub(super) is_address: bool,
    pub(super) required: bool,
}

impl<'a> Part<'a> {
    /// The text of what a scope selects.
    pub(super) fn text(name: &'a str, scope: Scope) -> Self {
        Self { name, scope, take: NodeTake::Text, many: false, steps: Vec::new(), is_address: false, required: true }
    }
}

impl Draft {
    pub(super) fn new(format: Format) -> Self {
        Self { format, name: None, urls: Vec::new(), items: None, next: None, notes: Vec::new(), fields: Vec::new() }
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The error of a field.
    pub(super) fn wrong(&self, field: &str, problem: impl Into<String>) -> ImportError {
        ImportError::Field { format: self.format, field: field.to_owned(), problem: problem.into() }
    }

    pub(super) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Adds a field, under another name if its own is invalid or already used.
    ///
    /// # Errors
    ///
    /// Returns [`ImportError::Field`] for an unusable selector.
    pub(super) fn add(&mut self, part: Part<'_>) -> Result<(), ImportError> {
        let select = part.scope.selector().map_err(|problem| self.wrong(part.name, problem))?;
        let Some(name) = self.free_name(part.name) else {
            self.note(format!("`{}` cannot be the name of a field, and is left out: rename it", part.name));
            return Ok(());
        };
        if name.as_str() != part.name {
            self.note(format!("`{}` is called `{name}`", part.name));
        }
        let conversion = if part.is_address { Conversion::Url } else { Conversion::Text };
        self.fields.push(Field {
            many: part.many,
            steps: part.steps,
            conversion,
            required: part.required,
            ..Field::new(name, Source::Nodes { select, take: part.take })
        });
        Ok(())
    }

    fn free_name(&self, wanted: &str) -> Option<FieldName> {
        let is_free = |name: &FieldName| self.fields.iter().all(|field| field.name != *name);
        let name = FieldName::parse(wanted).ok().or_else(|| field_name(wanted))?;
        if is_free(&name) {
            return Some(name);
        }
        (2..100).filter_map(|number| FieldName::parse(&format!("{name}_{number}")).ok()).find(is_free)
    }

    /// The pattern of a field as a step. Patterns of other languages may have look-around or back references, which ours have not:
    /// none then, and a note.
    pub(super) fn pattern(&mut self, field: &str, pattern: &str) -> Option<TextStep> {
        match Capture::parse(pattern) {
            Ok(capture) => Some(TextStep::Regex(capture)),
            Err(error) => {
                self.note(format!("`{field}` is left out: {error}"));
                None
            }
        }
    }

    /// The recipe.
    ///
    /// # Errors
    ///
    /// When there are no fields, or they do not fit together.
    pub(super) fn finished(self) -> Result<Imported, ImportError> {
        let format = self.format;
        if self.fields.is_empty() {
            return Err(ImportError::Nothing { format, notes: self.notes });
        }
        let items = match &self.items {
            Some(scope) if !scope.is_page() => {
                let selector = scope.selector();
                Some(selector.map_err(|message| ImportError::NotUnderstood { format, message })?)
            }
            Some(_) | None => None,
        };
        let recipe = Recipe::new(self.fields).and_then(|recipe| recipe.with_items(items));
        let recipe = recipe.map_err(|problem| ImportError::Problem { format, problem })?.with_next(self.next);
        Ok(Imported { format, name: self.name, urls: self.urls, recipe, notes: self.notes })
    }
}
