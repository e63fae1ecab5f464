//! Configuration: the settings file, overridden by the environment, overridden by the flags.
//!
//! The file is the user's, never the repository's: a repository must not choose its own sandbox.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use autoheal_llm::Provider;
use autoheal_repo::caches::CacheLimits;
use figment::Figment;
use figment::providers::{Format as _, Toml};
use secrecy::SecretString;
use url::Url;

mod definitions;
mod effective;
mod flags;
#[cfg(test)]
mod page;
mod secrets;
mod setting;

use definitions::SETTINGS;
pub(crate) use definitions::{
    Config, GitConfig, GitHubConfig, GitLabConfig, KindsConfig, LlmConfig, MailConfig, SandboxConfig,
};
pub(crate) use effective::{Effective, Origin, effective};
pub(crate) use flags::{Given, given, with_flags};
pub(crate) use secrets::{
    github_token, github_webhook_secret, gitlab_token, server_token, smtp_password, user_tokens, webhook_key,
};
use setting::PREFIX;

/// Environment variables that have the prefix of settings but are not settings: secrets, and variables for this repository's tests.
const NOT_SETTINGS: [&str; 11] = [
    "GITHUB_TOKEN",
    "GITLAB_TOKEN",
    "TOKEN",
    "WEBHOOK_KEY",
    "GITHUB_WEBHOOK_SECRET",
    "SMTP_PASSWORD",
    "FAIL_POINT",
    "SKIP_LOG",
    "TEST_POSTGRES",
    "TEST_GITHUB_DESCRIPTION",
    "TEST_WEBHOOK_EXAMPLES",
];

impl Config {
    /// Returns the settings: those of the flags, of the environment, of the file (this one, or the user's if there is one), and the
    /// defaults, in this order of precedence.
    ///
    /// # Errors
    ///
    /// For a file that cannot be read or holds an unknown key (with its line), and for a variable with a wrong value.
    pub(crate) fn load(file: Option<&Path>, flags: Vec<Given>) -> anyhow::Result<Self> {
        let file = read_file(file)?;
        for setting in SETTINGS {
            let limits = file.find_value(setting.key).map_or(Ok(()), |value| setting.check(&value));
            limits.map_err(|reason| anyhow!("invalid value of the setting {}: {reason}", setting.key))?;
        }
        let given = environment()?.into_iter().chain(flags);
        Ok(given.fold(file, |all, (setting, value)| all.merge((setting.key, value))).extract()?)
    }

    /// Returns the limits on the data that installs keep for later runs.
    pub(crate) fn caches(&self) -> CacheLimits {
        CacheLimits {
            bytes: self.heal.cache_gib.saturating_mul(1 << 30),
            age: Duration::from_secs(self.heal.cache_days.saturating_mul(86_400)),
            resolved: Duration::from_secs(self.heal.resolve_minutes.saturating_mul(60)),
        }
    }

    /// Returns the folder for runs, caches and the database.
    ///
    /// # Errors
    ///
    /// When the folder is not set and there is no home folder.
    pub(crate) fn data_dir(&self) -> anyhow::Result<PathBuf> {
        let default = || base_folder("XDG_DATA_HOME", ".local/share").map(|base| base.join("autoheal"));
        self.data_dir.clone().or_else(default).context("there is no home folder; set a data folder with --data-dir")
    }
}

/// Returns the settings of a file: this one, or the user's if there is one.
fn read_file(file: Option<&Path>) -> anyhow::Result<Figment> {
    let path = file.map(Path::to_owned).or_else(|| user_file().filter(|path| path.exists()));
    let Some(path) = path else { return Ok(Figment::new()) };
    let name = path.display();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read the settings file {name}"))?;
    // Figment does not know lines; this pass is for its message.
    toml::from_str::<Config>(&text).with_context(|| format!("invalid settings file {name}"))?;
    Ok(Figment::from(Toml::string(&text)))
}

/// Returns the settings of the environment. An unknown variable is an error, because it may be a misspelled setting.
fn environment() -> anyhow::Result<Vec<Given>> {
    let mut given = Vec::new();
    for (name, text) in std::env::vars_os() {
        let Some(short) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let variables = || SETTINGS.iter().filter_map(|setting| Some((setting, setting.variable?)));
        if let Some((setting, variable)) = variables().find(|(_, variable)| *variable == short) {
            let value = text.to_str().ok_or_else(|| "it is not valid UTF-8".to_owned());
            let value = value.and_then(|text| setting.parse(text));
            let named =
                |reason| anyhow!("invalid value of the variable {PREFIX}{variable} ({}): {reason}", setting.key);
            given.push((setting, value.map_err(named)?));
        } else if !NOT_SETTINGS.contains(&short) {
            let likeness = |variable| strsim::jaro(variable, short);
            let nearest = variables().map(|(_, variable)| variable);
            let nearest = nearest.max_by(|one, other| likeness(one).total_cmp(&likeness(other))).unwrap_or_default();
            bail!(
                "unknown environment variable {PREFIX}{short}; the most similar one is {PREFIX}{nearest} (docs/settings.md lists all)"
            );
        }
    }
    Ok(given)
}

impl LlmConfig {
    /// Returns the address of a provider, if it is not the provider's own.
    pub(crate) fn base_url(&self, provider: Provider) -> Option<Url> {
        let urls = &self.base_urls;
        match provider {
            Provider::OpenAi => urls.openai.clone(),
            Provider::Anthropic => urls.anthropic.clone(),
            Provider::Gemini => urls.gemini.clone(),
            Provider::Ollama => urls.ollama.clone(),
        }
    }
}

/// The key of a provider: from the environment, else from the file that the settings name.
///
/// # Errors
///
/// When the file cannot be read.
pub(crate) fn provider_key(provider: Provider, config: &LlmConfig) -> anyhow::Result<Option<SecretString>> {
    let from_environment = provider.key_variable().and_then(|name| std::env::var(name).ok());
    if let Some(key) = from_environment.filter(|key| !key.is_empty()) {
        return Ok(Some(key.into()));
    }
    let Some(path) = config.key_files.get(&provider) else { return Ok(None) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the key file {}", path.display()))?;
    Ok(Some(text.trim().to_owned().into()))
}

fn user_file() -> Option<PathBuf> {
    base_folder("XDG_CONFIG_HOME", ".config").map(|base| base.join("autoheal").join("autoheal.toml"))
}

/// A folder of the XDG base directory specification.
fn base_folder(variable: &str, under_home: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(under_home)))
}
