//! The talk with the runner that tries changes ([`autoheal_code::warm`]).

use std::time::Duration;

use autoheal_code::warm::{Answer, Request};
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::{self as sandbox, Line};

use crate::step_error::sandbox_error;

/// Reason for which a runner can no longer be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunnerError {
    /// The runner reported that it cannot continue.
    #[error("{0}")]
    Broken(String),
    /// Nothing can be tried for this failure, whatever runs the tests.
    #[error("{0}")]
    Hopeless(String),
    /// It ended, or did not answer in time.
    #[error("the runner {0}")]
    Ended(String),
    /// Something in the repository answered in its place.
    #[error("the runner's answer cannot be read: {0}")]
    Unreadable(String),
    /// Error of the sandbox that the runner is in.
    #[error(transparent)]
    Sandbox(#[from] sandbox::SandboxError),
}

impl RunnerError {
    /// Only what is wrong with this machine ends the step: a project that cannot be tried is one without a result.
    pub(super) fn into_refusal(self) -> Result<String, StepError> {
        self.into_cut().map_err(|error| sandbox_error(&error))
    }

    /// Returns the reason for which no more was tried. An error of the sandbox itself stays an error.
    pub(super) fn into_cut(self) -> Result<String, sandbox::SandboxError> {
        match self {
            Self::Broken(_) | Self::Hopeless(_) | Self::Ended(_) | Self::Unreadable(_) => Ok(self.to_string()),
            Self::Sandbox(error) => Err(error),
        }
    }
}

/// A runner that has loaded the tests.
pub(super) struct Runner {
    session: Box<dyn sandbox::Session>,
    /// Requests that have no answer yet.
    open: usize,
}

impl Runner {
    /// Waits until the tests are loaded.
    pub(super) async fn start(session: Box<dyn sandbox::Session>, time: Duration) -> Result<Self, RunnerError> {
        let mut runner = Self { session, open: 1 };
        match runner.answer_in(time).await? {
            Answer::Ready { .. } => Ok(runner),
            other => Err(RunnerError::Unreadable(format!("{other:?} instead of being ready"))),
        }
    }

    /// Sends a request without waiting for the response.
    pub(super) async fn send(&mut self, request: &Request<'_>) -> Result<(), RunnerError> {
        let mut line = serde_json::to_vec(request).map_err(|error| RunnerError::Unreadable(error.to_string()))?;
        line.push(b'\n');
        self.open += usize::from(!matches!(request, Request::Plan { .. }));
        self.session.send(&line).await;
        Ok(())
    }

    async fn answer(&mut self) -> Result<Answer, RunnerError> {
        match self.session.line().await? {
            Line::Text(line) => match serde_json::from_slice(&line) {
                Ok(Answer::Broken { why }) => Err(RunnerError::Broken(why)),
                Ok(answer) => {
                    self.open = self.open.saturating_sub(1);
                    Ok(answer)
                }
                Err(error) => Err(RunnerError::Unreadable(error.to_string())),
            },
            Line::Ended(outcome) => Err(RunnerError::Ended(format!("ended: {}", outcome.end))),
        }
    }

    /// Its next answer, which has to come in this time.
    pub(super) async fn answer_in(&mut self, time: Duration) -> Result<Answer, RunnerError> {
        let answer = self.answer_within(time).await?;
        answer.ok_or_else(|| RunnerError::Ended(format!("did not answer in {:.0} s", time.as_secs_f64())))
    }

    /// Its next answer, unless it takes longer than this.
    pub(super) async fn answer_within(&mut self, time: Duration) -> Result<Option<Answer>, RunnerError> {
        tokio::time::timeout(time, self.answer()).await.map_or(Ok(None), |answer| answer.map(Some))
    }

    /// Returns the number of requests that it has not answered yet.
    pub(super) const fn open(&self) -> usize {
        self.open
    }

    /// Returns whether it has answered everything: its next response belongs to the next request.
    pub(super) const fn is_idle(&self) -> bool {
        self.open == 0
    }

    pub(super) async fn close(self) -> Result<(), RunnerError> {
        Ok(self.session.close().await?)
    }
}
