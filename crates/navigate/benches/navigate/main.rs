//! Benchmark of questions about a real manual that are answered without a model: `cargo xtask bench navigate` runs it.
//!
//! The manual is served over HTTP on the loopback interface and every request is counted. A goal is *answered* when the
//! returned text contains the answer, and on the *right page* when the page of the text holds the table that the goal names.
//! A goal without an answer must end "not found": anything else is *wrong*, like an answer without the value.

mod goals;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use autoheal_fetch::{FetchSettings, Fetcher, HostLimits};
use autoheal_navigate::{FetchedPages, Guide, NavigationResult, Navigator, PageState, Pages as _, Settings};
use autoheal_testkit::static_site::StaticSite;
use clap::Parser;
use serde::Serialize;

use goals::Goal;

/// Minimum shares of the goals with an answer that must end on the right page and be answered.
const RIGHT_PAGE: f64 = 0.8;
const ANSWERED: f64 = 0.7;

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
    let mut judged = Vec::new();
    for goal in &goals {
        let one = navigate(goal, &options).await?;
        print(&one, options.verbose);
        judged.push(one);
    }
    if let Some(file) = &options.json {
        let lines: Vec<String> = judged.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        std::fs::write(file, lines.join("\n") + "\n")?;
    }
    conclude(&judged)
}

async fn navigate<'a>(goal: &'a Goal, options: &Options) -> anyhow::Result<Judged<'a>> {
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
    let sought = autoheal_navigate::Goal::new(&goal.question);
    let start = site.url(&format!("/{}", options.start));
    let result = Navigator::new(&pages, settings).navigate(&start, &sought, Guide::Search).await;
    let took: Duration = started.elapsed();
    let requests = site.asked().len();
    let steps = usize::try_from(result.steps_taken)?;
    ensure!(requests <= steps + 1, "{}: {requests} requests in {steps} steps", goal.question);
    ensure!(result.steps_taken <= settings.max_steps, "{}: {steps} steps", goal.question);
    let answered = goal.answer.as_deref().is_some_and(|answer| result.success && goals::has(&result.content, answer));
    let right_page = match (&goal.table, result.success) {
        (Some(table), true) => {
            let page = pages.page(&result.url.parse()?).await.context("the page of the answer")?;
            let state = PageState::parse(&page.body, &page.url);
            state.tables.iter().any(|text| goals::is_table(text, table))
        }
        (Some(_) | None, _) => false,
    };
    Ok(Judged {
        goal: &goal.question,
        answer: goal.answer.as_deref(),
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
            one.result.content.replace('\n', "\n      ")
        );
    }
}

/// Prints the totals, and fails where a goal is missed.
#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn conclude(judged: &[Judged<'_>]) -> anyhow::Result<()> {
    let count = |is: fn(&&Judged<'_>) -> bool| judged.iter().filter(is).count();
    let possible = count(|one| one.answer.is_some());
    let impossible = judged.len() - possible;
    let (right_page, answered) = (count(|one| one.right_page), count(|one| one.answered));
    let wrong = count(|one| one.wrong && one.answer.is_some());
    let made_up = count(|one| one.wrong && one.answer.is_none());
    let share = |part: usize, whole: usize| {
        let number = |count: usize| u32::try_from(count).map_or(f64::NAN, f64::from);
        if whole == 0 { 1.0 } else { number(part) / number(whole) }
    };
    let mut times: Vec<u128> = judged.iter().map(|one| one.milliseconds).collect();
    times.sort_unstable();
    println!("\nright page {right_page} of {possible} ({:.0} %, goal 80 %)", 100.0 * share(right_page, possible));
    println!(
        "answered   {answered} of {possible} ({:.0} %, goal 70 %), wrong {wrong}",
        100.0 * share(answered, possible)
    );
    println!("impossible: {} of {impossible} not found, {made_up} wrong", impossible - made_up);
    println!("median {} ms, slowest {} ms", times.get(times.len() / 2).unwrap_or(&0), times.last().unwrap_or(&0));
    ensure!(share(right_page, possible) >= RIGHT_PAGE, "the right page is found too seldom");
    ensure!(share(answered, possible) >= ANSWERED, "the answer is found too seldom");
    ensure!(made_up == 0, "something was answered that the manual does not say");
    Ok(())
}
