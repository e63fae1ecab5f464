//! The answer to a question in a manual, with its page, and the steps that led to it.

mod indexing;
mod readable;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use autoheal_llm::Session;
use autoheal_navigate::{FetchedPages, Goal, Guide, Navigator, PathStep, Progress};
use url::Url;

use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::models::{is_model_set, models};
use crate::navigate_args::Navigate;
use crate::printer::Printer;
use crate::progress::of_requests;
use crate::wiring;

/// Builds the index if that is requested, then navigates, and prints the answer.
pub(super) async fn run(arguments: &Navigate, config: &Config, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.goal.as_ref().is_some_and(|goal| goal.trim().is_empty()) {
        return Err(Failure::bad_input("the goal is empty; expected search terms such as 'oil capacity'"));
    }
    let (start, folder) = start(&arguments.start)?;
    let root = folder.as_ref().and_then(|folder| Url::from_directory_path(folder).ok());
    let mut config = config.clone();
    // Who names a folder may read it.
    config.fetch.allow_files.extend(folder);
    let fetcher = wiring::fetcher(&config)?;
    let session = session(&start, &config).await?.map(|session| session.telling(of_requests(printer)));
    let settings = wiring::navigation(&config);
    let pages = FetchedPages::new(&fetcher, settings.http_timeout).rooted(root);
    let steps = Steps::new(printer);
    let index = indexing::index(arguments, &start, &pages, &config, &steps).await?;
    let Some(goal) = arguments.goal.clone() else {
        let Some(index) = index else { return Err(Failure::bad_input("there is no goal; give search terms")) };
        return indexing::show(&index, arguments, printer);
    };
    let goal = Goal { text: goal, context: arguments.all_context() };
    let guide = match (&session, &index) {
        (Some(session), _) => Guide::Model(session),
        (None, Some(index)) => Guide::Index(&index.index),
        (None, None) => Guide::Search,
    };
    let navigator =
        Navigator::new(&pages, settings).telling(&steps).with_index(index.as_ref().map(|index| &index.index));
    let result = navigator.navigate(&start, &goal, guide).await;
    if let Some(session) = &session {
        printer.model_usage(session.usage().await?);
    }
    if arguments.json {
        printer.json(&result)?;
    } else if result.success {
        printer.show(&readable::text(&result))?;
    } else {
        printer.say(&readable::failure(&result));
    }
    Ok(if result.success {
        Exit::Fine
    } else if result.is_unavailable() {
        Exit::EnvironmentMissing
    } else {
        Exit::NotHealed
    })
}

/// Returns a session with the language model of the settings; `None` without one.
async fn session(start: &Url, config: &Config) -> Result<Option<Session>, Failure> {
    if !is_model_set(config) {
        return Ok(None);
    }
    let store = wiring::open_store(config).await?;
    let models = models(config, &store).map_err(|failure| Failure {
        error: failure.error.context("--model names a language model; the vehicle's model is --vehicle-model"),
        ..failure
    })?;
    Ok(models.map(|models| models.session(Some(start.to_string()), None, None)))
}

/// The address to begin at, and the folder that may be read when it is a file.
fn start(text: &str) -> Result<(Url, Option<PathBuf>), Failure> {
    if let Ok(url) = Url::parse(text)
        && matches!(url.scheme(), "http" | "https" | "file")
    {
        return Ok((url, None));
    }
    let named = || format!("{text} is not an address (https:// or http://), a file or a folder");
    let path = Path::new(text).canonicalize().with_context(named).bad_input()?;
    let (file, folder) = if path.is_dir() {
        (path.join("index.html"), path)
    } else {
        let folder = path.parent().unwrap_or(&path).to_owned();
        (path, folder)
    };
    if !file.is_file() {
        return Err(Failure::bad_input(format!("there is no {}; choose another page with --start", file.display())));
    }
    let url = Url::from_file_path(&file).map_err(|()| Failure::bad_input(named()))?;
    Ok((url, Some(folder)))
}

/// Time between two lines about a crawl.
const CRAWL_LINES: Duration = Duration::from_secs(5);

/// Prints each step of the navigation, and the progress of a crawl.
struct Steps<'a> {
    printer: &'a Printer,
    last_line: Mutex<Instant>,
}

impl<'a> Steps<'a> {
    fn new(printer: &'a Printer) -> Self {
        Self { printer, last_line: Mutex::new(Instant::now()) }
    }
}

impl Progress for Steps<'_> {
    fn step(&self, number: u32, step: &PathStep) {
        self.printer.say(&format!("{number:>2}. {}", readable::step(step)));
    }

    fn crawled(&self, pages: u64, url: &str) {
        let mut last = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= CRAWL_LINES {
            *last = Instant::now();
            self.printer.say(&format!("index: {pages} pages requested, last {url}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::start;

    #[test]
    fn a_start_is_an_address_a_file_or_a_folder() {
        assert_eq!(start("https://manual.example/a").unwrap().0.as_str(), "https://manual.example/a");
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().to_str().unwrap();
        assert!(start(text).unwrap_err().error.to_string().contains("index.html"), "there is none yet");
        std::fs::write(folder.path().join("index.html"), "").unwrap();
        let (url, allowed) = start(text).unwrap();
        assert!(url.as_str().starts_with("file:///") && url.path().ends_with("/index.html"), "{url}");
        assert_eq!(allowed.unwrap(), folder.path().canonicalize().unwrap());
        assert!(start("ftp://manual.example/").is_err());
    }
}
