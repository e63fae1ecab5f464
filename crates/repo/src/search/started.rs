//! Candidates with the test runner started for each: much slower than the runner that tries changes, and possible with every runner that can
//! be told which tests to run.

use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use super::trial::{ENOUGH, Found};
use crate::acceptance::judge;
use crate::look::{Look, millis};
use crate::session::{Scope, Session};
use crate::state::{FileText, Search};

/// A try may take so many times as long as the whole suite does, as a change may make a loop endless.
const PATIENCE: u32 = 3;

/// As long as this it may always take, in case the machine is busy.
const SHORTEST_LIMIT: Duration = Duration::from_secs(2);

/// After the first that the tests allow, as many again are tried, and no fewer than this: how many others there are is worth knowing.
const FURTHER: usize = 10;

/// A person is told after so many tries.
const TOLD: usize = 10;

/// What is tried, and until when.
pub(super) struct Trial<'a> {
    /// The tree as it is.
    pub(super) before: &'a Look,
    pub(super) candidates: &'a [Candidate],
    pub(super) target: &'a Finding,
    pub(super) deadline: Timestamp,
}

impl Trial<'_> {
    /// Tries the candidates, likeliest first.
    pub(super) async fn run(
        &self,
        session: &mut Session,
        record: &mut Search,
        context: &StepContext,
    ) -> Result<Found, StepError> {
        let began = context.now();
        let mut found = Found::default();
        let mut last = self.candidates.len();
        for (number, candidate) in self.candidates.iter().enumerate() {
            if number >= last || self.deadline.since(context.now()).is_zero() {
                break;
            }
            if number.is_multiple_of(TOLD) {
                let (headline, total, allowed) = (self.target.headline(), last, found.plausible.len());
                context.progress(format!("{headline}: change {} of {total}, {allowed} allowed", number + 1));
            }
            let Some(files) = texts_of(candidate, session) else { continue };
            let undo = session.write(&files)?;
            let is_allowed = self.is_allowed(session, context).await;
            // Also on an error: the tree never keeps what was not accepted.
            session.write(&undo)?;
            found.ended.insert(number);
            if is_allowed? {
                found.plausible.insert(number);
                let enough = found.plausible.len() >= ENOUGH;
                last = if enough { 0 } else { last.min(number + number.max(FURTHER)) };
            }
        }
        record.tried = found.ended.len();
        record.loaded_anew = record.tried;
        record.plausible = found.plausible.len();
        record.trying_millis = millis(context.now().since(began));
        Ok(found)
    }

    /// The failing tests first, then everything.
    async fn is_allowed(&self, session: &mut Session, context: &StepContext) -> Result<bool, StepError> {
        let key = self.target.key();
        let limit = self.before.duration().saturating_mul(PATIENCE).max(SHORTEST_LIMIT);
        let failing = self.before.failing_selectors(&key);
        let look = session.look(&Scope::Only(failing), limit, context).await?;
        if look.cut_short.is_some() || look.keys().contains(&key) {
            return Ok(false);
        }
        let look = session.look(&Scope::All, limit, context).await?;
        Ok(judge(self.before, &look, &key).is_ok())
    }
}

/// The files as the candidate would leave them.
fn texts_of(candidate: &Candidate, session: &Session) -> Option<Vec<FileText>> {
    let sources = session.sources();
    let text_of = |edit: &autoheal_code::FileEdit| {
        let before = sources.text(&edit.file).filter(|_| sources.is_editable(&edit.file))?;
        Some(FileText { file: edit.file.clone(), text: edit.apply(before).ok()? })
    };
    candidate.files.iter().map(text_of).collect()
}
