//! A source as a file that people review, keep in git, and carry to another machine.

use autoheal_page::recipe::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::add::AddRequest;
use crate::cron::CronExpression;
use crate::definition::{Definition, HealPolicy, OnUncertain};

/// Settings of a source that users decide, and its active recipe. Health, stored pages and values are not included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// URL of the page to scrape.
    pub url: Url,
    /// Further pages of the same template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Url>,
    /// Seconds between two runs, where no times are named.
    #[serde(default = "default_interval")]
    pub interval_seconds: u64,
    /// The times of its runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<CronExpression>,
    /// Authority that decides about fixes.
    #[serde(default)]
    pub heal_policy: HealPolicy,
    /// Fate of a run in which some fields are uncertain.
    #[serde(default)]
    pub on_uncertain: OnUncertain,
    /// URL to which changes of its values are posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Url>,
    /// The recipe; without one, it is proposed when the source is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

const fn default_interval() -> u64 {
    Definition::DEFAULT_INTERVAL.as_secs()
}

/// Error of reading or writing a source file.
#[derive(Debug, thiserror::Error)]
pub enum SourceFileError {
    /// The text is not valid TOML, or does not describe a source.
    #[error("{0}")]
    Toml(#[from] Box<toml::de::Error>),
    /// It cannot be written as TOML.
    #[error("the source cannot be written as TOML: {0}")]
    Unwritable(#[from] Box<toml::ser::Error>),
}

impl SourceFile {
    /// A source that is there.
    pub fn of(definition: &Definition, recipe: &Recipe) -> Self {
        Self {
            url: definition.url.clone(),
            more: definition.more.clone(),
            interval_seconds: definition.interval_seconds,
            schedule: definition.schedule.clone(),
            heal_policy: definition.heal_policy,
            on_uncertain: definition.on_uncertain,
            webhook: definition.webhook.clone(),
            recipe: Some(recipe.clone()),
        }
    }

    /// Returns a source file for a page, with default settings.
    pub fn at(url: Url) -> Self {
        Self {
            url,
            more: Vec::new(),
            interval_seconds: default_interval(),
            schedule: None,
            heal_policy: HealPolicy::default(),
            on_uncertain: OnUncertain::default(),
            webhook: None,
            recipe: None,
        }
    }

    /// Reads TOML.
    ///
    /// # Errors
    ///
    /// The line and column of the fault, for a text that does not describe a source.
    pub fn parse(text: &str) -> Result<Self, SourceFileError> {
        toml::from_str(text).map_err(|error| Box::new(error).into())
    }

    /// As TOML: the same source is always the same text.
    ///
    /// # Errors
    ///
    /// When the recipe holds what TOML cannot, such as a number beyond 64 bits.
    pub fn to_toml(&self) -> Result<String, SourceFileError> {
        toml::to_string_pretty(self).map_err(|error| Box::new(error).into())
    }

    /// Returns the request that adds the source.
    pub fn into_request(self) -> AddRequest {
        AddRequest {
            more: self.more,
            recipe: self.recipe,
            interval_seconds: self.interval_seconds,
            schedule: self.schedule,
            heal_policy: self.heal_policy,
            on_uncertain: self.on_uncertain,
            webhook: self.webhook,
            ..AddRequest::new(self.url)
        }
    }

    /// The definition of a source that is there as the file wants it.
    #[must_use]
    pub fn redefine(&self, definition: &Definition) -> Definition {
        let mut wanted = definition.clone();
        wanted.url.clone_from(&self.url);
        wanted.blueprint.base_url.clone_from(&self.url);
        wanted.more.clone_from(&self.more);
        wanted.interval_seconds = self.interval_seconds;
        wanted.schedule.clone_from(&self.schedule);
        wanted.heal_policy = self.heal_policy;
        wanted.on_uncertain = self.on_uncertain;
        wanted.webhook.clone_from(&self.webhook);
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
url = "https://example.com/1"
more = ["https://example.com/2"]
schedule = "0 6 * * MON"

[recipe]
version = 1

[recipe.fields.title]
select = "h1"
example = ["A \"title\""]
"#;

    #[test]
    fn what_is_written_is_read_back() {
        let file = SourceFile::parse(FILE).unwrap();
        assert_eq!((file.interval_seconds, file.heal_policy), (21_600, HealPolicy::Auto));
        assert_eq!(SourceFile::parse(&file.to_toml().unwrap()).unwrap(), file);
    }

    #[test]
    fn a_word_that_means_nothing_is_refused_with_its_line() {
        for (good, bad, told) in [
            ("more =", "mroe =", "mroe"),
            ("select = \"h1\"", "selcet = \"h1\"", "selcet"),
            ("select = \"h1\"", "select = \"h1[\"", "line 10"),
            ("0 6 * * MON", "daily", "0 6 * * *"),
        ] {
            let error = SourceFile::parse(&FILE.replace(good, bad)).unwrap_err().to_string();
            assert!(error.contains("line") && error.contains(told), "{error}");
        }
    }
}
