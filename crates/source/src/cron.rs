//! Cron expressions for the times of a source's runs.

use std::fmt;
use std::str::FromStr;

use autoheal_engine::Timestamp;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// The longest expression, in bytes.
const LONGEST: usize = 100;

/// A cron expression with five fields, in UTC: minute, hour, day of the month, month, day of the week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CronExpression {
    text: String,
    cron: Cron,
}

/// A text that names no times.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} names no times ({reason}): write minute, hour, day of the month, month and day of the week in UTC, such as `0 6 * * *` \
     (every day at six) or `*/15 8-18 * * MON-FRI`"
)]
pub struct InvalidCron {
    text: String,
    reason: String,
}

impl CronExpression {
    /// Returns the first scheduled time after `time`; `None`: no such time exists.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        next_after(&self.cron, time)
    }
}

fn next_after(cron: &Cron, time: Timestamp) -> Option<Timestamp> {
    let start = jiff::Timestamp::from_millisecond(time.as_millis()).ok()?.to_zoned(TimeZone::UTC);
    let next = cron.find_next_occurrence(&start, false).ok()?;
    Some(Timestamp::from_millis(next.timestamp().as_millisecond()))
}

impl FromStr for CronExpression {
    type Err = InvalidCron;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |reason: String| InvalidCron { text: text.chars().take(LONGEST).collect(), reason };
        if text.len() > LONGEST {
            return Err(refused(format!("it is longer than {LONGEST} bytes")));
        }
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(text).map_err(|error| refused(error.to_string()))?;
        // The 30th of February can be written.
        next_after(&cron, Timestamp::default()).ok_or_else(|| refused("that day never comes".to_owned()))?;
        Ok(Self { text: text.trim().to_owned(), cron })
    }
}

impl TryFrom<String> for CronExpression {
    type Error = InvalidCron;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<CronExpression> for String {
    fn from(expression: CronExpression) -> Self {
        expression.text
    }
}

impl fmt::Display for CronExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn the_next_time_is_the_first_one_after() {
        for (expression, after, next) in [
            ("0 6 * * *", "2026-11-01T05:59:59Z", "2026-11-01T06:00:00Z"),
            ("0 6 * * *", "2026-11-01T06:00:00Z", "2026-11-02T06:00:00Z"),
            ("*/15 8-18 * * MON-FRI", "2026-11-06T18:46:00Z", "2026-11-09T08:00:00Z"),
            ("30 12 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T12:30:00Z"),
        ] {
            let cron: CronExpression = expression.parse().unwrap();
            assert_eq!(cron.next_after(at(after)), Some(at(next)), "{expression} after {after}");
            assert_eq!(cron.to_string(), expression);
        }
    }

    #[test]
    fn what_names_no_times_is_refused_with_an_example() {
        let long = "1,".repeat(100);
        for text in
            ["", "hello", "* * * *", "* * * * * *", "61 * * * *", "0 0 30 2 *", long.as_str(), "0 6 * * *\n0 7 * * *"]
        {
            let refused = text.parse::<CronExpression>().unwrap_err().to_string();
            assert!(refused.contains("`0 6 * * *`"), "{refused}");
        }
    }
}
