//! A task or a call that is handed to a worker process, followed to its end.

use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_engine::event::EventBody;
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Crew;
use super::member::{Death, Heard, Job};
use super::protocol::{JobEnd, Order, Role};
use crate::lease::Hold;
use crate::registry::Walker;
use crate::walk::{Session, WalkEnd, WalkError};

/// The time a call has to end after its client has gone.
const CALL_GRACE: Duration = Duration::from_secs(10);

/// The longest call: far more than any tool takes that is still alive.
const LONGEST_CALL: Duration = Duration::from_hours(1);

/// Walks the run of the session's task in a worker process.
///
/// # Errors
///
/// [`WalkError::Process`] when the process died of this task, or none can be started; else as the walk itself.
pub(crate) async fn walk(crew: &Crew, walker: &dyn Walker, session: &Session) -> Result<WalkEnd, WalkError> {
    let role = Role::of(session.task.kind);
    let mut alone = role == Role::Repository;
    loop {
        let order = |job| Order::Walk {
            job,
            task: Box::new(session.task.clone()),
            lease: session.lease.clone(),
            grace_millis: u64::try_from(session.interrupts.grace.as_millis()).unwrap_or(u64::MAX),
        };
        let job = crew.begin(role, alone, order).await.map_err(WalkError::Process)?;
        let death = match (Following { walker, session, patience: crew.0.settings.patience, run: None, limit: None })
            .follow(job)
            .await
        {
            Ok(end) => return end,
            Err(death) => death,
        };
        if death.was_alone {
            return Err(WalkError::Process(death.reason));
        }
        tracing::warn!(task = %session.task.id, reason = death.reason, "a shared worker process died: the task runs again in its own");
        alone = true;
    }
}

struct Following<'a> {
    walker: &'a dyn Walker,
    session: &'a Session,
    patience: Duration,
    run: Option<RunId>,
    /// Time from which the process is considered to hang, and the message for the user.
    limit: Option<(Instant, String)>,
}

impl Following<'_> {
    async fn follow(mut self, mut job: Job) -> Result<Result<WalkEnd, WalkError>, Death> {
        let interrupts = &self.session.interrupts;
        let mut hold = interrupts.hold.clone();
        let (mut is_told_hold, mut is_told_stop) = (false, false);
        let end = loop {
            let limit = self.limit.clone();
            let hangs = async {
                match &limit {
                    Some((at, _)) => sleep_until(*at).await,
                    None => std::future::pending().await,
                }
            };
            // Without its heartbeat a lease is as good as lost.
            let news = async { hold.wait_for(|hold| *hold != Hold::Held).await.map_or(Hold::Lost, |hold| *hold) };
            tokio::select! {
                biased;
                heard = job.next() => match heard {
                    Heard::Event(event) => {
                        self.run = Some(event.run);
                        self.set_limit(&event.body, is_told_hold || is_told_stop);
                        self.session.audience.announce(&event);
                    }
                    Heard::Progress(_) => {}
                    Heard::Ended(end) => break Ok(ended(end)),
                    Heard::Died(death) => break Err(death),
                },
                news = news, if !is_told_hold => {
                    is_told_hold = true;
                    job.send(Order::Hold { job: job.id(), hold: news });
                    self.limit = Some((Instant::now() + self.patience, "the worker process did not react to its interruption".to_owned()));
                }
                () = interrupts.stop.cancelled(), if !is_told_stop => {
                    is_told_stop = true;
                    job.send(Order::Stop { job: job.id() });
                    let at = Instant::now() + interrupts.grace.saturating_add(self.patience);
                    self.limit = Some((at, "the worker process did not react to the stop".to_owned()));
                }
                () = hangs => {
                    job.kill();
                    let reason = limit.map(|(_, reason)| reason).unwrap_or_default();
                    if is_told_hold || is_told_stop {
                        break Ok(self.give_back().await);
                    }
                    break Err(Death { reason, was_alone: true });
                }
            }
        };
        if let Some(run) = self.run {
            self.session.audience.forget(run);
        }
        end
    }

    /// A step has its own limit, which it may be unable to keep itself: code that computes cannot be interrupted from within.
    fn set_limit(&mut self, body: &EventBody, is_interrupted: bool) {
        match body {
            _ if is_interrupted => {}
            EventBody::NodeStarted { node, .. } => {
                let limit = self.walker.limit(node, &self.session.task);
                self.limit = limit.map(|limit| {
                    let reason =
                        format!("node {node} did not end within {} s, nor could it be interrupted", limit.as_secs());
                    (Instant::now() + limit.saturating_add(self.patience), reason)
                });
            }
            EventBody::NodeFinished { .. } | EventBody::NodeFailed { .. } => self.limit = None,
            EventBody::RunStarted { .. }
            | EventBody::RunResumed { .. }
            | EventBody::RunFinished { .. }
            | EventBody::Progress { .. }
            | EventBody::Note { .. } => {}
        }
    }

    /// Releases the task of a killed process that had to end anyway.
    async fn give_back(&self) -> Result<WalkEnd, WalkError> {
        self.session.store.release(&self.session.lease).await?;
        self.run.map(WalkEnd::Stopped).ok_or(WalkError::LeaseLost)
    }
}

