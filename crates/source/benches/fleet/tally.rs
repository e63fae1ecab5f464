//! Counts of the benchmark, and the table that prints them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use autoheal_engine::source::HealthState;
use autoheal_engine::task::Task;
use autoheal_engine::workflow::Ending;
use autoheal_engine::{StopReason, Timestamp};
use autoheal_source::statistics::Statistics;
use autoheal_store::{AlertFilter, Store};
use autoheal_testkit::figures::{Figure, Goal};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::in_state;
use crate::mix::{Event, Lasts, MIX, row_of};
use crate::page::Page;

/// Counts of what happened while an event was the last one of a page.
#[derive(Debug, Default, Clone, Serialize)]
pub(crate) struct Counts {
    happened: usize,
    pub(crate) runs: usize,
    pub(crate) failed: usize,
    pub(crate) accepted: usize,
    wrong: usize,
    attempts: usize,
    proposals: usize,
    passed: usize,
    promoted: usize,
    false_fixes: usize,
    quarantined: usize,
}

impl Counts {
    pub(crate) const fn happened(&mut self) -> &mut usize {
        &mut self.happened
    }
}

/// Accepted values that are not what the page says.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WrongSet {
    pub(crate) source: String,
    pub(crate) at: String,
    #[serde(serialize_with = "named")]
    pub(crate) event: Event,
    pub(crate) version: u32,
    /// True if a fix gave the values, and not a change after the fix.
    pub(crate) by_fix: bool,
    /// The recipe in force, as its document.
    pub(crate) recipe: Value,
    /// The field, what was accepted, what is true.
    pub(crate) fields: Vec<(String, Vec<String>, Vec<String>)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn named<S: Serializer>(event: &Event, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(row_of(*event).name)
}

/// All that is counted.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Tally {
    rows: BTreeMap<&'static str, Counts>,
    wrong_sets: Vec<WrongSet>,
    /// Promoted fixes that gave wrong values, by source and version.
    false_fixes: BTreeSet<(String, u32)>,
    rolled_back: usize,
    /// Runs that failed although nothing but values had changed since a good one.
    false_alarms: Vec<(String, &'static str, String)>,
    /// Number of attempts that led to no active fix, by event, failure and reason.
    reasons: BTreeMap<String, usize>,
    ever_quarantined: BTreeSet<String>,
    /// Sources in quarantine, at the end of each day.
    quarantined_by_day: Vec<usize>,
    quarantined_at_end: usize,
    /// Times from the failed run to the active fix, in milliseconds.
    recoveries: Vec<u64>,
    /// From the failed run to the next right values, in milliseconds: all failures, however they ended.
    outages: Vec<u64>,
    #[serde(skip)]
    failing_since: BTreeMap<String, Timestamp>,
    /// Sources whose last values are wrong or older than a day.
    stale_at_end: Vec<String>,
    statistics: Option<Statistics>,
}

impl Tally {
    pub(crate) fn row(&mut self, event: Event) -> &mut Counts {
        self.rows.entry(row_of(event).name).or_default()
    }

    /// Number of runs whose values were accepted.
    pub(crate) fn accepted(&self) -> usize {
        self.rows.values().map(|row| row.accepted).sum()
    }

    /// Number of accepted sets of values that are wrong.
    pub(crate) const fn wrong(&self) -> usize {
        self.wrong_sets.len()
    }

    pub(crate) fn false_alarm(&mut self, source: &str, event: Event, message: &str) {
        self.false_alarms.push((source.to_owned(), row_of(event).name, message.to_owned()));
    }

    pub(crate) fn fails(&mut self, source: &str, now: Timestamp) {
        self.failing_since.entry(source.to_owned()).or_insert(now);
    }

    pub(crate) fn is_right_again(&mut self, source: &str, now: Timestamp) {
        if let Some(since) = self.failing_since.remove(source) {
            self.outages.push(millis(now.since(since)));
        }
    }

    pub(crate) fn wrong_set(&mut self, set: WrongSet) {
        self.row(set.event).wrong += 1;
        if set.by_fix && self.false_fixes.insert((set.source.clone(), set.version)) {
            self.row(set.event).false_fixes += 1;
        }
        self.wrong_sets.push(set);
    }

