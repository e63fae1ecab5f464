//! The structural diff against the Python of the specification, on the same pages in the same run.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use autoheal_page::document::decode;
use serde::Deserialize;

use super::lines::LineProcess;
use crate::python;
use crate::{cache, process};

/// The script and its packages, from the root of the repository.
const SCRIPT: &str = "xtask/bench/structural_diff.py";
const REQUIREMENTS: &str = "xtask/bench/structural_diff.txt";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder with cases somewhere below it: folders with `old.html.gz` and `new.html.gz`
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Maximum number of cases, spread evenly over all of them; Python takes about a second for each
    #[arg(long, default_value_t = 60)]
    limit: usize,
    /// Required speedup over Python: in sum and for the median pair
    #[arg(long, default_value_t = 10.0)]
    goal: f64,
}

/// Result for a pair of pages.
#[derive(Deserialize)]
struct Answer {
    seconds: f64,
}

/// Returns the seconds that a process takes for a pair.
fn ask(comparer: &mut LineProcess, old: &Path, new: &Path) -> anyhow::Result<f64> {
    let line = comparer.ask(&format!("{}\t{}", old.display(), new.display()))?;
    Ok(serde_json::from_str::<Answer>(&line)?.seconds)
}

/// The times for a pair, in seconds, and how many bytes both pages have.
struct Times {
    case: String,
    bytes: u64,
    python: f64,
    ours: f64,
}

/// Measures both, prints the ratio, and fails below the goal.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let cases = spread(cases_below(&options.corpus)?, options.limit);
    ensure!(!cases.is_empty(), "there is no case below {}", options.corpus.display());
    let environment = python::environment(root, &cache::folder("bench-diff")?, REQUIREMENTS)?;
    let mut python = LineProcess::start(process::command(root, environment.join("bin/python")).arg(SCRIPT))?;
    let bench = ["bench", "--quiet", "--package", "autoheal-page", "--bench", "structural_diff"];
    let mut ours = LineProcess::start(process::command(root, "cargo").args(bench))?;
    let folder = tempfile::tempdir()?;
    let mut times = Vec::with_capacity(cases.len());
    for case in &cases {
        let old = unpack(case, "old", folder.path())?;
        let new = unpack(case, "new", folder.path())?;
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let seconds = ask(&mut python, &old, &new).and_then(|python| Ok((python, ask(&mut ours, &old, &new)?)));
        let (python, ours) = seconds.with_context(|| name.clone())?;
        let bytes = std::fs::metadata(&old)?.len() + std::fs::metadata(&new)?.len();
        times.push(Times { case: name, bytes, python, ours });
    }
    python.end()?;
    ours.end()?;
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

/// Writes a page of a case as UTF-8, so that both programs get the same input.
fn unpack(case: &Path, side: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    let packed = case.join(format!("{side}.html.gz"));
    let bytes = std::fs::read(&packed).with_context(|| format!("cannot read {}", packed.display()))?;
    let mut html = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut html)?;
    let page = folder.join(format!("{side}.html"));
    std::fs::write(&page, decode(&html).as_bytes())?;
    Ok(page)
}

impl Times {
    fn ratio(&self) -> f64 {
        self.python / self.ours
    }
}

/// Classes of page pairs, by the upper limit of the size of both pages together, in kilobytes.
const SIZES: [(u64, &str); 4] = [(200, "to 200 kB"), (500, "to 500 kB"), (1000, "to 1 MB"), (u64::MAX, "above 1 MB")];

/// The sum of the times of Python by that of ours.
fn ratio_of_sums<'a>(times: impl Iterator<Item = &'a Times>) -> f64 {
    let (python, ours) = times.fold((0.0, 0.0), |sum, times| (sum.0 + times.python, sum.1 + times.ours));
    python / ours
}

#[expect(clippy::print_stdout, reason = "the figures are the output of the command")]
fn report(mut times: Vec<Times>, goal: f64) -> anyhow::Result<()> {
    times.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
    let python: f64 = times.iter().map(|times| times.python).sum();
    let ours: f64 = times.iter().map(|times| times.ours).sum();
    println!("{} pairs of pages, parsed, compared and written, each by one thread:", times.len());
    println!("  Python (BeautifulSoup, difflib)  {python:9.2} s");
    println!("  autoheal                         {ours:9.3} s");
    let total = ratio_of_sums(times.iter());
    println!("  ratio of the sums                {total:9.0}");
    let mut least = 0;
    for (most, label) in SIZES {
        let of_size = || times.iter().filter(|times| (least..most).contains(&(times.bytes / 1000)));
        if of_size().next().is_some() {
            println!("    {label:<11} {:4} pairs        {:9.0}", of_size().count(), ratio_of_sums(of_size()));
        }
        least = most;
    }
    for (label, place) in [("least", 0), ("median", times.len() / 2), ("most", times.len() - 1)] {
        if let Some(times) = times.get(place) {
            let (python, ours) = (times.python * 1000.0, times.ours * 1000.0);
            println!(
                "  ratio, {label:<6}                    {:9.0}   ({python:.0} ms against {ours:.2} ms, {})",
                times.ratio(),
                times.case
            );
        }
    }
    let median = times.get(times.len() / 2).map_or(0.0, Times::ratio);
    let reached = total.min(median);
    ensure!(reached >= goal, "{reached:.1} times as fast is less than {goal:.0}");
    Ok(())
}
