//! Real releases that were green on their day and fail today, because a dependency that they do not pin has moved on: each is rebuilt from the
//! registries, healed by the real binary, and its branch is tested as its CI would, in a new environment.
//!
//! The corpus is a folder with `make_drift.py`, which rebuilds the cases of `drift_dev.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::heal::{build, git};
use crate::process;

/// Time for one run of the binary, and for one verification, in seconds.
const TIME: &str = "1500";

/// Cases to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder with `make_drift.py` and its cases
    #[arg(long, value_name = "FOLDER")]
    corpus: PathBuf,
    /// Only cases whose name holds this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Folder with a Python of each version: `3.9.18/bin/python3`
    #[arg(long, value_name = "FOLDER")]
    pythons: PathBuf,
    /// Heal with this binary instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Keep the repositories and the output of each run here
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Data {
    cases: Vec<Case>,
}

/// A package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Python,
    Npm,
}

/// A case, as the corpus describes it.
#[derive(Deserialize)]
struct Case {
    kind: Kind,
    package: String,
    version: String,
    #[serde(default)]
    python: String,
    install: Vec<String>,
    test: String,
    offending: Vec<Offending>,
}

#[derive(Deserialize)]
struct Offending {
    package: String,
}

/// Outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The branch passes in a new environment.
    Healed,
    /// The run says that it is green, and the branch is not.
    Wrong,
    /// The run says that it is not green.
    GivenUp,
    /// It is not red here, or cannot be tested here.
    NotRed,
}

impl Outcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Healed => "healed",
            Self::Wrong => "WRONG",
            Self::GivenUp => "given up",
            Self::NotRed => "not red",
        }
    }
}

/// Result of a case.
struct Row {
    outcome: Outcome,
    /// Every offender of the corpus was named.
    is_named: bool,
    environments: u64,
    seconds: f64,
    told: String,
}

/// Heals each case and prints a table.
#[expect(clippy::print_stdout, reason = "the table is the output of the command")]
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let corpus = options.corpus.canonicalize().context("--corpus")?;
    let data: Data =
        serde_json::from_slice(&std::fs::read(corpus.join("drift_dev.json"))?).context("drift_dev.json")?;
    let binary = match &options.binary {
        Some(binary) => binary.canonicalize().with_context(|| format!("no binary {}", binary.display()))?,
        None => build(root)?,
    };
    let temporary = tempfile::Builder::new().prefix("autoheal-real-").tempdir()?;
    let work = options.keep.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(work)?;
    let work = work.canonicalize()?;
    let mut rows = Vec::new();
    for case in &data.cases {
        let name = format!("{}-{}", case.package, case.version);
        if !name.contains(&options.only) {
            continue;
        }
        let row = run_case(case, &name, &corpus, &work, &binary, &options.pythons)?;
        println!(
            "{:<9} {name:<24} {:<9} {:>3} environments {:>7.1} s  {}",
            row.outcome.word(),
            if row.is_named { "named" } else { "not named" },
            row.environments,
            row.seconds,
            row.told
        );
        rows.push(row);
    }
    ensure!(!rows.is_empty(), "no case has {:?} in its name", options.only);
    println!("\n{}", summary(&rows));
    Ok(())
}

fn summary(rows: &[Row]) -> String {
    let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
    for row in rows {
        *outcomes.entry(row.outcome).or_default() += 1;
    }
    let counts: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{count} {}", outcome.word())).collect();
    let named = rows.iter().filter(|row| row.is_named).count();
    let mut environments: Vec<u64> = rows.iter().map(|row| row.environments).collect();
    environments.sort_unstable();
    let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let middle = rows.len() / 2;
    format!(
        "{} of {}; {named} named rightly; median: {} environments, {:.1} minutes",
        counts.join(", "),
        rows.len(),
        environments.get(middle).copied().unwrap_or_default(),
        seconds.get(middle).copied().unwrap_or_default() / 60.0
    )
}

