//! Retries: the statuses that are tried again, and the waits between tries.

use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};

use crate::settings::RetrySettings;

/// Returns whether a status is usually temporary; only such statuses are retried.
pub(crate) const fn may_pass(status: u16) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 504)
}

/// Returns the waits between the tries: one fewer than there are tries.
pub(crate) fn waits(settings: &RetrySettings) -> ExponentialBackoff {
    let further_tries = usize::try_from(settings.tries.saturating_sub(1)).unwrap_or(usize::MAX);
    ExponentialBuilder::new()
        .with_min_delay(settings.first_wait)
        .with_max_delay(settings.longest_wait)
        .with_max_times(further_tries)
        .with_jitter()
        .build()
}

/// Returns the wait that a `Retry-After` header requests: seconds, or an HTTP date (RFC 9110, section 10.2.3). A date in
/// the past means no wait.
pub(crate) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let text = value.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        assert_eq!(retry_after(" 120 ", now), Some(Duration::from_mins(2)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:50:07 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
        assert_eq!(retry_after("-1", now), None);
    }

    #[test]
    fn waits_grow_and_end() {
        let settings =
            RetrySettings { tries: 4, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(30) };
        let waits: Vec<Duration> = waits(&settings).collect();
        assert_eq!(waits.len(), 3);
        for (wait, least) in waits.iter().zip([1, 2, 4]) {
            assert!(*wait >= Duration::from_secs(least) && *wait <= Duration::from_secs(2 * least), "{waits:?}");
        }
        assert_eq!(super::waits(&RetrySettings { tries: 0, ..settings }).count(), 0);
    }

    #[test]
    fn only_what_passes_is_tried_again() {
        let passing: Vec<u16> = (100..600).filter(|status| may_pass(*status)).collect();
        assert_eq!(passing, [429, 500, 502, 503, 504]);
    }
}
