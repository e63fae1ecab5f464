//! Secrets that only the environment or separate files hold.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail, ensure};
use autoheal_forge::gitlab::GitLabToken;
use autoheal_server::http::UserToken;
use secrecy::{ExposeSecret as _, SecretString};

use super::{Config, GitLabConfig};

/// Maximum length of the name of a user, in characters.
const LONGEST_USER: usize = 100;
/// Minimum length of the token of a user, in characters.
const SHORTEST_TOKEN: usize = 16;

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

/// Returns the tokens of the users that a file lists, one line each: `NAME TOKEN`. Empty lines and those that begin with `#` do not count.
///
/// # Errors
///
/// If the file cannot be read, or for a line that gives no name and token, or gives one of them again. No error repeats a token.
pub(crate) fn user_tokens(file: &Path) -> anyhow::Result<Vec<UserToken>> {
    let place = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read the tokens in {place}"))?;
    let mut tokens: Vec<UserToken> = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| anyhow!("{place}, line {number}: {what}");
        let (user, token) =
            line.rsplit_once(char::is_whitespace).ok_or_else(|| wrong("expected a name, a space and a token"))?;
        let user = user.trim_end();
        if user.chars().count() > LONGEST_USER || user.chars().any(char::is_control) {
            bail!(wrong("the name is longer than 100 characters, or holds control characters"));
        }
        if token.len() < SHORTEST_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            bail!(wrong("the token has fewer than 16 characters, or others than visible ASCII"));
        }
        if tokens.iter().any(|other| other.user == user || other.token.expose_secret() == token) {
            bail!(wrong("the name or the token is there already"));
        }
        tokens.push(UserToken { user: user.to_owned(), token: token.to_owned().into() });
    }
    ensure!(!tokens.is_empty(), "{place} has no tokens; expected lines `NAME TOKEN`");
    Ok(tokens)
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
