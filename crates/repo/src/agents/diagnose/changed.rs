//! Files that the last commit broke and that tests need not load: CI may be green with them, a user's program is not.

use std::collections::BTreeSet;
use std::path::Path;

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use crate::earlier;
use crate::session::Session;
use crate::state::HealState;

/// A commit that changes more files has other faults than a slip.
const MOST: usize = 200;

/// Finds the files that do not parse since the last commit. From now on they are checked each time; returns their findings.
pub(super) async fn find_broken(
    state: &mut HealState,
    session: &mut Session,
    context: &StepContext,
) -> Result<Vec<Finding>, StepError> {
    // Who names the command says what green means.
    let before = session.tree_before().filter(|_| state.request.test_command.is_none());
    let Some(before) = before else { return Ok(Vec::new()) };
    let changed: Vec<String> = earlier::changed(session).into_iter().map(|changed| changed.file.to_owned()).collect();
    if changed.is_empty() || changed.len() > MOST {
        return Ok(Vec::new());
    }
    let mut findings = session.parse_check(&changed, context).await?;
    if findings.is_empty() {
        return Ok(findings);
    }
    let broken: BTreeSet<String> = findings.iter().filter_map(|finding| finding.file.clone()).collect();
    let earlier: Vec<String> = broken.iter().map(|file| before.join(file).display().to_string()).collect();
    let old = session.parse_check(&earlier, context).await?;
    let was_broken = |file: &String| {
        let earlier = before.join(file);
        old.iter().filter_map(|finding| finding.file.as_deref()).any(|file| Path::new(file) == earlier)
    };
    let broken: BTreeSet<String> = broken.into_iter().filter(|file| !was_broken(file)).collect();
    findings.retain(|finding| finding.file.as_ref().is_some_and(|file| broken.contains(file)));
    session.keep_broken(&broken);
    if let Some(setup) = &mut state.analysis.setup {
        setup.broken_files = broken;
    }
    Ok(findings)
}
