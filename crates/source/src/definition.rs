//! What a source is: its page, its blueprint, how often it is run and who may change its recipe.

use std::time::Duration;

use autoheal_page::recipe::{FieldName, Recipe};
use autoheal_page::value::ValueType;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::cron::CronExpression;

/// Who decides whether a fix goes into force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HealPolicy {
    /// The validation.
    #[default]
    Auto,
    /// A person.
    Review,
}

/// What a page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// One thing.
    Single,
    /// A list of things.
    List,
}

/// A field as the blueprint wants it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlueprintField {
    /// Its name.
    pub name: FieldName,
    /// The type of its values.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// Whether it is a list.
    pub many: bool,
    /// Whether a page without it is a failure.
    pub required: bool,
}

/// What a source should yield (spec `doctor-agent.md`, `DataBlueprint`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blueprint {
    /// The page it was made for.
    pub base_url: Url,
    /// One thing or many.
    pub kind: PageKind,
    /// What each has.
    pub fields: Vec<BlueprintField>,
}

impl Blueprint {
    /// What a recipe yields from the page at `base_url`.
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
    /// Where its page is; of several pages of one template, the first.
    pub url: Url,
    /// The other pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Url>,
    /// What it should yield.
    pub blueprint: Blueprint,
    /// Seconds between two runs, where no times are named.
    pub interval_seconds: u64,
    /// The times of its runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<CronExpression>,
    /// Who decides about fixes.
    pub heal_policy: HealPolicy,
    /// Where changes of its values are posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Url>,
}

impl Definition {
    /// How often a source runs when nothing is said.
    pub const DEFAULT_INTERVAL: Duration = Duration::from_hours(6);

    /// The longest time between two runs that slowing down leads to.
    pub const LONGEST_INTERVAL: Duration = Duration::from_hours(7 * 24);

    /// The time between two runs.
    pub const fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_seconds)
    }

    /// Every page that the source names, the first one first.
    pub fn pages(&self) -> impl Iterator<Item = &Url> {
        std::iter::once(&self.url).chain(&self.more)
    }

    /// The same with one of its pages at another address.
    #[must_use]
    pub fn moved(&self, page: &Url, to: &Url) -> Self {
        let mut moved = self.clone();
        for url in std::iter::once(&mut moved.url).chain(&mut moved.more).filter(|url| *url == page) {
            url.clone_from(to);
        }
        moved.blueprint.base_url.clone_from(&moved.url);
        moved
    }

    /// This definition with what differs between two others: what a fix or its undoing changes, while settings that a person has made
    /// meanwhile stay.
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
        if from.schedule != to.schedule {
            changed.schedule.clone_from(&to.schedule);
        }
        if from.heal_policy != to.heal_policy {
            changed.heal_policy = to.heal_policy;
        }
        if from.webhook != to.webhook {
            changed.webhook.clone_from(&to.webhook);
        }
        changed.blueprint = Blueprint { base_url: changed.url.clone(), ..to.blueprint.clone() };
        changed
    }

    /// The same, run half as often. Times that a person named stay.
    #[must_use]
    pub fn slowed_down(&self) -> Self {
        if self.schedule.is_some() {
            return self.clone();
        }
        let slower = self.interval_seconds.max(60).saturating_mul(2).min(Self::LONGEST_INTERVAL.as_secs());
        Self { interval_seconds: slower, ..self.clone() }
    }
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
            schedule: None,
            heal_policy: HealPolicy::Auto,
            webhook: None,
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
    }
}
