//! Recipes that people already have: ours, extraction schemas of `Crawl4AI`, and sitemaps of webscraper.io.
//!
//! What cannot be said in a recipe is never dropped in silence: it is a note, or, when nothing is left without it, an error.
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

/// What a file was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Our own recipes.
    Recipe,
    /// `JsonCssExtractionStrategy` and `JsonXPathExtractionStrategy`.
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
    /// What the file is.
    pub format: Format,
    /// What it calls itself.
    pub name: Option<String>,
    /// The pages it is for, as far as it says so.
    pub urls: Vec<Url>,
    /// How the fields are got.
    pub recipe: Recipe,
    /// What could not be taken over, a line each.
    pub notes: Vec<String>,
}

impl Imported {
    /// Whether the file says which fields are required: other tools have no word for it.
    pub fn says_required(&self) -> bool {
        match self.format {
            Format::Recipe => true,
            Format::Crawl4Ai | Format::WebScraper => false,
        }
    }
}

/// Why a file gives no recipe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is a recipe, and a wrong one.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// It does not have the form that it seems to have.
    #[error("the {format} is not understood: {message}")]
    NotUnderstood {
        /// What it seems to be.
        format: Format,
        /// What is wrong with it.
        message: String,
    },
    /// A field has a selector that cannot be used.
    #[error("the field `{field}` of the {format}: {problem}")]
    Field {
        /// What it is.
        format: Format,
        /// The field, as the file calls it.
        field: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A recipe can say nothing of it.
    #[error("nothing of the {format} can be said in a recipe{}", listed(.notes))]
    Nothing {
        /// What it is.
        format: Format,
        /// Why not, a line each.
        notes: Vec<String>,
    },
    /// Its parts do not fit together.
    #[error("the {format}: {problem}")]
    Problem {
        /// What it is.
        format: Format,
        /// What does not fit.
        problem: RecipeProblem,
    },
}

fn listed(notes: &[String]) -> String {
    if notes.is_empty() { String::new() } else { format!(": {}", notes.join("; ")) }
}

impl ImportError {
    /// The same, with the file's name where it says where it is wrong.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        match self {
            Self::Recipe(error) => Self::Recipe(RecipeError { name: name.to_owned(), ..error }),
            Self::NotUnderstood { .. } | Self::Field { .. } | Self::Nothing { .. } | Self::Problem { .. } => self,
        }
    }
}

/// The recipe of a text, whatever it was written for: what begins with a brace is JSON, and its keys tell which; anything else is
/// a recipe in TOML.
///
/// # Errors
///
/// When it is none of the formats, or says what no recipe can say.
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

/// Whether a text begins with a table of TOML, such as `[items]`, and not with an array of JSON.
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
