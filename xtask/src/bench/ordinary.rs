//! Ordinary repositories, as people have them: broken in one commit, healed by the real binary, compared with what they were.
//!
//! They are data: `xtask/bench/ordinary/repositories.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use super::heal::{build, git};
use crate::process;

const REPOSITORIES: &str = "xtask/bench/ordinary/repositories.toml";

/// Expected verdict in the data that matches every verdict except those of `WELL`.
const GIVEN_UP: &str = "given up";

/// Verdicts that report success.
const WELL: [&str; 3] = ["GREEN", "PARTLY_CHECKED", "NOTHING_TO_DO"];

/// Selection of the repositories to run, and the output to keep.
#[derive(clap::Args)]
pub(crate) struct Options {
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
    base: BTreeMap<String, BTreeMap<String, String>>,
    repository: Vec<Repository>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repository {
    name: String,
    base: Option<String>,
    /// The verdicts that are right.
    expect: BTreeSet<String>,
    /// Files of the base that it has not.
    #[serde(default)]
    without: BTreeSet<String>,
    /// Files of the repository itself, in addition to those of the base.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Files that the second commit adds.
    #[serde(default)]
    adds: BTreeMap<String, String>,
    /// Edits of the second commit.
    #[serde(default)]
    breaks: Vec<Break>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Break {
    file: String,
    from: String,
    to: String,
    /// Another text that is as right as `from`, such as a true annotation where there was none.
    also: Option<String>,
}

/// Outcome for one repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Healed to the original state, or rightly left alone, with a correct verdict.
    Right,
    /// Reported as a success although the files differ from the original, or with a verdict beyond what is known.
    Wrong,
    /// Reported as not healed, although a developer could have repaired it.
    GivenUp,
}

impl Outcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "WRONG",
            Self::GivenUp => "given up",
        }
    }
}

/// Heals each repository and prints a table.
#[expect(clippy::print_stdout, reason = "the table is the output of the command")]
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let data: Data = toml::from_str(&std::fs::read_to_string(root.join(REPOSITORIES))?).context(REPOSITORIES)?;
    let binary = match &options.binary {
        Some(binary) => binary.canonicalize().with_context(|| format!("no binary {}", binary.display()))?,
        None => build(root)?,
    };
    let temporary = tempfile::Builder::new().prefix("autoheal-ordinary-").tempdir()?;
    let work = options.keep.as_deref().unwrap_or(temporary.path());
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    for repository in data.repository.iter().filter(|repository| repository.name.contains(&options.only)) {
        let folder = work.join(&repository.name);
        let began = Instant::now();
        let healthy = make(&data, repository, &folder)?;
        let (verdict, same) = heal(&binary, &folder, &healthy, &repository.breaks)?;
        let says_well = WELL.contains(&verdict.as_str());
        let is_expected = repository.expect.contains(&verdict) || !says_well && repository.expect.contains(GIVEN_UP);
        let outcome = match (says_well, is_expected && (same || !says_well)) {
            (_, true) => Outcome::Right,
            (true, false) => Outcome::Wrong,
            (false, false) => Outcome::GivenUp,
        };
        *counts.entry(outcome).or_default() += 1;
        println!("{:<9} {:<22} {:>6.1} s  {verdict}", outcome.word(), repository.name, began.elapsed().as_secs_f64());
    }
    let count = |outcome| counts.get(&outcome).copied().unwrap_or_default();
    let (right, wrong, given_up) = (count(Outcome::Right), count(Outcome::Wrong), count(Outcome::GivenUp));
    println!("\n{} repositories: {right} right, {wrong} wrong, {given_up} given up", right + wrong + given_up);
    ensure!(right + wrong + given_up > 0, "no repository has {:?} in its name", options.only);
    Ok(())
}

/// Makes the repository with its two commits. Returns its files as they are in the first.
fn make(data: &Data, repository: &Repository, folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = match &repository.base {
        Some(base) => data.base.get(base).with_context(|| format!("there is no base {base}"))?.clone(),
        None => BTreeMap::new(),
    };
    files.retain(|file, _| !repository.without.contains(file));
    files.extend(repository.files.clone());
    let place = folder.join("repository");
    std::fs::create_dir_all(&place)?;
    git(&place, &["init", "--quiet", "--initial-branch", "main"])?;
    write(&place, &files)?;
    commit(&place, "as it should be")?;
    let mut broken = files.clone();
    broken.extend(repository.adds.clone());
    for Break { file, from, to, .. } in &repository.breaks {
        let text = broken.get_mut(file).with_context(|| format!("{}: there is no {file}", repository.name))?;
        ensure!(text.contains(from), "{}: {file} does not hold {from:?}", repository.name);
        *text = text.replacen(from, to, 1);
    }
    if broken != files {
        write(&place, &broken)?;
        commit(&place, "as it is")?;
    }
    files.extend(repository.adds.clone());
    Ok(files)
}

fn write(folder: &Path, files: &BTreeMap<String, String>) -> anyhow::Result<()> {
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn commit(folder: &Path, message: &str) -> anyhow::Result<()> {
    git(folder, &["add", "--all"])?;
    git(folder, &["commit", "--quiet", "--message", message]).map(drop)
}

/// Heals the repository. Returns the verdict, and whether the branch (or `main`, without a branch) holds the expected files.
fn heal(
    binary: &Path,
    folder: &Path,
    healthy: &BTreeMap<String, String>,
    breaks: &[Break],
) -> anyhow::Result<(String, bool)> {
    let repository = folder.join("repository");
    // It ends with this process, however that ends.
    let mut command = process::command(folder, "setpriv");
    command.args(["--pdeathsig", "TERM", "timeout", "--kill-after=30", "600"]);
    command.arg(binary).arg("heal").arg(&repository).args(["--json", "--model", "none", "--sandbox", "bubblewrap"]);
    command.args(["--team", "Bench", "--leader", "Heal"]).arg("--data-dir").arg(folder.join("../data"));
    let output = process::output_of(&mut command)?;
    std::fs::write(folder.join("results.json"), &output.stdout)?;
    std::fs::write(folder.join("log.txt"), &output.stderr)?;
    let results: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let verdict = results["stop_reason"].as_str().unwrap_or("no results").to_owned();
    let branch =
        results["branch_name"].as_str().filter(|_| results["commit_count"].as_u64() > Some(0)).unwrap_or("main");
    let mut same = true;
    for (file, text) in healthy {
        let mut healed = git(&repository, &["show", &format!("{branch}:{file}")])?;
        for one in breaks.iter().filter(|one| one.file == *file) {
            if let Some(also) = &one.also {
                healed = healed.replacen(also, &one.from, 1);
            }
        }
        same &= healed.trim_end() == text.trim_end();
    }
    Ok((verdict, same))
}
