//! The hosts that this program knows, and the words of each.

use std::fmt;

/// A kind of host. Each has a client in the module of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostKind {
    /// github.com, or a GitHub Enterprise.
    GitHub,
    /// gitlab.com, or a self-hosted GitLab.
    GitLab,
}

impl HostKind {
    /// Name of the product.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
        }
    }

    /// Name of the CI that belongs to the host.
    pub const fn own_ci(self) -> &'static str {
        match self {
            Self::GitHub => "Actions",
            Self::GitLab => "GitLab CI",
        }
    }

    /// The host's word for a change request.
    pub const fn change_request(self) -> &'static str {
        match self {
            Self::GitHub => "pull request",
            Self::GitLab => "merge request",
        }
    }

    /// The variable of the environment that holds a token.
    pub const fn token_variable(self) -> &'static str {
        match self {
            Self::GitHub => "AUTOHEAL_GITHUB_TOKEN",
            Self::GitLab => "AUTOHEAL_GITLAB_TOKEN",
        }
    }

    /// Description of its addresses, for messages.
    pub const fn address_form(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub's API; write https://api.github.com, or https://HOST/api/v3 for GitHub Enterprise",
            Self::GitLab => "a GitLab; write https://HOST, or https://HOST/PATH where it lies below a path",
        }
    }

    /// The page of the manual about it.
    pub const fn manual(self) -> &'static str {
        match self {
            Self::GitHub => "docs/github.md",
            Self::GitLab => "docs/gitlab.md",
        }
    }
}

impl fmt::Display for HostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
