use std::fmt::Write as _;

use autoheal_engine::Timestamp;
use autoheal_store::{AlertFilter, AlertRow, NoticeRow};
use serde_json::{Value, json};

use crate::args::Alerts;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::{Printer, harmless};
use crate::wiring;

/// Lists the alerts, and the deliveries that failed.
pub(super) async fn run(arguments: &Alerts, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    let store = wiring::open_store(config).await?;
    let target = arguments.target.as_deref();
    let filter = AlertFilter { target: arguments.target.clone(), ..AlertFilter::newest(arguments.limit) };
    let alerts = store.alerts(&filter).await?;
    let undelivered = store.undelivered(target, u32::MAX).await?;
    let of =
        |alert: &AlertRow| undelivered.iter().filter(|notice| notice.alert == Some(alert.alert)).collect::<Vec<_>>();
    if arguments.json {
        printer.json(&alerts.iter().map(|alert| document(alert, &of(alert))).collect::<Vec<_>>())?;
        return Ok(Exit::Fine);
    }
    if alerts.is_empty() {
        printer.say("there are no alerts");
        return Ok(Exit::Fine);
    }
    let mut text = String::new();
    for alert in &alerts {
        let (at, target, message) = (alert.created_at.to_rfc3339(), harmless(&alert.target), harmless(&alert.message));
        let _ = writeln!(text, "{at}  {}  {target}: {message}", harmless(&alert.kind));
        for (how, arrived) in [("posted", alert.posted_at), ("mailed", alert.mailed_at)] {
            if let Some(arrived) = arrived {
                let _ = writeln!(text, "    {how} {}", arrived.to_rfc3339());
            }
        }
        for notice in of(alert) {
            let (channel, error) = (notice.channel.name(), harmless(notice.last_error.as_deref().unwrap_or_default()));
            let _ = writeln!(text, "    not delivered by {channel} after {} tries: {error}", notice.tries);
        }
    }
    printer.data(&text)?;
    Ok(Exit::Fine)
}

fn document(alert: &AlertRow, undelivered: &[&NoticeRow]) -> Value {
    let undelivered = undelivered
        .iter()
        .map(|notice| json!({ "channel": notice.channel.name(), "tries": notice.tries, "error": notice.last_error }));
    json!({
        "alert": alert.alert,
        "at": alert.created_at.to_rfc3339(),
        "kind": alert.kind,
        "target": alert.target,
        "message": alert.message,
        "posted_at": alert.posted_at.map(Timestamp::to_rfc3339),
        "mailed_at": alert.mailed_at.map(Timestamp::to_rfc3339),
        "undelivered": undelivered.collect::<Vec<_>>(),
    })
}
