//! The repo analyzer: clones, decides which branch the work goes to, and learns how the repository is tested.

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_engine::{ErrorCode, StopReason};
use autoheal_forge::{BranchName, CommitId, CommitInfo};

use crate::branch_name::numbered_branch_name;
use crate::checkout::{Checkout, DefaultBranch};
use crate::commit_message::is_ours;
use crate::protected::{Protection, keeps_configuration, may_hold_configuration, protection};
use crate::repo_config::{self, RepoConfig};
use crate::request::Delivery;
use crate::settings::HealSettings;
use crate::state::{HealState, Origin};
use crate::step_error::forge_error;
use crate::test_setup;

/// Maximum number of branch names to try. A team with this many unmerged branches of ours has other problems.
const MAX_RUN_NUMBER: u32 = 1000;

/// Clones and analyses once; in later rounds everything is known.
pub(crate) async fn run(
    state: &mut HealState,
    checkout: &Checkout,
    settings: &HealSettings,
    context: &StepContext,
) -> Result<(), StepError> {
    if state.analysis.setup.is_some() {
        return Ok(());
    }
    context.progress(format!("cloning {}", checkout.address));
    let base = checkout.clone_repository(state).await?;
    if let Some(asked) = state.request.commit.as_ref().filter(|asked| asked.as_str() != base.as_str()) {
        return Err(StepError::Permanent {
            code: ErrorCode::InvalidInput,
            message: format!("{} is at {base} by now, not at {asked}: run again for what is there", checkout.address),
        });
    }
    let is_guarded = checkout.address.path().is_none() || state.request.refuse_own_commits;
    if is_guarded && is_own_commit(checkout, &base).await? {
        let reason = StopReason::OwnCommit;
        state.stop_with(reason);
        state.rounds.close(false, 0, context.now());
        context.note("verdict", format!("{}: {}", reason.name(), reason.explanation()));
        return Ok(());
    }
    warn_of_uncommitted(state, checkout).await?;
    let origin = find_origin(state, checkout, &base).await?;
    let start = CommitId::parse(&origin.start_commit).map_err(|error| forge_error(&error))?;
    context.note("analyzed", format!("{} at {}, fixes go to {}", checkout.address, start.short(), origin.branch));
    let external = checkout.write_tree(&state.fixes, &start).await?;
    external.ensure_enough(&checkout.folders.tree())?;
    state.warnings.extend(external.warnings());
    checkout.write_before(&base).await?;
    state.analysis.origin = Some(origin);
    let mut setup = test_setup::prepare(state, checkout, settings, context).await?;
    setup.external_files = external;
    setup.redefined = redefined(checkout, &base, state.request.trust_config).await?;
    if !setup.redefined.is_empty() {
        const SHOWN: usize = 5;
        let shown = setup.redefined.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        state.warn(format!(
            "the branch itself defines what green means: on the default branch these files are others, or it is not known: {shown}; read them \
             before you trust the result"
        ));
    }
    for line in setup.command_lines() {
        context.note("analyzed", format!("green means: {line}"));
    }
    for tools in setup.tools() {
        context.note("analyzed", format!("interpreter: {}", tools.interpreter.found));
    }
    state.analysis.setup = Some(setup);
    Ok(())
}

/// Returns the files that define what green means and differ from those of the default branch. If the default branch is unknown, returns
/// the repository's own settings, as there is nothing to compare them with.
async fn redefined(checkout: &Checkout, base: &CommitId, trust_config: bool) -> Result<Vec<String>, StepError> {
    let (git, clone) = (&checkout.git, checkout.folders.clone_folder());
    let (default, is_obeyed) = match checkout.default_branch().await? {
        // Without that trust the repository's own settings are those of the default branch.
        DefaultBranch::Other(default) => (default, trust_config),
        DefaultBranch::Healed => (git.head(&clone).await.map_err(|error| forge_error(&error))?, true),
        DefaultBranch::Unknown => {
            // A file that cannot be read has ended the run already.
            let own = RepoConfig::read(&checkout.folders.tree()).ok().flatten();
            return Ok(own
                .filter(RepoConfig::defines_green)
                .map(|_| repo_config::FILE.to_owned())
                .into_iter()
                .collect());
        }
    };
    if default == *base {
        return Ok(Vec::new());
    }
    let mut redefined = Vec::new();
    for file in git.changed_files(&clone, &default, base).await.map_err(|error| forge_error(&error))? {
        let is_green = match protection(&file) {
            Some(_) if file == repo_config::FILE => is_obeyed,
            Some(Protection::Configuration | Protection::Ci) => true,
            None if may_hold_configuration(&file) => {
                let mut texts = Vec::new();
                for commit in [&default, base] {
                    let bytes = git.file(&clone, commit, &file).await.map_err(|error| forge_error(&error))?;
                    texts.push(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned());
                }
                !keeps_configuration(&file, &texts[0], &texts[1])
            }
            Some(Protection::Test | Protection::Lock | Protection::Git | Protection::Vendored) | None => false,
        };
        if is_green {
            redefined.push(file);
        }
    }
    Ok(redefined)
}

