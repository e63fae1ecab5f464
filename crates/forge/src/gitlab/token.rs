//! Kinds of tokens of GitLab (GitLab documentation, "REST API authentication").

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::host::connection::Credentials;

/// A kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// A personal, project or group access token.
    #[default]
    Private,
    /// The token of a CI job.
    Job,
    /// A token of `OAuth` 2.0.
    OAuth,
}

impl TokenKind {
    /// The name that goes with it for git.
    pub(super) const fn user(self) -> &'static str {
        match self {
            // Any name is taken with an access token.
            Self::Private | Self::OAuth => "oauth2",
            Self::Job => "gitlab-ci-token",
        }
    }
}

/// A token, with its kind.
#[derive(Debug, Clone)]
pub struct GitLabToken {
    /// Kind of the token.
    pub kind: TokenKind,
    /// The token.
    pub secret: SecretString,
}

impl GitLabToken {
    pub(super) fn into_credentials(self) -> Credentials {
        let (header, prefix) = match self.kind {
            TokenKind::Private => ("private-token", ""),
            TokenKind::Job => ("job-token", ""),
            TokenKind::OAuth => ("authorization", "Bearer "),
        };
        Credentials { header, prefix, secret: self.secret }
    }
}
