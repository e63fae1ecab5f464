//! Waits that the headers of a response ask for (GitHub: "Rate limits for the REST API"; GitLab: "Rate limits").

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Wait when the host names no time.
const UNNAMED: Duration = Duration::from_mins(1);

/// Signs by which a host says that a rate limit is exceeded.
#[derive(Debug)]
pub(crate) struct RateLimits {
    /// Statuses that may mean it; 429 always does.
    pub(crate) statuses: &'static [u16],
    /// Header with the number of requests that remain.
    pub(crate) remaining: &'static str,
    /// Header with the time at which more remain, in seconds since 1970.
    pub(crate) reset: &'static str,
    /// Text of a body that means it, in lower case.
    pub(crate) message: Option<&'static str>,
}

/// Returns the time to wait before repeating a request that was refused by a rate limit: the primary limit (nothing remains
/// until a time) or a secondary one (`Retry-After`, or only a message).
pub(super) fn asked_to_wait(
    limits: &RateLimits,
    status: u16,
    headers: &HeaderMap,
    body: &str,
    now: SystemTime,
) -> Option<Duration> {
    if !limits.statuses.contains(&status) {
        return None;
    }
    if let Some(wait) = text(headers, RETRY_AFTER.as_str()).and_then(|value| retry_after(value, now)) {
        return Some(wait);
    }
    if text(headers, limits.remaining) == Some("0") {
        let reset = text(headers, limits.reset).and_then(|value| value.parse().ok());
        let reset = reset.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
        // A second more, for clocks that differ.
        return Some(reset.map_or(UNNAMED, |at| at.duration_since(now).unwrap_or_default() + Duration::from_secs(1)));
    }
    let is_said = limits.message.is_some_and(|message| body.to_ascii_lowercase().contains(message));
    let is_limit = status == 429 || is_said;
    is_limit.then_some(UNNAMED)
}

/// The time that a `Retry-After` header asks for: seconds, or a date (RFC 9110, section 10.2.3).
fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value.trim()).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

fn text<'headers>(headers: &'headers HeaderMap, name: &str) -> Option<&'headers str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GITHUB: RateLimits = RateLimits {
        statuses: &[403, 429],
        remaining: "x-ratelimit-remaining",
        reset: "x-ratelimit-reset",
        message: Some("secondary rate limit"),
    };

    const GITLAB: RateLimits =
        RateLimits { statuses: &[429], remaining: "ratelimit-remaining", reset: "ratelimit-reset", message: None };

    fn wait(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Option<u64> {
        wait_at(&GITHUB, status, headers, body)
    }

    fn wait_at(limits: &RateLimits, status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Option<u64> {
        let map = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        asked_to_wait(limits, status, &map, body, now).map(|wait| wait.as_secs())
    }

    #[test]
    fn the_primary_limit_names_the_time_at_which_it_ends() {
        let spent = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1030")];
        assert_eq!(wait(403, &spent, ""), Some(31));
        assert_eq!(wait(429, &spent, ""), Some(31));
        assert_eq!(wait(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "900")], ""), Some(1));
        assert_eq!(wait(429, &[("x-ratelimit-remaining", "0")], ""), Some(60));
        let never = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "18446744073709551615")];
        assert_eq!(wait(403, &never, ""), Some(60), "a time that is none");
    }

    #[test]
    fn a_secondary_limit_says_how_long_or_only_that() {
        assert_eq!(wait(403, &[("retry-after", "7")], ""), Some(7));
        assert_eq!(wait(429, &[("retry-after", "Thu, 01 Jan 1970 00:16:50 GMT")], ""), Some(10));
        assert_eq!(wait(403, &[], "You have exceeded a secondary rate limit."), Some(60));
        assert_eq!(wait(429, &[], ""), Some(60));
    }

    #[test]
    fn what_is_forbidden_is_no_limit() {
        assert_eq!(wait(403, &[("x-ratelimit-remaining", "12")], "Resource not accessible by integration"), None);
        assert_eq!(wait(404, &[("retry-after", "7")], ""), None);
        assert_eq!(wait(200, &[("x-ratelimit-remaining", "0")], ""), None);
    }

    #[test]
    fn gitlab_names_its_limits_in_headers_of_its_own() {
        let spent = [("ratelimit-remaining", "0"), ("ratelimit-reset", "1030"), ("ratelimit-limit", "600")];
        assert_eq!(wait_at(&GITLAB, 429, &spent, "Retry later"), Some(31));
        assert_eq!(wait_at(&GITLAB, 429, &[("retry-after", "7"), spent[0], spent[1]], ""), Some(7));
        assert_eq!(wait_at(&GITLAB, 429, &[], "Retry later"), Some(60));
        assert_eq!(wait_at(&GITLAB, 403, &spent, ""), None);
    }
}
