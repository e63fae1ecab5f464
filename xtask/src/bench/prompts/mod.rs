//! Questions to a language model: is what they need in them, and how long are they? There are no requests to a model.
//!
//! - `sources`: fields of a redesigned page that the relocation does not find with certainty
//! - `extraction`: requests for the content of pages
//! - `navigation`: goals in a manual, followed by a double that clicks the right links
//! - `double`: a model that answers by a function and keeps the requests to it

mod double;
mod extraction;
mod navigation;
mod sources;

use std::fmt::Write as _;
use std::path::PathBuf;

use super::drift::print;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Part of the program whose questions are measured
    #[arg(long, value_enum, default_value_t = Kind::Sources)]
    kind: Kind,
    /// The corpus: for sources a folder with `drift` and `control` in it, for extraction a folder of cases, for navigation a
    /// file of goals
    #[arg(long, value_name = "PATH")]
    corpus: PathBuf,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
    /// A dozen cases only, and fail when the prompts are not as they should be
    #[arg(long)]
    smoke: bool,
    /// List what is not in the prompt
    #[arg(long)]
    missing: bool,
    /// Print the prompts
    #[arg(long)]
    show: bool,
}

/// Part of the program that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Sources,
    Extraction,
    Navigation,
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut report = match options.kind {
        Kind::Sources => return sources::run(options),
        Kind::Extraction => extraction::measure(options)?,
        Kind::Navigation => navigation::measure(options)?,
    };
    print(&report.text(options.missing));
    let faults = report.faults();
    anyhow::ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

/// Content that should be in prompts, and the number of prompts with it.
struct Share {
    name: &'static str,
    held: usize,
    all: usize,
    /// Share that is wanted.
    goal: Option<f64>,
}

/// Tokens of questions.
struct Tokens {
    name: &'static str,
    each: Vec<u64>,
    /// Highest median that is wanted.
    goal: Option<u64>,
}

/// Result of the measurement of one kind.
#[derive(Default)]
struct Report {
    shares: Vec<Share>,
    tokens: Vec<Tokens>,
    /// Content that was missing in a prompt.
    missing: Vec<String>,
}

impl Report {
    /// Counts something that should be in a prompt.
    fn count(&mut self, name: &'static str, goal: Option<f64>, is_held: bool, of: &str) {
        if !self.shares.iter().any(|share| share.name == name) {
            self.shares.push(Share { name, held: 0, all: 0, goal });
        }
        for share in self.shares.iter_mut().filter(|share| share.name == name) {
            share.all += 1;
            share.held += usize::from(is_held);
        }
        if !is_held {
            self.missing.push(format!("{name}: {of}"));
        }
    }

    /// Adds the tokens of a question, or of several.
    fn add_tokens(&mut self, name: &'static str, goal: Option<u64>, tokens: u64) {
        match self.tokens.iter_mut().find(|known| known.name == name) {
            Some(known) => known.each.push(tokens),
            None => self.tokens.push(Tokens { name, each: vec![tokens], goal }),
        }
    }

    fn text(&mut self, with_missing: bool) -> String {
        let mut text = String::new();
        if with_missing {
            text.push_str(&self.missing.join("\n"));
            text.push('\n');
        }
        for share in &self.shares {
            let (name, percent) = (share.name, 100.0 * share.part());
            let goal = share.goal.map_or_else(String::new, |goal| format!("  (goal {:.0} %)", 100.0 * goal));
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{name:<36} {:>4} of {:>4}  {percent:>5.1} %{goal}", share.held, share.all);
        }
        for tokens in &mut self.tokens {
            text.push_str(&tokens_line(tokens.name, "times", &mut tokens.each));
        }
        text
    }

    fn faults(&self) -> Vec<String> {
        let shares = self.shares.iter().filter(|share| share.goal.is_some_and(|goal| share.part() < goal));
        let shares = shares.map(|share| format!("{}: {} of {}", share.name, share.held, share.all));
        let tokens = self.tokens.iter().filter(|tokens| {
            let mut each = tokens.each.clone();
            each.sort_unstable();
            tokens.goal.is_some_and(|goal| at(&each, 50) > goal)
        });
        shares.chain(tokens.map(|tokens| format!("{}: too many tokens", tokens.name))).collect()
    }
}

impl Share {
    fn part(&self) -> f64 {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        number(self.held) / number(self.all.max(1))
    }
}

/// The value below which this many percent of sorted values are.
fn at(sorted: &[u64], percent: usize) -> u64 {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or(0)
}

/// A line about the tokens of questions.
fn tokens_line(name: &str, unit: &str, tokens: &mut [u64]) -> String {
    tokens.sort_unstable();
    format!(
        "tokens, {name:<28} {:>4} {unit}  p50 {:>5}  p95 {:>5}  max {:>5}\n",
        tokens.len(),
        at(tokens, 50),
        at(tokens, 95),
        tokens.last().copied().unwrap_or(0)
    )
}
