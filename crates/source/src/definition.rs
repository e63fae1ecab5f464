//! Definition of a source: its page, its blueprint, the times of its runs, and the policy for changes to its recipe.

use std::time::Duration;

use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_page::value::ValueType;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::call_site::CallSite;
use crate::cron::CronExpression;

/// Authority that decides whether a fix becomes active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HealPolicy {
    /// The validation: a fix that passes it becomes active.
    #[default]
    Auto,
    /// A reviewer: a fix that passes the validation waits for approval.
    Review,
}

/// Fate of a run in which some fields are uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUncertain {
    /// No values of the page are accepted.
    #[default]
    SkipRun,
    /// The values of the other fields are accepted.
    SkipField,
}

/// Kind of content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A page about one thing.
    Single,
    /// A list of things.
    List,
}

/// A field as the blueprint wants it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlueprintField {
    /// Name of the field.
    pub name: FieldName,
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// True if it is a list.
    pub many: bool,
    /// True if a page without it is a failure.
    pub required: bool,
}

/// Data that a source should yield (spec `doctor-agent.md`, `DataBlueprint`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blueprint {
    /// The page it was made for.
    pub base_url: Url,
    /// One thing or many.
    pub kind: PageKind,
    /// Fields of each record.
    pub fields: Vec<BlueprintField>,
}

impl Blueprint {
    /// Returns the blueprint of the data that a recipe yields from the page at `base_url`.
    pub fn of(base_url: Url, recipe: &Recipe) -> Self {
        let field = |field: &autoheal_page::recipe::Field| BlueprintField {
            name: field.name.clone(),
            value_type: field.value_type(),
            many: field.many,
            required: field.required,
        };
        let kind = if recipe.items().is_some() { PageKind::List } else { PageKind::Single };
        Self { base_url, kind, fields: recipe.fields().iter().map(field).collect() }
    }
}

/// A source as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// URL of its page; of several pages of one template, the first.
    pub url: Url,
    /// Further pages of the same template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Url>,
    /// Data that it should yield.
    pub blueprint: Blueprint,
    /// Seconds between two runs, where no times are named.
    pub interval_seconds: u64,
    /// Number of times that the interval and the pause before a request are doubled for now, because the site asked for fewer requests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub slowdown: u32,
    /// The times of its runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<CronExpression>,
    /// Authority that decides about fixes.
    pub heal_policy: HealPolicy,
    /// Fate of a run in which some fields are uncertain.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_uncertain: OnUncertain,
    /// URL to which changes of its values are posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Url>,
    /// Places of a program that read its fields, if a program of the user's feeds it: then it has no runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<CallSite>,
}

impl Definition {
    /// Interval between the runs of a source when none is set.
    pub const DEFAULT_INTERVAL: Duration = Duration::from_hours(6);

    /// The longest time between two runs that slowing down leads to.
    pub const LONGEST_INTERVAL: Duration = Duration::from_hours(7 * 24);

    /// The pause before a request when a site asks for fewer requests for the first time, and its maximum: a later request slot is not
    /// waited for.
    const FIRST_PAUSE: Duration = Duration::from_secs(5);
    const LONGEST_PAUSE: Duration = Duration::from_secs(90);

    /// The time between two runs for now.
    pub fn interval(&self) -> Duration {
        let usual = Duration::from_secs(self.interval_seconds);
        if self.slowdown == 0 {
            return usual;
        }
        let doubled = usual.max(Duration::from_mins(1)).saturating_mul(1 << self.slowdown.min(20));
        doubled.min(Self::LONGEST_INTERVAL.max(usual))
    }

