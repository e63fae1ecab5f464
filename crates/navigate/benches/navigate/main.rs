//! Benchmark of questions about a real manual that are answered without a model: `cargo xtask bench navigate` runs it.
//!
//! Each goal is answered twice: by a walk, for which the manual is served over HTTP on the loopback interface and every request
//! is counted, and by an index, which is built from the files. A goal is *answered* when the returned text contains the answer,
//! and on the *right page* when the page of the text holds the table, or has the address, that the goal names. A goal without an
//! answer must end "not found": anything else is *wrong*, like an answer without the value.

mod goals;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use autoheal_fetch::{FetchSettings, Fetcher, HostLimits};
use autoheal_navigate::{Crawler, FetchedPages, Guide, NavigationResult, Navigator, PageState, Pages as _, Settings};
use autoheal_store::ManualIndex;
use autoheal_testkit::static_site::StaticSite;
use clap::Parser;
use serde::Serialize;
use url::Url;

use goals::Goal;

/// Maximum share of wrong answers, and maximum median time of an answer by an index.
const WRONG: f64 = 0.03;
const MEDIAN_MILLISECONDS: u128 = 50;

/// Method that answers the goals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Walk,
    Index,
}

impl Method {
    /// Minimum shares of the goals with an answer that must end on the right page and be answered.
    const fn goals(self) -> (f64, f64) {
        match self {
            Self::Walk => (0.8, 0.7),
            Self::Index => (0.8, 0.8),
        }
    }
}

#[derive(Parser)]
struct Options {
    /// Folder with the pages of the manual
    #[arg(long)]
    manual: PathBuf,
    /// The page to start at, below the folder
    #[arg(long, default_value = "index.html")]
    start: String,
    /// Goals file (JSON)
    #[arg(long)]
    goals: PathBuf,
    /// File for the results, one line per goal
    #[arg(long)]
    json: Option<PathBuf>,
    /// Answer by the index only
    #[arg(long, num_args = 0..=1, default_value_t = false, default_missing_value = "true")]
    no_walk: bool,
    /// Print what was returned
    #[arg(long)]
    verbose: bool,
    /// Flag that cargo passes to benchmarks
    #[arg(long, hide = true)]
    bench: bool,
}

/// Result of one goal.
#[derive(Serialize)]
struct Judged<'a> {
    goal: &'a str,
    answer: Option<&'a str>,
    /// True if the goal names the page or the table.
    has_page: bool,
    right_page: bool,
    answered: bool,
    /// Something was returned that is not the answer.
    wrong: bool,
    requests: usize,
    milliseconds: u128,
    result: NavigationResult,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let goals = goals::read(&options.goals)?;
    let mut lines = Vec::new();
    let mut faults = Vec::new();
    for method in [Method::Walk, Method::Index] {
        if method == Method::Walk && options.no_walk {
            continue;
        }
        let judged = match method {
            Method::Walk => by_walk(&goals, &options).await?,
            Method::Index => by_index(&goals, &options).await?,
        };
        for one in &judged {
            print(one, options.verbose);
            lines.push(serde_json::to_string(one)?);
        }
        faults.extend(conclude(&judged, method));
    }
    if let Some(file) = &options.json {
        std::fs::write(file, lines.join("\n") + "\n")?;
    }
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

async fn by_walk<'a>(goals: &'a [Goal], options: &Options) -> anyhow::Result<Vec<Judged<'a>>> {
    let mut judged = Vec::new();
    for goal in goals {
        // A site and a fetcher for each goal: nothing is known from the one before, and requests are this goal's.
        let site = StaticSite::of_folder(&options.manual).await;
        let fetcher = Fetcher::new(FetchSettings {
            allow_private: vec!["127.0.0.1".parse()?],
            limits: HostLimits::unlimited(1),
            ..FetchSettings::default()
        })?;
        let settings = Settings::default();
        let pages = FetchedPages::new(&fetcher, settings.http_timeout);
        let started = Instant::now();
        let start = site.url(&format!("/{}", options.start));
        let sought = autoheal_navigate::Goal::new(&goal.question);
        let result = Navigator::new(&pages, settings).navigate(&start, &sought, Guide::Search).await;
        let took = started.elapsed();
        let requests = site.asked().len();
        let steps = usize::try_from(result.steps_taken)?;
        ensure!(requests <= steps + 1, "{}: {requests} requests in {steps} steps", goal.question);
        ensure!(result.steps_taken <= settings.max_steps, "{}: {steps} steps", goal.question);
        judged.push(judge(goal, result, &pages, requests, took).await?);
    }
    Ok(judged)
}

