//! Logging to standard error: each entry has its time and context, and passes through the mask for secrets.

use std::io::{self, Write};

use anyhow::Context as _;
use tracing::Subscriber;
use tracing_subscriber::EnvFilter;

use crate::config::Config;
use crate::exit::Failure;
use crate::masking::Masked;

/// Begins logging, as the settings say; without a setting nothing is logged.
///
/// # Errors
///
/// When the setting is not a valid filter.
pub(crate) fn start(config: &Config) -> anyhow::Result<()> {
    let filter = config.log.as_deref().unwrap_or("off");
    let filter = EnvFilter::try_new(filter).with_context(|| {
        format!("`{filter}` is not a log level; expected error, warn, info, debug, trace, off, or a filter")
    })?;
    let subscriber = subscriber(filter, config.log_json, io::stderr);
    tracing::subscriber::set_global_default(subscriber).context("logging is already started")
}

fn subscriber<W, F>(filter: EnvFilter, json: bool, writer: F) -> Box<dyn Subscriber + Send + Sync>
where
    W: Write + 'static,
    F: Fn() -> W + Send + Sync + 'static,
{
    let base = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(move || Masked(writer()));
    if json { Box::new(base.json().finish()) } else { Box::new(base.finish()) }
}

/// Logs the error that ends a command: the time, the message, its causes, and what was being done.
pub(crate) fn log_failure(command: &str, failure: &Failure) {
    // Quoted, so that text from outside cannot begin a new line.
    let error = format!("{:?}", failure.error.to_string());
    let causes = format!("{:?}", failure.error.chain().skip(1).map(ToString::to_string).collect::<Vec<_>>());
    tracing::error!(command, exit = failure.exit.code(), error, causes, "the command failed");
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use autoheal_engine::error_code::CodedError;
    use autoheal_engine::{ErrorCode, Timestamp};
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::exit::Exit;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(json: bool, command: &str, failure: &Failure) -> String {
        let sink = Sink::default();
        let writer = sink.clone();
        let subscriber = subscriber(EnvFilter::new("error"), json, move || writer.clone());
        tracing::subscriber::with_default(subscriber, || log_failure(command, failure));
        String::from_utf8(sink.0.lock().unwrap().clone()).unwrap()
    }

    fn failure() -> impl Strategy<Value = Failure> {
        let exits = [Exit::NotHealed, Exit::BadInput, Exit::EnvironmentMissing, Exit::InternalFault, Exit::Cancelled];
        let text = || "[ -~\n\t\u{1b}\u{e9}\u{4e2d}]{1,40}";
        (0..exits.len(), 0..ErrorCode::ALL.len(), text(), proptest::collection::vec(text(), 0..3)).prop_map(
            move |(exit, code, message, contexts)| {
                let coded = CodedError::new(ErrorCode::ALL[code], message, Timestamp::default());
                let error = contexts.into_iter().fold(anyhow::Error::new(coded), anyhow::Error::context);
                Failure { exit: exits[exit], error }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        // Feature: autoheal-ci-agent, Property 29: Error Logging Completeness
        #[test]
        fn each_error_is_one_entry_with_time_message_and_context(
            failure in failure(),
            command in prop_oneof![Just("heal"), Just("worker"), Just("report")],
        ) {
            let chain: Vec<String> = failure.error.chain().map(ToString::to_string).collect();
            let masked = |text: &str| crate::masking::mask(&format!("{text:?}")).into_owned();

            let text = logged(true, command, &failure);
            prop_assert_eq!(text.lines().count(), 1, "{}", text);
            let entry: Value = serde_json::from_str(&text).unwrap();
            prop_assert!(is_time(entry["timestamp"].as_str().unwrap()));
            prop_assert_eq!(&entry["level"], "ERROR");
            prop_assert_eq!(&entry["fields"]["message"], "the command failed");
            prop_assert_eq!(&entry["fields"]["command"], command);
            prop_assert_eq!(&entry["fields"]["exit"], failure.exit.code());
            let error = entry["fields"]["error"].as_str().unwrap();
            prop_assert_eq!(error, masked(&chain[0]));
            let causes = entry["fields"]["causes"].as_str().unwrap();
            for cause in &chain[1..] {
                prop_assert!(causes.contains(&masked(cause)), "{causes}");
            }

            let line = logged(false, command, &failure);
            prop_assert_eq!(line.lines().count(), 1, "{}", line);
            prop_assert!(is_time(line.split(' ').next().unwrap()), "{}", line);
            prop_assert!(line.contains(" ERROR ") && line.contains("the command failed"));
            let (what, exit) = (format!("command=\"{command}\""), format!("exit={}", failure.exit.code()));
            prop_assert!(line.contains(&what) && line.contains(&exit), "{}", line);
        }
    }

    fn is_time(text: &str) -> bool {
        regex::Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$").unwrap().is_match(text)
    }
}
