//! Settings of the request for a page.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The longest time to wait for a page, and between two pages.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
const LONGEST_DELAY: Duration = Duration::from_hours(1);

/// Headers that carry secrets, which a recipe must not hold, or that the client sets.
const NOT_IN_A_RECIPE: &[&str] = &[
    "authorization",
    "cookie",
    "proxy-authorization",
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "upgrade",
];

/// Settings of the request for a page. The default is a single, polite request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// Time to wait for the page's response, and for rendering to settle: `10s`, at most 300 s.
    #[serde(skip_serializing_if = "Option::is_none", with = "wait")]
    pub wait: Option<Duration>,
    /// Minimum time between two requests to the host, if longer than the host's limits: `2s`, at most an hour.
    #[serde(skip_serializing_if = "Option::is_none", with = "delay")]
    pub delay: Option<Duration>,
    /// Headers to send along, names in lower case.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "headers")]
    pub headers: BTreeMap<String, String>,
    /// True if a browser must run the page's scripts first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub render: bool,
}

impl Request {
    /// Returns whether all settings have their default.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

mod wait {
    use super::{Deserializer, Duration, LONGEST_WAIT, Serializer, read, write};

    #[expect(clippy::ref_option, reason = "serde's form")]
    pub(super) fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        write(*duration, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        read(deserializer, LONGEST_WAIT)
    }
}

mod delay {
    use super::{Deserializer, Duration, LONGEST_DELAY, Serializer, read, write};

    #[expect(clippy::ref_option, reason = "serde's form")]
    pub(super) fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        write(*duration, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        read(deserializer, LONGEST_DELAY)
    }
}

fn write<S: Serializer>(duration: Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    duration.map(written).serialize(serializer)
}

fn written(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    if milliseconds.is_multiple_of(1000) { format!("{}s", milliseconds / 1000) } else { format!("{milliseconds}ms") }
}

fn read<'de, D: Deserializer<'de>>(deserializer: D, longest: Duration) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match duration_of(&text) {
        None => Err(de::Error::custom(format!("{text:?} is no duration: write `500ms`, `10s` or `2m`"))),
        Some(duration) if duration > longest => {
            Err(de::Error::custom(format!("{text:?} is longer than {} s: shorten it", longest.as_secs())))
        }
        Some(duration) => Ok(Some(duration)),
    }
}

fn duration_of(text: &str) -> Option<Duration> {
    let unit = text.find(|character: char| !character.is_ascii_digit())?;
    let number: u64 = text[..unit].parse().ok()?;
    let milliseconds = match &text[unit..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        _ => return None,
    };
    Some(Duration::from_millis(number.checked_mul(milliseconds)?))
}

fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let written = BTreeMap::<String, String>::deserialize(deserializer)?;
    let mut headers = BTreeMap::new();
    for (name, value) in written {
        let lower = name.to_ascii_lowercase();
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if lower.is_empty() || !lower.bytes().all(is_token) {
            return Err(de::Error::custom(format!("{name:?} is no name of a header")));
        }
        if NOT_IN_A_RECIPE.contains(&lower.as_str()) {
            return Err(de::Error::custom(format!(
                "`{lower}` has no place in a recipe: recipes are shared, and the client sets its own headers"
            )));
        }
        if !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) || value.len() > 4096 {
            return Err(de::Error::custom(format!("the value of `{lower}` has characters that no header may have")));
        }
        headers.insert(lower, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_people_do() {
        let request: Request = serde_json::from_str(
            r#"{"wait": "2m", "delay": "1500ms", "headers": {"Accept-Language": "de"}, "render": true}"#,
        )
        .unwrap();
        assert_eq!(request.wait, Some(Duration::from_mins(2)));
        let json = serde_json::to_string(&request).unwrap();
        assert_eq!(json, r#"{"wait":"120s","delay":"1500ms","headers":{"accept-language":"de"},"render":true}"#);
        assert_eq!(serde_json::to_string(&Request::default()).unwrap(), "{}");
    }

    #[test]
    fn what_does_not_belong_is_refused() {
        for text in [
            r#"{"wait": "301s"}"#,
            r#"{"wait": "5"}"#,
            r#"{"wait": 5}"#,
            r#"{"wait": "99999999999999999999s"}"#,
            r#"{"wait": "18446744073709551615m"}"#,
            r#"{"headers": {"Cookie": "a=b"}}"#,
            r#"{"headers": {"X-A": "a\r\nX-B: b"}}"#,
            r#"{"headers": {"a b": "c"}}"#,
            r#"{"speed": 1}"#,
        ] {
            assert!(serde_json::from_str::<Request>(text).is_err(), "{text}");
        }
    }
}
