use std::sync::Arc;

use autoheal_server::http::{Access, BindError, Server};

use crate::commands::source::keep_house_until;
use crate::config::{Config, server_token};
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::server_args::Serve;
use crate::{interrupt, wiring};

const STOPPING: &str = "stopping; what was asked for is cancelled (once more to stop at once)";

/// Where the server listens unless a setting says otherwise.
const ADDRESS: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

/// Answers over HTTP until stopped.
pub(super) async fn run(arguments: &Serve, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let access = Access {
        token: server_token(),
        hosts: config.server.hosts.clone().unwrap_or_default(),
        origins: config.server.origins.clone().unwrap_or_default(),
    };
    let address = arguments.addr.or(config.server.addr).unwrap_or_else(|| ADDRESS.into());
    let server = Server::bind(address, access).await.map_err(|error| {
        let exit = match error {
            BindError::NoToken(_) => Exit::BadInput,
            BindError::Address { .. } => Exit::EnvironmentMissing,
        };
        Failure { exit, error: error.into() }
    })?;
    let services = wiring::tool_services(config, &store, arguments.sandbox, printer).await?;
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    printer.say(&format!("listening at http://{}; Ctrl-C stops it", server.address()?));
    let notifier = Arc::clone(&services.notifier);
    let serving = async {
        let served = server.serve(services, stop.clone()).await;
        stop.cancel();
        served
    };
    let (served, ()) = tokio::join!(serving, keep_house_until(&notifier, &store, &stop));
    served?;
    Ok(Exit::Fine)
}
