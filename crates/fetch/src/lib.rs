//! Web pages, politely and safely.
//!
//! A [`Fetcher`] asks a host for a page no more often than the host likes, follows redirects one by one, tries again what
//! may pass by itself, and never asks an address outside the public internet unless the settings name it. Why there is no
//! answer is a type ([`FetchError`]), so that nobody has to read a message to decide what to do. An answer with a bad status
//! is an answer.
//!
//! # Layout
//!
//! - [`settings`]: what can be set, with polite defaults
//! - [`request`], [`fetched`], [`error`]: what is asked, what comes back, and why nothing does
//! - [`address`]: which addresses may be asked; `resolve`: the same for names
//! - [`turns`]: when a host may be asked; `robots`: what a site forbids; `retry`: when to try again
//! - `transport`: one request and one answer; `fetcher`: the order of it all
//! - [`offline`]: files, and folders of stored pages
//! - `render` (feature `render`): pages that scripts build, by a headless Chromium
//!
//! # Example
//!
//! ```no_run
//! # async fn example() -> Result<(), autoheal_fetch::FetchError> {
//! use autoheal_fetch::{FetchRequest, FetchSettings, Fetcher};
//!
//! let fetcher = Fetcher::new(FetchSettings::default())?;
//! let page = fetcher.fetch(&FetchRequest::parse("https://example.com/article")?).await?;
//! if let Some(new_address) = page.moved_to() {
//!     println!("moved for good to {new_address}");
//! }
//! println!("{} {:?} {} bytes", page.status, page.headers.content_type, page.body.len());
//! # Ok(()) }
//! ```

pub mod address;
pub mod error;
pub mod fetched;
pub mod offline;
#[cfg(feature = "render")]
pub mod render;
pub mod request;
pub mod settings;
pub mod turns;

mod fetcher;
mod resolve;
mod retry;
mod robots;
mod transport;

pub use address::{AddressKind, AllowedPlace, InvalidPlace};
pub use error::{FetchError, Phase};
pub use fetched::{AnswerHeaders, Fetched, Provenance, Redirect};
pub use fetcher::Fetcher;
pub use offline::snapshot_path;
pub use request::{Conditions, FetchRequest, Rendering};
pub use settings::{FetchSettings, HostLimits, RetrySettings, RobotsPolicy, TimeLimits};
pub use turns::LocalReservations;