/// Returns whether the commit is one of ours, or the merge of one that CI makes to test a pull request. At a
/// host, there may be no one to notice that we keep healing our own work forever; a run on a local folder was
/// requested by a user.
async fn is_own_commit(checkout: &Checkout, commit: &CommitId) -> Result<bool, StepError> {
    let clone = checkout.folders.clone_folder();
    let parent = checkout.git.parent(&clone, commit).await.map_err(|error| forge_error(&error))?;
    let log = checkout.git.log(&clone, parent.as_ref(), commit).await.map_err(|error| forge_error(&error))?;
    let merged = log.iter().find(|entry| entry.id == *commit).and_then(tested_head);
    Ok(log.iter().any(|entry| (entry.id == *commit || Some(&entry.id) == merged) && is_ours(entry)))
}

/// Returns the head of the pull request, if the commit is the merge that GitHub makes to test one. Other merges are a user's decision.
fn tested_head(entry: &CommitInfo) -> Option<&CommitId> {
    let [base, head] = entry.parents.as_slice() else { return None };
    (entry.message.trim() == format!("Merge {head} into {base}")).then_some(head)
}

async fn warn_of_uncommitted(state: &mut HealState, checkout: &Checkout) -> Result<(), StepError> {
    let Some(path) = checkout.address.path().filter(|_| !state.request.include_uncommitted) else { return Ok(()) };
    let clone = checkout.folders.clone_folder();
    if checkout.git.is_dirty(path, &clone).await.map_err(|error| forge_error(&error))? {
        state.warnings.push(
            "the checkout has uncommitted changes, which were left out; --include-uncommitted takes them along"
                .to_owned(),
        );
    }
    Ok(())
}

/// Our branch of an earlier run is continued when it holds nothing but our commits over this base; one that holds other
/// people's is left alone, and the run's number goes into the team part of the name.
async fn find_origin(state: &HealState, checkout: &Checkout, base: &CommitId) -> Result<Origin, StepError> {
    let clone = checkout.folders.clone_folder();
    for number in 1..=MAX_RUN_NUMBER {
        let branch = branch(state, number)?;
        let remote_tip = match state.request.delivery {
            Delivery::Push => checkout
                .git
                .fetch_branch(&clone, &checkout.address, &branch)
                .await
                .map_err(|error| forge_error(&error))?,
            Delivery::NoPush | Delivery::DryRun => None,
        };
        let start = match &remote_tip {
            None => base.clone(),
            Some(tip) if is_continuation(checkout, base, tip).await? => tip.clone(),
            Some(_) => continue,
        };
        return Ok(Origin {
            base_commit: base.as_str().to_owned(),
            start_commit: start.as_str().to_owned(),
            branch: branch.to_string(),
            remote_tip: remote_tip.map(|tip| tip.as_str().to_owned()),
        });
    }
    Err(StepError::Permanent {
        code: ErrorCode::GitPushFailed,
        message: format!("{MAX_RUN_NUMBER} branches of this team and leader hold other commits; remove or merge some"),
    })
}

async fn is_continuation(checkout: &Checkout, base: &CommitId, tip: &CommitId) -> Result<bool, StepError> {
    let clone = checkout.folders.clone_folder();
    if !checkout.git.is_ancestor(&clone, base, tip).await.map_err(|error| forge_error(&error))? {
        return Ok(false);
    }
    let commits = checkout.git.log(&clone, Some(base), tip).await.map_err(|error| forge_error(&error))?;
    Ok(commits.iter().all(is_ours))
}

fn branch(state: &HealState, number: u32) -> Result<BranchName, StepError> {
    let request = &state.request;
    numbered_branch_name(&request.team_name, &request.leader_name, number)
        .map_err(|error| StepError::Permanent { code: ErrorCode::InvalidInput, message: error.to_string() })
}

#[cfg(test)]
mod tests {
    use autoheal_engine::Timestamp;
    use autoheal_forge::Identity;

    use super::*;

    #[test]
    fn only_the_merge_that_github_tests_stands_for_its_head() {
        let id = |digit: &str| CommitId::parse(&digit.repeat(40)).unwrap();
        let entry = |message: String, parents| CommitInfo {
            id: id("c"),
            parents,
            author: Identity::default(),
            committer: Identity::default(),
            at: Timestamp::from_millis(0),
            message,
        };
        let (base, head) = (id("a"), id("b"));
        let both = vec![base.clone(), head.clone()];
        let of_github = format!("Merge {head} into {base}");
        assert_eq!(tested_head(&entry(of_github.clone(), both.clone())), Some(&head));
        assert_eq!(tested_head(&entry(of_github, vec![base])), None);
        assert_eq!(tested_head(&entry("Merge pull request #7 from o/T_L_AI_Fix".to_owned(), both)), None);
    }
}
