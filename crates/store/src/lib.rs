//! All SQL statements of the program: the task queue with its leases, runs with their checkpoints and events, and the
//! records of runs, on SQLite or PostgreSQL.
//!
//! Workers share only this database. A task is owned by the worker that claimed it last; the claim's *epoch* fences every
//! later write, so a worker that was presumed dead cannot overwrite the work of its successor. Lease times use the
//! database's clock; callers pass all other times, and get them from the same clock with [`Store::now`].
//!
//! # Layout
//!
//! - [`queue`]: enqueue, claim, heartbeat, release, fail, cancel
//! - [`run`]: runs, checkpoints, events and results, each written in one transaction behind the fence
//! - [`record`]: records that the steps of a run store: diagnostics, fixes, outputs
//! - [`source`]: sources with their health, recipes, pages and values; [`alert`]: alerts
//! - `closing`: the end of runs whose task was closed from outside
//! - [`decision`]: decisions of users about sources; `diagnostic`: faults that their runs found, counted; [`history`]: ends of
//!   their runs and attempts at fixes, in few columns
//! - [`ledger`]: requests to models and their cost; `budget`: reservations for requests that are under way
//! - [`job`]: jobs submitted over HTTP
//! - [`listing`]: lists for users; [`needs`]: matters that need a decision; [`waiting`]: tasks that no worker claims
//! - [`trend`]: figures of each day
//! - [`manual_index`]: full-text indexes of manuals, each in a SQLite file
//! - [`notice`]: notifications by web address and mail
//! - `politeness`: request slots of hosts
//! - [`retention`]: deletion of old data; `backup`: a copy of the database
//! - [`error`]: errors of the store
//! - `clock`: one clock for all machines; `schema`: detection of a database that a newer autoheal has migrated
//! - `database`, `writer`, `row`: the two engines behind one set of statements, group commit, rows as types
//!
//! # Errors
//!
//! Every function that returns a [`StoreError`] returns any error that the database reports. Its documentation lists only further errors.
//!
//! # Example
//!
//! ```
//! use std::time::Duration;
//!
//! use autoheal_engine::Timestamp;
//! use autoheal_engine::task::{NewTask, TaskKind};
//! use autoheal_store::{ClaimRequest, Store};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), autoheal_store::StoreError> {
//! let store = Store::open("sqlite::memory:").await?;
//! let task = NewTask::new(TaskKind::HealRepo, "https://github.com/owner/repo", Timestamp::from_millis(0));
//! assert!(store.enqueue(&task).await?.created);
//! assert!(!store.enqueue(&task).await?.created, "the same work twice is one task");
//!
//! let request = ClaimRequest {
//!     worker: "worker-1".to_owned(),
//!     host: "here".to_owned(),
//!     kinds: TaskKind::ALL.to_vec(),
//!     lease: Duration::from_secs(30),
//!     only: None,
//! };
//! let (task, lease) = store.claim(&request).await?.expect("one task is ready");
//! assert_eq!(task.lease_epoch, lease.epoch);
//! # Ok(())
//! # }
//! ```

#![expect(clippy::missing_errors_doc, reason = "stated once, above")]

pub mod alert;
mod backup;
mod budget;
mod clock;
mod closing;
mod database;
pub mod decision;
mod diagnostic;
mod due;
pub mod error;
mod filter;
pub mod history;
pub mod job;
pub mod ledger;
pub mod listing;
pub mod manual_index;
pub mod needs;
pub mod notice;
mod politeness;
pub mod queue;
pub mod record;
pub mod retention;
mod row;
pub mod run;
mod schema;
mod slice;
pub mod source;
pub mod trend;
pub mod waiting;
mod write;
mod writer;

use std::path::Path;

use autoheal_engine::Timestamp;

pub use alert::{AlertFilter, AlertRow};
pub use clock::{LocalClock, system_time};
pub use decision::DecisionRow;
pub use due::{DueSource, Scheduled};
pub use error::StoreError;
pub use history::{FixAttempt, RunEnd};
pub use job::JobRow;
pub use ledger::{UsageBy, UsageRow};
pub use listing::{Glance, RecentRun, RunFilter, RunState, SnapshotRow, SourceFilter, SourceOrder};
pub use manual_index::ManualIndex;
pub use needs::{Need, NeedKind};
pub use notice::{Channel, NoticeRow, Reach};
pub use queue::{ClaimRequest, Enqueued, Held, TaskFilter};
pub use record::FixOutcome;
pub use retention::{Pruned, Retention};
pub use run::{Checkpoint, FinishedRun, NewRun, RunRow};
pub use slice::Slice;
pub use source::{RecipeRow, SourceRow, ValueRow};

use crate::clock::Clock;
use crate::database::Database;
use crate::schema::SchemaWatch;

/// The database of this program. Cheap to clone; the clones share their connections.
#[derive(Clone)]
pub struct Store {
    database: Database,
    clock: Clock,
    schema: SchemaWatch,
}

impl Store {
    /// Opens the database at `url` and brings its schema up to date: `sqlite:///path/to/file.db` (created when missing),
    /// `sqlite::memory:` (deleted with the last clone), or `postgres://user@host/database`. Must be called within a tokio
    /// runtime, and that runtime must outlive the store.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`] when a newer autoheal has migrated it, [`StoreError::UnknownAddress`] for another kind of
    /// address, and any error that the database reports when it cannot be opened or migrated.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_by(url, system_time).await
    }

    /// Opens the database as [`Store::open`] does, on a machine whose clock is `local`, right or wrong.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub async fn open_by(url: &str, local: LocalClock) -> Result<Self, StoreError> {
        let database = Database::open(url).await?;
        let store = Self { database, clock: Clock::new(local), schema: SchemaWatch::default() };
        store.check_schema().await?;
        Ok(store)
    }

    /// Returns whether a database is there and has the schema that this program knows. Nothing is made or changed.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownAddress`]; any error that the database reports.
    pub async fn is_current(url: &str) -> Result<bool, StoreError> {
        Database::is_current(url).await
    }

    /// Returns the time by the database's clock, as last seen by this process: the time on which all machines that share the
    /// database agree. The clock is read when the database is opened, and about once a minute while tasks are claimed or held.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the address of the SQLite file at `path`.
    ///
    /// # Errors
    ///
    /// If the path cannot be made absolute, or cannot be part of an address.
    pub fn address_of_file(path: &Path) -> Result<String, StoreError> {
        database::sqlite_url(path)
    }

    /// Closes all connections. Waits for those that clones of this store use.
    pub async fn disconnect(self) {
        self.database.close().await;
    }

    /// Opens the SQLite file at `path`, which is made when missing; its folder must exist.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub async fn open_file(path: &Path) -> Result<Self, StoreError> {
        Self::open(&Self::address_of_file(path)?).await
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the address: it may hold a password.
        f.debug_struct("Store").field("dialect", &self.database.dialect).finish_non_exhaustive()
    }
}
