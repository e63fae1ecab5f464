//! Simulation of a fleet of sources through a month of changes: the real workflows, the real store, real pages over HTTP, and
//! a simulated clock. Accepted values are compared with the true values of the pages, not with the program's own verdicts.
//!
//! # Layout
//!
//! - `mix`: events that happen to pages, with their frequency and the reason for it
//! - `page`: one page, its events, and its true values
//! - `walk`: a worker with a simulated clock
//! - `turns`: times at which hosts may be requested, by that clock
//! - `tally`: the counts and the table
//! - `random`: numbers that a seed decides
//!
//! Arguments: `--sources`, `--days`, `--seed`, `--json FILE`, `--details FILE` (of every event and wrong set of
//! values, as JSON); `--smoke`: a few sources for two days.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program for people that has nothing to lose"
)]

mod mix;
mod page;
mod random;
mod tally;
mod turns;
mod walk;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use autoheal_engine::source::HealthState;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::workflow::StepServices as _;
use autoheal_engine::{StopReason, Timestamp};
use autoheal_fetch::{FetchRequest, FetchSettings, Fetcher, HostLimits, RobotsPolicy};
use autoheal_page::recipe::FieldName;
use autoheal_source::{AddRequest, AddWorkflow, DoctorWorkflow, RefreshWorkflow, SourceServices};
use autoheal_store::{Store, TaskFilter};
use autoheal_testkit::figures;

use crate::mix::{Event, Plan};
use crate::page::{Page, SLOW};
use crate::random::Random;
use crate::tally::{Tally, WrongSet};
use crate::turns::Turns;
use crate::walk::Clock;

/// Interval between checks for due sources.
const TICK: Duration = Duration::from_mins(15);

/// Command-line arguments.
struct Arguments {
    sources: usize,
    days: u64,
    seed: u64,
    json: Option<PathBuf>,
    details: Option<PathBuf>,
    is_smoke: bool,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self { sources: 100, days: 30, seed: 1, json: None, details: None, is_smoke: false };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap();
            match word.as_str() {
                "--sources" => arguments.sources = value().parse().unwrap(),
                "--days" => arguments.days = value().parse().unwrap(),
                "--seed" => arguments.seed = value().parse().unwrap(),
                "--json" => arguments.json = Some(value().into()),
                "--details" => arguments.details = Some(value().into()),
                "--smoke" => arguments = Self { sources: 4, days: 2, is_smoke: true, ..arguments },
                // Cargo says `--bench`.
                _ => {}
            }
        }
        arguments
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments = Arguments::read();
    let begun = Instant::now();
    let mut fleet = Fleet::new(&arguments).await;
    fleet.live().await;
    fleet.tally.close(&fleet.store, &fleet.pages, fleet.clock.now()).await;
    fleet.tally.print(arguments.sources, arguments.days, arguments.seed, begun.elapsed());
    assert!(fleet.tally.accepted() > 0, "no values were accepted");
    if arguments.is_smoke {
        assert_eq!(fleet.tally.wrong(), 0, "wrong values were accepted");
    }
    if let Some(file) = &arguments.json {
        figures::write(file, &fleet.tally.figures(arguments.sources)).unwrap();
    }
    if let Some(file) = &arguments.details {
        std::fs::write(file, serde_json::to_string_pretty(&fleet.tally).unwrap()).unwrap();
    }
}

struct Fleet {
    pages: Vec<Page>,
    by_name: BTreeMap<String, usize>,
    plans: Vec<Plan>,
    begins: Timestamp,
    days: u64,
    random: Random,
    store: Store,
    clock: Arc<Clock>,
    refresh: RefreshWorkflow,
    doctor: DoctorWorkflow,
    tally: Tally,
}

/// Waits are short, in proportion: a page of a month's simulation may not take a minute. Nothing else is unusual.
fn fetch_settings() -> FetchSettings {
    let mut settings = FetchSettings {
        allow_private: vec!["127.0.0.1".parse().unwrap()],
        robots: RobotsPolicy::Ignore,
        limits: HostLimits::unlimited(4),
        ..FetchSettings::default()
    };
    settings.retries.first_wait = Duration::from_millis(1);
    settings.time.total = SLOW * 4 / 5;
    settings.time.read = SLOW * 4 / 5;
    settings
}

impl Fleet {
    /// The pages, each added as a source by examples.
    async fn new(arguments: &Arguments) -> Self {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let month = Duration::from_hours(24 * (arguments.days + 2));
        // Everything lies in the past, where the queue holds every task for ready.
        let real = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let begins = Timestamp::from_millis(i64::try_from(real.as_millis()).unwrap()).minus(month);
        let mut random = Random::new(arguments.seed);
        let plans = mix::plan(arguments.sources, arguments.days, &mut random);
        let clock = Clock::at(begins);
        let turns = Arc::new(Turns::new(Arc::clone(&clock)));
        let fetcher = || Fetcher::with_reservations(fetch_settings(), turns.clone()).unwrap();
        let services = SourceServices::new(store.clone(), fetcher()).unwrap();
        let add = AddWorkflow::new(services.clone()).unwrap();
        let (mut pages, fetcher) = (Vec::new(), fetcher());
        for index in 0..arguments.sources {
            // Sources are added over the first six hours, as people do.
            clock.go_to(begins.plus(Duration::from_secs(21_600 * index as u64 / arguments.sources as u64)));
            let page = Page::new(index, &mut random).await;
            let url = page.site.url(&page.path);
            let answer = fetcher.fetch(&FetchRequest::new(url.clone())).await.unwrap();
            let examples = page.examples(std::str::from_utf8(&answer.body).unwrap()).into_iter();
            let request = AddRequest {
                examples: examples.map(|(field, value)| (FieldName::parse(&field).unwrap(), value)).collect(),
                ..AddRequest::new(url)
            };
            let mut task = NewTask::new(TaskKind::AddSource, page.name.clone(), clock.now());
            task.context = serde_json::to_value(&request).unwrap();
            let id = store.enqueue(&task).await.unwrap().id;
            let (_, ending) = walk::run(&add, &store, &clock, id).await;
            assert!(ending.outcome.is_well(), "{}: {}", page.name, ending.report);
            let wrong = page.wrong(&ending.results["added"]["values"]);
            assert!(wrong.is_empty(), "{}: {wrong:?}", page.name);
            pages.push(page);
        }
        Self {
            by_name: pages.iter().enumerate().map(|(index, page)| (page.name.clone(), index)).collect(),
            pages,
            plans,
            begins,
            days: arguments.days,
            random,
            refresh: RefreshWorkflow::new(services.clone()).unwrap(),
            doctor: DoctorWorkflow::new(services).unwrap(),
            store,
            clock,
            tally: Tally::default(),
        }
    }

