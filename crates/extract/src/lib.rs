//! Extracts one typed item from any page: a product, a job, an article, a recipe, an event, or a generic page.
//!
//! # Layout
//!
//! - [`item`]: [`ScrapedItem`], its parts, and its JSON Schema
//! - [`form`]: the form to fill: an item, or a JSON Schema that the user supplies
//! - [`mode`]: extraction modes, a file or folder each; [`way`]: all modes behind one function; [`extraction`]: their results
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

pub mod extraction;
pub mod form;
pub mod item;
pub mod mode;
pub mod way;

pub use extraction::{ExtractError, Extracted, Extraction, LeftOut, OwnItem};
pub use form::{Form, FormError};
pub use item::{Field, Grounding, PageType, Provenance, ScrapedItem, Source};
pub use mode::llm_dynamic::llm_dynamic;
pub use mode::llm_dynamic_adaptive::llm_dynamic_adaptive;
pub use mode::llm_fixed::llm_fixed;
pub use mode::model::reading::Reading;
pub use mode::model::{Asking, ModelSettings, Strictness};
pub use mode::rule_based::{rule_based, rule_based_in};
pub use mode::rules_then_llm::{ByRules, rules_then_llm};
pub use mode::{Mode, ModelMode, UnknownMode};
pub use way::Way;
