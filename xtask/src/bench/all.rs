//! Every bench that needs no data from outside, one after the other, and one table of what they measured.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use autoheal_testkit::figures::{self, Figure, amount};
use clap::FromArgMatches;

use super::{growth, parsers};
use crate::process;

/// Benches that live in the crate they measure.
const OF_CRATES: [&str; 6] = ["queue", "fleet", "refresh", "server", "pages", "scale"];

/// Programs that may run at once before the figures are too low.
const QUIET: f64 = 0.5;

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run the forms of seconds, built with the profile of the tests: for their assertions, not for their figures
    #[arg(long)]
    smoke: bool,
    /// The page that the table is written to
    #[arg(long, value_name = "FILE", default_value = "docs/measurements.md")]
    out: PathBuf,
}

/// Runs them, and fails if one fails. A goal that is missed is in the table.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    if options.smoke {
        let mut command = bench(root, &OF_CRATES);
        process::run(command.args(["--profile", "dev", "--", "--smoke"]))?;
        growth::run(&options_of(&["--smoke".to_owned()])?)?;
        return parsers::run(&options_of(&["--smoke".to_owned()])?);
    }
    let machine = Machine::read(root)?;
    if machine.load > QUIET {
        writeln!(std::io::stdout(), "the figures will be too low: {}", machine.said_of_load())?;
    }
    let folder = tempfile::tempdir()?;
    let mut measured = Vec::new();
    let mut failed = Vec::new();
    for name in OF_CRATES.into_iter().chain(["growth", "parsers"]) {
        let file = folder.path().join(name);
        let json = ["--json".to_owned(), file.display().to_string()];
        let ended = match name {
            "growth" => options_of(&json).and_then(|options| growth::run(&options)),
            "parsers" => options_of(&json).and_then(|options| parsers::run(&options)),
            _ => process::run(bench(root, &[name]).arg("--").args(json)),
        };
        // A bench whose goal is missed fails after it has written its figures.
        if let Err(error) = ended {
            writeln!(std::io::stdout(), "{name}: {error:#}")?;
            failed.push(name);
        }
        if let Ok(figures) = figures::read(&file) {
            measured.push((name, figures));
            // Each time, so that a stop loses nothing.
            std::fs::write(&options.out, page(&machine, &measured))
                .with_context(|| format!("cannot write {}", options.out.display()))?;
        }
    }
    ensure!(failed.is_empty(), "these benches failed or missed a goal: {}", failed.join(", "));
    Ok(())
}

/// The features of the tests, so that nothing is built twice.
fn bench(root: &Path, names: &[&str]) -> std::process::Command {
    let mut command = process::command(root, "cargo");
    command.args(["bench", "--workspace", "--all-features", "--no-fail-fast"]);
    command.args(names.iter().flat_map(|name| ["--bench", name]));
    command
}

/// The options of a bench of this program.
fn options_of<T: clap::Args + FromArgMatches>(words: &[String]) -> anyhow::Result<T> {
    let command = T::augment_args(clap::Command::new("bench").no_binary_name(true));
    Ok(T::from_arg_matches(&command.try_get_matches_from(words)?)?)
}

/// The machine, and the commit that was measured.
struct Machine {
    processor: String,
    cores: usize,
    memory_gib: u64,
    commit: String,
    date: String,
    /// Programs that ran at once in the last minute.
    load: f64,
}

impl Machine {
    fn read(root: &Path) -> anyhow::Result<Self> {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split(':').nth(1)).unwrap_or("unknown").trim().to_owned()
        };
        let kib = field(&read("/proc/meminfo"), "MemTotal");
        let git = |words: &[&str]| process::text_of(process::command(root, "git").args(words));
        Ok(Self {
            processor: field(&read("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism()?.get(),
            memory_gib: kib.trim_end_matches(" kB").parse::<u64>().unwrap_or(0) >> 20,
            commit: git(&["describe", "--always", "--dirty"])?.trim().to_owned(),
            date: git(&["log", "-1", "--format=%cs"])?.trim().to_owned(),
            load: read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
        })
    }

    fn said_of_load(&self) -> String {
        format!("{} programs ran at once in the minute before, where {QUIET} are quiet", self.load)
    }
}

/// The page: where it was measured, and a row for each figure.
fn page(machine: &Machine, measured: &[(&str, Vec<Figure>)]) -> String {
    let Machine { processor, cores, memory_gib, commit, date, .. } = machine;
    let load = machine.said_of_load();
    let mut page = format!(
        "# Measurements\n\n\
         Made by `cargo xtask bench all`; each bench alone is `cargo xtask bench NAME`. A ratio compares a figure\n\
         with its reference, measured in the same session.\n\n\
         - machine: {cores} cores ({processor}), {memory_gib} GiB\n\
         - commit: {commit} of {date}\n\
         - load: {load}\n\n\
         | bench | what | figure | reference | ratio | goal | |\n| --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for (bench, figure) in
        measured.iter().flat_map(|(bench, figures)| figures.iter().map(move |figure| (bench, figure)))
    {
        let Figure { what, value, unit, reference, goal } = figure;
        let (name, ratio) = reference.as_ref().map_or_else(Default::default, |(name, other)| {
            (format!("{name}: {}", amount(*other, unit)), format!("{:.2}", value / other))
        });
        let goal = goal.map_or_else(String::new, |goal| goal.in_unit(unit));
        let verdict = figure.is_met().map_or("", |is_met| if is_met { "met" } else { "**missed**" });
        // Writing to a string does not fail.
        let _ =
            writeln!(page, "| {bench} | {what} | {} | {name} | {ratio} | {goal} | {verdict} |", amount(*value, unit));
    }
    page
}

#[cfg(test)]
mod tests {
    use autoheal_testkit::figures::Goal;

    use super::*;

    #[test]
    fn a_row_says_whether_its_goal_is_met() {
        let (processor, commit, date) = ("a processor".to_owned(), "abc".to_owned(), "2026-11-01".to_owned());
        let machine = Machine { processor, cores: 2, memory_gib: 24, commit, date, load: 0.1 };
        let claim = Figure::new("claim", 1500.0, "/s").next_to("commits", 3000.0).with_goal(Goal::AtLeast(2000.0));
        let page = page(&machine, &[("queue", vec![claim, Figure::new("memory", 5.0, "MiB")])]);
        let rows: Vec<&str> = page.lines().rev().take(2).collect();
        assert_eq!(rows[1], "| queue | claim | 1500/s | commits: 3000/s | 0.50 | >= 2000/s | **missed** |");
        assert_eq!(rows[0], "| queue | memory | 5.00 MiB |  |  |  |  |");
    }
}
