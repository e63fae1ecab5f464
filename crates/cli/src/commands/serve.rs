use std::path::Path;
use std::sync::Arc;

use autoheal_server::http::{Access, BindError, Server, has_dashboard};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;
use uuid::Uuid;

use crate::config::{Config, github_webhook_secret, server_token, user_tokens};
use crate::exit::{Blame as _, Exit, Failure};
use crate::person::person;
use crate::printer::Printer;
use crate::tools::Asker;
use crate::{interrupt, private, tools, wiring};

const STOPPING: &str = "stopping; running tasks resume when a worker claims them, calls of tools are cancelled (Ctrl-C again to stop at once)";

/// Returns the settings with several concurrent tasks unless a setting limits them, so that one repository that takes an hour does not
/// delay every source and the other clients. Not all of the tasks are repositories, each of which takes a processor.
fn with_room(config: &Config) -> Config {
    let mut config = config.clone();
    if config.worker.concurrency.is_none() {
        config.worker.concurrency = Some(4);
        config.worker.kinds.heal_repo.get_or_insert(2);
    }
    config
}

/// A new token, which cannot be guessed.
fn random_token() -> SecretString {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()).into()
}

/// The token of a server whose user has chosen none. It stays the same, so that a page that is open in a browser outlives the server.
fn generated_token(config: &Config) -> Result<SecretString, Failure> {
    let make = || random_token().expose_secret().to_owned();
    private::kept(&wiring::data_dir(config)?, "server-token", make).map(SecretString::from).environment()
}

/// Returns the access control of the server. Settings that could never match a request are rejected, because they would appear to work.
fn access(config: &Config) -> Result<Access, Failure> {
    let server = &config.server;
    let (hosts, origins) = (server.hosts.clone(), server.origins.clone());
    let is_web = |url: &Url| ["http", "https"].contains(&url.scheme());
    let is_origin =
        |text: &str| Url::parse(text).is_ok_and(|url| is_web(&url) && url.origin().ascii_serialization() == text);
    if let Some(wrong) = origins.iter().find(|origin| !is_origin(origin)) {
        let message = format!(
            "invalid setting server.origins: `{wrong}` is not an origin; expected one such as https://chat.example"
        );
        return Err(Failure::bad_input(message));
    }
    let is_name = |text: &str| Url::parse(&format!("http://{text}/")).is_ok_and(|url| url.host_str() == Some(text));
    if let Some(wrong) = hosts.iter().find(|host| !is_name(host)) {
        let message =
            format!("invalid setting server.hosts: `{wrong}` is not a host name; expected one such as tools.example");
        return Err(Failure::bad_input(message));
    }
    let chosen = server_token();
    if chosen.as_ref().is_some_and(|token| !token.expose_secret().bytes().all(|byte| byte.is_ascii_graphic())) {
        return Err(Failure::bad_input("invalid AUTOHEAL_TOKEN; expected visible ASCII characters without spaces"));
    }
    if server.error_sink.as_ref().is_some_and(|sink| !is_web(sink)) {
        return Err(Failure::bad_input("invalid setting server.error_sink; expected an address with http or https"));
    }
    if server.github_webhook.enabled && github_webhook_secret().is_none() {
        return Err(Failure::bad_input(
            "server.github_webhook.enabled needs a secret; set AUTOHEAL_GITHUB_WEBHOOK_SECRET",
        ));
    }
    let user_tokens = server.user_tokens_file.as_deref().map(user_tokens).transpose().bad_input()?.unwrap_or_default();
    let is_public = chosen.is_some() || !user_tokens.is_empty();
    // Only the user of this process can read a generated token.
    let user = (!is_public).then(person);
    let token = match chosen {
        Some(token) => token,
        // No client gets it: only those of users are accepted.
        None if is_public => random_token(),
        None => generated_token(config)?,
    };
    Ok(Access {
        token,
        user,
        user_tokens,
        is_public,
        hosts,
        origins,
        requests_per_second: server.requests_per_second,
        connections_per_client: server.connections_per_client,
        error_sink: server.error_sink.clone(),
    })
}

/// Opens the dashboard in the user's browser, by way of a file that only this user can read: the arguments of a program, which an address
/// with a token would be, can be read by all.
fn open(folder: &Path, address: &str) -> anyhow::Result<()> {
    let page = format!("<!doctype html><title>autoheal</title><meta http-equiv=refresh content=\"0;url={address}\">");
    let file = private::replaced(folder, "open.html", &page)?;
    Ok(open::that_detached(file)?)
}

/// Serves HTTP requests until stopped, and runs the requested tasks.
pub(super) async fn run(opens: bool, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let access = access(config)?;
    // After a `#` it stays in the browser: no server, log or other page sees it. One that the user has chosen is not shown.
    let is_generated = access.user.is_some();
    let key = if is_generated { format!("/#token={}", access.token.expose_secret()) } else { String::new() };
    let store = wiring::open_store(config).await?;
    wiring::adopt_tasks(config, &store).await?;
    let server = Server::bind(config.server.addr, access).await.map_err(|error| {
        let exit = match error {
            BindError::NotPublic(_) => Exit::BadInput,
            BindError::Address { .. } => Exit::EnvironmentMissing,
        };
        Failure { exit, error: error.into() }
    })?;
    let services = tools::tool_services(&with_room(config), &store, Asker::Clients, printer).await?;
    let maintenance = wiring::maintenance(config, &store)?;
    if !has_dashboard() {
        printer.warn("the dashboard is not built into this program; docs/server.md describes how to build it");
    }
    let stop = interrupt::stop_on_signal(printer, STOPPING)?;
    let address = format!("http://{}{key}", server.address()?);
    printer.say(&format!("listening at {address}; Ctrl-C to stop"));
    if opens && let Err(error) = open(&wiring::data_dir(config)?, &address) {
        printer.warn(&format!("cannot open a browser ({error:#}); open the address yourself"));
    }
    let (notifier, worker) = (Arc::clone(&services.notifier), services.worker.clone());
    let serving = async {
        server.serve(services, stop.clone()).await;
        stop.cancel();
    };
    tokio::join!(
        serving,
        worker.run_until(stop.clone()),
        wiring::schedule_until(&store, &stop),
        maintenance.run_until(&notifier, &stop),
    );
    wiring::ensure_current(&store).await?;
    Ok(Exit::Fine)
}
