//! Start addresses with ranges of pages: `https://example.org/list?page=[1-20]`, `[001-100]`, `[0-100:10]`.

use url::Url;

/// Maximum number of addresses that ranges expand to.
const MOST: usize = 1000;
/// The longest address with ranges, in bytes.
const LONGEST: usize = 2000;

/// Expands a text into addresses; true if there are more than are returned. `None`: it is not an address.
pub(super) fn addresses_of(text: &str) -> Option<(Vec<Url>, bool)> {
    if text.len() > LONGEST {
        return None;
    }
    let Some((before, range, after)) = first_range(text) else {
        return Url::parse(text).ok().map(|url| (vec![url], false));
    };
    let mut urls = Vec::new();
    let mut number = range.from;
    let mut are_more = false;
    while number <= range.to && urls.len() < MOST {
        let (some, more) = addresses_of(&format!("{before}{number:0width$}{after}", width = range.width))?;
        urls.extend(some);
        are_more |= more;
        number = number.checked_add(range.step)?;
    }
    are_more |= number <= range.to || urls.len() > MOST;
    urls.truncate(MOST);
    Some((urls, are_more))
}

struct Range {
    from: u64,
    to: u64,
    step: u64,
    /// Minimum number of digits of a number.
    width: usize,
}

fn first_range(text: &str) -> Option<(&str, Range, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (inside, after) = rest.split_once(']')?;
    let (from, rest) = inside.split_once('-')?;
    let (to, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let is_number = |text: &str| !text.is_empty() && text.len() < 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    if ![from, to, step].into_iter().all(is_number) {
        return None;
    }
    let width = if from.starts_with('0') { from.len() } else { 1 };
    let range = Range { from: from.parse().ok()?, to: to.parse().ok()?, step: step.parse().ok()?, width };
    (range.step > 0 && range.from <= range.to).then_some((before, range, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(text: &str) -> Vec<String> {
        addresses_of(text).map(|(urls, _)| urls.into_iter().map(String::from).collect()).unwrap_or_default()
    }

    #[test]
    fn ranges_stand_for_many() {
        assert_eq!(urls("https://example.org/a"), ["https://example.org/a"]);
        assert_eq!(urls("https://example.org/[1-3]/x"), [1, 2, 3].map(|n| format!("https://example.org/{n}/x")));
        assert_eq!(
            urls("https://example.org/?p=[008-010]"),
            ["008", "009", "010"].map(|n| format!("https://example.org/?p={n}"))
        );
        assert_eq!(urls("https://example.org/?p=[0-20:10]").len(), 3);
        assert_eq!(urls("https://example.org/[1-2]/[1-3]").len(), 6);
        assert_eq!(
            addresses_of("https://example.org/[1-99999999999]").map(|(urls, more)| (urls.len(), more)),
            Some((MOST, true))
        );
        assert_eq!(urls("https://example.org/?filter[]=a"), ["https://example.org/?filter[]=a"]);
        assert_eq!(urls("https://example.org/[3-1]").len(), 1);
        assert_eq!(addresses_of("no address"), None);
        assert_eq!(addresses_of(&format!("https://example.org/{}", "[1-2]".repeat(100_000))), None);
    }
}
