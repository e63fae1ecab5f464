//! HTML as data: parsing, selecting, structured data, and finding a field again after a redesign. No I/O: given the same
//! text, everything here gives the same answer.
//!
//! # Layout
//!
//! - [`document`]: a page as arrays in document order
//! - [`select`]: CSS selectors and a subset of XPath
//! - [`structured`]: what a page says about itself for machines
//! - [`value`]: what the text of a page means: numbers, money, dates
//! - [`recipe`]: how the fields of a page are got
//! - [`transform`]: what is done to the text of a field
//! - [`apply`]: a recipe applied to a page: values with their origin, or why there are none
//! - [`relocate`](mod@relocate): the fields of a recipe found again after a redesign
//! - [`robust_selector`]: from nodes to a selector that will find them again
//! - [`diff`]: what changed in the structure of a page
//! - [`reading`]: a page that is read only as far as its selectors need
//! - [`obstacle`](mod@obstacle): pages that a site gives instead of the page, such as a bot check
//!
//! # Example
//!
//! ```
//! use autoheal_page::{Document, Selector};
//!
//! let page = Document::parse("<h1>Soup <b>of the day</b></h1>");
//! let selector = Selector::parse("h1 > b")?;
//! let found = page.select(&selector);
//! assert_eq!(page.text(found[0]), "of the day");
//! # Ok::<(), autoheal_page::SelectorError>(())
//! ```

pub mod apply;
mod bounded_tags;
mod bounded_tree;
pub mod diff;
pub mod document;
pub mod obstacle;
pub mod reading;
pub mod recipe;
pub mod relocate;
pub mod robust_selector;
pub mod select;
pub mod structured;
pub mod transform;
pub mod value;

pub use document::{Document, NodeId};
pub use select::{Selector, SelectorError};
