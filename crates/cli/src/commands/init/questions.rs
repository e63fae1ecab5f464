//! The questions, at most three. Nothing is written before all of them are answered.

use url::Url;

use super::files::{Folder, is_working_tree};
use super::{Plan, Workflow};
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::init_args::{Ci, Init, action};
use crate::printer::Printer;
use crate::source_args::page_address;
use crate::text::{Text, Tone};
use crate::wiring;

/// Returns the plan that flags, defaults and answers make; `None`: the user ended the input.
pub(super) async fn plan(arguments: Init, config: &Config, printer: &Printer) -> Result<Option<Plan>, Failure> {
    let questions = Questions::new(&arguments, printer)?;
    if let Some(url) = arguments.page {
        return Ok(Some(Plan::Page(url)));
    }
    let wants_repository = if is_about_repository(&arguments) {
        true
    } else {
        let by_default = is_working_tree(&arguments.folder);
        let Some(wanted) = questions.wants_repository(by_default)? else { return Ok(None) };
        wanted
    };
    if !wants_repository {
        return Ok(questions.page()?.map(Plan::Page));
    }
    let folder = Box::new(Folder::open(arguments.folder)?);
    let test_command = match arguments.test_command {
        Some(command) => command,
        None => match questions.test_command(&folder)? {
            Some(command) => command,
            None => return Ok(None),
        },
    };
    let test_command = Some(test_command).filter(|command| !command.trim().is_empty());
    let workflow = match (arguments.workflow, arguments.action) {
        (Some(Ci::Github), Some(action)) => Workflow::GitHub(action),
        (Some(Ci::Gitlab), None) => Workflow::GitLab,
        (Some(Ci::None), None) => Workflow::None,
        (Some(Ci::Github), None) | (Some(Ci::Gitlab | Ci::None), Some(_)) => {
            return Err(Failure::bad_input("--workflow github needs --action OWNER/NAME, and no other does"));
        }
        (None, _) => match questions.workflow(host_of(&folder, config).await?)? {
            Some(workflow) => workflow,
            None => return Ok(None),
        },
    };
    Ok(Some(Plan::Repository { folder, test_command, workflow }))
}

const fn is_about_repository(arguments: &Init) -> bool {
    arguments.repository || arguments.test_command.is_some() || arguments.workflow.is_some()
}

/// Returns the CI of the host at which the repository's remote `origin` is; without one, only a flag names the CI.
async fn host_of(folder: &Folder, config: &Config) -> Result<Ci, Failure> {
    let server = folder.server().await;
    let sites = wiring::sites(config)?;
    let known = sites.iter().zip([Ci::Github, Ci::Gitlab]).find(|(site, _)| site.web().host_str() == server.as_deref());
    Ok(known.map_or(Ci::None, |(_, ci)| ci))
}

/// Asks on the terminal, or takes the defaults.
struct Questions<'p> {
    printer: &'p Printer,
    takes_defaults: bool,
}

impl<'p> Questions<'p> {
    /// Fails when there are questions that no flag answers, and no terminal to ask them on.
    fn new(arguments: &Init, printer: &'p Printer) -> Result<Self, Failure> {
        let takes_defaults = arguments.yes;
        if !takes_defaults && !printer.can_ask() {
            let open: Vec<&str> = match (&arguments.page, is_about_repository(arguments)) {
                (Some(_), _) => Vec::new(),
                (None, false) => vec!["--page URL, or --repository with --test-command and --workflow"],
                (None, true) => {
                    let flags = [
                        (arguments.test_command.is_none(), "--test-command"),
                        (arguments.workflow.is_none(), "--workflow"),
                    ];
                    flags.into_iter().filter_map(|(is_open, flag)| is_open.then_some(flag)).collect()
                }
            };
            if !open.is_empty() {
                return Err(Failure::bad_input(format!(
                    "cannot ask without a terminal; give {}; or --yes for the defaults",
                    open.join(" and ")
                )));
            }
        }
        Ok(Self { printer, takes_defaults })
    }

    /// Asks until `parse` accepts the answer, which is empty for the default; `None`: the input has ended.
    fn ask<T>(
        &self,
        question: &str,
        default: &str,
        parse: impl Fn(&str) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        if self.takes_defaults {
            return parse("").map(Some);
        }
        loop {
            let prompt = Text::from(question).with(Tone::Faint, format!(" [{default}]")).plain(": ");
            let Some(answer) = self.printer.ask(&prompt).bad_input()? else { return Ok(None) };
            match parse(answer.trim()) {
                Err(failure) if failure.exit == Exit::BadInput => self.printer.failure(&failure),
                parsed => return parsed.map(Some),
            }
        }
    }

    fn wants_repository(&self, by_default: bool) -> Result<Option<bool>, Failure> {
        let default = if by_default { "repository" } else { "page" };
        self.ask("Heal a repository, or watch a page?", default, |answer| match answer {
            "" => Ok(by_default),
            "repository" | "r" => Ok(true),
            "page" | "p" => Ok(false),
            _ => Err(Failure::bad_input("expected `repository` or `page`")),
        })
    }

    fn page(&self) -> Result<Option<Url>, Failure> {
        if self.takes_defaults {
            return Err(Failure::bad_input(
                "this folder is not a git repository, and a page has no default; give --page URL",
            ));
        }
        self.ask("Address of the page", "https://...", |answer| page_address(answer).map_err(Failure::bad_input))
    }

    /// Asks for the test command; an empty one is detected by each run.
    fn test_command(&self, folder: &Folder) -> Result<Option<String>, Failure> {
        let detected = folder.detected.as_deref().unwrap_or("nothing found yet");
        self.ask("Test command", &format!("each run detects it; now: {detected}"), |answer| {
            folder.settings(Some(answer).filter(|answer| !answer.is_empty()))?;
            Ok(answer.to_owned())
        })
    }

    fn workflow(&self, host: Ci) -> Result<Option<Workflow>, Failure> {
        match host {
            Ci::Github => self.ask(
                "GitHub repository of autoheal's action (OWNER/autoheal), for a workflow",
                "no workflow",
                |answer| match answer {
                    "" => Ok(Workflow::None),
                    name => action(name).map(Workflow::GitHub).map_err(Failure::bad_input),
                },
            ),
            Ci::Gitlab => self.ask("Print a job for GitLab CI?", "yes", |answer| match answer {
                "" | "yes" | "y" => Ok(Workflow::GitLab),
                "no" | "n" => Ok(Workflow::None),
                _ => Err(Failure::bad_input("expected `yes` or `no`")),
            }),
            Ci::None => Ok(Some(Workflow::None)),
        }
    }
}
