//! Repositories with flaky tests of each kind, and some whose tests fail for a reason in the program, each looked at several times by the real
//! binary: how often the kind is right, and how often something is called flaky that is not.
//!
//! They are data: `xtask/bench/flaky/repositories.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use super::heal::{build, git};
use crate::process;

const REPOSITORIES: &str = "xtask/bench/flaky/repositories.toml";

/// The kind of those that are not flaky.
const STABLE: &str = "stable";

/// Repositories to run, and the number of runs.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of times to check each repository
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    runs: usize,
    /// Only repositories whose name holds this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Heal with this binary instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Keep the repositories and the output of each run here
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    repository: Vec<Repository>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repository {
    name: String,
    /// Kind of the flakiness, that is, the factor that the failing test depends on; or `stable`.
    kind: String,
    /// It has to be healed all the same.
    #[serde(default)]
    heals: bool,
    files: BTreeMap<String, String>,
    /// Edits of a second commit.
    #[serde(default)]
    breaks: Vec<Break>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Break {
    file: String,
    from: String,
    to: String,
}

/// Outcome of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The kind is right and nothing was edited; of what is stable, nothing is called flaky, and it is healed if it has to be.
    Right,
    /// Every test passed: there was nothing to look at.
    Passed,
    /// Another kind, an edit, or something called flaky that is not.
    Wrong,
    /// Flakiness was not noticed, or a stable repository was not healed.
    Missed,
}

impl Outcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Passed => "passed",
            Self::Wrong => "WRONG",
            Self::Missed => "missed",
        }
    }
}

/// Looks at each repository and prints a table.
#[expect(clippy::print_stdout, reason = "the table is the output of the command")]
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let data: Data = toml::from_str(&std::fs::read_to_string(root.join(REPOSITORIES))?).context(REPOSITORIES)?;
    let binary = match &options.binary {
        Some(binary) => binary.canonicalize().with_context(|| format!("no binary {}", binary.display()))?,
        None => build(root)?,
    };
    let temporary = tempfile::Builder::new().prefix("autoheal-flaky-").tempdir()?;
    let work = options.keep.as_deref().unwrap_or(temporary.path());
    let mut kinds: BTreeMap<&str, BTreeMap<Outcome, usize>> = BTreeMap::new();
    for repository in data.repository.iter().filter(|repository| repository.name.contains(&options.only)) {
        for number in 1..=options.runs {
            let folder = work.join(format!("{}-{number}", repository.name));
            let began = Instant::now();
            make(repository, &folder)?;
            let (outcome, told) = heal(&binary, repository, &folder)?;
            *kinds.entry(&repository.kind).or_default().entry(outcome).or_default() += 1;
            let (name, seconds) = (&repository.name, began.elapsed().as_secs_f64());
            println!("{:<7} {name:<26} {number:>2} {seconds:>6.1} s  {told}", outcome.word());
        }
    }
    ensure!(!kinds.is_empty(), "no repository has {:?} in its name", options.only);
    println!();
    for (kind, outcomes) in &kinds {
        let words: Vec<String> =
            outcomes.iter().map(|(outcome, count)| format!("{count} {}", outcome.word())).collect();
        println!("{kind:<12} {}", words.join(", "));
    }
    Ok(())
}

fn make(repository: &Repository, folder: &Path) -> anyhow::Result<()> {
    let place = folder.join("repository");
    std::fs::create_dir_all(&place)?;
    git(&place, &["init", "--quiet", "--initial-branch", "main"])?;
    let write = |file: &str, text: &str| -> anyhow::Result<()> {
        let path = place.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&place))?;
        Ok(std::fs::write(path, text)?)
    };
    let commit = |message: &str| -> anyhow::Result<()> {
        git(&place, &["add", "--all"])?;
        git(&place, &["commit", "--quiet", "--message", message]).map(drop)
    };
    for (file, text) in &repository.files {
        write(file, text)?;
    }
    commit("as it was")?;
    for Break { file, from, to } in &repository.breaks {
        let text = repository.files.get(file).with_context(|| format!("{}: there is no {file}", repository.name))?;
        ensure!(text.contains(from), "{}: {file} does not hold {from:?}", repository.name);
        write(file, &text.replacen(from, to, 1))?;
    }
    if repository.breaks.is_empty() { Ok(()) } else { commit("as it is") }
}

fn heal(binary: &Path, repository: &Repository, folder: &Path) -> anyhow::Result<(Outcome, String)> {
    // It ends with this process, however that ends.
    let mut command = process::command(folder, "setpriv");
    command.args(["--pdeathsig", "TERM", "timeout", "--kill-after=30", "600"]);
    command.arg(binary).arg("heal").arg(folder.join("repository"));
    command.args(["--json", "--model", "none", "--sandbox", "bubblewrap", "--team", "Bench", "--leader", "Heal"]);
    command.arg("--data-dir").arg(folder.join("../data"));
    let output = process::output_of(&mut command)?;
    std::fs::write(folder.join("results.json"), &output.stdout)?;
    std::fs::write(folder.join("log.txt"), &output.stderr)?;
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let verdict = results["stop_reason"].as_str().unwrap_or("no results");
    let tests = results["flaky"].as_array().map(Vec::as_slice).unwrap_or_default();
    let kinds: BTreeSet<&str> = tests.iter().filter_map(|test| test["kind"].as_str()).collect();
    let is_edited = results["fixes_applied"].as_u64() > Some(0);
    let is_healed = matches!(verdict, "GREEN" | "PARTLY_CHECKED");
    let is_right = verdict == "FLAKY" && kinds.len() == 1 && kinds.contains(repository.kind.as_str());
    let outcome = match repository.kind.as_str() {
        STABLE if !kinds.is_empty() => Outcome::Wrong,
        STABLE if repository.heals && !is_healed => Outcome::Missed,
        STABLE => Outcome::Right,
        _ if verdict == "NOTHING_TO_DO" => Outcome::Passed,
        _ if is_edited || !kinds.is_empty() && !is_right => Outcome::Wrong,
        _ if is_right => Outcome::Right,
        _ => Outcome::Missed,
    };
    let told: Vec<&str> = kinds.into_iter().collect();
    Ok((outcome, format!("{verdict} {}", told.join(", "))))
}
