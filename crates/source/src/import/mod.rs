//! Recipes that people already have: ours, extraction schemas of `Crawl4AI`, and sitemaps of webscraper.io.
//!
//! Parts that a recipe cannot express are never dropped silently: each is a note, or an error if nothing is left without it.
//!
//! # Layout
//!
//! - `crawl4ai`, `webscraper`: a file for each format; `sitemap`: what the latter reads
//! - `draft`: fields on their way into a recipe; `scope`: selectors within others; `addresses`: start addresses with ranges

mod addresses;
mod crawl4ai;
mod draft;
mod scope;
mod sitemap;
mod webscraper;

use std::fmt;

use autoheal_page::recipe::{Recipe, RecipeError, RecipeProblem};
use serde_json::Value;
use url::Url;

/// Format of a file, by the tool it was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Recipe of this program, as TOML or JSON.
    Recipe,
    /// Schema of `Crawl4AI`: `JsonCssExtractionStrategy` or `JsonXPathExtractionStrategy`.
    Crawl4Ai,
    /// A sitemap as the browser extension exports it.
    WebScraper,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Recipe => "recipe",
            Self::Crawl4Ai => "Crawl4AI schema",
            Self::WebScraper => "webscraper.io sitemap",
        })
    }
}

/// A recipe with what else its file said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Format of the file.
    pub format: Format,
    /// Name that the file gives itself.
    pub name: Option<String>,
    /// The pages it is for, as far as it says so.
    pub urls: Vec<Url>,
    /// Recipe for the fields.
    pub recipe: Recipe,
    /// Parts that could not be imported, one line each.
    pub notes: Vec<String>,
}

impl Imported {
    /// Returns whether the file states which fields are required: other tools cannot express it.
    pub fn says_required(&self) -> bool {
        match self.format {
            Format::Recipe => true,
            Format::Crawl4Ai | Format::WebScraper => false,
        }
    }
}

/// Reason a file gives no recipe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The file is an invalid recipe.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The file does not have the form of its apparent format.
    #[error("the {format} is not understood: {message}")]
    NotUnderstood {
        /// Format that the file seems to have.
        format: Format,
        /// Description of the problem.
        message: String,
    },
    /// A field has a selector that cannot be used.
    #[error("the field `{field}` of the {format}: {problem}")]
    Field {
        /// Format of the file.
        format: Format,
        /// The field, as the file calls it.
        field: String,
        /// Description of the problem, and the remedy.
        problem: String,
    },
    /// Nothing of the file can be expressed in a recipe.
    #[error("a recipe can express no part of the {format}{}", listed(.notes))]
    Nothing {
        /// Format of the file.
        format: Format,
        /// Reasons, one line each.
        notes: Vec<String>,
    },
    /// The parts of the file do not form a valid recipe.
    #[error("the {format}: {problem}")]
    Problem {
        /// Format of the file.
        format: Format,
        /// Problem of the recipe.
        problem: RecipeProblem,
    },
}

fn listed(notes: &[String]) -> String {
    if notes.is_empty() { String::new() } else { format!(": {}", notes.join("; ")) }
}

impl ImportError {
    /// Returns the error with the name of the file where it reports a position.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        match self {
            Self::Recipe(error) => Self::Recipe(RecipeError { name: name.to_owned(), ..error }),
            Self::NotUnderstood { .. } | Self::Field { .. } | Self::Nothing { .. } | Self::Problem { .. } => self,
        }
    }
}

/// Imports the recipe of a text in any of the formats: a text that begins with a brace is JSON, and its keys determine the format;
/// anything else is a recipe in TOML.
///
/// # Errors
///
/// Returns an error if the text is in none of the formats, or if a recipe can express no part of it.
pub fn recipe_of(text: &str) -> Result<Imported, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    let is_json = text.trim_start().starts_with(['{', '[']) && !is_toml_table(text);
    let value = serde_json::from_str::<Value>(text).ok().filter(|_| is_json);
    match value {
        Some(value) if value.get("baseSelector").is_some() => crawl4ai::read(&value),
        Some(value) if value.get("selectors").is_some() => webscraper::read(&value),
        Some(_) | None => {
            let recipe = Recipe::parse(text, if is_json { "recipe.json" } else { "recipe.toml" })?;
            Ok(Imported { format: Format::Recipe, name: None, urls: Vec::new(), recipe, notes: Vec::new() })
        }
    }
}

/// Returns whether a text begins with a table of TOML, such as `[items]`, and not with an array of JSON.
fn is_toml_table(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('[');
    inside.is_some_and(|inside| inside.trim_start().starts_with(|first: char| first.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_recipes_are_recognised_in_both_forms() {
        let json = r#"{"version": 1, "fields": {"title": {"select": "h1"}}}"#;
        let toml = "version = 1\n[fields.title]\nselect = \"h1\"\n";
        let imported = recipe_of(json).unwrap();
        assert_eq!(imported.recipe, recipe_of(toml).unwrap().recipe);
        assert!(imported.says_required() && imported.notes.is_empty());
        assert_eq!(recipe_of(&format!("\u{feff}{json}")), recipe_of(json), "a mark of the byte order means nothing");
    }

    #[test]
    fn a_wrong_recipe_says_where() {
        let error = recipe_of("{\"version\": 1,\n \"fields\": {\"title\": {\"select\": \"h1..a\"}}}").unwrap_err();
        assert!(error.clone().named("x.json").to_string().starts_with("x.json:2:"), "{error}");
        assert!(
            recipe_of("version = 1\n[fields.title]\nselect = 3\n")
                .unwrap_err()
                .named("x.toml")
                .to_string()
                .starts_with("x.toml:3")
        );
        for text in ["", "[]", "[1]", "null", "{}", "{", "<html>", "\0"] {
            assert!(recipe_of(text).is_err(), "{text}");
        }
    }
}
