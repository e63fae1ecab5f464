//! Finds the answer to a question in a manual of many pages, by following its links from one page to the next: no index is made
//! beforehand, and what is answered is always a passage or a row of a table that stands on a page, never the words of a model.
//!
//! # Layout
//!
//! - [`goal`]: what is looked for, and of which vehicle or product
//! - [`page_state`]: what is seen of one page: title, breadcrumb, links with path hints, tables, passages
//! - [`pages`]: where pages come from; `cache`: each is asked for once
//! - `words`: words as they are compared; `relevance`: which of many texts speaks of the goal; `answer`: whether a passage does
//! - `search`: the way without a model; `walk`: from the home page to the pages of the vehicle
//! - `contents`: parts of a manual that list more of it; `kinds`: what kinds of questions lead to what kinds of sections
//! - `model`: the way of a language model, with the tools click, extract and go back; `tools`: what they do
//! - [`navigator`]: the two ways, behind one function; [`settings`]: their limits; [`result`](mod@result): what they came to
//! - [`progress`]: who is told of every step; `trace`: what was done so far
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

mod answer;
mod cache;
mod contents;
pub mod goal;
mod kinds;
mod model;
pub mod navigator;
pub mod page_state;
pub mod pages;
pub mod progress;
mod relevance;
pub mod result;
mod search;
pub mod settings;
mod tools;
mod trace;
mod walk;
mod words;

pub use goal::Goal;
pub use navigator::{Guide, Navigator};
pub use page_state::PageState;
pub use pages::{FetchedPages, Page, PageError, Pages};
pub use progress::{Progress, Silent};
pub use result::{NavigationResult, PathStep, TokensUsed};
pub use settings::Settings;
