//! Finds the answer to a question in a manual of many pages by its index, or by following its links from page to page. The
//! answer is always a passage or a table row of a page, never the words of a model.
//!
//! # Layout
//!
//! - [`goal`]: the question, and the vehicle or product that it is about
//! - [`page_state`]: content of one page: title, breadcrumb, links with path hints, tables, passages
//! - [`pages`]: sources of pages; `cache`: requests each page once
//! - `words`: words in the form in which they are compared; `relevance`: relevance of texts to the goal; `answer`: passages that
//!   answer it
//! - `search`: navigation without a model; `frontier`: the pages to visit next; `walk`: from the home page to the pages of the vehicle
//! - `contents`: parts of a manual that list more of it; `kinds`: kinds of questions and the kinds of sections that answer them
//! - `model`: navigation by a language model, with the tools click, extract and go back; `tools`: their implementation; `by_passages`:
//!   its choice among passages of the index; `asking`: its answers; `quote`: the check of its quotes; `link_tree`, `ranking`: what it is shown of a page
//! - [`index`]: the index of a whole manual, and answers by it
//! - [`navigator`]: all methods behind one function; [`settings`]: their limits; [`result`](mod@result): their result
//! - [`progress`]: reports of every step; `trace`: record of the steps taken
//!
//! # Example
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use autoheal_fetch::{FetchSettings, Fetcher};
//! use autoheal_navigate::{FetchedPages, Goal, Guide, Navigator, Settings};
//!
//! let fetcher = Fetcher::new(FetchSettings::default())?;
//! let settings = Settings::default();
//! let pages = FetchedPages::new(&fetcher, settings.http_timeout);
//! let goal = Goal::new("oil capacity").with_context("year", "2012").with_context("make", "Jeep");
//! let navigator = Navigator::new(&pages, settings);
//! let result = navigator.navigate(&"https://manuals.example/".parse()?, &goal, Guide::Search).await;
//! if result.success {
//!     println!("{}\n{} ({})", result.content, result.breadcrumb, result.url);
//! }
//! # Ok(()) }
//! ```

mod address;
mod answer;
mod asking;
mod by_passages;
mod cache;
mod contents;
mod frontier;
pub mod goal;
pub mod index;
mod kinds;
mod link_tree;
mod model;
pub mod navigator;
pub mod page_state;
pub mod pages;
pub mod progress;
mod quote;
mod ranking;
mod relevance;
pub mod result;
mod search;
pub mod settings;
mod tools;
mod trace;
mod walk;
mod words;

pub use goal::Goal;
pub use index::{CrawlError, CrawlReport, Crawler};
pub use navigator::{Guide, Navigator};
pub use page_state::PageState;
pub use pages::{FetchedPages, Page, PageError, Pages};
pub use progress::{Progress, Silent};
pub use result::{NavigationResult, PathStep, TokensUsed};
pub use settings::Settings;
