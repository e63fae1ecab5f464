//! Completion of command lines by the program itself: names of sources and runs, and numbers of tasks, are completed as well.

use std::ffi::OsStr;
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_store::{RunFilter, SourceFilter, SourceOrder, Store, TaskFilter};
use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use tokio::time::timeout;

use crate::args;
use crate::config::Config;
use crate::time::relative;
use crate::wiring;

/// Environment variable by which the script of a shell asks for candidates.
const VARIABLE: &str = "AUTOHEAL_COMPLETE";

/// Maximum time to wait for the database.
const PATIENCE: Duration = Duration::from_secs(2);

/// Maximum number of candidates that are looked up.
const MOST: u32 = 200;

/// Answers the script of a shell and ends the process, if it is such a script that runs it.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(|| with_names(args::command())).var(VARIABLE).complete();
}

/// Returns the script that lets a shell ask this program, found by its name; `None` for an unknown shell.
pub(crate) fn script(shell: &str, program: &str) -> Option<Vec<u8>> {
    let shells = Shells::builtins();
    let mut script = Vec::new();
    shells.completer(shell)?.write_registration(VARIABLE, program, program, program, &mut script).ok()?;
    Some(script)
}

/// Has the arguments completed that name what is stored. Arguments of one meaning have one name in all commands.
fn with_names(command: Command) -> Command {
    let is_of_sources = command.get_name() == "source";
    let is_of_tasks = command.get_name() == "tasks";
    let command = command.mut_args(|argument| match argument.get_id().as_str() {
        "run" | "resume" => argument.add(ArgValueCompleter::new(|given: &OsStr| stored(given, &runs))),
        _ => argument,
    });
    command.mut_subcommands(|command| {
        // The name of a source that is added is a new one.
        let is_new = command.get_name() == "add";
        with_names(command).mut_args(|argument| match argument.get_id().as_str() {
            "name" | "names" if is_of_sources && !is_new => {
                argument.add(ArgValueCompleter::new(|given: &OsStr| stored(given, &sources)))
            }
            "task" if is_of_tasks => argument.add(ArgValueCompleter::new(|given: &OsStr| stored(given, &tasks))),
            _ => argument,
        })
    })
}

/// A name that is stored, and a few words about it.
type Stored = (String, String);

async fn sources(store: &Store, given: &str) -> Option<Vec<Stored>> {
    let search = (!given.is_empty()).then(|| given.to_owned());
    let filter = SourceFilter { search, order: SourceOrder::Name, limit: MOST, ..SourceFilter::default() };
    let (rows, _) = store.source_page(&filter).await.ok()?;
    Some(rows.into_iter().map(|row| (row.source, row.health.state.name().to_lowercase())).collect())
}

async fn runs(store: &Store, _given: &str) -> Option<Vec<Stored>> {
    let rows = store.runs(&RunFilter::newest(MOST)).await.ok()?;
    let now = store.now();
    let about = |target: &str, at: Timestamp| format!("{target}, {}", relative(at, now));
    Some(rows.into_iter().map(|row| (row.run.to_string(), about(&row.target, row.started_at))).collect())
}

async fn tasks(store: &Store, _given: &str) -> Option<Vec<Stored>> {
    let rows = store.tasks(&TaskFilter { limit: MOST, ..TaskFilter::default() }).await.ok()?;
    let about = |state: &str, target: &str| format!("{}, {target}", state.to_lowercase());
    Some(rows.into_iter().map(|row| (row.id.to_string(), about(row.state.name(), &row.target))).collect())
}

/// Returns the stored names that begin with what is given. An error gives an empty list: a shell that completes shows no errors.
fn stored(given: &OsStr, list: &impl AsyncFn(&Store, &str) -> Option<Vec<Stored>>) -> Vec<CompletionCandidate> {
    let given = given.to_string_lossy();
    let listed = || {
        let config = Config::load(None, Vec::new()).ok()?;
        let file = config.data_dir().ok()?.join("autoheal.db");
        let address = config.database_url.clone().map_or_else(|| Store::address_of_file(&file), Ok).ok()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(async {
            let listed = async {
                // To open a database is to migrate it, which stops older processes: a key must not do that.
                let is_current = Store::is_current(&address).await.ok()?;
                if is_current { list(&wiring::open_store(&config).await.ok()?, &given).await } else { None }
            };
            timeout(PATIENCE, listed).await.ok()?
        })
    };
    let found = listed().unwrap_or_default().into_iter().filter(|(name, _)| name.starts_with(given.as_ref()));
    found.map(|(name, about)| CompletionCandidate::new(name).help(Some(about.into()))).collect()
}
