//! Share of real breakage that is healed.
//!
//! Real packages are fetched, made into repositories whose checks are green, and broken by one seeded defect at a time.
//! The real binary heals each, and the result is judged without it: the branch is cloned afresh, the package's own checks
//! run on it, and what the branch changed is compared.
//!
//! The defect's class is that of its kind, with one exception: an edit that leaves no sign of its class (a swapped token
//! that still parses, an argument whose loss only changes a value) is a fault of logic, and counts as such. A third of the tests
//! is held back: a repair that makes them fail is wrong.
//!
//! # Layout
//!
//! - [`language`]: specifics of Python, of JavaScript and of Rust
//! - [`package`]: fetching packages, making green repositories of them
//! - [`checks`]: running a repository's own checks in a sandbox
//! - [`case`]: one defect, or several at once: put in, healed, judged
//! - [`stack`]: the choice of several defects at once
//! - [`results`]: a run's output; [`table`]: the figures

mod case;
mod checks;
mod history;
mod language;
mod package;
mod prepare;
mod results;
mod stack;
mod table;

use std::collections::{BTreeMap, VecDeque, btree_map::Entry};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail, ensure};

use self::case::{Case, Outcome, Run};
use self::history::History;
pub(super) use self::package::git;
use self::package::{Language, Package};
use crate::{cache, process};

/// Cases to run, and the output to keep.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of defects of each kind to put into each package
    #[arg(long, default_value_t = 1)]
    seeds: u32,
    /// Only this package
    #[arg(long, value_name = "PACKAGE")]
    only: Option<String>,
    /// Only packages of this language
    #[arg(long, value_enum)]
    language: Option<Language>,
    /// The packages that are kept apart, and no others
    #[arg(long)]
    held_out: bool,
    /// Only the kinds of this class, such as SYNTAX
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Only this kind of defect
    #[arg(long)]
    kind: Option<String>,
    /// Number of defects to put in at once: each class with each other, and each of them by itself
    #[arg(long, default_value_t = 1, value_name = "DEFECTS", conflicts_with_all = ["class", "kind"])]
    stack: usize,
    /// Git history before the defects
    #[arg(long, value_enum, default_value_t)]
    history: History,
    /// Maximum number of cases, the same ones each time
    #[arg(long, value_name = "CASES")]
    limit: Option<usize>,
    /// Only this one: PACKAGE/KIND/SEED, as the table and the JSON name it
    #[arg(long = "case", value_name = "ID")]
    id: Option<String>,
    /// Number of cases to heal at once
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Write every case to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep the repositories and the output of each run, and say where
    #[arg(long)]
    keep: bool,
    /// Only put the defects in, and tell how many make the checks red
    #[arg(long)]
    inject_only: bool,
    /// Heal with this binary instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// Environment of all cases.
pub(crate) struct Bench {
    root: PathBuf,
    cache: PathBuf,
    /// Folders with the dependencies of the suites and linters, by language.
    environments: BTreeMap<Language, PathBuf>,
    /// The binary to be measured; none when only putting defects in.
    binary: Option<PathBuf>,
    /// Folder with the repositories of the cases.
    work: PathBuf,
}

impl Bench {
    fn environment(&self, language: Language) -> anyhow::Result<&Path> {
        let found = self.environments.get(&language).map(PathBuf::as_path);
        found.with_context(|| format!("nothing is installed for {}", language.name()))
    }
}

