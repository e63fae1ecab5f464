//! The Python package next to public tools, on the redesigned pages of the drift bench: right, wrong, nothing; time; memory.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::json;

use super::drift::corpus::{self, Case, Side};
use super::drift::print;
use super::drift::score::is_right;
use super::lines::LineProcess;
use crate::{cache, process, python};

/// The script and its packages, from the root of the repository.
const SCRIPT: &str = "xtask/bench/python_package.py";
const REQUIREMENTS: &str = "xtask/bench/python_package.txt";

/// Number of pages that are read again and again, and of rounds: the first ones learn.
const HOT_PAGES: usize = 60;
const ROUNDS: usize = 7;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The corpus: a folder with `drift` and `control` in it
    #[arg(long, value_name = "FOLDER")]
    corpus: PathBuf,
    /// The wheel of `cargo xtask dist`
    #[arg(long, value_name = "FILE")]
    wheel: PathBuf,
    /// Number of pages after which memory is measured
    #[arg(long, default_value_t = 10_000)]
    memory_pages: usize,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
    /// Print the fields that are wrong
    #[arg(long)]
    wrong: bool,
}

/// Answer of one tool for a case.
#[derive(Deserialize)]
struct Answer {
    values: BTreeMap<String, Vec<String>>,
    /// Seconds.
    learn: f64,
    heal: f64,
    error: Option<String>,
}

/// Sums of one tool.
#[derive(Default)]
struct Sums {
    right: u32,
    wrong: u32,
    nothing: u32,
    kept: u32,
    lost: u32,
    errors: u32,
    learn: Vec<f64>,
    heal: Vec<f64>,
}

#[derive(Deserialize)]
struct Hot {
    seconds: BTreeMap<String, f64>,
    bytes: f64,
}

#[derive(Deserialize)]
struct Memory {
    early: f64,
    late: f64,
}

/// Measures and prints.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let environment = python::environment(root, &cache::folder("bench-python")?, REQUIREMENTS)?;
    process::run(
        process::command(root, environment.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"])
            .arg(&options.wheel),
    )?;
    let mut cases = corpus::load(&options.corpus)?;
    if let Some(text) = &options.case {
        cases.retain(|case| case.id.contains(text.as_str()));
    }
    let mut script = LineProcess::start(process::command(root, environment.join("bin/python")).arg(SCRIPT))?;
    let mut tools: BTreeMap<String, Sums> = BTreeMap::new();
    for case in &cases {
        let line = script.ask(&question(case)?).with_context(|| case.id.clone())?;
        let answers: BTreeMap<String, Answer> = serde_json::from_str(&line).with_context(|| case.id.clone())?;
        for (tool, answer) in answers {
            tools.entry(tool.clone()).or_default().add(case, &tool, &answer, options.wrong);
        }
    }
    print(&accuracy(tools));

    let folder = tempfile::tempdir()?;
    let mut files = Vec::new();
    for (number, case) in cases.iter().take(HOT_PAGES).enumerate() {
        let file = folder.path().join(number.to_string());
        std::fs::write(&file, case.bytes(Side::Old)?)?;
        files.push(file);
    }
    let hot = script.ask(&json!({"kind": "hot", "pages": files, "rounds": ROUNDS}).to_string())?;
    print(&speed(&serde_json::from_str(&hot)?, files.len()));
    let memory = script.ask(&json!({"kind": "memory", "pages": files, "count": options.memory_pages}).to_string())?;
    print(&memory_table(&serde_json::from_str(&memory)?, options.memory_pages));
    script.end()
}

fn question(case: &Case) -> anyhow::Result<String> {
    let fields: Vec<_> = case
        .fields()
        .filter_map(|(name, field)| {
            let selector = field.selector(Side::Old)?;
            let (is_xpath, selector) = match selector.strip_prefix("xpath:") {
                Some(path) => (true, path.to_owned()),
                None => (false, selector),
            };
            Some(json!({"name": name, "selector": selector, "xpath": is_xpath, "many": field.multi,
                        "attribute": field.attribute(Side::Old), "values": field.truth(Side::Old)}))
        })
        .collect();
    let page = |side| Ok::<_, anyhow::Error>(String::from_utf8_lossy(&case.bytes(side)?).into_owned());
    let (old, new) = (page(Side::Old)?, page(Side::New)?);
    Ok(json!({"kind": "heal", "url": format!("https://{}/", case.site), "old": old, "new": new, "fields": fields})
        .to_string())
}

impl Sums {
    fn add(&mut self, case: &Case, tool: &str, answer: &Answer, prints_wrong: bool) {
        self.errors += u32::from(answer.error.is_some());
        self.learn.push(answer.learn);
        self.heal.push(answer.heal);
        for (name, field) in case.fields() {
            let values = answer.values.get(name).map(Vec::as_slice).unwrap_or_default();
            let is_right = is_right(field, Side::New, values);
            let count = match (case.is_broken(name), is_right, values.is_empty()) {
                (true, true, _) => &mut self.right,
                (true, false, true) => &mut self.nothing,
                (true, false, false) => {
                    if prints_wrong {
                        print(&format!("wrong: {tool} {} {name}: {values:?}", case.id));
                    }
                    &mut self.wrong
                }
                (false, true, _) => &mut self.kept,
                (false, false, _) => &mut self.lost,
            };
            *count += 1;
        }
    }
}

fn accuracy(tools: BTreeMap<String, Sums>) -> String {
    let mut text =
        "tool         broken: right        wrong        nothing      others: kept  lost   learn ms  heal ms  errors\n"
            .to_owned();
    for (tool, mut sums) in tools {
        let total = f64::from((sums.right + sums.wrong + sums.nothing).max(1));
        let share = |count: u32| format!("{count:>4} {:>5.1} %", 100.0 * f64::from(count) / total);
        let _ = writeln!(
            text,
            "{tool:<18} {} {} {}        {:>5} {:>5} {:>10.1} {:>8.1} {:>7}",
            share(sums.right),
            share(sums.wrong),
            share(sums.nothing),
            sums.kept,
            sums.lost,
            1000.0 * median(&mut sums.learn),
            1000.0 * median(&mut sums.heal),
            sums.errors
        );
    }
    text
}

fn speed(hot: &Hot, pages: usize) -> String {
    let mut text = format!(
        "\n{pages} pages, {:.1} MB, six selectors each: processor time, shortest of {ROUNDS} rounds\n",
        hot.bytes / 1e6
    );
    let reference = hot.seconds.get("parsel").copied().unwrap_or(f64::NAN);
    for (tool, seconds) in &hot.seconds {
        let _ = writeln!(
            text,
            "{tool:<12} {:>7.2} s, {:>6.1} MB/s, {:.2} x parsel",
            seconds,
            hot.bytes / 1e6 / seconds,
            reference / seconds
        );
    }
    text
}

fn memory_table(memory: &BTreeMap<String, Memory>, pages: usize) -> String {
    let mut text = format!("\nresident memory after {} pages, and after {pages}\n", pages / 10);
    for (tool, Memory { early, late }) in memory {
        let _ = writeln!(text, "{tool:<12} {:>7.1} MiB, {:>7.1} MiB", early / 1_048_576.0, late / 1_048_576.0);
    }
    text
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
