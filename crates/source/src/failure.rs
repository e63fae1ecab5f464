//! Failures of the runs of a source, as the spec's five types (`doctor-agent.md`, "Error Types (Priority Order)").

use std::fmt;
use std::time::Duration;

use autoheal_engine::StopReason;
use autoheal_engine::source::PageFault;
use autoheal_fetch::error::Phase;
use autoheal_fetch::{FetchError, Fetched};
use autoheal_page::obstacle::{Obstacle, ObstacleKind};
use serde::{Deserialize, Serialize};
use url::Url;

/// The five types, in the order in which they are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorType {
    /// The page is not there, is refused, or the site is down.
    HttpError,
    /// A selector finds nothing.
    ParseError,
    /// There is something, and it is not what the blueprint says or what it used to be.
    SchemaMismatch,
    /// The page took too long.
    Timeout,
    /// The site asks to come less often.
    RateLimit,
}

impl ErrorType {
    /// As `fix_history` holds it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HttpError => "HTTP_ERROR",
            Self::ParseError => "PARSE_ERROR",
            Self::SchemaMismatch => "SCHEMA_MISMATCH",
            Self::Timeout => "TIMEOUT",
            Self::RateLimit => "RATE_LIMIT",
        }
    }
}

impl ErrorType {
    /// Returns whether an error of this type is evidence about the recipe: an outage is not.
    pub const fn is_about_the_recipe(self) -> bool {
        match self {
            Self::ParseError | Self::SchemaMismatch => true,
            Self::HttpError | Self::Timeout | Self::RateLimit => false,
        }
    }
}

impl fmt::Display for ErrorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fault of a page: a failure of the recipe may be about several fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Name of the field; `None` if the fault is about the whole page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Type of the fault.
    pub error_type: ErrorType,
    /// Description of the fault.
    pub message: String,
}

/// Maximum length of the message of a diagnostic, in characters.
const LONGEST_MESSAGE: usize = 500;

/// Reason a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Type of the failure.
    pub error_type: ErrorType,
    /// Description of the failure.
    pub message: String,
    /// The faults of the fields, if the failure is about the recipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The status of the answer, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Time that the site asks to wait, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// True if the name of the host is unknown.
    #[serde(default)]
    pub host_unknown: bool,
    /// True if this machine could not look up the name: its own network is at fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lookup_failed: bool,
    /// True if no server was reached at all.
    #[serde(default)]
    pub unreached: bool,
    /// True if the site's robots.txt does not allow the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disallowed: bool,
    /// Kind of the page that the site gave instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<ObstacleKind>,
    /// Page of the source that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Box<Url>>,
}

impl Failure {
    /// Returns the reason for which a run with this failure ends.
    pub const fn stop_reason(&self) -> StopReason {
        match (self.error_type, self.status) {
            _ if self.is_gone() => StopReason::PageGone,
            _ if self.obstacle.is_some() => StopReason::NotThePage,
            (ErrorType::RateLimit, _) => StopReason::RateLimit,
            (ErrorType::ParseError, _) => StopReason::ParseError,
            (ErrorType::SchemaMismatch, _) => StopReason::SchemaMismatch,
            (ErrorType::Timeout, _) => StopReason::Timeout,
            (ErrorType::HttpError, Some(401 | 403 | 407 | 451)) => StopReason::AccessRefused,
            (ErrorType::HttpError, _) if self.disallowed => StopReason::AccessRefused,
            (ErrorType::HttpError, _) => StopReason::HttpError,
        }
    }

    /// Returns whether only the site can end the failure: it refuses, is down, or leads elsewhere. No change of the source could help.
    pub const fn is_of_the_site(&self) -> bool {
        match self.error_type {
            ErrorType::HttpError => !self.is_gone() && !self.needs_scripts(),
            ErrorType::Timeout => self.unreached,
            ErrorType::ParseError | ErrorType::SchemaMismatch | ErrorType::RateLimit => false,
        }
    }