    /// Simulates the month.
    async fn live(&mut self) {
        let hours = |hours: f64| Duration::from_secs_f64(hours * 3600.0);
        let mut turns: Vec<(Timestamp, usize, bool)> = Vec::new();
        for (id, plan) in self.plans.iter().enumerate() {
            turns.push((self.begins.plus(hours(plan.begins)), id, true));
            turns.extend(plan.ends.map(|ends| (self.begins.plus(hours(ends)), id, false)));
        }
        turns.sort_unstable();
        let mut turns = turns.into_iter().peekable();
        let ticks = self.days * 24 * 60 / (TICK.as_secs() / 60);
        for tick in 0..ticks {
            self.clock.go_to(self.begins.plus(Duration::from_hours(6) + TICK * u32::try_from(tick).unwrap()));
            let now = self.clock.now();
            while let Some((at, id, begins)) = turns.next_if(|(at, ..)| *at <= now) {
                let plan = self.plans[id];
                if begins && self.pages[plan.source].is_lost() {
                    // Whatever else happened would be blamed for what cannot be healed anyway.
                    continue;
                }
                if begins {
                    *self.tally.row(plan.event).happened() += 1;
                    self.pages[plan.source].begin(id, plan.event, at, &mut self.random);
                } else {
                    self.pages[plan.source].end(id);
                }
            }
            autoheal_source::schedule::enqueue_due(&self.store, now).await.unwrap();
            while self.work().await {}
            self.tally.day(&self.store, tick).await;
        }
    }

    /// Runs what is due; whether that was anything.
    async fn work(&mut self) -> bool {
        let filter = TaskFilter { state: Some(TaskState::Pending), limit: 10_000, ..TaskFilter::default() };
        let mut due = self.store.tasks(&filter).await.unwrap();
        let now = self.clock.now();
        due.retain(|task| task.run_at <= now);
        due.sort_by_key(|task| (task.priority, task.run_at, task.id));
        for task in &due {
            if task.kind == TaskKind::FixSource { self.heal(task.id).await } else { self.refresh(task.id).await }
        }
        !due.is_empty()
    }

    async fn refresh(&mut self, id: autoheal_engine::TaskId) {
        let (task, ending) = walk::run(&self.refresh, &self.store, &self.clock, id).await;
        let now = self.clock.now();
        let page = &mut self.pages[self.by_name[&task.target]];
        let event = page.last.map_or(Event::NewValues, |(event, _)| event);
        let row = self.tally.row(event);
        row.runs += 1;
        assert!(ending.stop_reason != StopReason::Failed, "{}", ending.report);
        if ending.results["values"].is_null() {
            row.failed += 1;
            let is_about_values = matches!(ending.stop_reason, StopReason::ParseError | StopReason::SchemaMismatch);
            if is_about_values && page.dressing == page.good_dressing {
                let message = ending.results["failure"]["message"].as_str().unwrap_or_default();
                self.tally.false_alarm(&task.target, event, message);
            }
            self.tally.fails(&task.target, now);
            return;
        }
        let wrong = page.wrong(&ending.results["values"]);
        page.good_dressing = page.dressing;
        row.accepted += 1;
        if wrong.is_empty() {
            self.tally.is_right_again(&task.target, now);
            return;
        }
        let rows = self.store.values(&task.target, Timestamp::default(), 1).await.unwrap();
        let version = rows.last().unwrap().version;
        let recipes = self.store.recipes(&task.target).await.unwrap();
        let recipe = recipes.iter().find(|recipe| recipe.version == version).unwrap();
        let is_fix = recipe.promoted_by.as_deref() == Some("doctor");
        // A fix is to blame for what it gives until the page changes again.
        let is_older = page.last.is_some_and(|(_, at)| recipe.promoted_at.is_some_and(|promoted| promoted >= at));
        let by_fix = is_fix && is_older;
        self.tally.wrong_set(WrongSet {
            source: task.target,
            at: now.to_rfc3339(),
            event,
            version,
            by_fix,
            recipe: recipe.recipe.clone(),
            fields: wrong,
        });
    }

    async fn heal(&mut self, id: autoheal_engine::TaskId) {
        let (task, ending) = walk::run(&self.doctor, &self.store, &self.clock, id).await;
        let page = &self.pages[self.by_name[&task.target]];
        let event = page.last.map_or(Event::NewValues, |(event, _)| event);
        assert!(ending.stop_reason != StopReason::Failed, "{}", ending.report);
        self.tally.healed(&task, event, &ending, self.clock.now());
    }
}

/// The sources of the store that are in this state.
async fn in_state(store: &Store, state: HealthState) -> usize {
    store.sources().await.unwrap().iter().filter(|row| row.health.state == state).count()
}
