//! Rates at which fields of redesigned pages are found again, found wrongly, or accepted although they are not there.
//!
//! # Layout
//!
//! - [`corpus`]: cases; [`deletion`]: pages with a target deleted
//! - [`measure`]: the answers; [`score`]: their correctness; [`table`]: the output; [`baseline`]: the results of other tools
//! - [`export`]: features for training

mod baseline;
pub(super) mod corpus;
mod deletion;
mod export;
mod measure;
mod score;
mod table;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::Context as _;
use autoheal_page::relocate::Relocator;

use self::corpus::Case;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The corpus: a folder with `drift` and `control` in it
    #[arg(long, value_name = "FOLDER")]
    corpus: PathBuf,
    /// Minimum confidence (0 to 1) for accepting an answer [default: the trained one]
    #[arg(long, value_name = "0..1")]
    threshold: Option<f32>,
    /// Write the answer for each field here, a line each
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure with tables that never saw the site of a case: FOLDER holds `fold0.bin` and so on, as
    /// `xtask/train/relocation.py --folds` writes them
    #[arg(long, value_name = "FOLDER")]
    folds: Option<PathBuf>,
    /// Do not measure, but write the features of all candidates here, for training
    #[arg(long, value_name = "FOLDER")]
    features: Option<PathBuf>,
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
}

/// Runs the bench, or exports the features for training.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut cases = corpus::load(&options.corpus)?;
    if let Some(text) = &options.case {
        cases.retain(|case| case.id.contains(text.as_str()));
    }
    let relocators = Relocators::new(options)?;
    match &options.features {
        Some(folder) => write_features(&cases, &relocators, folder),
        None => measure(&cases, &relocators, options),
    }
}

/// The relocators of an invocation: one, or one for each fold of the sites.
struct Relocators(Vec<Relocator>);

impl Relocators {
    fn new(options: &Options) -> anyhow::Result<Self> {
        let Some(folder) = &options.folds else {
            // Features for training come before there are tables for them.
            let is_export = options.features.is_some();
            return Ok(Self(vec![if is_export { Relocator::untrained() } else { Relocator::new()? }]));
        };
        let files = (0..export::FOLDS).map(|fold| folder.join(format!("fold{fold}.bin")));
        Ok(Self(files.map(|file| read_tables(&file)).collect::<anyhow::Result<_>>()?))
    }

    /// The one that may judge a case: it never saw its site.
    fn of(&self, case: &Case) -> anyhow::Result<&Relocator> {
        let place = if self.0.len() > 1 { usize::try_from(case.fold(export::FOLDS))? } else { 0 };
        self.0.get(place).context("there are fewer tables than folds")
    }
}

fn write_features(cases: &[Case], relocators: &Relocators, folder: &Path) -> anyhow::Result<()> {
    let mut export = export::Export::create(folder)?;
    each(cases, |case| export::export(relocators.of(case)?, case), |exported| export.write(exported))?;
    export.finish()
}

fn measure(cases: &[Case], relocators: &Relocators, options: &Options) -> anyhow::Result<()> {
    let mut judged = Vec::new();
    let mut milliseconds = Vec::new();
    let mut left_out = Vec::new();
    each(
        cases,
        |case| measure::measure(relocators.of(case)?, case, true),
        |outcome| {
            judged.extend(outcome.judged);
            milliseconds.push(outcome.milliseconds);
            left_out.extend(outcome.left_out);
            Ok(())
        },
    )?;
    let threshold = options.threshold.unwrap_or_else(|| relocators.0.first().map_or(0.5, Relocator::threshold));
    if let Some(file) = &options.json {
        let lines: Result<Vec<String>, _> = judged.iter().map(serde_json::to_string).collect();
        std::fs::write(file, lines?.join("\n") + "\n")?;
    }
    let text = table::tables(&judged, threshold, &mut milliseconds);
    print(&text);
    print(&baseline::recorded(&options.corpus));
    if !left_out.is_empty() {
        print(&format!("fields whose old selector is not understood: {}", left_out.len()));
    }
    Ok(())
}

fn read_tables(file: &Path) -> anyhow::Result<Relocator> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Relocator::with_tables(&bytes).with_context(|| format!("in {}", file.display()))
}

/// Works on all cases with all processors; `take` gets the results in the order of the cases.
fn each<T: Send>(
    cases: &[Case],
    work: impl Fn(&Case) -> anyhow::Result<T> + Sync,
    mut take: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some((place, case)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(place).map(|case| (place, case))
                } {
                    let result = work(case).with_context(|| case.id.clone());
                    if sender.send((place, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = std::collections::BTreeMap::new();
        let mut wanted = 0;
        for (place, result) in receiver {
            waiting.insert(place, result);
            while let Some(result) = waiting.remove(&wanted) {
                take(result?)?;
                wanted += 1;
            }
        }
        Ok(())
    })
}

#[expect(clippy::print_stdout, reason = "the tables are what this program is for")]
fn print(text: &str) {
    println!("{text}");
}
