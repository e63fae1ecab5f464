//! One typed item from any page: a product, a job, an article, a recipe, an event, or what can be said of any page.
//!
//! # Layout
//!
//! - [`item`]: [`ScrapedItem`], its parts, and its JSON Schema
//! - [`mode`]: the ways to get one, a file or folder each
//!
//! # Example
//!
//! ```
//! use autoheal_extract::{PageType, rule_based};
//! use autoheal_page::Document;
//!
//! let page = Document::parse(
//!     r#"<title>Soup | Kitchen</title><script type="application/ld+json">
//!        {"@type": "Recipe", "name": "Soup", "recipeIngredient": ["1 l water", "salt"]}</script><h1>Soup</h1>"#,
//! );
//! let item = rule_based(&page, None);
//! assert_eq!(item.page_type, PageType::Recipe);
//! assert_eq!(item.title.as_deref(), Some("Soup"));
//! assert_eq!(item.ingredients, ["1 l water", "salt"]);
//! ```

pub mod item;
pub mod mode;

pub use item::{Field, PageType, Provenance, ScrapedItem, Source};
pub use mode::rule_based::rule_based;
pub use mode::{Mode, UnknownMode};
