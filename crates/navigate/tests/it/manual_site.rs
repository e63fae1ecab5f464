use std::collections::BTreeMap;
use std::sync::Mutex;

use autoheal_fetch::{FetchSettings, Fetcher, HostLimits};
use autoheal_navigate::{FetchedPages, Goal, Guide, NavigationResult, Navigator, PathStep, Progress, Settings};
use autoheal_testkit::manual::{Manual, Question};
use autoheal_testkit::static_site::StaticSite;

/// A manual on the loopback interface.
pub(crate) struct ManualSite {
    pub(crate) manual: Manual,
    pub(crate) site: StaticSite,
}

/// Progress receiver that records all reports.
#[derive(Default)]
pub(crate) struct Told(pub(crate) Mutex<Vec<(u32, PathStep)>>);

impl Progress for Told {
    fn step(&self, number: u32, step: &PathStep) {
        self.0.lock().unwrap().push((number, step.clone()));
    }
}

impl ManualSite {
    pub(crate) async fn start() -> Self {
        let manual = Manual::new(42);
        let site = StaticSite::of(manual.pages().clone()).await;
        Self { manual, site }
    }

    pub(crate) async fn navigate(&self, goal: &Goal, guide: Guide<'_>, settings: Settings) -> NavigationResult {
        navigate(&self.site, goal, guide, settings).await
    }
}

/// Navigates from the root of a site.
pub(crate) async fn navigate(site: &StaticSite, goal: &Goal, guide: Guide<'_>, settings: Settings) -> NavigationResult {
    let fetcher = fetcher();
    let pages = FetchedPages::new(&fetcher, settings.http_timeout);
    let told = Told::default();
    let result = Navigator::new(&pages, settings).telling(&told).navigate(&site.url("/"), goal, guide).await;
    let told: Vec<PathStep> = told.0.into_inner().unwrap().into_iter().map(|(_, step)| step).collect();
    assert_eq!(told, result.path_taken, "every step is told");
    assert!(result.steps_taken <= settings.max_steps);
    result
}

pub(crate) fn fetcher() -> Fetcher {
    let settings = FetchSettings {
        allow_private: vec!["127.0.0.1".parse().unwrap()],
        limits: HostLimits::unlimited(1),
        ..FetchSettings::default()
    };
    Fetcher::new(settings).unwrap()
}

/// A site of a few pages: path and body.
pub(crate) async fn small_site(pages: &[(&str, &str)]) -> StaticSite {
    let pages = pages.iter().map(|(path, body)| ((*path).to_owned(), format!("<!doctype html>{body}")));
    StaticSite::of(pages.collect::<BTreeMap<_, _>>()).await
}

/// A question with its vehicle.
pub(crate) fn goal_of(question: &Question) -> Goal {
    Goal::new(question.goal)
        .with_context("make", question.make)
        .with_context("year", question.year)
        .with_context("model", question.model)
}
