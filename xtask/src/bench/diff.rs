//! The structural diff against the Python of the specification, on the same pages in the same run.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use autoheal_page::Document;
use autoheal_page::diff::structural_diff;
use autoheal_page::document::decode;
use serde::Deserialize;

use super::python;
use crate::{cache, process};

/// The script and its packages, from the root of the repository.
const SCRIPT: &str = "xtask/bench/structural_diff.py";
const REQUIREMENTS: &str = "xtask/bench/structural_diff.txt";

/// How often ours is measured a pair; the median counts. Python's is measured once: it takes long enough.
const REPEATS: usize = 5;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder with cases somewhere below it: folders with `old.html.gz` and `new.html.gz`
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// How many cases, spread evenly over all of them; Python takes about a second for each
    #[arg(long, default_value_t = 60)]
    limit: usize,
    /// How many times as fast as Python it has to be
    #[arg(long, default_value_t = 50.0)]
    goal: f64,
}

/// What Python says about a pair.
#[derive(Deserialize)]
struct Answer {
    seconds: f64,
}

/// The times for a pair, in seconds.
struct Times {
    case: String,
    python: f64,
    ours: f64,
}

/// Measures both, prints the ratio, and fails below the goal.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let cases = spread(cases_below(&options.corpus)?, options.limit);
    ensure!(!cases.is_empty(), "there is no case below {}", options.corpus.display());
    let environment = python::environment(root, &cache::folder("bench-diff")?, REQUIREMENTS)?;
    let mut python = process::command(root, environment.join("bin/python"))
        .arg(SCRIPT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start Python")?;
    let mut questions = python.stdin.take().context("Python has no standard input")?;
    let mut answers = BufReader::new(python.stdout.take().context("Python has no standard output")?);

    let mut times = Vec::with_capacity(cases.len());
    for case in &cases {
        let (old, new) = (case.join("old.html.gz"), case.join("new.html.gz"));
        writeln!(questions, "{}\t{}", old.display(), new.display())?;
        let mut line = String::new();
        if answers.read_line(&mut line)? == 0 {
            bail!("Python ended at {}", case.display());
        }
        let answer: Answer = serde_json::from_str(&line)?;
        let ours = measure(&page(&old)?, &page(&new)?);
        let case = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        times.push(Times { case, python: answer.seconds, ours: ours.as_secs_f64() });
    }
    drop(questions);
    python.wait()?;
    report(times, options.goal)
}

/// Every folder with a case, sorted.
fn cases_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut cases = Vec::new();
    let mut open = vec![std::path::absolute(folder)?];
    while let Some(folder) = open.pop() {
        if folder.join("old.html.gz").is_file() && folder.join("new.html.gz").is_file() {
            cases.push(folder);
            continue;
        }
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    cases.sort();
    Ok(cases)
}

fn spread(cases: Vec<PathBuf>, limit: usize) -> Vec<PathBuf> {
    let step = cases.len().div_ceil(limit.max(1)).max(1);
    cases.into_iter().step_by(step).collect()
}

fn page(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut html = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut html)?;
    Ok(decode(&html).into_owned())
}

/// The median time of parsing both pages, comparing them and writing the diff.
fn measure(old: &str, new: &str) -> Duration {
    let mut times: Vec<Duration> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            let diff = structural_diff(&Document::parse(old), &Document::parse(new)).to_string();
            std::hint::black_box(diff);
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(REPEATS / 2).copied().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "the figures are what was asked for")]
fn report(mut times: Vec<Times>, goal: f64) -> anyhow::Result<()> {
    times.sort_by(|one, other| (one.python / one.ours).total_cmp(&(other.python / other.ours)));
    let ratio = |times: &Times| times.python / times.ours;
    let (python, ours): (f64, f64) =
        times.iter().fold((0.0, 0.0), |sum, times| (sum.0 + times.python, sum.1 + times.ours));
    let total = python / ours;
    println!("{} pairs of pages, parsed, compared and written:", times.len());
    println!("  Python (BeautifulSoup, difflib)  {python:9.2} s");
    println!("  autoheal                         {ours:9.3} s");
    println!("  ratio of the sums                {total:9.0}");
    for (label, place) in [("smallest", 0), ("median", times.len() / 2), ("largest", times.len() - 1)] {
        if let Some(times) = times.get(place) {
            let (python, ours) = (times.python * 1000.0, times.ours * 1000.0);
            println!(
                "  ratio, {label:<8} {:9.0}   ({python:.0} ms against {ours:.1} ms, {})",
                ratio(times),
                times.case
            );
        }
    }
    ensure!(total >= goal, "{total:.0} times as fast is less than {goal:.0}");
    Ok(())
}
