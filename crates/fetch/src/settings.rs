//! Settings of the fetcher.

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

/// Limits on the requests to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// Rate of requests to the host.
    pub pace: Pace,
    /// Maximum number of concurrent requests to the host; zero counts as one.
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

/// Policy for `robots.txt` files of sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsPolicy {
    /// Requests and honours the file (RFC 9309).
    Honour,
    /// Ignores the file and does not request it: for sites of the user's own.
    Ignore,
}

/// Number of tries and waits between them, for failures that may be temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// Maximum number of tries; zero counts as one.
    pub tries: u32,
    /// Wait before the second try. It doubles with every try, and a random part of up to the same length is added.
    pub first_wait: Duration,
    /// Maximum `Retry-After` that is honoured within a request. If a host demands more, its response is returned at once.
    pub longest_wait: Duration,
}

impl Default for RetrySettings {
    /// Three tries, one second, half a minute.
    fn default() -> Self {
        Self { tries: 3, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(30) }
    }
}

/// Time limits of a request and its phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// Maximum time for connecting, including the TLS handshake.
    pub connect: Duration,
    /// Maximum time between two pieces of a response.
    pub read: Duration,
    /// Maximum time for a whole try, including every redirect and the body, but not the wait for a request slot.
    pub total: Duration,
    /// Maximum wait for a request slot at the host. If the slot is further away, the error states the remaining time.
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

/// Settings of a [`Fetcher`](crate::Fetcher). The defaults are polite and safe.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// URL at which the owner of a site learns who sends the requests; part of the `User-Agent`.
    pub contact: Option<Url>,
    /// The whole `User-Agent`, when it shall not be `autoheal/VERSION (+CONTACT)`.
    pub user_agent: Option<String>,
    /// Destinations outside the public internet to which requests may go.
    pub allow_private: Vec<AllowedPlace>,
    /// Folders whose files may be read by `file://` URLs. Empty: none.
    pub allow_files: Vec<PathBuf>,
    /// Folder of stored pages that replaces the network: no requests are sent. See
    /// [`snapshot_path`](crate::snapshot_path) for its layout.
    pub snapshots: Option<PathBuf>,
    /// Policy for `robots.txt` files of sites.
    pub robots: RobotsPolicy,
    /// Limits for hosts that `host_limits` does not name.
    pub limits: HostLimits,
    /// Limits for single hosts, by name, with the port when it is not the usual one (`127.0.0.1:8080`).
    pub host_limits: BTreeMap<String, HostLimits>,
    /// Number of tries and waits between them.
    pub retries: RetrySettings,
    /// Time limits of each request.
    pub time: TimeLimits,
    /// The longest body in bytes, after decompression.
    pub body_limit: u64,
    /// Maximum number of redirects that are followed.
    pub redirect_limit: usize,
    /// Settings for rendering pages in a browser.
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

    /// Returns the limits of `host`.
    pub(crate) fn limits_of(&self, host: &str) -> HostLimits {
        self.host_limits.get(host).copied().unwrap_or(self.limits)
    }
}
