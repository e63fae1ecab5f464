//! Recipes: rules for extracting the fields of a page. A recipe is data, never code: it can be compared, reviewed and
//! checked, and cannot run anything. `docs/recipe.md` is the user's reference.
//!
//! A parsed recipe is always valid: selectors and patterns are compiled, names are checked, and a field that reads the
//! page's structured data has no selector.
//!
//! # Layout
//!
//! - [`take`]: the part of a node or of the page that is extracted
//! - [`name`]: names of fields
//! - [`request`]: settings for the request of the page
//! - `document`: the form that JSON and TOML share, and its checks
//! - [`error`]: errors with their positions in the recipe

mod document;
pub mod error;
pub mod name;
pub mod request;
pub mod take;

use serde::{Deserialize, Serialize};

use crate::select::Selector;
use crate::transform::{Conversion, TextStep, Transform};
use crate::value::ValueType;

pub use error::{Position, RecipeError};
pub use name::FieldName;
pub use request::Request;
pub use take::{NodeTake, StructuredPath, Take, Vocabulary};

/// Rules for extracting the fields of a page, or of each item of a list page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "document::RecipeDocument", into = "document::RecipeDocument")]
pub struct Recipe {
    items: Option<Selector>,
    fields: Vec<Field>,
    request: Request,
    next: Option<NextPage>,
}

/// Rule for extracting one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, unique in the recipe.
    pub name: FieldName,
    /// Source of its text.
    pub source: Source,
    /// True if the field is a list. Otherwise only the first match counts.
    pub many: bool,
    /// Steps that transform each text, in order.
    pub steps: Vec<TextStep>,
    /// Conversion of the text to the value.
    pub conversion: Conversion,
    /// True if a page without this field is a failure.
    pub required: bool,
    /// The last good values, as texts before the conversion.
    pub example: Vec<String>,
}

/// Source of a field's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nodes of the page.
    Nodes {
        /// Selector of the nodes.
        select: Selector,
        /// Part of the nodes to extract.
        take: NodeTake,
    },
    /// The page's structured data.
    Structured(StructuredPath),
}

/// Rule for finding the next page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextPage {
    /// Selector of the link to the next page.
    pub select: Selector,
    /// Part of the link that holds the URL; `attr:href` by default.
    pub take: NodeTake,
    /// Maximum number of pages, including the first: 1 to 1000.
    pub limit: u32,
}

/// A recipe that does not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecipeProblem {
    /// The recipe has no fields.
    #[error("`fields` is empty: name at least one field")]
    NoFields,
    /// The recipe has more than [`MOST_FIELDS`] fields.
    #[error("{count} fields are more than {MOST_FIELDS}: split the recipe")]
    TooManyFields {
        /// Number of fields in the recipe.
        count: usize,
    },
    /// Two fields have the same name.
    #[error("the field `{name}` stands there twice: rename one")]
    Duplicate {
        /// Name that is used twice.
        name: FieldName,
    },
    /// A field of a recipe with `items` reads structured data, which describes the page and not a single item.
    #[error(
        "the field `{name}` takes from structured data, which belongs to the page and not to one of its `items`: use `select`"
    )]
    StructuredInItems {
        /// Name of the field that reads structured data.
        name: FieldName,
    },
}

/// The most fields of a recipe.
pub const MOST_FIELDS: usize = 256;

impl Field {
    /// A field with everything else as recipes have it by default: one required text.
    pub fn new(name: FieldName, source: Source) -> Self {
        Self {
            name,
            source,
            many: false,
            steps: Vec::new(),
            conversion: Conversion::default(),
            required: true,
            example: Vec::new(),
        }
    }

    /// The selector, if it has one.
    pub fn select(&self) -> Option<&Selector> {
        match &self.source {
            Source::Nodes { select, .. } => Some(select),
            Source::Structured(_) => None,
        }
    }

    /// Returns the `take` of the field, as written in recipes.
    pub fn take(&self) -> Take {
        match &self.source {
            Source::Nodes { take, .. } => Take::Node(take.clone()),
            Source::Structured(path) => Take::Structured(path.clone()),
        }
    }

    /// The type of its values.
    pub fn value_type(&self) -> ValueType {
        self.conversion.value_type()
    }

    /// Returns steps and conversion as recipes write them. A conversion with default options is omitted: `type` alone states it.
    fn transforms(&self) -> Vec<Transform> {
        let conversion = Some(&self.conversion)
            .filter(|conversion| **conversion != Conversion::to(conversion.value_type()))
            .map(|conversion| Transform::Conversion(conversion.clone()));
        self.steps.iter().cloned().map(Transform::Step).chain(conversion).collect()
    }
}

impl Recipe {
    /// A recipe of fields, in the order they are to be shown.
    ///
    /// # Errors
    ///
    /// When the fields do not fit together.
    pub fn new(fields: Vec<Field>) -> Result<Self, RecipeProblem> {
        Self { items: None, fields, request: Request::default(), next: None }.checked()
    }

    /// Returns the recipe applied to each item of a list page; `None`: to the page as a whole.
    ///
    /// # Errors
    ///
    /// If a field reads structured data, which belongs to the page and not to an item.
    pub fn with_items(self, items: Option<Selector>) -> Result<Self, RecipeProblem> {
        Self { items, ..self }.checked()
    }

    /// Returns the recipe with other fields.
    ///
    /// # Errors
    ///
    /// When the fields do not fit together.
    pub fn with_fields(self, fields: Vec<Field>) -> Result<Self, RecipeProblem> {
        Self { fields, ..self }.checked()
    }

    /// Returns the recipe with other settings of the request.
    #[must_use]
    pub fn with_request(self, request: Request) -> Self {
        Self { request, ..self }
    }

    /// Returns the recipe with a rule for the next page.
    #[must_use]
    pub fn with_next(self, next: Option<NextPage>) -> Self {
        Self { next, ..self }
    }

    fn checked(self) -> Result<Self, RecipeProblem> {
        if self.fields.is_empty() {
            return Err(RecipeProblem::NoFields);
        }
        if self.fields.len() > MOST_FIELDS {
            return Err(RecipeProblem::TooManyFields { count: self.fields.len() });
        }
        for (index, field) in self.fields.iter().enumerate() {
            if self.fields[..index].iter().any(|other| other.name == field.name) {
                return Err(RecipeProblem::Duplicate { name: field.name.clone() });
            }
            if self.items.is_some() && matches!(field.source, Source::Structured(_)) {
                return Err(RecipeProblem::StructuredInItems { name: field.name.clone() });
            }
        }
        Ok(self)
    }

    /// The items of a list page, each of which gives one record.
    pub fn items(&self) -> Option<&Selector> {
        self.items.as_ref()
    }

    /// The fields in the order of the recipe.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.as_str() == name)
    }

    /// Returns the settings of the request for the page.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the rule for the next page of a list.
    pub fn next(&self) -> Option<&NextPage> {
        self.next.as_ref()
    }
}

#[cfg(test)]
mod tests;
