//! Cache of the rules in the `robots.txt` of sites (RFC 9309).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{HeaderMap, LOCATION};
use texting_robots::Robot;
use tokio::time::Instant;
use url::Url;

use crate::FetchError;
use crate::error::shown;
use crate::settings::{FetchSettings, HostLimits, PRODUCT_TOKEN};
use crate::transport::{Answer, Overlong, Transport, is_redirect};
use crate::turns::Turns;

/// Time for which rules are cached: the maximum that section 2.4 recommends.
const LIFETIME: Duration = Duration::from_hours(24);

/// Time for which "no such file" is cached: a site may be about to get one.
const LIFETIME_OF_NONE: Duration = Duration::from_hours(1);

/// Time without requests to a site whose robots.txt was answered with a server error.
const LIFETIME_OF_TROUBLE: Duration = Duration::from_mins(10);

/// Maximum size of the part of the file that is read, in bytes (section 2.5: at least 500 KiB).
const SIZE_LIMIT: u64 = 512 << 10;

/// Maximum number of redirects that are followed (section 2.3.1.2: at least five).
const REDIRECT_LIMIT: usize = 5;

/// Maximum number of sitemaps that are returned; one sitemap may list others.
const SITEMAPS: usize = 50;

/// From this many sites on, those whose rules have expired are forgotten now and then.
const MANY_SITES: usize = 4_096;

/// Rules of one site.
#[derive(Debug)]
enum Rules {
    /// Everything is allowed: the file does not exist, or has no rules.
    Open,
    /// The rules in the file.
    Written(Robot),
    /// Everything is forbidden: the server could not answer.
    Unavailable { status: u16 },
}

#[derive(Debug)]
struct Known {
    rules: Rules,
    until: Instant,
}

/// Rules of one site. The lock is held during the request, so that concurrent callers send only one.
type Site = Arc<tokio::sync::Mutex<Option<Known>>>;

/// Contents of robots.txt that apply to a page that may be fetched.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Permission {
    /// The time that is to pass between two requests.
    pub(crate) crawl_delay: Option<Duration>,
    /// Sitemaps of the site.
    pub(crate) sitemaps: Vec<Url>,
}

/// Rules of every site that has received a request.
#[derive(Debug, Default)]
pub(crate) struct RobotsCache {
    sites: Mutex<HashMap<String, Site>>,
}

impl RobotsCache {
    /// Checks that robots.txt allows `url`; requests the rules of the site when they are not cached.
    ///
    /// # Errors
    ///
    /// [`FetchError::RobotsDisallowed`], [`FetchError::RobotsUnavailable`], or the reason the site cannot be reached at all: the
    /// request for the page itself would fail for the same reason.
    pub(crate) async fn check(
        &self,
        url: &Url,
        transport: &Transport,
        turns: &Turns,
        settings: &FetchSettings,
        limits: HostLimits,
    ) -> Result<Permission, FetchError> {
        let site = self.site(url);
        let mut known = site.lock().await;
        let current = match known.take() {
            Some(current) if current.until > Instant::now() => current,
            Some(_) | None => ask(url, transport, turns, settings, limits).await?,
        };
        let verdict = judge(&current, url);
        *known = Some(current);
        verdict
    }

    fn site(&self, url: &Url) -> Site {
        let origin = url.origin().ascii_serialization();
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MANY_SITES {
            // A lock that is held, or waited for, belongs to an active request.
            let is_current = |known: &Option<Known>| known.as_ref().is_some_and(|known| known.until > Instant::now());
            sites.retain(|_, site| {
                Arc::strong_count(site) > 1 || site.try_lock().map_or(true, |known| is_current(&known))
            });
        }
        Arc::clone(sites.entry(origin).or_default())
    }
}

fn judge(known: &Known, url: &Url) -> Result<Permission, FetchError> {
    match &known.rules {
        Rules::Open => Ok(Permission::default()),
        Rules::Unavailable { status } => Err(FetchError::RobotsUnavailable {
            url: shown(url),
            status: *status,
            retry_in: known.until.saturating_duration_since(Instant::now()),
        }),
        Rules::Written(robot) if robot.allowed(url.as_str()) => {
            let crawl_delay = robot.delay.and_then(|seconds| Duration::try_from_secs_f32(seconds).ok());
            let sitemaps = robot.sitemaps.iter().take(SITEMAPS).filter_map(|text| url.join(text).ok()).collect();
            Ok(Permission { crawl_delay, sitemaps })
        }
        Rules::Written(_) => Err(FetchError::RobotsDisallowed { url: shown(url) }),
    }
}

