//! The run as it goes: agents with their times, the failure that is worked on, attempts. On a terminal with a line that
//! moves; otherwise plain lines.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::task::TaskKind;
use autoheal_engine::{Outcome, RunId};
use autoheal_llm::Notice;
use autoheal_orchestrator::{Awaited, Worker};
use autoheal_store::Store;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::broadcast::error::RecvError;

use crate::printer::Printer;
use crate::text::{Text, Tone, harmless};

/// Displays the events of a worker's feed until the feed or `until` ends, then the remaining events from before its end.
pub(crate) async fn show<T>(printer: &Printer, worker: &Worker, until: impl Future<Output = T>) -> T {
    let display = Display::new(printer, worker.store());
    let (mut feed, mut awaited) = (worker.feed().watch(), worker.feed().awaited());
    tokio::pin!(until);
    let result = loop {
        tokio::select! {
            result = &mut until => break result,
            event = feed.recv() => match event {
                Ok(event) => display.show(&event).await,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break until.await,
            },
            Ok(()) = awaited.changed() => {
                if let Some(task) = awaited.borrow_and_update().as_ref() {
                    display.show_awaited(task);
                }
            }
        }
    };
    while let Ok(event) = feed.try_recv() {
        display.show(&event).await;
    }
    display.line.finish_and_clear();
    result
}

/// Time between two movements of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// Returns a line with a spinner; hidden where nothing can move.
fn spinner(printer: &Printer) -> ProgressBar {
    let target = if printer.is_lively() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let line = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {prefix:.bold} {elapsed:.dim} {wide_msg}") {
        line.set_style(style);
    }
    line
}

/// Returns a function that prints the news of requests to a language model, with a spinner while one is under way.
pub(crate) fn of_requests(printer: &Printer) -> impl Fn(Notice) + Send + Sync + 'static {
    let (line, printer) = (spinner(printer), printer.clone());
    move |notice| match notice {
        Notice::Line(text) => line.suspend(|| printer.say(&text)),
        Notice::Received(text) => {
            if line.is_finished() {
                line.reset();
            }
            line.set_message(harmless(&text));
            line.enable_steady_tick(TICK);
        }
        Notice::Done => {
            line.disable_steady_tick();
            line.finish_and_clear();
        }
    }
}

struct Display<'a> {
    printer: &'a Printer,
    store: &'a Store,
    /// The latest long messages: one step often repeats the message of another.
    messages: RefCell<VecDeque<String>>,
    /// Hidden where nothing can move.
    line: ProgressBar,
}

impl<'a> Display<'a> {
    fn new(printer: &'a Printer, store: &'a Store) -> Self {
        let line = spinner(printer);
        line.enable_steady_tick(TICK);
        Self { printer, store, messages: RefCell::default(), line }
    }

    async fn show(&self, event: &Event) {
        match &event.body {
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
        let text = match &event.body {
            EventBody::RunStarted { target } => {
                Some(Text::from(self.work_of(event.run).await).plain(" ").with(Tone::Strong, target))
            }
            EventBody::Note { topic, message, .. } if self.repeats(message) => {
                Some(Text::from("  ").with(Tone::Label, format!("{topic}:")).with(Tone::Faint, " the same as above"))
            }
            body => told(body),
        };
        if let Some(text) = text {
            self.line.suspend(|| self.printer.say(text));
        }
    }

    fn show_awaited(&self, Awaited { task, kind, worker }: &Awaited) {
        let text = format!("waiting for task {task} ({}), which worker {worker} runs", kind.name());
        self.line.suspend(|| self.printer.say(&text));
    }

    /// Returns whether a long message was displayed recently.
    fn repeats(&self, message: &str) -> bool {
        const LONG: usize = 40;
        const RECENT: usize = 8;
        let mut messages = self.messages.borrow_mut();
        let is_repeated = messages.iter().any(|earlier| earlier == message);
        if message.len() > LONG && !is_repeated {
            messages.truncate(RECENT - 1);
            messages.push_front(message.to_owned());
        }
        is_repeated
    }

    /// Returns the verb for the work that a run does.
    async fn work_of(&self, run: RunId) -> &'static str {
        let row = self.store.run(run).await.ok().flatten();
        match row.and_then(|row| TaskKind::from_name(&row.workflow)) {
            Some(TaskKind::AddSource) => "adding",
            Some(TaskKind::RefreshSource) => "reading",
            Some(TaskKind::FixSource | TaskKind::HealRepo) => "healing",
            None => "running",
        }
    }
}

/// Returns the line to print for an event; `None` if the event only updates the progress bar.
fn told(body: &EventBody) -> Option<Text> {
    match body {
        EventBody::RunResumed { node } => Some(Text::new().plain(format!("resuming at {node}"))),
        EventBody::RunStarted { .. } | EventBody::NodeStarted { .. } | EventBody::Progress { .. } => None,
        EventBody::NodeFailed { node, attempt, error, retry } => {
            let next = if *retry { "; retrying" } else { "" };
            Some(Text::new().with(Tone::Bad, "✗").plain(format!(" {node}, try {attempt}: {error}{next}")))
        }
        EventBody::NodeFinished { node, millis } => {
            let time = format!("{:.1} s", Duration::from_millis(*millis).as_secs_f64());
            Some(Text::new().with(Tone::Good, "✓").plain(format!(" {node} ")).with(Tone::Faint, time))
        }
        EventBody::Note { topic, message, .. } => {
            let message = message.trim_end().replace('\n', "\n    ");
            Some(Text::from("  ").with(Tone::Label, format!("{topic}:")).plain(format!(" {message}")))
        }
        EventBody::RunFinished { outcome, stop_reason } => {
            let label = outcome.map_or("ended", Outcome::label);
            Some(Text::new().with(Tone::Strong, label).plain(format!(": {stop_reason}")))
        }
    }
}
