//! A branch with the new selectors, and the change request that offers it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use autoheal_engine::counted;
use autoheal_forge::host::{ChangeRequestText, Opened};
use autoheal_forge::{
    BranchName, CloneOptions, CommitId, CommitRequest, Git, GitSettings, Identity, Pushed, RepositoryAddress,
};
use autoheal_repo::commit_message::PREFIX;
use autoheal_repo::report::{code, fence};
use autoheal_scraper::Proposal;

use super::changes::{Change, edited_files};
use super::{changes, outcome};
use crate::args::ScraperFix;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::wiring;

/// Name of the branch, unless the user gives another.
const BRANCH: &str = "autoheal-selectors";

/// Longest excerpt of a page in a change request, in characters.
const LONGEST_EXCERPT: usize = 400;

/// The repository of a program, and the folder of the program in it.
struct Repository {
    address: RepositoryAddress,
    /// From the top of the repository to the folder that the program's paths begin at.
    folder: PathBuf,
}

/// Commits the changes to a branch of the program's repository: of a folder's own, or of that at an address, to which it is pushed.
/// The user's working tree stays as it is.
pub(super) async fn deliver(
    arguments: &ScraperFix,
    proposals: Vec<Proposal>,
    config: &Config,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let hosts = wiring::hosts(config)?;
    let repository = Repository::of(&arguments.program, config)?;
    let branch = BranchName::parse(arguments.branch.as_deref().unwrap_or(BRANCH)).bad_input()?;
    let hosted = hosts.of(&repository.address);
    if arguments.pull_request && hosted.is_none() {
        let message = "--pull-request needs the address of a repository on GitHub or GitLab, such as \
                       https://github.com/OWNER/NAME";
        return Err(Failure::bad_input(message.to_owned()));
    }
    let git = Git::new(GitSettings { tokens: hosts.git_tokens(), ..GitSettings::default() }).environment()?;
    let work = tempfile::tempdir().environment()?;
    let clone = work.path().join("clone");
    git.clone(&repository.address, &clone, &CloneOptions::default()).await.bad_input()?;

    let changes = changes(&clone.join(&repository.folder), proposals, printer);
    let files = files(&clone, &repository.folder, &changes)?;
    if files.is_empty() {
        return Ok(outcome(&changes));
    }
    let base = git.head(&clone).await.environment()?;
    // The base's own time: the same changes are the same commit, so that the command can be repeated.
    let at = git.log(&clone, None, &base).await.environment()?.last().context("the repository has no commit")?.at;
    let request = CommitRequest { files, message: message(&changes), author: Identity::default(), at };
    let commit = git.commit_on(&clone, &base, &request).await.bad_input()?;
    let verb = match git.push(&clone, &repository.address, &commit, &branch, None).await.bad_input()? {
        Pushed::Now => "has",
        Pushed::Before => "already had",
    };
    printer.say(&format!("the branch {branch} {verb} the new selectors ({})", commit.short()));
    if let Some((host, name)) = hosted.filter(|_| arguments.pull_request) {
        let base = host.default_branch(&name).await.environment()?;
        let text = change_request(&branch, base, &changes, &commit);
        let word = host.kind().change_request();
        match host.open_change_request(&name, &text).await.environment()? {
            Opened::New(pull) => printer.say(&format!("opened the {word} {}", pull.page)),
            Opened::Updated(pull) => printer.say(&format!("brought the {word} {} up to date", pull.page)),
            Opened::Refused(pull) => {
                printer.warn(&format!("no {word} was opened: {} offered the same, and was closed", pull.page));
                return Ok(Exit::NotHealed);
            }
            Opened::Left(pull) => {
                printer
                    .warn(&format!("no {word} was opened: {} is open from {branch}, and not by autoheal", pull.page));
                return Ok(Exit::NotHealed);
            }
        }
    } else {
        printer.say(&format!("next: run the program's tests on the branch, then git merge {branch}"));
    }
    Ok(outcome(&changes))
}

impl Repository {
    /// The repository at an address, or around a folder.
    fn of(program: &str, config: &Config) -> Result<Self, Failure> {
        if program.contains("://") {
            let address = RepositoryAddress::parse_on(program, &wiring::sites(config)?).bad_input()?;
            return Ok(Self { address, folder: PathBuf::new() });
        }
        let folder = Path::new(program).canonicalize().with_context(|| format!("cannot find {program}")).bad_input()?;
        let top = folder.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.with_context(|| format!("{program} is not in a git repository")).bad_input()?;
        let inside = folder.strip_prefix(top).map(Path::to_owned).unwrap_or_default();
        Ok(Self { address: RepositoryAddress::from_path(top).bad_input()?, folder: inside })
    }
}

/// The edited files by their paths in the repository.
fn files(clone: &Path, folder: &Path, changes: &[Change]) -> Result<BTreeMap<String, Option<Vec<u8>>>, Failure> {
    let edited = edited_files(&clone.join(folder), changes).bad_input()?;
    let path = |file: &Path| folder.join(file).to_string_lossy().into_owned();
    Ok(edited.into_iter().map(|edited| (path(&edited.file), Some(edited.after.into_bytes()))).collect())
}

fn title(changes: &[Change]) -> String {
    let replaced = changes.iter().filter(|change| change.edit.is_ok()).count();
    format!("{PREFIX} Replace {} that a redesign has broken", counted(replaced, "selector"))
}

fn message(changes: &[Change]) -> String {
    let mut text = title(changes) + "\n\n";
    for Change { proposal, edit } in changes {
        if let Ok(edit) = edit {
            let site = &proposal.site;
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}: {} -> {}", site.field, one_line(&site.selector), one_line(&edit.selector));
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Text that came from the program or a page appears in code spans and fences only.
fn change_request(branch: &BranchName, base: String, changes: &[Change], commit: &CommitId) -> ChangeRequestText {
    let mut body = "A page that this program reads has a new layout. The fields below were found again, and each new \
                    selector gives the known values on all stored pages of the new layout.\n\n\
                    | field | place | selector before | selector now | last value before | value now |\n\
                    | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    let value = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), |value| code(&excerpt(value)));
    let replaced: Vec<_> =
        changes.iter().filter_map(|change| Some((&change.proposal, change.edit.as_ref().ok()?))).collect();
    for (proposal, edit) in &replaced {
        let Proposal { site, before, now, .. } = proposal;
        let place = format!("{}:{}", edit.file.display(), edit.literal.line);
        let _ = writeln!(
            body,
            "| {} | {} | {} | {} | {} | {} |",
            code(site.field.as_str()),
            code(&place),
            code(&site.selector),
            code(&edit.selector),
            value(before),
            value(now),
        );
    }
    body.push_str("\nOn the newest page of the new layout:\n\n");
    for (proposal, _) in &replaced {
        if let Some(html) = &proposal.html {
            let _ = writeln!(body, "{}\n", code(proposal.site.field.as_str()));
            fence(&mut body, "html", &excerpt(html));
        }
    }
    for Change { proposal, edit } in changes {
        if let Err(reason) = edit {
            let site = &proposal.site;
            let place = format!("{}:{} {}", site.file, site.line, site.selector);
            let _ = writeln!(body, "- not replaced: {}: {}", code(&place), code(reason));
        }
    }
    body.push_str("\nThe program's tests were not run: let CI run them before you merge.\n");
    let commits = BTreeSet::from([commit.to_string()]);
    ChangeRequestText { head: branch.to_string(), base, title: title(changes), body, commits }
}

fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST_EXCERPT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
