//! An index of a whole manual: built once by a crawl, refreshed, and asked instead of a walk.
//!
//! - `scope`: the addresses that belong to a manual
//! - `content`: a page as the index stores it
//! - [`crawl`]: building and refreshing
//! - `query`: the words of a goal in the words of the manual: inflections, compounds, abbreviations, misspellings
//! - `lookup`: the answer, judged as on a walk
//! - `nearest`: the passages that have most of a goal, for a model
//! - `subject`: the vehicles that a goal may mean

mod content;
pub mod crawl;
mod lookup;
mod nearest;
mod query;
mod scope;
mod subject;

pub(crate) use lookup::lookup;
pub(crate) use nearest::nearest;

pub use crawl::{CrawlError, CrawlReport, Crawler};
