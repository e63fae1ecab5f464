//! `autoheal init`: sets up a repository or a first source, by a few questions.

mod files;
mod questions;

use autoheal_forge::host::RepositoryName;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::source;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::init_args::Init;
use crate::printer::Printer;
use crate::text::{Text, Tone};
use files::{Folder, State, WrittenFile};

/// Everything that the answers determine.
enum Plan {
    /// Add a page as a source.
    Page(Url),
    /// Set up a repository.
    Repository {
        folder: Box<Folder>,
        /// `None`: each run detects it.
        test_command: Option<String>,
        workflow: Workflow,
    },
}

/// Healing in CI.
enum Workflow {
    /// A workflow with the action of this repository.
    GitHub(RepositoryName),
    /// A job, which the user puts into the file of the pipeline.
    GitLab,
    None,
}

/// Result of the command as JSON.
#[derive(Debug, Serialize)]
struct Outcome {
    files: Vec<WrittenFile>,
    /// Job for `.gitlab-ci.yml`.
    job: Option<&'static str>,
    /// The results of adding the page.
    source: Option<Value>,
    /// The command to run next.
    next: String,
}

/// Asks the questions that no flag answers, and then writes.
pub(super) async fn run(arguments: Init, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let json = arguments.json;
    let Some(plan) = questions::plan(arguments, config, printer).await? else {
        printer.say("\ncancelled; nothing was written");
        return Ok(Exit::Cancelled);
    };
    let (outcome, exit) = match plan {
        Plan::Page(url) => {
            let Some((name, results)) = source::add_page(url, config, printer).await? else {
                return Ok(Exit::Cancelled);
            };
            if !json {
                source::show_added(&name, &results, printer)?;
            }
            let next = format!("autoheal source run {name}");
            (Outcome { files: Vec::new(), job: None, source: Some(results), next }, Exit::Fine)
        }
        Plan::Repository { folder, test_command, workflow } => {
            let outcome = set_up(&folder, test_command.as_deref(), &workflow, printer).await?;
            let is_left = outcome.files.iter().any(|file| file.state == State::LeftAsItIs);
            (outcome, if is_left { Exit::NotHealed } else { Exit::Fine })
        }
    };
    if json {
        printer.json(&outcome)?;
    } else if let Some(job) = outcome.job {
        printer.data(job)?;
    }
    printer.say(Text::from("next: ").with(Tone::Strong, outcome.next));
    Ok(exit)
}

async fn set_up(
    folder: &Folder,
    test_command: Option<&str>,
    workflow: &Workflow,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    // Both texts are made before the first is written.
    let settings = folder.settings(test_command)?;
    let mut texts = vec![(autoheal_repo::repo_config::FILE, settings)];
    let mut job = None;
    match workflow {
        Workflow::GitHub(action) => texts.push((files::WORKFLOW, folder.workflow(action))),
        Workflow::GitLab => job = Some(files::JOB),
        Workflow::None => {}
    }
    let mut written = Vec::new();
    for (path, text) in texts {
        let file = folder.put(path, &text)?;
        match file.state {
            State::Written => printer.say(&format!("wrote {path}")),
            State::Unchanged => printer.say(&format!("{path} exists already, with the same text")),
            State::LeftAsItIs => printer.warn(&format!(
                "{path} exists already, and was left as it is; to have it written, remove it, and run this command again"
            )),
        }
        written.push(file);
    }
    if job.is_some() {
        printer.say(
            "add this job to .gitlab-ci.yml, and store a token as the variable AUTOHEAL_GITLAB_TOKEN (docs/gitlab.md):",
        );
    }
    let next = folder.next(&written).await;
    Ok(Outcome { files: written, job, source: None, next })
}
