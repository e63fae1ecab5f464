//! What can be set.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use autoheal_engine::politeness::Pace;
use url::Url;

use crate::AllowedPlace;
#[cfg(feature = "render")]
use crate::render::RenderSettings;

/// The name by which robots.txt files address this program.
pub const PRODUCT_TOKEN: &str = "autoheal";

/// How a host is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// How often it is asked.
    pub pace: Pace,
    /// How many requests may be on their way to it at once; zero counts as one.
    pub at_once: usize,
}

impl Default for HostLimits {
    /// One request a second, a burst of three (robots.txt, a redirect and the page), two at once.
    fn default() -> Self {
        Self { pace: Pace { interval: Duration::from_secs(1), burst: 3 }, at_once: 2 }
    }
}

impl HostLimits {
    /// As fast as the host answers, `at_once` requests at a time: for one's own machine.
    pub const fn unlimited(at_once: usize) -> Self {
        Self { pace: Pace::UNLIMITED, at_once }
    }
}

/// What is done about `robots.txt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsPolicy {
    /// It is asked for and honoured (RFC 9309).
    Honour,
    /// It is not asked for: for one's own sites.
    Ignore,
}

/// How often and how long something that may pass by itself is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// Tries in all; zero counts as one.
    pub tries: u32,
    /// The wait before the second try; it doubles from try to try, and up to as much again is added by chance.
    pub first_wait: Duration,
    /// The longest wait that a host may ask for with `Retry-After`; when it asks for more its answer is given at once.
    pub longest_wait: Duration,
}

impl Default for RetrySettings {
    /// Three tries, one second, half a minute.
    fn default() -> Self {
        Self { tries: 3, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(30) }
    }
}

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// Until a connection stands, TLS included.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub read: Duration,
    /// One try as a whole: every redirect and the body. Waiting for one's turn is not counted.
    pub total: Duration,
    /// Until it is one's turn at the host; a turn further away is an error that says when to come back.
    pub turn: Duration,
}

impl Default for TimeLimits {
    /// Ten seconds, twenty seconds, one minute, two minutes.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(20),
            total: Duration::from_mins(1),
            turn: Duration::from_mins(2),
        }
    }
}

/// What a [`Fetcher`](crate::Fetcher) needs to know. The defaults are polite and safe.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// Where the owner of a site finds out who is asking; part of the `User-Agent`.
    pub contact: Option<Url>,
    /// The whole `User-Agent`, when it shall not be `autoheal/VERSION (+CONTACT)`.
    pub user_agent: Option<String>,
    /// Places outside the public internet that may be asked.
    pub allow_private: Vec<AllowedPlace>,
    /// Folders whose files may be read by `file://` URLs. Empty: none.
    pub allow_files: Vec<PathBuf>,
    /// A folder of stored pages that stands for the whole network: nothing is asked, see
    /// [`snapshot_path`](crate::snapshot_path) for what is where.
    pub snapshots: Option<PathBuf>,
    /// What is done about `robots.txt`.
    pub robots: RobotsPolicy,
    /// How hosts are treated that `host_limits` does not name.
    pub limits: HostLimits,
    /// How single hosts are treated: by name, with the port when it is not the usual one (`127.0.0.1:8080`).
    pub host_limits: BTreeMap<String, HostLimits>,
    /// How often things are tried again.
    pub retries: RetrySettings,
    /// How long things may take.
    pub time: TimeLimits,
    /// The longest body in bytes, after decompression.
    pub body_limit: u64,
    /// How many redirects are followed.
    pub redirect_limit: usize,
    /// How pages are rendered.
    #[cfg(feature = "render")]
    pub render: RenderSettings,
}

impl Default for FetchSettings {
    /// Public addresses only, no files, robots.txt honoured, 20 MiB, ten redirects.
    fn default() -> Self {
        Self {
            contact: None,
            user_agent: None,
            allow_private: Vec::new(),
            allow_files: Vec::new(),
            snapshots: None,
            robots: RobotsPolicy::Honour,
            limits: HostLimits::default(),
            host_limits: BTreeMap::new(),
            retries: RetrySettings::default(),
            time: TimeLimits::default(),
            body_limit: 20 << 20,
            redirect_limit: 10,
            #[cfg(feature = "render")]
            render: RenderSettings::default(),
        }
    }
}

impl FetchSettings {
    /// The `User-Agent` that is sent.
    pub fn user_agent(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        match (&self.user_agent, &self.contact) {
            (Some(whole), _) => whole.clone(),
            (None, Some(contact)) => format!("{PRODUCT_TOKEN}/{version} (+{contact})"),
            (None, None) => format!("{PRODUCT_TOKEN}/{version}"),
        }
    }

    /// How the host of `url` is treated.
    pub(crate) fn limits_of(&self, host: &str) -> HostLimits {
        self.host_limits.get(host).copied().unwrap_or(self.limits)
    }
}
