//! Decisions of the user about a source.

use autoheal_source::SourceName;
use autoheal_source::decide::{self, Changes, DecideError, Setting};
use autoheal_store::Store;

use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::source_args::Set;

/// Returns the name recorded with decisions: that of the user who runs this process.
pub(super) fn person() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
    user.map_or("person".to_owned(), |user| format!("person {}", user.name))
}

pub(super) async fn release(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    decide::release(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("released `{name}`; to run it now: autoheal source run {name}"));
    Ok(Exit::Fine)
}

pub(super) async fn rollback(
    name: &SourceName,
    to: Option<u32>,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let version = decide::rollback(store, name, to, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("rolled `{name}` back to version {version}"));
    Ok(Exit::Fine)
}

pub(super) async fn approve(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let version = decide::approve(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("activated version {version} of `{name}`"));
    Ok(Exit::Fine)
}

pub(super) async fn reject(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let version = decide::reject(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("rejected version {version} of `{name}`; it will not be proposed again"));
    Ok(Exit::Fine)
}

pub(super) async fn remove(name: &SourceName, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    decide::remove(store, name, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("deleted `{name}` with its recipes, pages and values"));
    Ok(Exit::Fine)
}

pub(super) async fn set(wanted: Set, store: &Store, printer: &Printer) -> Result<Exit, Failure> {
    let name = &wanted.name;
    let changes = Changes {
        interval_seconds: wanted.interval,
        schedule: setting(wanted.schedule, false),
        heal_policy: wanted.heal_policy.map(Into::into),
        webhook: setting(wanted.webhook, wanted.no_webhook),
        add_pages: wanted.add_page,
        remove_pages: wanted.remove_page,
    };
    decide::set(store, name, &changes, &person(), store.now()).await.map_err(blame)?;
    printer.say(&format!("changed `{name}`"));
    Ok(Exit::Fine)
}

/// A flag that sets and one that clears.
fn setting<T>(to: Option<T>, cleared: bool) -> Setting<T> {
    match (to, cleared) {
        (Some(to), _) => Setting::To(to),
        (None, true) => Setting::Cleared,
        (None, false) => Setting::Kept,
    }
}

/// Returns the failure for an error: invalid input, or an error of the database.
pub(super) fn blame(error: DecideError) -> Failure {
    let exit = match error {
        DecideError::NoSuchSource(_)
        | DecideError::NothingWaits(_)
        | DecideError::NoEarlierVersion(_)
        | DecideError::NeverInForce { .. }
        | DecideError::NothingChanges(_)
        | DecideError::NoSuchPage { .. }
        | DecideError::NoPageLeft(_) => Exit::BadInput,
        DecideError::Store(_) | DecideError::Stored(_) => Exit::InternalFault,
    };
    Failure { exit, error: error.into() }
}
