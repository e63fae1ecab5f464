//! The run as it goes: agents with their times, the failure that is worked on, attempts. On a terminal with a line that
//! moves; otherwise plain lines.

use std::time::Duration;

use autoheal_engine::Outcome;
use autoheal_engine::event::{Event, EventBody};
use console::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::printer::{Printer, harmless};

/// Displays the events of a worker's feed until the feed or `until` ends, then the remaining events from before its end.
pub(crate) async fn show<T>(printer: &Printer, mut feed: Receiver<Event>, until: impl Future<Output = T>) -> T {
    let display = Display::new(printer);
    tokio::pin!(until);
    let result = loop {
        tokio::select! {
            result = &mut until => break result,
            event = feed.recv() => match event {
                Ok(event) => display.show(&event.body),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break until.await,
            },
        }
    };
    while let Ok(event) = feed.try_recv() {
        display.show(&event.body);
    }
    display.line.finish_and_clear();
    result
}

struct Display<'a> {
    printer: &'a Printer,
    /// Hidden where nothing can move.
    line: ProgressBar,
}

impl<'a> Display<'a> {
    fn new(printer: &'a Printer) -> Self {
        let target = if printer.is_lively() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let line = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {prefix:.bold} {elapsed:.dim} {wide_msg}") {
            line.set_style(style);
        }
        line.enable_steady_tick(Duration::from_millis(100));
        Self { printer, line }
    }

    fn show(&self, body: &EventBody) {
        match body {
            EventBody::NodeStarted { node, .. } => {
                self.line.set_prefix(harmless(node));
                self.line.set_message("");
                self.line.reset_elapsed();
            }
            EventBody::Progress { message, .. } => self.line.set_message(harmless(message).replace('\n', " ")),
            EventBody::RunStarted { .. }
            | EventBody::RunResumed { .. }
            | EventBody::NodeFailed { .. }
            | EventBody::NodeFinished { .. }
            | EventBody::Note { .. }
            | EventBody::RunFinished { .. } => {}
        }
        if let Some(text) = told(body) {
            self.line.suspend(|| self.printer.say(&text));
        }
    }
}

/// Returns the line to print for an event; `None` if the event only updates the progress bar.
fn told(body: &EventBody) -> Option<String> {
    let style = Style::new().for_stderr();
    match body {
        EventBody::RunStarted { target } => Some(format!("healing {}", style.bold().apply_to(harmless(target)))),
        EventBody::RunResumed { node } => Some(format!("resuming at {node}")),
        EventBody::NodeStarted { .. } | EventBody::Progress { .. } => None,
        EventBody::NodeFailed { node, attempt, error, retry } => {
            let next = if *retry { "; retrying" } else { "" };
            Some(format!("{} {node}, try {attempt}: {}{next}", style.red().apply_to("✗"), harmless(error)))
        }
        EventBody::NodeFinished { node, millis } => {
            let time = format!("{:.1} s", Duration::from_millis(*millis).as_secs_f64());
            Some(format!("{} {node} {}", style.clone().green().apply_to("✓"), style.dim().apply_to(time)))
        }
        EventBody::Note { topic, message, .. } => {
            let message = harmless(message.trim_end()).replace('\n', "\n    ");
            Some(format!("  {} {message}", style.cyan().apply_to(format!("{topic}:"))))
        }
        EventBody::RunFinished { outcome, stop_reason } => {
            let label = outcome.map_or("ended", Outcome::label);
            Some(format!("{}: {stop_reason}", style.bold().apply_to(label)))
        }
    }
}
