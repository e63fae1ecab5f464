//! Sources: pages that are scraped regularly, break, and heal themselves (spec `doctor-agent.md`).
//!
//! A source is added once ([`add`]), run on schedule ([`refresh`]), and healed when a run fails ([`doctor`]). Each is a workflow
//! whose steps read the store and leave their changes there with the checkpoint: a step may be run twice, on any machine.
//!
//! # Layout
//!
//! - [`name`], [`definition`]: name and settings of a source, [`call_site`]: a program that feeds it; [`file`]: a source as a file
//! - [`add`] for `ADD_SOURCE`, [`scout`]: proposing a recipe, [`import`]: taking over what other tools have
//! - [`refresh`] for `REFRESH_SOURCE`
//! - [`decide`]: decisions of users; [`accept`]: acceptance of values that look unlike those before; [`teach`]: fields added by examples
//! - [`facts`]: facts remembered about a page; [`validation`]: checks of values against the recipe, `drift`: checks against earlier
//!   values, with `likeness`, `price`, `author`, `site_title` and `displaced` for kinds of change; `new_field`: fields that a site
//!   adds; [`failure`]: the five types of failure
//! - [`doctor`] for `FIX_SOURCE`: breaker, context, fixes, staging, validation, deployment
//! - `fault_log`: the diagnostics log of a source; [`timeline`]: events of a source
//! - [`question`]: the question to a language model, about the candidates for fields that rules do not find
//! - `outage`: detection of general network outages
//! - [`schedule`]: due runs, [`cron`]: cron expressions; [`statistics`]: success rates of fixes
//! - `judge`: extraction of a page's values, and whether they may be accepted
//! - [`services`]: the store and the network; `loaded`: a source with everything known of it

pub mod accept;
pub mod add;
pub mod call_site;
pub mod cron;
pub mod decide;
pub mod definition;
pub mod doctor;
pub mod facts;
pub mod failure;
pub mod file;
pub mod import;
pub mod name;
mod prompt_limits;
pub mod question;
pub mod refresh;
pub mod schedule;
pub mod scout;
pub mod services;
pub mod statistics;
pub mod teach;
pub mod timeline;
pub mod validation;

mod author;
mod displaced;
mod drift;
mod fault_log;
mod healed;
mod host;
mod judge;
mod likeness;
mod loaded;
mod new_field;
mod outage;
mod price;
mod single_node;
mod site_title;

pub use add::{AddRequest, AddWorkflow};
pub use call_site::{CallSite, SelectorLanguage};
pub use cron::{CronExpression, InvalidCron};
pub use decide::{Changes, DecideError, Setting};
pub use definition::{Blueprint, Definition, HealPolicy, OnUncertain, PageKind};
pub use doctor::{DoctorWorkflow, PromptLimits};
pub use failure::{ErrorType, Failure, Fault};
pub use file::SourceFile;
pub use name::{InvalidSourceName, SourceName};
pub use refresh::RefreshWorkflow;
pub use services::SourceServices;
pub use validation::Validation;
