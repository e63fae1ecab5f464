//! Tests of the crate through its public interface, against real servers on the loopback interface.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod addresses;
mod manners;
mod offline;
mod redirects;
#[cfg(feature = "render")]
mod render;
mod retries;
mod tls;
mod trouble;

use std::time::Duration;

use autoheal_engine::politeness::Pace;
use autoheal_fetch::{
    FetchError, FetchRequest, FetchSettings, Fetched, Fetcher, HostLimits, RetrySettings, TimeLimits,
};
use url::Url;

/// Settings for a site of one's own: as fast as it answers, and no patience.
fn settings() -> FetchSettings {
    FetchSettings {
        allow_private: vec!["127.0.0.1".parse().unwrap()],
        limits: HostLimits { pace: Pace::UNLIMITED, at_once: 4 },
        retries: RetrySettings {
            tries: 1,
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(50),
        },
        time: TimeLimits { total: Duration::from_secs(20), turn: Duration::from_secs(5), ..TimeLimits::default() },
        ..FetchSettings::default()
    }
}

/// The same, with three tries.
fn patient() -> FetchSettings {
    let settings = settings();
    FetchSettings { retries: RetrySettings { tries: 3, ..settings.retries }, ..settings }
}

async fn fetch(settings: FetchSettings, url: Url) -> Result<Fetched, FetchError> {
    Fetcher::new(settings).unwrap().fetch(&FetchRequest::new(url)).await
}
