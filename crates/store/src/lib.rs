//! Every SQL statement of the program: the task queue with its leases, runs with their checkpoints and events, what they
//! leave behind, on SQLite or PostgreSQL.
//!
//! Workers share this and nothing else. A task is owned by the worker that claimed it last; the claim's *epoch* fences every
//! later write, so a worker that was thought dead cannot overwrite the work of its successor. Lease times are by the
//! database's clock; all other times are the caller's.
//!
//! # Layout
//!
//! - [`queue`]: enqueue, claim, heartbeat, release, fail, cancel
//! - [`run`]: runs, checkpoints, events and results, each written in one transaction behind the fence
//! - [`record`]: what the steps of a run leave: diagnostics, fixes, outputs
//! - [`source`]: sources with their health, recipes, pages, values and alerts
//! - [`decision`]: what people decided about sources, and who
//! - [`ledger`]: what models were asked, and what that cost; `budget`: reservations for what is asked now
//! - [`job`]: what was asked for over HTTP
//! - [`listing`]: lists for people; [`waiting`]: tasks that nobody claims
//! - [`notice`]: what is told by web addresses and mail
//! - `politeness`: the turns of hosts
//! - [`retention`]: forgetting what is old; `backup`: a copy of everything
//! - [`error`]: what can go wrong
//! - `clock`: one clock for all machines; `schema`: noticing that a newer autoheal has migrated the database
//! - `database`, `writer`, `row`: the two engines behind one set of statements, group commit, rows as types
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

mod backup;
mod budget;
mod clock;
mod database;
pub mod decision;
pub mod error;
mod filter;
pub mod job;
pub mod ledger;
pub mod listing;
pub mod notice;
mod politeness;
pub mod queue;
pub mod record;
pub mod retention;
mod row;
pub mod run;
mod schema;
pub mod source;
pub mod waiting;
mod write;
mod writer;

use std::path::Path;

use autoheal_engine::Timestamp;

pub use clock::{LocalClock, system_time};
pub use decision::DecisionRow;
pub use error::StoreError;
pub use job::JobRow;
pub use ledger::{UsageBy, UsageRow};
pub use listing::{Glance, RecentRun, RunFilter, RunState, SnapshotRow};
pub use notice::{Channel, NoticeRow, Reach};
pub use queue::{ClaimRequest, Enqueued, Held, TaskFilter};
pub use retention::{Pruned, Retention};
pub use run::{Checkpoint, FinishedRun, NewRun, RunRow};
pub use source::{AlertRow, RecipeRow, SourceRow, ValueRow};

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
    /// Opens the database at `url` and brings its schema up to date: `sqlite:///path/to/file.db` (made when missing),
    /// `sqlite::memory:` (gone with the last clone), or `postgres://user@host/database`. Must be called within a tokio
    /// runtime, and that runtime must outlive the store.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`] when a newer autoheal has migrated it, [`StoreError::UnknownAddress`] for another kind of
    /// address, and what the database says when it cannot be opened or migrated.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_by(url, system_time).await
    }

    /// The same on a machine whose clock is `local`, right or wrong.
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

    /// The time by the database's clock, as far as this process has seen it: what all machines that share the database agree on. It is asked
    /// for when the database is opened and about once a minute while tasks are claimed or held.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Opens the SQLite file at `path`, which is made when missing; its folder must exist.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub async fn open_file(path: &Path) -> Result<Self, StoreError> {
        Self::open(&database::sqlite_url(path)?).await
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the address: it may hold a password.
        f.debug_struct("Store").field("dialect", &self.database.dialect).finish_non_exhaustive()
    }
}