async fn ask(
    page: &Url,
    transport: &Transport,
    turns: &Turns,
    settings: &FetchSettings,
    limits: HostLimits,
) -> Result<Known, FetchError> {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url.set_fragment(None);
    let mut followed = 0;
    loop {
        transport.check(&url)?;
        let permit = turns.wait(&url, limits).await?;
        let asking = transport.get(&url, HeaderMap::new(), SIZE_LIMIT, Overlong::Cut, settings.time.read);
        let timed_out =
            |_| FetchError::TimedOut { url: shown(&url), phase: crate::Phase::Total, limit: settings.time.total };
        let answer = tokio::time::timeout(settings.time.total, asking).await.map_err(timed_out)??;
        drop(permit);
        let target = target_of(&answer, &url);
        match target {
            Some(target) if followed < REDIRECT_LIMIT => {
                followed += 1;
                url = target;
            }
            Some(_) | None => return Ok(understand(&answer)),
        }
    }
}

fn target_of(answer: &Answer, url: &Url) -> Option<Url> {
    let location = answer.headers.get(LOCATION).filter(|_| is_redirect(answer.status))?;
    url.join(location.to_str().ok()?).ok()
}

fn understand(answer: &Answer) -> Known {
    let (rules, lifetime) = match answer.status {
        200..=299 => match Robot::new(PRODUCT_TOKEN, &answer.body) {
            Ok(robot) => (Rules::Written(robot), LIFETIME),
            // A file that cannot be parsed at all forbids nothing.
            Err(_) => (Rules::Open, LIFETIME_OF_NONE),
        },
        status @ 500..=599 => (Rules::Unavailable { status }, LIFETIME_OF_TROUBLE),
        _ => (Rules::Open, LIFETIME_OF_NONE),
    };
    Known { rules, until: Instant::now() + lifetime }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(status: u16, text: &str) -> Known {
        let body = text.to_owned().into();
        understand(&Answer { status, headers: HeaderMap::new(), body })
    }

    fn allows(known: &Known, path: &str) -> bool {
        judge(known, &Url::parse("https://example.com").unwrap().join(path).unwrap()).is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn the_group_of_this_program_is_the_one_that_counts() {
        let rules =
            known(200, "User-agent: *\nDisallow: /\n\nUser-Agent: AutoHeal\nDisallow: /private\nAllow: /private/a$\n");
        assert!(allows(&rules, "/"));
        assert!(!allows(&rules, "/private/b"));
        assert!(allows(&rules, "/private/a"));
    }

    #[tokio::test(start_paused = true)]
    async fn statuses_decide_where_there_is_no_file() {
        assert!(allows(&known(404, ""), "/a"));
        assert!(allows(&known(403, "User-agent: *\nDisallow: /"), "/a"));
        let trouble = known(503, "");
        let url = Url::parse("https://example.com/a").unwrap();
        let Err(FetchError::RobotsUnavailable { status: 503, retry_in, .. }) = judge(&trouble, &url) else {
            panic!("a server error forbids everything");
        };
        assert_eq!(retry_in, LIFETIME_OF_TROUBLE);
    }

    #[tokio::test(start_paused = true)]
    async fn delay_and_sitemaps_are_read() {
        let rules = known(200, "Sitemap: /map.xml\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /x\n");
        let permission = judge(&rules, &Url::parse("https://example.com/a").unwrap()).unwrap();
        assert_eq!(permission.crawl_delay, Some(Duration::from_millis(2_500)));
        let sitemaps: Vec<&str> = permission.sitemaps.iter().map(Url::as_str).collect();
        assert_eq!(sitemaps, ["https://example.com/map.xml"]);
    }

    #[tokio::test(start_paused = true)]
    async fn nonsense_forbids_nothing_and_breaks_nothing() {
        for text in
            ["", "\0\0\u{feff}", "<!doctype html><html>", "Crawl-delay: -1", "User-agent: *\nCrawl-delay: NaN\n"]
        {
            assert!(allows(&known(200, text), "/a"), "{text:?}");
        }
    }
}