#[expect(clippy::print_stdout, reason = "the figures are what this program is for")]
async fn by_index<'a>(goals: &'a [Goal], options: &Options) -> anyhow::Result<Vec<Judged<'a>>> {
    let folder = tempfile::tempdir()?;
    let manual = options.manual.canonicalize()?;
    let start = Url::from_file_path(manual.join(&options.start)).map_err(|()| anyhow::anyhow!("no address"))?;
    let root = Url::from_directory_path(&manual).map_err(|()| anyhow::anyhow!("no address"))?;
    let fetcher = Fetcher::new(FetchSettings { allow_files: vec![manual], ..FetchSettings::default() })?;
    let pages = FetchedPages::new(&fetcher, Duration::from_secs(30)).rooted(Some(root));
    let index = ManualIndex::create(&folder.path().join("manual.db")).await?;
    let started = Instant::now();
    let report = Crawler::new(&pages, &index, &start, 100_000).crawl().await?;
    let took = started.elapsed();
    ensure!(report.is_complete, "the crawl did not reach its end: {report:?}");
    let summary = index.summary().await?;
    let mib = folder.path().join("manual.db").metadata()?.len() >> 20;
    let per_second = f64::from(u32::try_from(summary.pages)?) / took.as_secs_f64();
    println!(
        "\nindex: {} pages and {} texts in {:.1} s, {per_second:.0} pages/s, {mib} MiB",
        summary.pages,
        summary.units,
        took.as_secs_f64()
    );
    let mut judged = Vec::new();
    for goal in goals {
        let started = Instant::now();
        let sought = autoheal_navigate::Goal::new(&goal.question);
        let navigator = Navigator::new(&pages, Settings::default());
        let result = navigator.navigate(&start, &sought, Guide::Index(&index)).await;
        judged.push(judge(goal, result, &pages, 0, started.elapsed()).await?);
    }
    Ok(judged)
}

async fn judge<'a>(
    goal: &'a Goal,
    result: NavigationResult,
    pages: &FetchedPages<'_>,
    requests: usize,
    took: Duration,
) -> anyhow::Result<Judged<'a>> {
    let answered = goal.answer.as_deref().is_some_and(|answer| result.success && goals::has(&result.content, answer));
    let right_page = match (&goal.table, &goal.page) {
        (Some(table), _) if result.success => {
            let page = pages.page(&result.url.parse()?).await.context("the page of the answer")?;
            let state = PageState::parse(&page.body, &page.url);
            state.tables.iter().any(|text| goals::is_table(text, table))
        }
        (None, Some(page)) => result.success && result.url.ends_with(page),
        (Some(_) | None, _) => false,
    };
    Ok(Judged {
        goal: &goal.question,
        answer: goal.answer.as_deref(),
        has_page: goal.answer.is_some() && (goal.table.is_some() || goal.page.is_some()),
        right_page,
        answered,
        wrong: result.success && !answered,
        requests,
        milliseconds: took.as_millis(),
        result,
    })
}

#[expect(clippy::print_stdout, reason = "the lines are what this program is for")]
fn print(one: &Judged<'_>, verbose: bool) {
    let verdict = match (one.answer, one.result.success) {
        (None, false) => "not found, rightly",
        (None, true) => "WRONG: an answer to what has none",
        (Some(_), false) => "not found",
        (Some(_), true) if one.answered => "answered",
        (Some(_), true) => "WRONG: another answer",
    };
    let page = if one.right_page { ", right page" } else { "" };
    println!(
        "{:<34} {:>2} steps {:>2} requests {:>5} ms  {}{page}",
        verdict, one.result.steps_taken, one.requests, one.milliseconds, one.goal
    );
    if verbose {
        for step in &one.result.path_taken {
            println!("      {} -> {}", step.action, step.result_hint);
        }
        println!(
            "      wanted: {:?}; got from {}:\n      {}",
            one.answer,
            one.result.url,
            format!("{}{}", one.result.content, one.result.error).replace('\n', "\n      ")
        );
    }
}

/// Prints the totals, and returns the figures that miss their goals.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn conclude(judged: &[Judged<'_>], method: Method) -> Vec<String> {
    let count = |is: fn(&&Judged<'_>) -> bool| judged.iter().filter(is).count();
    let possible = count(|one| one.answer.is_some());
    let impossible = judged.len() - possible;
    let (placed, right_page) = (count(|one| one.has_page), count(|one| one.right_page));
    let answered = count(|one| one.answered);
    let wrong = count(|one| one.wrong && one.answer.is_some());
    let made_up = count(|one| one.wrong && one.answer.is_none());
    let share = |part: usize, whole: usize| {
        let number = |count: usize| u32::try_from(count).map_or(f64::NAN, f64::from);
        if whole == 0 { 1.0 } else { number(part) / number(whole) }
    };
    let mut times: Vec<u128> = judged.iter().map(|one| one.milliseconds).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or(0);
    let (least_page, least_answered) = method.goals();
    println!("\n{method:?}: right page {right_page} of {placed} ({:.0} %)", 100.0 * share(right_page, placed));
    println!("answered   {answered} of {possible} ({:.0} %), wrong {wrong}", 100.0 * share(answered, possible));
    println!("impossible: {} of {impossible} not found, {made_up} wrong", impossible - made_up);
    println!("median {median} ms, slowest {} ms\n", times.last().unwrap_or(&0));
    let mut faults = Vec::new();
    let mut check = |is_met: bool, what: &str| {
        if !is_met {
            faults.push(format!("{method:?}: {what}"));
        }
    };
    check(share(right_page, placed) >= least_page, "the right page is found too seldom");
    check(share(answered, possible) >= least_answered, "the answer is found too seldom");
    check(made_up == 0, "something was answered that the manual does not say");
    check(share(wrong + made_up, judged.len()) <= WRONG, "too many answers are wrong");
    check(method == Method::Walk || median <= MEDIAN_MILLISECONDS, "the index answers too slowly");
    faults
}
