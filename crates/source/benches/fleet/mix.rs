//! Mix of events that happen to the pages of a fleet in a month.
//!
//! No statistics of the changes to scraped pages are published, so the numbers are a decision, written down here to be
//! debated. They follow what is known of scrapers that break: class names that change with every build are the most frequent
//! cause, redesigns the hardest, pages that answer 200 without the data the most harmful, and temporary trouble is as frequent
//! as permanent trouble.

use autoheal_testkit::site::{Change, Layout};

use crate::random::Random;

/// Event that can happen to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    NewValues,
    RenamedClasses,
    Wrapped,
    Retagged,
    Redesign,
    TrialLayout,
    FieldAway,
    FieldGone,
    OtherText,
    LookAlike,
    Moved,
    Redirected,
    PageGone,
    Slow,
    RateLimited,
    ShortOutage,
    LongOutage,
}

/// Duration of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    ForGood,
    /// Reverted after this many hours (minimum and maximum).
    Hours(u64, u64),
}

/// A row of the mix.
pub(crate) struct Row {
    pub(crate) event: Event,
    pub(crate) name: &'static str,
    /// Number of times it happens to 100 sources in 30 days.
    pub(crate) per_month: usize,
    pub(crate) lasts: Lasts,
    /// Reason for this frequency and duration.
    pub(crate) why: &'static str,
}

const fn row(event: Event, name: &'static str, per_month: usize, lasts: Lasts, why: &'static str) -> Row {
    Row { event, name, per_month, lasts, why }
}

/// The mix. Every source suffers 1.7 changes a month besides new values.
pub(crate) const MIX: &[Row] = &[
    row(
        Event::NewValues,
        "new values",
        300,
        Lasts::ForGood,
        "what a scraper is for: prices and articles change, nothing is broken",
    ),
    row(
        Event::RenamedClasses,
        "classes renamed",
        38,
        Lasts::ForGood,
        "names made by a build change with every release",
    ),
    row(Event::Wrapped, "wrapped", 12, Lasts::ForGood, "advertising and consent frames are put around things"),
    row(Event::Retagged, "other tags", 10, Lasts::ForGood, "headings and spans are exchanged by small rewrites"),
    row(Event::Redesign, "redesign", 20, Lasts::ForGood, "rarer than that, and what breaks everything at once"),
    row(Event::TrialLayout, "trial of a layout", 6, Lasts::Hours(12, 72), "tried on some visitors and taken back"),
    row(
        Event::FieldAway,
        "field away",
        6,
        Lasts::Hours(6, 30),
        "sold out, not rated yet: the value is not there for a while",
    ),
    row(Event::FieldGone, "field gone", 2, Lasts::ForGood, "no longer published: only a person can decide what then"),
    row(
        Event::OtherText,
        "another text",
        8,
        Lasts::Hours(6, 48),
        "answers 200 without the data: `log in to see the price`",
    ),
    row(
        Event::LookAlike,
        "look-alike",
        2,
        Lasts::Hours(12, 48),
        "another person's name: nothing in the page tells that it is wrong",
    ),
    row(Event::Moved, "moved", 8, Lasts::ForGood, "404; the page is elsewhere on the site"),
    row(Event::Redirected, "redirected", 10, Lasts::ForGood, "301 to the new address, as it should be"),
    row(Event::PageGone, "page gone", 1, Lasts::ForGood, "404 for good: only a person can decide what then"),
    row(Event::Slow, "slow", 6, Lasts::Hours(12, 48), "longer than the usual patience"),
    row(Event::RateLimited, "rate limited", 6, Lasts::Hours(8, 24), "429 with Retry-After"),
    row(
        Event::ShortOutage,
        "short outage",
        24,
        Lasts::Hours(1, 6),
        "5xx: maintenance and accidents, mostly over before the next run",
    ),
    row(Event::LongOutage, "long outage", 4, Lasts::Hours(12, 36), "5xx over several runs"),
];

/// Event that happens to one source at a planned time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Hours since the beginning.
    pub(crate) begins: f64,
    /// Hours from the beginning until it is reverted; `None`: it is not.
    pub(crate) ends: Option<f64>,
    pub(crate) source: usize,
    pub(crate) event: Event,
}

/// The events of a fleet, the first one first. As many of each as the mix says, whatever the seed.
pub(crate) fn plan(sources: usize, days: u64, random: &mut Random) -> Vec<Plan> {
    let hours = f64::from(u32::try_from(days * 24).unwrap_or(u32::MAX));
    let mut plans = Vec::new();
    for row in MIX {
        let share = row.per_month * sources * usize::try_from(days).unwrap_or(30);
        for _ in 0..share.div_ceil(3000) {
            let begins = 12.0 + random.fraction() * (hours - 36.0).max(1.0);
            let ends = match row.lasts {
                Lasts::ForGood => None,
                Lasts::Hours(least, most) => {
                    let span = f64::from(u32::try_from(most - least).unwrap_or(0));
                    Some(begins + f64::from(u32::try_from(least).unwrap_or(0)) + random.fraction() * span)
                }
            };
            plans.push(Plan { begins, ends, source: random.below(sources), event: row.event });
        }
    }
    plans.sort_by(|one, other| one.begins.total_cmp(&other.begins));
    plans
}

/// The row of an event.
pub(crate) fn row_of(event: Event) -> &'static Row {
    MIX.iter().find(|row| row.event == event).unwrap()
}

/// Another layout than this one.
pub(crate) fn other_layout(than: Layout, random: &mut Random) -> Layout {
    let others: Vec<Layout> = Layout::ALL.into_iter().filter(|layout| *layout != than).collect();
    others[random.below(others.len())]
}

/// Returns a change that puts another text in place of the value of a random field.
pub(crate) fn other_text(is_article: bool, random: &mut Random) -> Change {
    let texts: &[(&str, &str)] = if is_article {
        &[("title", "We value your privacy"), ("author", "Advertisement"), ("date", "Updated recently")]
    } else {
        &[("price", "Log in to see the price"), ("title", "Are you a robot?"), ("sku", "Currently unavailable")]
    };
    let (field, by) = texts[random.below(texts.len())];
    Change::ReplaceField { field: field.to_owned(), by: by.to_owned() }
}

/// Something of the same kind in a field's place.
pub(crate) fn look_alike(is_article: bool) -> Change {
    let (field, by) = if is_article { ("author", "Marta Feldmann") } else { ("price", "4.95") };
    Change::ReplaceField { field: field.to_owned(), by: by.to_owned() }
}
