//! The only executor of graphs: claims tasks, walks their workflow's graph with a checkpoint after every node, and takes
//! up where another worker, or this one before it was killed, left off.
//!
//! Workers share the database and nothing else. What protects a run from two of them is the lease's epoch, which every
//! write carries; heartbeats only make it rare that the fence is needed.
//!
//! # Layout
//!
//! - [`worker`]: claims tasks and runs them, several at once, until stopped; or one task
//! - [`crew`]: worker processes, where the work on untrusted text happens
//! - [`perform`]: tasks that somebody waits for
//! - [`registry`]: which workflow serves which kind of task
//! - `walk`: one run: begin or resume, node after node, checkpoint after checkpoint, finish
//! - `step`: one node: its tries, their timeout, what interrupts them
//! - [`room`]: the disk space without which nothing is begun
//! - `slots`: how many at once; `retry`: when a task that failed is tried again
//! - `lease`: the heartbeat, and what it has to say
//! - [`feed`]: what happens in the runs of this process, in one order
//! - [`owner`]: who a worker is, and whether the process behind a lease is gone
//! - [`fail_point`]: where the kill tests end the process
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
pub use feed::EventFeed;
pub use owner::Owner;
pub use perform::{PerformError, WhenStopped, ask_for};
pub use registry::Registry;
pub use room::Room;
pub use walk::WalkError;
pub use worker::{TaskEnd, Worker, WorkerError, WorkerSettings};
