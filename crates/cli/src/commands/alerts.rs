use autoheal_engine::{Timestamp, counted};
use autoheal_store::{AlertFilter, AlertRow, NoticeRow};
use serde_json::{Value, json};

use crate::args::Alerts;
use crate::config::Config;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::table::{Cell, Column, Table};
use crate::text::Tone;
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
    let mut table = Table::new([
        Column::new("CREATED"),
        Column::new("KIND"),
        Column::new("TARGET").cut_start(),
        Column::new("DELIVERY").optional(),
        Column::new("MESSAGE").cut_end(),
    ]);
    for alert in &alerts {
        table.push([
            Cell::time(Some(alert.created_at), store.now()),
            Cell::new(&alert.kind),
            Cell::new(&alert.target),
            delivery(alert, &of(alert)),
            Cell::new(&alert.message),
        ]);
    }
    printer.table(&table)?;
    Ok(Exit::Fine)
}

/// Returns the cell that says where the alert has arrived, and where it has not.
fn delivery(alert: &AlertRow, undelivered: &[&NoticeRow]) -> Cell {
    let (mut short, mut full) = (Vec::new(), Vec::new());
    for (how, arrived) in [("posted", alert.posted_at), ("mailed", alert.mailed_at)] {
        if let Some(arrived) = arrived {
            short.push(how.to_owned());
            full.push(format!("{how} {}", arrived.to_rfc3339()));
        }
    }
    for NoticeRow { channel, tries, last_error, .. } in undelivered {
        let error = last_error.as_deref().unwrap_or_default();
        short.push(format!("{} failed", channel.name()));
        full.push(format!("not delivered by {} after {}: {error}", channel.name(), counted(*tries, "attempt")));
    }
    let tone = if undelivered.is_empty() { Tone::Plain } else { Tone::Bad };
    Cell::short(&short.join(", "), &full.join("; ")).tone(tone)
}

fn document(alert: &AlertRow, undelivered: &[&NoticeRow]) -> Value {
    let undelivered = undelivered
        .iter()
        .map(|notice| json!({ "channel": notice.channel.name(), "tries": notice.tries, "error": notice.last_error }));
    json!({
        "alert": alert.alert,
        "at": alert.created_at.to_rfc3339(),
        "kind": alert.kind,
        "breaker_reason": alert.breaker_reason(),
        "target": alert.target,
        "message": alert.message,
        "posted_at": alert.posted_at.map(Timestamp::to_rfc3339),
        "mailed_at": alert.mailed_at.map(Timestamp::to_rfc3339),
        "undelivered": undelivered.collect::<Vec<_>>(),
    })
}