fn ended(end: JobEnd) -> Result<WalkEnd, WalkError> {
    match end {
        JobEnd::Finished { run, state } => Ok(WalkEnd::Finished(run, state)),
        JobEnd::Stopped { run } => Ok(WalkEnd::Stopped(run)),
        JobEnd::LeaseLost => Err(WalkError::LeaseLost),
        JobEnd::Broken { error } => Err(WalkError::Process(error)),
        JobEnd::Answer { .. } => Err(WalkError::Process("the worker process mistook a task for a call".to_owned())),
    }
}

/// The reason why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Error of the call itself, in the form that its callee gives it.
    #[error("{0}")]
    Answered(Value),
    /// The worker process died of the call, hung, or could not be started.
    #[error("{0}")]
    Process(String),
    /// The client has gone.
    #[error("stopped: the client is gone")]
    Stopped,
}

impl Crew {
    /// Has a call answered in a worker process. `progress` receives lines meanwhile; `stop` ends the call.
    ///
    /// # Errors
    ///
    /// [`CallError`].
    pub async fn call(
        &self,
        name: &str,
        input: &Value,
        progress: &(dyn Fn(String) + Send + Sync),
        stop: &CancellationToken,
    ) -> Result<Value, CallError> {
        let mut alone = false;
        loop {
            let order = |job| Order::Call { job, name: name.to_owned(), input: input.clone() };
            let mut job = self.begin(Role::Calls, alone, order).await.map_err(CallError::Process)?;
            let stopped = async {
                stop.cancelled().await;
                sleep(CALL_GRACE).await;
            };
            let death = tokio::select! {
                end = answer(&mut job, progress, stop) => match end {
                    Ok(answer) => return answer,
                    Err(death) => death,
                },
                () = stopped => {
                    job.kill();
                    return Err(CallError::Stopped);
                }
                () = sleep(LONGEST_CALL) => {
                    job.kill();
                    return Err(CallError::Process(format!("it did not end within {} s", LONGEST_CALL.as_secs())));
                }
            };
            if death.was_alone {
                return Err(CallError::Process(death.reason));
            }
            alone = true;
        }
    }
}

async fn answer(
    job: &mut Job,
    progress: &(dyn Fn(String) + Send + Sync),
    stop: &CancellationToken,
) -> Result<Result<Value, CallError>, Death> {
    let mut is_told = false;
    loop {
        tokio::select! {
            heard = job.next() => match heard {
                Heard::Progress(line) => progress(line),
                Heard::Ended(JobEnd::Answer { answer }) => return Ok(answer.map_err(CallError::Answered)),
                Heard::Ended(JobEnd::Broken { error }) => return Ok(Err(CallError::Process(error))),
                Heard::Ended(JobEnd::Finished { .. } | JobEnd::Stopped { .. } | JobEnd::LeaseLost) | Heard::Event(_) => {
                    return Ok(Err(CallError::Process("the worker process mistook a call for a task".to_owned())));
                }
                Heard::Died(death) => return Err(death),
            },
            () = stop.cancelled(), if !is_told => {
                is_told = true;
                job.send(Order::Stop { job: job.id() });
            }
        }
    }
}