fn run_case(case: &Case, name: &str, corpus: &Path, work: &Path, binary: &Path, pythons: &Path) -> anyhow::Result<Row> {
    let mut make = process::command(work, "python3");
    make.arg(corpus.join("make_drift.py")).arg(work).args(["--only", name]);
    let made = process::output_of(&mut make)?;
    let folder = work.join(name);
    ensure!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
    let python = match case.kind {
        Kind::Python => Some(python_of(&case.python, pythons)?),
        // Node and npm are those of this machine.
        Kind::Npm => None,
    };
    let began = Instant::now();
    let results = heal(binary, &folder, work, python.as_deref())?;
    let seconds = began.elapsed().as_secs_f64();
    let offenders = results["drift"]["offenders"].as_array().map(Vec::as_slice).unwrap_or_default();
    let canonical = |name: &str| match case.kind {
        Kind::Python => name.to_lowercase().replace(['_', '.'], "-"),
        Kind::Npm => name.to_owned(),
    };
    let named: BTreeSet<String> = offenders.iter().filter_map(|one| one["package"].as_str()).map(canonical).collect();
    let truth: BTreeSet<String> = case.offending.iter().map(|one| canonical(&one.package)).collect();
    let verdict = results["stop_reason"].as_str().unwrap_or("no results");
    let outcome = match verdict {
        "GREEN" | "PARTLY_CHECKED" if results["fixes_applied"].as_u64() > Some(0) => {
            if passes(case, &folder, python.as_deref())? { Outcome::Healed } else { Outcome::Wrong }
        }
        "GREEN" | "PARTLY_CHECKED" | "NOTHING_TO_DO" => Outcome::NotRed,
        _ => Outcome::GivenUp,
    };
    let bounds: Vec<String> = offenders
        .iter()
        .filter_map(|one| Some(format!("{}{}", one["package"].as_str()?, one["bound"].as_str()?)))
        .collect();
    Ok(Row {
        outcome,
        is_named: truth.is_subset(&named),
        environments: results["drift"]["environments"].as_u64().unwrap_or_default(),
        seconds,
        told: format!("{verdict} {} (of {})", bounds.join(" "), Vec::from_iter(truth).join(" ")),
    })
}

/// The folder of the programs of a Python of this version.
fn python_of(version: &str, pythons: &Path) -> anyhow::Result<PathBuf> {
    let prefix = format!("{version}.");
    let found = std::fs::read_dir(pythons)?
        .filter_map(Result::ok)
        .find(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)));
    let found = found.with_context(|| format!("no Python {version} in {}", pythons.display()))?;
    Ok(found.path().join("bin"))
}

fn heal(binary: &Path, folder: &Path, work: &Path, python: Option<&Path>) -> anyhow::Result<Value> {
    // It ends with this process, however that ends.
    let mut command = process::command(folder, "setpriv");
    command.args(["--pdeathsig", "TERM", "timeout", "--kill-after=30", TIME]);
    command.arg(binary).arg("heal").arg(folder.join("repo"));
    command.args(["--json", "--model", "none", "--sandbox", "bubblewrap", "--team", "Bench", "--leader", "Real"]);
    command.arg("--data-dir").arg(work.join("data"));
    if let Some(python) = python {
        // No other Python, which might lack less.
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", python.display()));
    }
    command.env_remove("VIRTUAL_ENV");
    let output = process::output_of(&mut command)?;
    std::fs::write(folder.join("results.json"), &output.stdout)?;
    std::fs::write(folder.join("log.txt"), &output.stderr)?;
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// Installs and tests the branch as the workflow of the case does.
fn passes(case: &Case, folder: &Path, python: Option<&Path>) -> anyhow::Result<bool> {
    let (copy, environment) = (folder.join("verified"), folder.join("environment"));
    for old in [&copy, &environment] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    git(folder, &["clone", "--quiet", "--branch", "BENCH_REAL_AI_Fix", "repo", "verified"])?;
    let mut install = process::command(&copy, "timeout");
    install.arg(TIME);
    if let Some(python) = python {
        let mut made = process::command(folder, "timeout");
        made.arg(TIME).arg(python.join("python3")).args(["-m", "venv"]).arg(&environment);
        ensure!(process::output_of(&mut made)?.status.success(), "no environment can be made");
        install.arg(environment.join("bin/python3")).args(["-m", "pip", "install", "--quiet"]);
    }
    install.args(&case.install);
    let installed = process::output_of(&mut install)?;
    std::fs::write(folder.join("installed.txt"), [installed.stdout, installed.stderr].concat())?;
    let mut test = process::command(&copy, "timeout");
    test.arg(TIME).args(["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--", "bash", "-c", &case.test]);
    if python.is_some() {
        let path = format!("{}/bin:{}", environment.display(), std::env::var("PATH").unwrap_or_default());
        test.env("PATH", path).env("VIRTUAL_ENV", &environment);
    }
    let tested = process::output_of(&mut test)?;
    std::fs::write(folder.join("tested.txt"), [tested.stdout, tested.stderr].concat())?;
    Ok(installed.status.success() && tested.status.success())
}