/// Runs the bench and prints its table.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let cache = cache::folder("bench")?;
    let work = tempfile::Builder::new().prefix("autoheal-bench-").tempdir()?;
    let binary = match (&options.binary, options.inject_only) {
        (_, true) => None,
        (Some(binary), false) => {
            Some(binary.canonicalize().with_context(|| format!("no binary {}", binary.display()))?)
        }
        (None, false) => Some(build(root)?),
    };
    let mut packages = package::list()?;
    let only = options.only.as_deref().or_else(|| options.id.as_deref().and_then(|id| id.split('/').next()));
    packages.retain(|package| match only {
        Some(name) => package.name == name,
        None => {
            package.held_out == options.held_out && options.language.is_none_or(|language| package.language == language)
        }
    });
    ensure!(!packages.is_empty(), "no such package in {}", package::LIST_PATH);
    let mut environments = BTreeMap::new();
    for language in packages.iter().map(|package| package.language) {
        if let Entry::Vacant(place) = environments.entry(language) {
            place.insert(language.tools().environment(root, &cache)?);
        }
    }
    let bench = Bench { root: root.to_owned(), cache, environments, binary, work: work.path().to_owned() };

    let mut ready = Vec::new();
    for package in packages {
        tell(&format!("preparing {} {}", package.name, package.version));
        ready.push(prepare::prepare(&bench, package)?);
    }

    let cases = cases(&bench, &ready, options)?;
    let count = cases.len();
    let finished = Mutex::new(Vec::new());
    let waiting = Mutex::new(VecDeque::from(cases));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(case) = take(&waiting) {
                    let run = case::run(&bench, &case, options.keep);
                    let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                    tell(&format!("[{}/{count}] {}", finished.len() + 1, shown(&case, &run)));
                    finished.push((case, run));
                }
            });
        }
    });

    let mut runs = Vec::new();
    for (case, run) in finished.into_inner().unwrap_or_else(PoisonError::into_inner) {
        runs.push(run.with_context(|| case.id())?);
    }
    runs.sort_by(|left, right| left.id.cmp(&right.id));
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&runs)? + "\n")?;
    }
    print(&table::render(&runs));
    if options.keep {
        tell(&format!("kept in {}", work.keep().display()));
    }
    let wrong = runs.iter().filter(|run| run.outcome == Outcome::Wrong).count();
    ensure!(wrong == 0, "{wrong} healed wrongly");
    Ok(())
}

fn take<'a>(waiting: &Mutex<VecDeque<Case<'a>>>) -> Option<Case<'a>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// The cases that the options ask for. A limited list is drawn by the hash of the name: the same one each time, and a
/// fair share of each class.
fn cases<'a>(bench: &Bench, packages: &'a [Package], options: &Options) -> anyhow::Result<Vec<Case<'a>>> {
    let mut cases = Vec::new();
    let seed = seed_of(options)?;
    let is_wanted = |case: &Case<'_>| options.id.as_ref().is_none_or(|id| *id == case.id());
    for language in Language::ALL {
        let packages: Vec<&Package> = packages.iter().filter(|package| package.language == language).collect();
        if packages.is_empty() {
            continue;
        }
        let kinds = case::kinds(bench, language)?;
        if options.stack > 1 {
            let stacks = packages.iter().flat_map(|package| {
                let seeds = 1..=options.seeds.max(seed);
                seeds.flat_map(|seed| stack::cases(&kinds, package, seed, options.stack, options.history))
            });
            cases.extend(stacks.filter(is_wanted));
            continue;
        }
        for kind in kinds {
            let is_asked = options.class.as_ref().is_none_or(|class| class.eq_ignore_ascii_case(&kind.class))
                && options.kind.as_ref().is_none_or(|name| *name == kind.kind);
            for package in packages.iter().filter(|_| is_asked) {
                let seeds = 1..=options.seeds.max(seed);
                let history = options.history;
                let of_kind = seeds.map(|seed| Case { package, kinds: vec![kind.kind.clone()], seed, history });
                cases.extend(of_kind.filter(is_wanted));
            }
        }
    }
    ensure!(!cases.is_empty(), "no case matches: `--inject-only --json FILE` lists the kinds");
    cases.sort_by_cached_key(|case| cache::digest(&case.id()));
    cases.truncate(options.limit.unwrap_or(usize::MAX));
    Ok(cases)
}

/// Returns the seed in the id of the requested case; 0 if no case is selected.
fn seed_of(options: &Options) -> anyhow::Result<u32> {
    match options.id.as_deref().map(|id| id.rsplit('/').next().unwrap_or_default().parse()) {
        None => Ok(0),
        Some(Ok(seed)) => Ok(seed),
        Some(Err(_)) => bail!("a case is named PACKAGE/KIND/SEED"),
    }
}

pub(super) fn build(root: &Path) -> anyhow::Result<PathBuf> {
    tell("building autoheal");
    let words = ["build", "--release", "--quiet", "--package", "autoheal-cli", "--features", "without-dashboard"];
    process::run(process::command(root, "cargo").args(words))?;
    let metadata = cargo_metadata::MetadataCommand::new().manifest_path(root.join("Cargo.toml")).no_deps().exec()?;
    Ok(metadata.target_directory.join("release/autoheal").into_std_path_buf())
}

fn shown(case: &Case<'_>, run: &anyhow::Result<Run>) -> String {
    match run {
        Ok(run) => format!("{:<9} {:<11} {}  {}", run.outcome.word(), run.class, run.id, run.reason),
        Err(error) => format!("broken    {}  {error:#}", case.id()),
    }
}

#[expect(clippy::print_stderr, reason = "progress, for the developer who waits")]
fn tell(line: &str) {
    eprintln!("{line}");
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(text: &str) {
    println!("{text}");
}