    pub(crate) fn healed(&mut self, task: &Task, event: Event, ending: &Ending, now: Timestamp) {
        let results = &ending.results;
        let end = ending.stop_reason;
        if end == StopReason::Quarantined {
            self.row(event).quarantined += usize::from(self.ever_quarantined.insert(task.target.clone()));
        }
        // Refused by the breaker, or nothing was wrong any more: no attempt.
        if results["failure"].is_null()
            || end == StopReason::WellAlready
            || ending.report.contains("attempts did not heal it")
        {
            return;
        }
        let row = self.row(event);
        row.attempts += 1;
        let has_proposal = !results["proposal"].is_null();
        row.proposals += usize::from(has_proposal);
        row.passed += usize::from(has_proposal && results["validation"]["passed"] == true);
        if end == StopReason::Promoted {
            row.promoted += 1;
            self.recoveries.push(millis(now.since(task.run_at)));
            return;
        }
        let said: Vec<&str> =
            results["validation"]["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let failure = results["failure"]["message"].as_str().unwrap_or_default();
        let why = if said.is_empty() {
            ending.report.lines().find_map(|line| line.strip_prefix("Not healed: ")).unwrap_or("?").to_owned()
        } else {
            format!("validation: {}", said.join("; "))
        };
        *self.reasons.entry(format!("{}: {failure} => {why}", row_of(event).name)).or_default() += 1;
    }

    pub(crate) async fn day(&mut self, store: &Store, tick: u64) {
        if tick % 96 == 95 {
            self.quarantined_by_day.push(in_state(store, HealthState::Quarantined).await);
        }
    }

    pub(crate) async fn close(&mut self, store: &Store, pages: &[Page], now: Timestamp) {
        self.quarantined_at_end = in_state(store, HealthState::Quarantined).await;
        self.statistics = Some(Statistics::of(store).await.unwrap());
        let alerts = store.alerts(&AlertFilter::newest(100_000)).await.unwrap();
        self.rolled_back = alerts.iter().filter(|alert| alert.kind == "ROLLBACK").count();
        for page in pages {
            let last = store.values(&page.name, Timestamp::default(), 1).await.unwrap().pop();
            let is_good = last
                .is_some_and(|row| page.wrong(&row.values).is_empty() && now.since(row.at) < Duration::from_hours(24));
            if !is_good {
                let event = page.last.map_or("nothing", |(event, _)| row_of(event).name);
                self.stale_at_end.push(format!("{} ({event})", page.name));
            }
        }
    }

    fn sum(&self) -> Counts {
        self.rows.values().fold(Counts::default(), |sum, counts| added(&sum, counts))
    }

    /// The figures that have goals.
    pub(crate) fn figures(&self, sources: usize) -> Vec<Figure> {
        let sum = self.sum();
        let false_fixes = self.false_fixes.len() + self.rolled_back;
        let figure = |what: &str, value, unit, goal| Figure::new(what, value, unit).with_goal(goal);
        vec![
            figure("fixes that pass validation", share(sum.passed, sum.proposals), "%", Goal::AtLeast(80.0)),
            figure("promoted fixes that were false", share(false_fixes, sum.promoted), "%", Goal::AtMost(5.0)),
            figure(
                "sources in quarantine at the end",
                share(self.quarantined_at_end, sources),
                "%",
                Goal::AtMost(10.0),
            ),
            figure("average time of a recovery", average(&self.recoveries), "s", Goal::AtMost(300.0)),
            figure("wrong sets of values accepted", share(sum.wrong, sum.accepted), "%", Goal::AtMost(0.0)),
        ]
    }

    pub(crate) fn print(&self, sources: usize, days: u64, seed: u64, took: Duration) {
        println!("{sources} sources, {days} days, every 6 hours, seed {seed}; it took {:.0} s\n", took.as_secs_f64());
        println!(
            "{:<18}{:>9}{:>7}{:>7}{:>9}{:>7}{:>9}{:>7}{:>7}{:>9}{:>6}{:>6}  how often and why",
            "last event",
            "happened",
            "runs",
            "failed",
            "attempts",
            "fixes",
            "promoted",
            "false",
            "quar.",
            "accepted",
            "wrong",
            ""
        );
        for row in MIX {
            let counts = self.rows.get(row.name).cloned().unwrap_or_default();
            let lasts = match row.lasts {
                Lasts::ForGood => "for good".to_owned(),
                Lasts::Hours(least, most) => format!("{least}-{most} h"),
            };
            println!("{}  {} a month, {lasts}: {}", line(row.name, &counts), row.per_month, row.why);
        }
        let sum = self.sum();
        println!("{}\n", line("sum", &sum));
        let false_fixes = self.false_fixes.len() + self.rolled_back;
        let recovery = average(&self.recoveries);
        verdict(
            "fixes that pass validation",
            share(sum.passed, sum.proposals),
            ">= 80 %",
            sum.passed * 5 >= sum.proposals * 4,
            &format!(
                "{} of {} fixes proposed; of all {} attempts {:.1} %",
                sum.passed,
                sum.proposals,
                sum.attempts,
                share(sum.passed, sum.attempts)
            ),
        );
        verdict(
            "false positives",
            share(false_fixes, sum.promoted),
            "< 5 %",
            false_fixes * 20 < sum.promoted,
            &format!(
                "{} promoted fixes gave wrong values, {} were rolled back, of {}",
                self.false_fixes.len(),
                self.rolled_back,
                sum.promoted
            ),
        );
        let ever = self.ever_quarantined.len();
        verdict(
            "quarantined at the end",
            share(self.quarantined_at_end, sources),
            "< 10 %",
            self.quarantined_at_end * 10 < sources,
            &format!(
                "{} of {sources}; at the end of a day {:.1} on average; {ever} at some time",
                self.quarantined_at_end,
                self.quarantined_by_day.iter().sum::<usize>() as f64 / self.quarantined_by_day.len().max(1) as f64
            ),
        );
        println!(
            "{} average recovery            {recovery:8.2} s   (< 300 s)  {} fixes, from the failed run to the fix in force, slowest {:.1} s",
            mark(!self.recoveries.is_empty() && recovery < 300.0),
            self.recoveries.len(),
            self.recoveries.iter().max().copied().unwrap_or_default() as f64 / 1000.0
        );
        println!(
            "  {} failures ended in right values again, after {:.1} h on average (outages of the site included); {} did not",
            self.outages.len(),
            average(&self.outages) / 3600.0,
            self.failing_since.len()
        );
        let by_fix = self.wrong_sets.iter().filter(|set| set.by_fix).count();
        println!(
            "{} wrong value sets accepted   {:8.2} %   (0)        {} of {}: {by_fix} by a fix, {} by a rule that still matched",
            mark(sum.wrong == 0),
            share(sum.wrong, sum.accepted),
            sum.wrong,
            sum.accepted,
            sum.wrong - by_fix
        );
        println!(
            "  false alarms: {} failed runs of {} although only values had changed",
            self.false_alarms.len(),
            sum.runs
        );
        println!(
            "  sources without right values of the last day at the end: {} {:?}",
            self.stale_at_end.len(),
            self.stale_at_end
        );
        println!("  the program's own figures: {}", serde_json::to_string(&self.statistics).unwrap());
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        println!("\nattempts in vain:");
        for (reason, count) in reasons.into_iter().take(40) {
            println!("{count:5}  {}", reason.chars().take(220).collect::<String>());
        }
    }
}

fn line(name: &str, counts: &Counts) -> String {
    let Counts {
        happened,
        runs,
        failed,
        accepted,
        wrong,
        attempts,
        proposals,
        promoted,
        false_fixes,
        quarantined,
        passed: _,
    } = counts;
    format!(
        "{name:<18}{happened:>9}{runs:>7}{failed:>7}{attempts:>9}{proposals:>7}{promoted:>9}{false_fixes:>7}{quarantined:>7}{accepted:>9}{wrong:>6}{:>6}",
        ""
    )
}

fn added(one: &Counts, other: &Counts) -> Counts {
    Counts {
        happened: one.happened + other.happened,
        runs: one.runs + other.runs,
        failed: one.failed + other.failed,
        accepted: one.accepted + other.accepted,
        wrong: one.wrong + other.wrong,
        attempts: one.attempts + other.attempts,
        proposals: one.proposals + other.proposals,
        passed: one.passed + other.passed,
        promoted: one.promoted + other.promoted,
        false_fixes: one.false_fixes + other.false_fixes,
        quarantined: one.quarantined + other.quarantined,
    }
}

/// The average of some times in milliseconds, in seconds.
fn average(millis: &[u64]) -> f64 {
    millis.iter().sum::<u64>() as f64 / millis.len().max(1) as f64 / 1000.0
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

const fn mark(is_met: bool) -> &'static str {
    if is_met { "+" } else { "-" }
}

fn verdict(what: &str, share: f64, goal: &str, is_met: bool, counts: &str) {
    println!("{} {what:<27}{share:9.1} %   ({goal})  {counts}", mark(is_met));
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
