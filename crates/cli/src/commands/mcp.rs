use std::sync::Arc;

use autoheal_server::mcp;

use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::printer::Printer;
use crate::tools::Asker;
use crate::{interrupt, tools, wiring};

const STOPPING: &str = "stopping; running requests are cancelled (Ctrl-C again to stop at once)";

/// Serves the assistant that has started this process until it leaves.
pub(super) async fn run(config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let services = tools::tool_services(config, &store, Asker::User, printer).await?;
    let maintenance = wiring::maintenance(config, &store)?;
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    let notifier = Arc::clone(&services.notifier);
    let serving = async {
        let served = mcp::serve(services, tokio::io::stdin(), tokio::io::stdout(), stop.clone()).await;
        stop.cancel();
        served
    };
    let (served, ()) = tokio::join!(serving, maintenance.run_until(&notifier, &stop));
    served.bad_input()?;
    Ok(Exit::Fine)
}
