//! Recipes: how the fields of a page are got. A recipe is data, never code: it can be compared, reviewed and checked, and cannot
//! run anything. `docs/recipe.md` is the reference for people.
//!
//! What has been parsed holds no invalid state: selectors and patterns are compiled, names are checked, and a field that takes
//! from the page's structured data has no selector that would mean nothing.
//!
//! # Layout
//!
//! - [`take`]: what is taken of a node or of the page
//! - [`name`]: names of fields
//! - [`request`]: how the page is asked for
//! - `document`: the form that JSON and TOML share, and its checks
//! - [`error`]: where a recipe is wrong

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

/// How the fields of a page, or of each item of a list page, are got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "document::RecipeDocument", into = "document::RecipeDocument")]
pub struct Recipe {
    items: Option<Selector>,
    fields: Vec<Field>,
    request: Request,
    next: Option<NextPage>,
}

/// How one field is got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, unique in the recipe.
    pub name: FieldName,
    /// Where its text comes from.
    pub source: Source,
    /// Whether it is a list. Otherwise the first match counts.
    pub many: bool,
    /// What is done to each text, in order.
    pub steps: Vec<TextStep>,
    /// What the text becomes in the end.
    pub conversion: Conversion,
    /// Whether a page without it is a failure.
    pub required: bool,
    /// The last good values, as texts before the conversion.
    pub example: Vec<String>,
}

/// Where the text of a field comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nodes of the page.
    Nodes {
        /// Which.
        select: Selector,
        /// What of them.
        take: NodeTake,
    },
    /// The page's structured data.
    Structured(StructuredPath),
}

/// Where the next page of a list is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextPage {
    /// The link.
    pub select: Selector,
    /// What of it is the address; `attr:href` by default.
    pub take: NodeTake,
    /// How many pages at most, the first included: 1 to 1000.
    pub limit: u32,
}

/// A recipe that does not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecipeProblem {
    /// Nothing is asked for.
    #[error("`fields` is empty: name at least one field")]
    NoFields,
    /// Too much is asked for.
    #[error("{count} fields are more than {MOST_FIELDS}: split the recipe")]
    TooManyFields {
        /// How many.
        count: usize,
    },
    /// Two fields have one name.
    #[error("the field `{name}` stands there twice: rename one")]
    Duplicate {
        /// The name.
        name: FieldName,
    },
    /// Structured data says something about the page, not about an item of it.
    #[error(
        "the field `{name}` takes from structured data, which belongs to the page and not to one of its `items`: use `select`"
    )]
    StructuredInItems {
        /// The field.
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

    /// What is taken, as recipes write it.
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

    /// Steps and conversion as recipes write them: a conversion with nothing decided is said by `type` alone.
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

    /// The same for each item of a list page.
    ///
    /// # Errors
    ///
    /// When a field takes from structured data, which belongs to the page.
    pub fn with_items(self, items: Option<Selector>) -> Result<Self, RecipeProblem> {
        Self { items, ..self }.checked()
    }

    /// The same with other fields.
    ///
    /// # Errors
    ///
    /// When the fields do not fit together.
    pub fn with_fields(self, fields: Vec<Field>) -> Result<Self, RecipeProblem> {
        Self { fields, ..self }.checked()
    }

    /// The same with other settings of the request.
    #[must_use]
    pub fn with_request(self, request: Request) -> Self {
        Self { request, ..self }
    }

    /// The same with a rule for the next page.
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

    /// How the page is asked for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Where the next page of a list is.
    pub fn next(&self) -> Option<&NextPage> {
        self.next.as_ref()
    }
}

#[cfg(test)]
mod tests;
