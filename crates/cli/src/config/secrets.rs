//! Secrets that only the environment holds.

use secrecy::SecretString;

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
