//! Worker processes: where the work on untrusted text happens.
//!
//! The process that claims tasks, keeps their leases and serves clients never reads a page or a repository itself. It hands each
//! task to a child process of the same binary, and follows what it reports. A child that crashes, hangs or exhausts its
//! memory is a failed attempt of the task that it had; nothing else ends with it.
//!
//! A repository has its own process. Sources share one: starting a process for each page would cost more than reading the page.
//! If the shared process dies, the cause is unknown. So each of its tasks runs again in a separate process, and only a task that
//! kills that process, too, has failed.
//!
//! - `protocol`: the lines between the processes
//! - `member`: one worker process, seen from the parent
//! - `following`: a task or a call, handed to a worker process
//! - [`performer`]: the worker process itself

mod following;
mod member;
pub mod performer;
pub(crate) mod protocol;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex;

pub use self::following::CallError;
pub(crate) use self::following::walk;
use self::member::{Job, Member};
pub use self::protocol::{Greeting, Role};
use self::protocol::{JobId, Order};

/// Jobs after which a shared process is replaced, so that no leak grows for ever.
const JOBS_OF_A_MEMBER: u64 = 2_000;

/// Settings for starting worker processes.
#[derive(Debug, Clone)]
pub struct CrewSettings {
    /// The arguments with which this program becomes a worker process.
    pub arguments: Vec<String>,
    /// The settings that a worker process is greeted with.
    pub settings: Value,
    /// The memory of one worker process with everything it starts outside of sandboxes, in bytes.
    pub memory: u64,
    /// Time beyond a step's own limit, or beyond the grace period of a stop, after which a worker process counts as hung.
    pub patience: Duration,
}

/// The worker processes of one worker. Cheap to clone; the processes end with the last clone.
#[derive(Debug, Clone)]
pub struct Crew(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: CrewSettings,
    shared: Mutex<BTreeMap<Role, Arc<Member>>>,
}

impl Crew {
    /// Makes a crew without any process yet.
    pub fn new(settings: CrewSettings) -> Self {
        Self(Arc::new(Inner { settings, shared: Mutex::default() }))
    }

    /// Begins a job, in a process of its own or in the one that jobs of this role share.
    ///
    /// # Errors
    ///
    /// The reason why no process can be started.
    async fn begin(&self, role: Role, alone: bool, order: impl Fn(JobId) -> Order) -> Result<Job, String> {
        loop {
            let member = if alone { Arc::new(self.start(role).await?) } else { self.shared(role).await? };
            // A process that has died since is replaced.
            if let Some(job) = member.begin(&order) {
                return Ok(job);
            }
        }
    }

    async fn shared(&self, role: Role) -> Result<Arc<Member>, String> {
        let mut shared = self.0.shared.lock().await;
        if let Some(member) = shared.get(&role)
            && member.is_alive()
            && member.begun() < JOBS_OF_A_MEMBER
        {
            return Ok(Arc::clone(member));
        }
        let member = Arc::new(self.start(role).await?);
        // The former one ends with its last job.
        shared.insert(role, Arc::clone(&member));
        Ok(member)
    }

    async fn start(&self, role: Role) -> Result<Member, String> {
        let CrewSettings { arguments, settings, memory, patience: _ } = &self.0.settings;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Member::start(&arguments, *memory, &Greeting { role, settings: settings.clone() }).await
    }
}
