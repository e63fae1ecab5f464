//! Questions about the way through a manual, answered by a double that knows the way: is the right chapter in each prompt, and how
//! many tokens does a goal take?

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use autoheal_fetch::{FetchSettings, Fetcher};
use autoheal_llm::ChatRequest;
use autoheal_navigate::{Crawler, FetchedPages, Guide, NavigationResult, Navigator, Settings};
use autoheal_store::ManualIndex;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::double::{Double, fenced, text_of};
use super::{Options, Report};
use crate::bench::drift::print;
use crate::bench::navigate::start_of;
use crate::cache;

/// Highest median of tokens for a goal.
const MOST_TOKENS: u64 = 3500;

#[derive(Deserialize)]
struct File {
    goals: Vec<Goal>,
}

/// A question about the manual, and the way to its answer.
#[derive(Debug, Clone, Deserialize)]
struct Goal {
    #[serde(rename = "goal")]
    question: String,
    answer: Option<String>,
    /// Titles of the parts and chapters on the way.
    #[serde(default)]
    path: Vec<String>,
    /// Text of the row that holds the answer.
    #[serde(default)]
    row: String,
}

pub(super) fn measure(options: &Options) -> anyhow::Result<Report> {
    let text = std::fs::read_to_string(&options.corpus).with_context(|| format!("{}", options.corpus.display()))?;
    let mut goals = serde_json::from_str::<File>(&text)?.goals;
    goals.retain(|goal| !goal.path.is_empty() && options.case.as_ref().is_none_or(|case| goal.question.contains(case)));
    let start = start_of(&options.corpus, None, None)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let manual = Manual::at(&start)?;
    let index = runtime.block_on(manual.index())?;
    let mut report = Report::default();
    for goal in &goals {
        for index in [None, Some(&index)] {
            runtime.block_on(measure_one(goal, &manual, index, options, &mut report))?;
        }
    }
    Ok(report)
}

/// A manual in files.
struct Manual {
    start: Url,
    root: Url,
    fetcher: Fetcher,
    index: PathBuf,
}

impl Manual {
    fn at(start: &Path) -> anyhow::Result<Self> {
        let folder = start.parent().map(PathBuf::from).context("the page to begin at is in a folder")?;
        let url = |made: Result<Url, ()>| made.map_err(|()| anyhow::anyhow!("{} is not an address", start.display()));
        let (address, root) = (url(Url::from_file_path(start))?, url(Url::from_directory_path(&folder))?);
        let fetcher = Fetcher::new(FetchSettings { allow_files: vec![folder], ..FetchSettings::default() })?;
        let index = cache::folder("manual-indexes")?.join(ManualIndex::file_name(&address));
        Ok(Self { start: address, root, fetcher, index })
    }

    fn pages(&self) -> FetchedPages<'_> {
        FetchedPages::new(&self.fetcher, Duration::from_secs(30)).rooted(Some(self.root.clone()))
    }

    async fn index(&self) -> anyhow::Result<ManualIndex> {
        let index = ManualIndex::create(&self.index).await?;
        let report = Crawler::new(&self.pages(), &index, &self.start, 100_000).crawl().await?;
        anyhow::ensure!(report.is_complete, "the index is not complete: {report:?}");
        Ok(index)
    }
}

async fn measure_one(
    goal: &Goal,
    manual: &Manual,
    index: Option<&ManualIndex>,
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let pages = manual.pages();
    let steps: Arc<Mutex<Vec<(String, bool)>>> = Arc::default();
    let (noted, known) = (Arc::clone(&steps), goal.clone());
    let double = Double::new(move |request| {
        let (answer, step) = answer_of(request, &known);
        noted.lock().unwrap_or_else(PoisonError::into_inner).extend(step);
        answer
    })?;
    let session = double.session();
    let sought = autoheal_navigate::Goal::new(&goal.question);
    let navigator = Navigator::new(&pages, Settings::default()).with_index(index);
    let result = navigator.navigate(&manual.start, &sought, Guide::Model(&session)).await;
    let asked = double.asked();
    if options.show {
        for request in &asked {
            print(&format!("=== {}\n{}", goal.question, text_of(request)));
        }
    }
    for (chapter, is_listed) in steps.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        report.count("right chapter listed", Some(1.0), *is_listed, &format!("{chapter} ({})", goal.question));
    }
    let (answered, tokens_of) = if index.is_some() {
        ("answered, with an index", "a goal, with an index")
    } else {
        ("answered, by links", "a goal, by links")
    };
    report.count(answered, None, is_answered(goal, &result), &format!("{}: {result:?}", goal.question));
    if index.is_some() {
        report.count("answered by the first question", None, asked.len() == 1, &goal.question);
    }
    let tokens: u64 = asked.iter().map(ChatRequest::estimated_tokens).sum();
    report.add_tokens(tokens_of, Some(MOST_TOKENS), tokens);
    for request in &asked {
        report.add_tokens("a question", None, request.estimated_tokens());
    }
    Ok(())
}

fn is_answered(goal: &Goal, result: &NavigationResult) -> bool {
    result.success && goal.answer.as_ref().is_some_and(|answer| result.content.contains(answer.as_str()))
}

/// Answers as one who knows the way: quotes the row where it is shown, or else clicks the last step of the way that is listed.
fn answer_of(request: &ChatRequest, goal: &Goal) -> (String, Option<(String, bool)>) {
    let prompt = text_of(request);
    let answer = goal.answer.as_deref().unwrap_or_default();
    let holds = |line: &&str| line.contains(answer) && line.contains(&goal.row);
    let content = [fenced(&prompt, "content"), fenced(&prompt, "passages of the index")];
    if let Some(row) = content.iter().flat_map(|part| part.lines()).find(holds) {
        let quote = row.trim_start_matches("- ");
        return (json!({ "tool": "extract", "quote": quote }).to_string(), None);
    }
    let links = fenced(&prompt, "links");
    let step = goal.path.iter().rev().find(|step| links.contains(step.as_str()));
    if !prompt.contains("<untrusted links ") && !prompt.contains("CURRENT PAGE") {
        return (json!({ "tool": "not_found" }).to_string(), None);
    }
    let at_end = goal.path.last().is_some_and(|last| fenced(&prompt, "title and place of the page").contains(last));
    if let Some(step) = step {
        let answer = json!({ "tool": "click", "link_text": step });
        return (answer.to_string(), Some((step.clone(), true)));
    }
    let wanted = if at_end { format!("the row {}", goal.row) } else { goal.path.join(" > ") };
    (json!({ "tool": "not_found" }).to_string(), Some((wanted, false)))
}
