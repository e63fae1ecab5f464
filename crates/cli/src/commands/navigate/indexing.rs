//! The index of a manual: built and refreshed, and used if there is one.

use anyhow::Context as _;
use autoheal_engine::counted;
use autoheal_navigate::{CrawlError, CrawlReport, Crawler, FetchedPages};
use autoheal_store::ManualIndex;
use autoheal_store::manual_index::Summary;
use serde::Serialize;
use url::Url;

use super::Steps;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::navigate_args::Navigate;
use crate::printer::Printer;
use crate::wiring;

/// An index, and the crawl that brought it up to date.
pub(super) struct Indexed {
    pub(super) index: ManualIndex,
    summary: Summary,
    report: Option<CrawlReport>,
}

/// Returns the index of a manual, built or refreshed if that is requested; `None` if the links are to be followed. Files are indexed
/// without a request, and checked for changes each time.
pub(super) async fn index(
    arguments: &Navigate,
    start: &Url,
    pages: &FetchedPages<'_>,
    config: &Config,
    steps: &Steps<'_>,
) -> Result<Option<Indexed>, Failure> {
    if arguments.no_index {
        return Ok(None);
    }
    let folder = wiring::manuals(config)?;
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display())).environment()?;
    let file = folder.join(ManualIndex::file_name(start));
    let is_file = start.scheme() == "file";
    if !(arguments.index || arguments.refresh || is_file) {
        let Some(index) = ManualIndex::open(&file).await? else { return Ok(None) };
        let summary = index.summary().await?;
        steps.printer.say(&format!("{}; --refresh brings it up to date", line(&summary)));
        return Ok(Some(Indexed { index, summary, report: None }));
    }
    let index = ManualIndex::create(&file).await?;
    let crawler = Crawler::new(pages, &index, start, arguments.limit_pages).telling(steps);
    let report = if arguments.refresh || is_file { crawler.refresh().await } else { crawler.crawl().await };
    let report = report.map_err(|error| match error {
        CrawlError::Start(_) | CrawlError::Unavailable(_) => {
            Failure { exit: Exit::EnvironmentMissing, error: error.into() }
        }
        CrawlError::Store(_) | CrawlError::Stopped => Failure::from(error),
    })?;
    let summary = index.summary().await?;
    steps.printer.say(&line(&summary));
    Ok(Some(Indexed { index, summary, report: Some(report) }))
}

/// Prints the size of an index.
pub(super) fn show(indexed: &Indexed, arguments: &Navigate, printer: &Printer) -> Result<Exit, Failure> {
    #[derive(Serialize)]
    struct Shown {
        pages: u64,
        texts: u64,
        requested: u64,
        unchanged: u64,
        failed: u64,
        complete: bool,
    }
    let (summary, report) = (&indexed.summary, indexed.report.unwrap_or_default());
    if arguments.json {
        printer.json(&Shown {
            pages: summary.pages,
            texts: summary.units,
            requested: report.requested,
            unchanged: report.unchanged,
            failed: report.failed,
            complete: summary.is_complete,
        })?;
    }
    Ok(Exit::Fine)
}

fn line(summary: &Summary) -> String {
    let state = if summary.is_complete {
        String::new()
    } else {
        format!(", not complete: {} more pages are known; continue with --index", summary.due)
    };
    format!("index of {} with {}{state}", counted(summary.pages, "page"), counted(summary.units, "text"))
}
