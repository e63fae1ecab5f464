use std::sync::Arc;

use autoheal_server::http::{Access, BindError, Server};

use crate::config::{Config, server_token};
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::server_args::Serve;
use crate::{house, interrupt, wiring};

const STOPPING: &str = "stopping; what was asked for is cancelled (once more to stop at once)";

/// Where the server listens unless a setting says otherwise.
const ADDRESS: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

/// More than a person's dashboard asks, and less than hurts.
const REQUESTS_PER_SECOND: u32 = 50;

/// One repository that takes an hour is not to hold up every source and everybody else: several tasks run at once unless a setting says
/// otherwise, and not all of them are repositories, which take a processor each.
fn with_room(config: &Config) -> Config {
    let mut config = config.clone();
    if config.worker.concurrency.is_none() {
        config.worker.concurrency = Some(4);
        config.worker.kinds.heal_repo.get_or_insert(2);
    }
    config
}

/// Answers over HTTP until stopped, and does what is asked for.
pub(super) async fn run(arguments: &Serve, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let error_sink = config.server.error_sink.clone();
    if error_sink.as_ref().is_some_and(|sink| !["http", "https"].contains(&sink.scheme())) {
        return Err(Failure::bad_input("the setting server.error_sink: an address with http or https is expected"));
    }
    let store = wiring::open_store(config).await?;
    let access = Access {
        token: server_token(),
        hosts: config.server.hosts.clone().unwrap_or_default(),
        origins: config.server.origins.clone().unwrap_or_default(),
        requests_per_second: config.server.requests_per_second.unwrap_or(REQUESTS_PER_SECOND),
        error_sink,
    };
    let address = arguments.addr.or(config.server.addr).unwrap_or_else(|| ADDRESS.into());
    let server = Server::bind(address, access).await.map_err(|error| {
        let exit = match error {
            BindError::NoToken(_) => Exit::BadInput,
            BindError::Address { .. } => Exit::EnvironmentMissing,
        };
        Failure { exit, error: error.into() }
    })?;
    let services = wiring::tool_services(&with_room(config), &store, arguments.sandbox, printer).await?;
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    printer.say(&format!("listening at http://{}; Ctrl-C stops it", server.address()?));
    let (notifier, worker) = (Arc::clone(&services.notifier), services.worker.clone());
    let serving = async {
        server.serve(services, stop.clone()).await;
        stop.cancel();
    };
    tokio::join!(
        serving,
        worker.run_until(stop.clone()),
        house::schedule_until(&store, &stop),
        house::keep_until(&notifier, &store, &stop),
    );
    Ok(Exit::Fine)
}
