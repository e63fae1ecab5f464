//! Scrapers that users already have. A program asks a page with selectors; while they work, what they find is learnt; when one
//! breaks, all fields of the page are found again together, as for any source. The program is not changed: see `docs/python.md`.
//!
//! The knowledge about the pages that one function of a program reads is a source of the store: its fields are the places of the
//! program, its recipe their selectors, with those that were found again in place of the broken ones.
//!
//! # Layout
//!
//! - [`query`]: a selector as programs write it
//! - [`visit`]: a page while a program reads it, `page_state`: what was found on it; [`found`]: the matches of a selector; [`report`]: the result for each field
//! - [`proposal`]: new selectors for the program
//! - `place`: a place of a program
//! - `template`: knowledge about the pages of one function; `plausible`: whether a text may be a field's value
//! - `heal`: relocation of the fields of a page
//! - `memory`: the knowledge in the store; `store_thread`: the store for programs without an asynchronous runtime
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use autoheal_scraper::{Place, Query, Scraper, Visit};
//! use autoheal_source::SelectorLanguage;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let scraper = Arc::new(Scraper::open_file(&folder.path().join("scraper.heal.db"))?);
//! let query = Query::parse("h1::text", SelectorLanguage::Css)?;
//! let place = Place { function: "parse".into(), file: "books.py".into(), line: 3, name: "title".into() };
//! let visit = Visit::new(Arc::clone(&scraper), "<h1>Soup</h1>".into(), None);
//! let found = visit.look(&place, &query, None, true)?;
//! assert_eq!(visit.texts(&found), ["Soup"]);
//! visit.finish();
//! scraper.flush()?;
//! # Ok(())
//! # }
//! ```

pub mod found;
mod heal;
mod memory;
mod page_state;
mod place;
mod plausible;
pub mod proposal;
pub mod query;
pub mod report;
mod store_thread;
mod template;
pub mod visit;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use autoheal_page::relocate::Relocator;
use autoheal_page::relocate::TablesError;
use autoheal_store::StoreError;

use self::store_thread::StoreThread;
use self::template::Template;

pub use found::{Found, Match};
pub use place::Place;
pub use proposal::{Proposal, Refusal, proposals};
pub use query::{Part, Query, QueryError};
pub use report::{FieldReport, Status};
pub use visit::Visit;

/// Reason why a scraper's knowledge cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum ScraperError {
    /// The store failed.
    #[error("the store of the scraper: {0}")]
    Store(#[from] StoreError),
    /// The thread of the store could not be started, or has ended.
    #[error("the store of the scraper cannot be used: {0}")]
    Thread(String),
    /// A source of this name is there already, and no program feeds it.
    #[error("the source `{0}` was added by a user and is not fed by a program: give the page another name")]
    NameTaken(String),
    /// The stored source is not understood.
    #[error("what is stored of the source `{source_name}` is not understood: {problem}")]
    NotUnderstood {
        /// Name of the source.
        source_name: String,
        /// The error of the reader.
        problem: String,
    },
    /// The tables of the relocation do not fit the program.
    #[error(transparent)]
    Tables(#[from] TablesError),
}

/// A program's scrapers: the knowledge about its pages, and the store that keeps it. To be shared by all threads of a process.
#[derive(Debug)]
pub struct Scraper {
    store: StoreThread,
    relocator: Relocator,
    templates: Mutex<HashMap<String, Arc<Mutex<Template>>>>,
}

impl Scraper {
    /// Opens the store at an address: `sqlite:///path/to/file.db` or `postgres://user@host/database`. Called from any thread.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened.
    pub fn open(address: &str) -> Result<Self, ScraperError> {
        let store = StoreThread::start(address.to_owned())?;
        Ok(Self { store, relocator: Relocator::new()?, templates: Mutex::default() })
    }

    /// Opens a SQLite file, which is created when missing; its folder must exist.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened.
    pub fn open_file(path: &Path) -> Result<Self, ScraperError> {
        Self::open(&autoheal_store::Store::address_of_file(path)?)
    }

    /// Waits until everything that was learnt is stored.
    ///
    /// # Errors
    ///
    /// The first error of the store since the last call.
    pub fn flush(&self) -> Result<(), ScraperError> {
        for template in self.all_templates() {
            let mut template = locked(&template);
            if template.has_counts() {
                self.store.save(template.counts());
            }
        }
        self.store.flush()
    }

    /// Stores everything and closes the store until it is wanted again, so that the process may fork: a child opens it anew. No other
    /// thread may use the scraper until the fork.
    ///
    /// # Errors
    ///
    /// As [`Scraper::flush`]; the store is closed all the same.
    pub fn suspend(&self) -> Result<(), ScraperError> {
        let flushed = self.flush();
        self.store.suspend();
        flushed
    }

    /// The knowledge about the pages that go by a name; read from the store once.
    fn template(&self, name: &str) -> Result<Arc<Mutex<Template>>, ScraperError> {
        let mut templates = locked(&self.templates);
        if let Some(template) = templates.get(name) {
            return Ok(Arc::clone(template));
        }
        let source = memory::source_name(name);
        let template = Arc::new(Mutex::new(Template::of(source.clone(), self.store.load(source)?)));
        templates.insert(name.to_owned(), Arc::clone(&template));
        Ok(template)
    }

    fn all_templates(&self) -> Vec<Arc<Mutex<Template>>> {
        locked(&self.templates).values().cloned().collect()
    }
}

/// A lock, also after a thread that held it has panicked: each change of what it guards is complete by itself.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
