//! A home whose program scrapes a real site that changes.

use std::process::Command;

use autoheal_engine::Timestamp;
use autoheal_engine::source::SnapshotRole;
use autoheal_testkit::site::Site;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::rows::{of_runs, without_what_varies};

pub(crate) const PAGE: &str = "/article/1";

/// A home whose program may ask the site, as often as it likes.
pub(crate) struct Scraper {
    pub(crate) home: Home,
    pub(crate) site: Site,
}

impl Scraper {
    pub(crate) async fn new() -> Self {
        Self { home: Home::new(), site: Site::start().await }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(&[&["source"], arguments].concat());
        command.env("AUTOHEAL_ALLOW_PRIVATE", "[\"127.0.0.1\"]").env("AUTOHEAL_HOST_INTERVAL_MILLIS", "0");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&mut self.command(arguments))
    }

    /// All rows: those of runs, and those of the source.
    pub(crate) fn end_state(&self) -> Value {
        let rows = Runtime::new().unwrap().block_on(async {
            let store = self.home.store().await;
            let source = store.source("news").await.unwrap().unwrap();
            let recipes = store.recipes("news").await.unwrap().into_iter();
            let values = store.values("news", Timestamp::default(), 99).await.unwrap().into_iter();
            let mut pages = Vec::new();
            for role in [SnapshotRole::Original, SnapshotRole::Good, SnapshotRole::Failing] {
                let kept = store.snapshots("news", role, None, 9).await.unwrap();
                pages.push(kept.iter().map(|page| (page.content.len(), page.values.clone())).collect::<Vec<_>>());
            }
            json!({
                "runs": of_runs(&store).await,
                "definition": source.definition,
                "health": source.health,
                "recipes": recipes.map(|row| json!([row.version, row.stage, row.recipe, row.promoted_by, row.replaces, row.runs])).collect::<Vec<_>>(),
                "values": values.map(|row| json!([row.version, row.values])).collect::<Vec<_>>(),
                "pages": pages,
                "alerts": store.alerts(&autoheal_store::AlertFilter::newest(9)).await.unwrap().len(),
            })
        });
        without_what_varies(rows, &[(&self.site.host(), "SITE"), (&self.home.path().display().to_string(), "HOME")])
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.told());
        Self::parsed(&ended)
    }

    pub(crate) fn json_of_failed(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ended.code, Some(1), "{}", ended.told());
        Self::parsed(&ended)
    }

    fn parsed(ended: &Ended) -> Value {
        let parsed = serde_json::from_str(&ended.stdout);
        assert!(parsed.is_ok(), "{}", ended.told());
        parsed.unwrap()
    }

    pub(crate) fn example(&self, field: &str) -> String {
        let values = self.site.values(PAGE);
        let value = &values[field];
        format!("{field}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    pub(crate) fn add(&self) -> Ended {
        let url = self.site.url(PAGE);
        let (title, author) = (self.example("title"), self.example("author"));
        self.run(&["add", url.as_str(), "--name", "news", "--example", &title, "--example", &author])
    }

    pub(crate) fn health(&self) -> String {
        self.json(&["show", "news"])["health"]["state"].as_str().unwrap().to_owned()
    }
}