    /// Returns the name of what several sources of a host may have in common.
    pub(crate) fn cause(&self) -> String {
        let reason = self.stop_reason();
        self.obstacle.map_or_else(|| reason.to_string(), |kind| format!("{reason}: {}", kind.words()))
    }

    /// Returns whether a failed attempt to heal it counts: what the site gives instead of the page is not a fault of the recipe.
    pub(crate) const fn is_a_strike(&self) -> bool {
        !self.is_of_the_site() && (self.obstacle.is_none() || self.is_gone())
    }

    /// Returns whether scripts have to run before there is a page.
    pub(crate) const fn needs_scripts(&self) -> bool {
        matches!(self.obstacle, Some(ObstacleKind::Scripts))
    }

    /// Returns whether the site says that the page does not exist.
    pub(crate) const fn is_gone(&self) -> bool {
        matches!((self.status, self.obstacle), (Some(404 | 410), _) | (_, Some(ObstacleKind::NotFound)))
    }

    /// Returns the failure of a response that is not the page: the site's, not the recipe's.
    pub(crate) fn of_obstacle(url: &Url, obstacle: &Obstacle) -> Self {
        let message = format!("{url} gives {obstacle}. {}", obstacle.kind.advice());
        Self { obstacle: Some(obstacle.kind), ..Self::new(ErrorType::HttpError, message) }
    }

    pub(crate) fn new(error_type: ErrorType, message: impl Into<String>) -> Self {
        Self {
            error_type,
            message: message.into(),
            faults: Vec::new(),
            status: None,
            retry_after: None,
            host_unknown: false,
            lookup_failed: false,
            unreached: false,
            disallowed: false,
            obstacle: None,
            page: None,
        }
    }

    /// Returns the failure with the page that it is about.
    #[must_use]
    pub(crate) fn on(self, page: &Url) -> Self {
        Self { page: Some(Box::new(page.clone())), ..self }
    }

    /// Returns the faults as diagnostics: one for each fault of a field, or one for the whole failure.
    pub(crate) fn diagnostics(&self) -> Vec<PageFault> {
        let fault = |category, field, message: &str| PageFault {
            category,
            field,
            status: self.status,
            page: self.page.as_deref().map(Url::to_string),
            message: message.chars().take(LONGEST_MESSAGE).collect(),
        };
        if self.faults.is_empty() {
            return vec![fault(self.stop_reason(), None, &self.message)];
        }
        let of_field = |one: &Fault| {
            let category = Self::new(one.error_type, "").stop_reason();
            fault(category, one.field.clone(), &one.message)
        };
        self.faults.iter().map(of_field).collect()
    }

    /// Returns the failure for a request without a response.
    pub fn of_error(error: &FetchError) -> Self {
        let error_type = match error {
            FetchError::TimedOut { .. } => ErrorType::Timeout,
            _ => ErrorType::HttpError,
        };
        let host_unknown = matches!(error, FetchError::UnknownName { .. });
        let unreached = matches!(
            error,
            FetchError::UnknownName { .. }
                | FetchError::LookupFailed { .. }
                | FetchError::Refused { .. }
                | FetchError::Unreachable { .. }
                | FetchError::TimedOut { phase: Phase::Connect, .. }
        );
        let disallowed = matches!(error, FetchError::RobotsDisallowed { .. });
        let lookup_failed = matches!(error, FetchError::LookupFailed { .. });
        Self { host_unknown, lookup_failed, unreached, disallowed, ..Self::new(error_type, error.to_string()) }
    }

    /// Returns the failure of a response without a page; `None` for a page.
    pub fn of_answer(answer: &Fetched) -> Option<Self> {
        if answer.is_success() {
            return None;
        }
        let error_type = match answer.status {
            429 => ErrorType::RateLimit,
            408 | 504 => ErrorType::Timeout,
            _ => ErrorType::HttpError,
        };
        Some(Self {
            status: Some(answer.status),
            retry_after: answer.headers.retry_after.map(|wait: Duration| wait.as_secs()),
            ..Self::new(error_type, format!("{} answers {}", answer.url, answer.status))
        })
    }
}
