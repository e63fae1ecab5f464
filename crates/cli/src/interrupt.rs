//! Ctrl-C: the first one stops in good order, the second one at once.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use crate::printer::Printer;

/// Returns a token that Ctrl-C or SIGTERM cancels, after printing `notice`; a second signal ends the process.
///
/// # Errors
///
/// When the system does not let signals be heard.
pub(crate) fn stop_on_signal(printer: &Printer, notice: &'static str) -> std::io::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let token = stop.clone();
    let printer = printer.clone();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        let mut is_first = true;
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if !is_first {
                // All stored data is kept; sandboxes end with this process.
                std::process::exit(Exit::Cancelled.code().into());
            }
            is_first = false;
            printer.say(notice);
            token.cancel();
        }
    });
    Ok(stop)
}
