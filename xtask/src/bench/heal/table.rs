//! The figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::case::{Outcome, Run};

/// The classes, in the order of the table.
const CLASSES: [&str; 6] = ["SYNTAX", "INDENTATION", "IMPORT", "TYPE_ERROR", "LINTING", "LOGIC"];

#[derive(Default)]
struct Row {
    cases: usize,
    red: usize,
    healed: usize,
    restored: usize,
    wrong: usize,
    given_up: usize,
    /// Times of the healed, in suite runs.
    times: Vec<f64>,
}

impl Row {
    fn add(&mut self, run: &Run) {
        self.cases += 1;
        match run.outcome {
            Outcome::Healed => {
                self.healed += 1;
                self.restored += usize::from(run.restored);
                self.times.push(run.seconds / run.suite_seconds);
            }
            Outcome::Wrong => self.wrong += 1,
            Outcome::GivenUp => self.given_up += 1,
            Outcome::Red => self.red += 1,
            Outcome::NoCase => self.cases -= 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let time = |share: usize| match times.get((times.len() * share / 100).min(times.len().saturating_sub(1))) {
            Some(time) => format!("{time:.1}x"),
            None => "-".to_owned(),
        };
        format!(
            "{name:<28} {:>5} {:>13} {:>9} {:>6} {:>9} {:>8} {:>8}\n",
            self.cases,
            format!("{} ({})", self.healed, percent(self.healed, self.cases)),
            self.restored,
            self.wrong,
            self.given_up,
            time(50),
            time(90),
        )
    }
}

fn percent(part: usize, whole: usize) -> String {
    (part * 100).checked_div(whole).map_or_else(|| "-".to_owned(), |share| format!("{share} %"))
}

/// The table of the classes, then that of the kinds. Times are those of healed cases, in runs of the package's checks.
pub(super) fn render(runs: &[Run]) -> String {
    let mut classes: BTreeMap<&str, Row> = BTreeMap::new();
    let mut kinds: BTreeMap<(&str, &str), Row> = BTreeMap::new();
    let mut all = Row::default();
    for run in runs.iter().filter(|run| run.outcome != Outcome::NoCase) {
        classes.entry(&run.class).or_default().add(run);
        kinds.entry((&run.class, &run.kind)).or_default().add(run);
        all.add(run);
    }
    let head = format!(
        "{:<28} {:>5} {:>13} {:>9} {:>6} {:>9} {:>8} {:>8}\n",
        "", "cases", "healed", "restored", "wrong", "given up", "median", "p90"
    );
    let mut text = head.clone();
    for class in CLASSES {
        if let Some(row) = classes.get(class) {
            text += &row.line(class);
        }
    }
    text += &all.line("all");
    text += "\n";
    text += &head;
    for class in CLASSES {
        for ((_, kind), row) in kinds.iter().filter(|((of, _), _)| *of == class) {
            text += &row.line(&format!("{class} {kind}"));
        }
    }
    let tries: u32 = runs.iter().map(|run| run.tries).sum();
    let none = runs.iter().filter(|run| run.outcome == Outcome::NoCase).count();
    let red = runs.len() - none;
    let _ = write!(
        text,
        "\n{red} of {tries} defects made the checks red; {none} of {} kinds and packages have no place for one.",
        runs.len()
    );
    text
}
