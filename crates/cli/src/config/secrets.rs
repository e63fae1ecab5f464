//! Secrets that only the environment or separate files hold.

use std::path::Path;

use anyhow::{Context as _, bail};
use autoheal_forge::gitlab::GitLabToken;
use secrecy::SecretString;

use super::{Config, GitLabConfig};

/// Returns the key that signs posted messages. It is not a setting, either.
pub(crate) fn webhook_key() -> Option<SecretString> {
    std::env::var("AUTOHEAL_WEBHOOK_KEY").ok().filter(|key| !key.is_empty()).map(SecretString::from)
}

/// The password of the mail server. Not a setting, either.
pub(crate) fn smtp_password() -> Option<SecretString> {
    std::env::var("AUTOHEAL_SMTP_PASSWORD").ok().filter(|password| !password.is_empty()).map(SecretString::from)
}

/// Returns the token that clients of the server need. Not a setting, either.
pub(crate) fn server_token() -> Option<SecretString> {
    std::env::var("AUTOHEAL_TOKEN").ok().filter(|token| !token.is_empty()).map(SecretString::from)
}

/// Returns the secret that GitHub signs its events with. Not a setting, either.
pub(crate) fn github_webhook_secret() -> Option<SecretString> {
    std::env::var("AUTOHEAL_GITHUB_WEBHOOK_SECRET").ok().filter(|secret| !secret.is_empty()).map(SecretString::from)
}

/// Returns the token for GitHub: from the file that a flag or the settings name, else from the environment. It is not a setting itself,
/// because settings files are shared, and a secret does not belong in them.
///
/// # Errors
///
/// When the file cannot be read, or is empty.
pub(crate) fn github_token(config: &Config) -> anyhow::Result<Option<SecretString>> {
    host_token(config.github.token_file.as_deref(), &["AUTOHEAL_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"])
}

/// Returns the token for GitLab, like that for GitHub.
///
/// # Errors
///
/// When the file cannot be read, or is empty.
pub(crate) fn gitlab_token(config: &Config) -> anyhow::Result<Option<GitLabToken>> {
    let GitLabConfig { token_file, token_kind, .. } = &config.gitlab;
    let token = host_token(token_file.as_deref(), &["AUTOHEAL_GITLAB_TOKEN", "GITLAB_TOKEN"])?;
    Ok(token.map(|secret| GitLabToken { kind: *token_kind, secret }))
}

/// Returns the token in a file, else in the first of these variables that holds one.
fn host_token(file: Option<&Path>, variables: &[&str]) -> anyhow::Result<Option<SecretString>> {
    let from_environment = variables.iter().find_map(|name| std::env::var(name).ok().filter(|token| !token.is_empty()));
    let Some(path) = file else { return Ok(from_environment.map(SecretString::from)) };
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the token file {}", path.display()))?;
    let token = text.trim();
    if token.is_empty() {
        bail!("the token file {} is empty", path.display());
    }
    Ok(Some(token.to_owned().into()))
}
