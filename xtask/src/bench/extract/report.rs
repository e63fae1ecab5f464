//! The figures and the goals.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::ensure;

use super::OURS;
use super::score::Score;

/// Ingredients that are exact on recipes, main text of articles, pages a second on one core.
const INGREDIENTS: f64 = 0.90;
const MAIN_TEXT: f64 = 0.93;
const PAGES: f64 = 20.0;

/// Scores of one tool for one field.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: u32,
    exact: u32,
    given: u32,
    f1: f64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.exact += other.exact;
        self.given += other.given;
        self.f1 += other.f1;
    }

    fn exact(self) -> f64 {
        f64::from(self.exact) / f64::from(self.count.max(1))
    }

    /// The share of pages for which there was no answer.
    fn missing(self) -> f64 {
        1.0 - f64::from(self.given) / f64::from(self.count.max(1))
    }

    fn f1(self) -> f64 {
        self.f1 / f64::from(self.count.max(1))
    }
}

/// Scores by field, kind of page and tool, and the seconds of each tool.
#[derive(Default)]
pub(super) struct Report {
    sums: BTreeMap<(String, String, String), Sum>,
    seconds: BTreeMap<String, Vec<f64>>,
}

impl Report {
    pub(super) fn count_time(&mut self, tool: &str, seconds: f64) {
        self.seconds.entry(tool.to_owned()).or_default().push(seconds);
    }

    pub(super) fn count(&mut self, tool: &str, kind: &str, field: &str, is_given: bool, score: Score) {
        let sum = self.sums.entry((field.to_owned(), kind.to_owned(), tool.to_owned())).or_default();
        sum.add(Sum { count: 1, exact: u32::from(score.is_exact), given: u32::from(is_given), f1: score.f1 });
    }

    /// The sum of a field and tool over all kinds, or over one.
    fn sum(&self, field: &str, kind: Option<&str>, tool: &str) -> Sum {
        let mut total = Sum::default();
        for ((of_field, of_kind, of_tool), sum) in &self.sums {
            if of_field == field && kind.is_none_or(|kind| kind == of_kind) && of_tool == tool {
                total.add(*sum);
            }
        }
        total
    }

    #[expect(clippy::print_stdout, reason = "the figures are the output of the command")]
    pub(super) fn print(&self, pages: usize) {
        let tools: Vec<&String> = self.seconds.keys().collect();
        println!("{pages} pages; in per cent: exact, F1 of words, missing (no answer at all)");
        print!("{:<18} {:<14} {:>5}", "field", "kind", "pages");
        for tool in &tools {
            print!(" {tool:>21}");
        }
        println!();
        let fields: BTreeSet<&String> = self.sums.keys().map(|(field, ..)| field).collect();
        for field in fields {
            let kinds: BTreeSet<&String> = self.sums.keys().filter(|key| key.0 == *field).map(|key| &key.1).collect();
            let rows = kinds.iter().map(|kind| Some(kind.as_str())).chain((kinds.len() > 1).then_some(None));
            for kind in rows {
                let count = self.sum(field, kind, OURS).count;
                print!("{field:<18} {:<14} {count:>5}", kind.unwrap_or("all"));
                for tool in &tools {
                    let sum = self.sum(field, kind, tool);
                    if sum.count == count {
                        let shares = [sum.exact(), sum.f1(), sum.missing()].map(|share| share * 100.0);
                        print!(" {:>8.1} {:>6.1} {:>5.1}", shares[0], shares[1], shares[2]);
                    } else {
                        print!(" {:>21}", "-");
                    }
                }
                println!();
            }
        }
        for tool in tools {
            let milliseconds = |share: f64| self.quantile(tool, share) * 1000.0;
            println!(
                "{tool:<18} {:7.1} pages a second on one core; a page takes {:.1} ms (median), {:.1} ms (95 %)",
                self.pages_a_second(tool),
                milliseconds(0.5),
                milliseconds(0.95)
            );
        }
    }

    fn pages_a_second(&self, tool: &str) -> f64 {
        let seconds = self.seconds.get(tool).map(Vec::as_slice).unwrap_or_default();
        let count = f64::from(u32::try_from(seconds.len()).unwrap_or(u32::MAX));
        count / seconds.iter().sum::<f64>()
    }

    /// The seconds that this share of pages does not take longer than.
    fn quantile(&self, tool: &str, share: f64) -> f64 {
        let mut seconds = self.seconds.get(tool).cloned().unwrap_or_default();
        seconds.sort_by(f64::total_cmp);
        let below = seconds.iter().zip(1_u32..).find(|(_, rank)| {
            let all = f64::from(u32::try_from(seconds.len()).unwrap_or(u32::MAX));
            f64::from(*rank) >= share * all
        });
        below.map_or(0.0, |(seconds, _)| *seconds)
    }

    /// # Errors
    ///
    /// When a goal is missed: which, and by how much.
    pub(super) fn goals(&self, with_tools: bool) -> anyhow::Result<()> {
        let mut missed = Vec::new();
        let mut need = |what: &str, reached: f64, goal: f64| {
            if reached.is_nan() || reached < goal {
                missed.push(format!("{what}: {reached:.3} is less than {goal:.3}"));
            }
        };
        need("ingredients exact", self.sum("ingredients", None, OURS).exact(), INGREDIENTS);
        need("main text of articles", self.sum("main_content", Some("article"), OURS).f1(), MAIN_TEXT);
        need("pages a second", self.pages_a_second(OURS), PAGES);
        for field in ["title", "author"] {
            let ours = self.sum(field, None, OURS);
            for tool in self.seconds.keys().filter(|tool| with_tools && *tool != OURS) {
                let theirs = self.sum(field, None, tool);
                // A tool for one kind of page is compared on that kind alone.
                let ours = if theirs.count == ours.count { ours } else { self.sum(field, Some("recipe"), OURS) };
                need(&format!("{field}, exact, against {tool}"), ours.exact(), theirs.exact());
                need(&format!("{field}, F1, against {tool}"), ours.f1(), theirs.f1());
            }
        }
        ensure!(missed.is_empty(), "missed goals:\n  {}", missed.join("\n  "));
        Ok(())
    }
}
