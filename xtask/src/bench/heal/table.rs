//! Tables of the results.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::case::{Outcome, Run};
use super::package::Language;
use super::results::Search;

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
    linter: usize,
    /// Of the healed: seconds.
    seconds: Vec<f64>,
    /// Of the healed: times in suite runs.
    suites: Vec<f64>,
    /// Of the healed: runs of all tests.
    runs: Vec<f64>,
    /// Of the healed: lines.
    lines: Vec<u64>,
}

impl Row {
    fn add(&mut self, run: &Run) {
        self.cases += 1;
        self.linter += usize::from(run.linter_heals);
        match run.outcome {
            Outcome::Healed => {
                self.healed += 1;
                self.restored += usize::from(run.restored);
                self.seconds.push(run.seconds);
                self.suites.push(run.seconds / run.suite_seconds);
                self.runs.extend(run.test_runs);
                self.lines.push(run.lines_changed);
            }
            Outcome::Wrong => self.wrong += 1,
            Outcome::GivenUp => self.given_up += 1,
            Outcome::Red => self.red += 1,
            Outcome::NoCase => self.cases -= 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let shown = |value: Option<f64>, unit: &str| value.map_or("-".to_owned(), |value| format!("{value:.1}{unit}"));
        let mut lines = self.lines.clone();
        lines.sort_unstable();
        let lines = lines.get(lines.len() / 2).map_or("-".to_owned(), u64::to_string);
        format!(
            "{name:<38} {:>5} {:>13} {:>8} {:>5} {:>8} {:>12} {:>8} {:>6} {:>6} {:>5} {:>5}\n",
            self.cases,
            format!("{} ({})", self.healed, percent(self.healed, self.cases)),
            self.restored,
            self.wrong,
            self.given_up,
            format!("{} ({})", self.linter, percent(self.linter, self.cases)),
            shown(quantile(&self.seconds, 50), " s"),
            shown(quantile(&self.suites, 50), "x"),
            shown(quantile(&self.suites, 90), "x"),
            shown(quantile(&self.runs, 50), ""),
            lines,
        )
    }
}

fn quantile(values: &[f64], share: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() * share / 100).min(sorted.len().saturating_sub(1))).copied()
}

fn percent(part: usize, whole: usize) -> String {
    (part * 100).checked_div(whole).map_or_else(|| "-".to_owned(), |share| format!("{share} %"))
}

/// For each language the table of the classes, then that of the kinds. Times are those of healed cases: in seconds, and in runs of the
/// package's checks. `runs` is the median of how often all tests were run, those of a search not counted.
pub(super) fn render(runs: &[Run]) -> String {
    let mut text = String::new();
    for language in Language::ALL {
        let runs: Vec<&Run> = runs.iter().filter(|run| run.language == language).collect();
        if !runs.is_empty() {
            text += &of_language(language, &runs);
        }
    }
    text
}

fn of_language(language: Language, runs: &[&Run]) -> String {
    let mut classes: BTreeMap<&str, Row> = BTreeMap::new();
    let mut kinds: BTreeMap<(&str, &str), Row> = BTreeMap::new();
    let mut all = Row::default();
    for run in runs.iter().filter(|run| run.outcome != Outcome::NoCase) {
        classes.entry(&run.class).or_default().add(run);
        kinds.entry((&run.class, &run.kind)).or_default().add(run);
        all.add(run);
    }
    let head = format!(
        "{:<38} {:>5} {:>13} {:>8} {:>5} {:>8} {:>12} {:>8} {:>6} {:>6} {:>5} {:>5}\n",
        language.name(),
        "cases",
        "healed",
        "restored",
        "wrong",
        "given up",
        "linter alone",
        "median",
        "median",
        "p90",
        "runs",
        "lines"
    );
    let mut text = head.clone();
    let stacks = classes.keys().copied().filter(|class| !CLASSES.contains(class)).collect::<Vec<_>>();
    for class in CLASSES.into_iter().chain(stacks) {
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
    let _ = writeln!(
        text,
        "\n{red} of {tries} defects made the checks red; {none} of {} kinds and packages have no place for one.",
        runs.len()
    );
    text += &parts(runs);
    text += &speed(runs);
    text += "\n";
    text
}

/// Returns the share of stacks that are healed, among those whose parts are each healed alone.
fn parts(runs: &[&Run]) -> String {
    let heals = |id: String| runs.iter().any(|run| run.id == id && run.outcome == Outcome::Healed);
    let stacks = runs.iter().filter(|run| run.kind.contains('+') && run.outcome != Outcome::NoCase);
    let of_healed_parts: Vec<_> = stacks
        .filter(|run| {
            let id = |kind: &str| run.id.replacen(&run.kind, kind, 1);
            run.kind.split('+').all(|kind| heals(id(kind)))
        })
        .collect();
    if of_healed_parts.is_empty() {
        return String::new();
    }
    let healed = of_healed_parts.iter().filter(|run| run.outcome == Outcome::Healed).count();
    let all = of_healed_parts.len();
    format!("Of {all} stacks whose parts are each healed alone, {healed} are healed ({}).\n", percent(healed, all))
}

/// Candidates a second in the warm process, and with a test runner started for each.
fn speed(runs: &[&Run]) -> String {
    let searches = || runs.iter().flat_map(|run| &run.searches).filter(|search| search.tried > 0);
    let (warm, started): (Vec<&Search>, Vec<&Search>) = searches().partition(|search| search.not_warm.is_none());
    let mut text = String::new();
    let _ = writeln!(text, "{}", told(&warm, "in a warm process"));
    let _ = writeln!(text, "{}", told(&started, "with the tests started for each"));
    // Sums, so that a long search counts for what it is.
    let compared: Vec<(&Search, u64)> = warm.iter().filter_map(|search| Some((*search, search.cold_millis?))).collect();
    if !compared.is_empty() {
        let tried = compared.iter().map(|(search, _)| search.tried).sum();
        let warm = rate(tried, compared.iter().map(|(search, _)| search.trying_millis).sum());
        let cold = rate(tried, compared.iter().map(|(search, cold)| search.tried * cold).sum());
        let _ = writeln!(
            text,
            "Where candidates were tried in both ways ({} searches): {warm:.1} a second warm, {cold:.2} with the tests started for each: {:.0} times as many.",
            compared.len(),
            warm / cold
        );
    }
    text
}

fn told(searches: &[&Search], how: &str) -> String {
    let tried = searches.iter().map(|search| search.tried).sum();
    let rate = rate(tried, searches.iter().map(|search| search.trying_millis).sum());
    format!("{tried} candidates in {} searches {how}: {rate:.1} a second.", searches.len())
}

fn rate(tried: u64, millis: u64) -> f64 {
    let seconds = |millis: u64| std::time::Duration::from_millis(millis).as_secs_f64();
    1000.0 * seconds(tried) / seconds(millis).max(0.001)
}
