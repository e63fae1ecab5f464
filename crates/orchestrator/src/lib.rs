//! The only executor of graphs: claims tasks, walks the graph of their workflow with a checkpoint after every node, and resumes
//! runs that another worker, or an earlier process of this one, left unfinished.
//!
//! Workers share only the database. The lease's epoch, which every write carries, protects a run from two
//! concurrent workers; heartbeats only make that conflict rare.
//!
//! # Layout
//!
//! - [`worker`]: claims tasks and runs them, several at once, until stopped; or one task
//! - [`crew`]: worker processes, where the work on untrusted text happens
//! - [`maintenance`]: alerts about waiting tasks, deletion of old data; [`notify`]: delivery of alerts and changes of values;
//!   [`mail`]: alerts by mail
//! - [`perform`]: tasks that a caller waits for
//! - [`registry`]: workflows by kind of task
//! - `walk`: one run: begin or resume, node after node, checkpoint after checkpoint, finish
//! - `step`: one node: its attempts, their timeout, and interruptions
//! - [`room`]: minimum disk space for new tasks
//! - `slots`: limits on concurrent tasks; `retry`: times of retries of failed tasks
//! - `lease`: the heartbeat, and what it reports
//! - [`feed`]: events of the runs of this process, in one order
//! - [`owner`]: identity of a worker, and whether the process behind a lease is gone
//! - [`fail_point`]: points at which the kill tests end the process
//!
//! # Example
//!
//! ```no_run
//! # async fn example(
//! #     workflow: impl autoheal_engine::workflow::Workflow,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! use autoheal_orchestrator::{Registry, Worker, WorkerSettings};
//! use tokio_util::sync::CancellationToken;
//!
//! let store = autoheal_store::Store::open("sqlite:///var/lib/autoheal/autoheal.db").await?;
//! let worker = Worker::new(store, WorkerSettings::of_this_process(), Registry::new().with(workflow));
//! let stop = CancellationToken::new();
//! worker.run_until(stop).await;
//! # Ok(())
//! # }
//! ```

pub mod crew;
pub mod fail_point;
pub mod feed;
mod lease;
pub mod mail;
pub mod maintenance;
pub mod notify;
pub mod owner;
pub mod perform;
pub mod registry;
mod retry;
pub mod room;
mod slots;
mod step;
mod walk;
pub mod worker;

pub use crew::{Crew, CrewSettings};
pub use feed::{Awaited, EventFeed};
pub use mail::{MailError, MailSettings, Mailer};
pub use maintenance::{Maintenance, MaintenanceSettings};
pub use notify::Notifier;
pub use owner::Owner;
pub use perform::{PerformError, WhenStopped, ask_for};
pub use registry::Registry;
pub use room::Room;
pub use walk::WalkError;
pub use worker::{TaskEnd, Worker, WorkerError, WorkerSettings};
