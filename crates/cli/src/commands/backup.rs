use autoheal_store::StoreError;

use crate::args::Backup;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::wiring;

/// Copies the database into a file.
pub(super) async fn run(arguments: &Backup, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    store.back_up(&arguments.file).await.map_err(|error| {
        let exit = if matches!(error, StoreError::Refused { .. }) { Exit::BadInput } else { Exit::InternalFault };
        Failure { exit, error: error.into() }
    })?;
    printer.say(&format!("copied the database to {}", arguments.file.display()));
    Ok(Exit::Fine)
}
