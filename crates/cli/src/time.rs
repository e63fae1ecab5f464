//! Times for a reader.

use autoheal_engine::{Timestamp, counted};

/// Returns a time relative to now, such as `5 min ago`; a time that is more than 30 days away is a date.
pub(crate) fn relative(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).max(at.since(now)).as_secs();
    let distance = match seconds {
        0..60 if at > now => return "now".to_owned(),
        0..60 => return "just now".to_owned(),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        86_400..2_592_000 => counted(seconds / 86_400, "day"),
        _ => return at.to_rfc3339().chars().take(10).collect(),
    };
    if at > now { format!("in {distance}") } else { format!("{distance} ago") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_relative_up_to_a_month() {
        let now = Timestamp::from_rfc3339("2026-11-26T12:00:00Z").unwrap();
        let ago = |seconds: u64| relative(now.minus(Duration::from_secs(seconds)), now);
        let told = [0, 59, 60, 3599, 7200, 86_400, 3 * 86_400].map(ago);
        assert_eq!(told, ["just now", "just now", "1 min ago", "59 min ago", "2 h ago", "1 day ago", "3 days ago"]);
        assert_eq!(ago(40 * 86_400), "2026-10-17");
        assert_eq!(relative(now.plus(Duration::from_mins(5)), now), "in 5 min");
    }
}