    /// The pause before a request for now, in addition to the host's usual pace.
    pub fn pause(&self) -> Duration {
        match self.slowdown.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => Self::FIRST_PAUSE.saturating_mul(1 << doublings.min(20)).min(Self::LONGEST_PAUSE),
        }
    }

    /// Every page that the source names, the first one first.
    pub fn pages(&self) -> impl Iterator<Item = &Url> {
        std::iter::once(&self.url).chain(&self.more)
    }

    /// Returns the definition with one of its pages at another URL.
    #[must_use]
    pub fn moved(&self, page: &Url, to: &Url) -> Self {
        let mut moved = self.clone();
        for url in std::iter::once(&mut moved.url).chain(&mut moved.more).filter(|url| *url == page) {
            url.clone_from(to);
        }
        moved.blueprint.base_url.clone_from(&moved.url);
        moved
    }

    /// Returns this definition with the differences between two others applied: the changes of a fix or of its rollback. Settings
    /// that a user has changed in the meantime are kept.
    #[must_use]
    pub fn changed_as(&self, from: &Self, to: &Self) -> Self {
        let mut changed = self.clone();
        if from.more.len() == to.more.len() {
            for (old, new) in from.pages().zip(to.pages()).filter(|(old, new)| old != new) {
                changed = changed.moved(old, new);
            }
        } else {
            changed.url.clone_from(&to.url);
            changed.more.clone_from(&to.more);
        }
        if from.interval_seconds != to.interval_seconds {
            changed.interval_seconds = to.interval_seconds;
        }
        if from.slowdown != to.slowdown {
            changed.slowdown = to.slowdown;
        }
        if from.schedule != to.schedule {
            changed.schedule.clone_from(&to.schedule);
        }
        if from.heal_policy != to.heal_policy {
            changed.heal_policy = to.heal_policy;
        }
        if from.on_uncertain != to.on_uncertain {
            changed.on_uncertain = to.on_uncertain;
        }
        if from.webhook != to.webhook {
            changed.webhook.clone_from(&to.webhook);
        }
        changed.blueprint = Blueprint { base_url: changed.url.clone(), ..to.blueprint.clone() };
        changed
    }

    /// Returns the definition with the interval and the pause doubled, each up to the longest one. A schedule of fixed times is kept.
    #[must_use]
    pub fn slowed_down(&self) -> Self {
        let slower = Self { slowdown: self.slowdown + 1, ..self.clone() };
        let runs_less_often = self.schedule.is_none() && slower.interval() > self.interval();
        if runs_less_often || slower.pause() > self.pause() { slower } else { self.clone() }
    }

    /// Returns the definition with one doubling taken back; `None`: the interval is the usual one.
    pub fn recovered(&self) -> Option<Self> {
        Some(Self { slowdown: self.slowdown.checked_sub(1)?, ..self.clone() })
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_has_set_outlives_a_fix_and_its_undoing() {
        let url = |path: &str| Url::parse(&format!("https://example.com/{path}")).unwrap();
        let first = Definition {
            url: url("old"),
            more: vec![url("other")],
            blueprint: Blueprint { base_url: url("old"), kind: PageKind::Single, fields: Vec::new() },
            interval_seconds: 60,
            slowdown: 0,
            schedule: None,
            heal_policy: HealPolicy::Auto,
            on_uncertain: OnUncertain::SkipRun,
            webhook: None,
            sites: Vec::new(),
        };
        let fixed = first.moved(&url("old"), &url("new"));
        let mut current = fixed.clone();
        (current.heal_policy, current.webhook) = (HealPolicy::Review, Some(url("hook")));
        current.more.push(url("third"));
        let undone = current.changed_as(&fixed, &first);
        assert_eq!((&undone.url, undone.heal_policy), (&url("old"), HealPolicy::Review));
        assert_eq!((&undone.more, &undone.webhook), (&vec![url("other"), url("third")], &Some(url("hook"))));
        assert_eq!(undone.blueprint.base_url, url("old"));
        assert_eq!(undone.changed_as(&first, &fixed), current);

        let hours = |definition: &Definition| definition.interval().as_secs() / 3600;
        let daily = Definition { interval_seconds: 86_400, ..first };
        let mut slow = daily.clone();
        let slower = std::iter::from_fn(|| {
            slow = slow.slowed_down();
            Some(hours(&slow))
        });
        assert_eq!(slower.take(5).collect::<Vec<_>>(), [48, 96, 168, 168, 168]);
        let faster = std::iter::from_fn(|| {
            slow = slow.recovered()?;
            Some(hours(&slow))
        });
        assert_eq!(faster.collect::<Vec<_>>(), [168, 168, 96, 48, 24]);
        assert_eq!(slow, daily);
        let pauses = (0..8).map(|slowdown| Definition { slowdown, ..daily.clone() }.pause().as_secs());
        assert_eq!(pauses.collect::<Vec<_>>(), [0, 5, 10, 20, 40, 80, 90, 90]);
    }
}
