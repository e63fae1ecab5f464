//! Fetches web pages, politely and safely.
//!
//! A [`Fetcher`] sends a host no more requests than its limits allow, follows redirects one by one, retries failures that may
//! be temporary, and connects to addresses outside the public internet only if the settings name them. Failures are
//! typed ([`FetchError`]), so callers need not parse messages. A response with an error status is a response, not an error.
//!
//! # Layout
//!
//! - [`settings`]: settings, with polite defaults
//! - [`request`], [`fetched`], [`error`]: requests, responses, and errors
//! - [`address`]: addresses to which requests may go; `resolve`: the same for names
//! - [`turns`]: request slots of hosts; `robots`: robots.txt; `retry`: waits between tries;
//!   `waiting`: messages about waits
//! - `transport`: a single request and its response; `tls`: trusted certificates; `fetcher`: the whole sequence
//! - [`offline`]: files, and folders of stored pages
//! - `render` (feature `render`): pages that are built by scripts, in a headless Chromium
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
mod tls;
mod transport;
mod waiting;

pub use address::{AddressKind, AllowedPlace, InvalidPlace};
pub use error::{FetchError, Phase};
pub use fetched::{AnswerHeaders, Fetched, Provenance, Redirect};
pub use fetcher::Fetcher;
pub use offline::snapshot_path;
pub use request::{Conditions, FetchRequest, Rendering};
pub use settings::{FetchSettings, HostLimits, RetrySettings, RobotsPolicy, TimeLimits};
pub use turns::LocalReservations;
pub use waiting::telling;
