//! How an error is told over HTTP (spec "Error Response Format").

use autoheal_engine::ErrorCode;
use autoheal_orchestrator::PerformError;
use autoheal_store::StoreError;
use autoheal_store::system_time;
use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::schema::{self, Time};

macro_rules! codes {
    ($($(#[$documentation:meta])* $variant:ident = $name:literal, $status:ident;)+) => {
        /// What is told: one of the spec's fifteen codes, or one of the API's own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ApiCode {
            /// One of the spec's.
            Spec(ErrorCode),
            $($(#[$documentation])* $variant,)+
        }

        impl ApiCode {
            const OWN: &'static [Self] = &[$(Self::$variant,)+];

            /// The code as it is written.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Spec(code) => code.name(),
                    $(Self::$variant => $name,)+
                }
            }

            /// The status that goes with it.
            pub const fn status(self) -> StatusCode {
                match self {
                    Self::Spec(code) => status_of(code),
                    $(Self::$variant => StatusCode::$status,)+
                }
            }
        }
    };
}

codes! {
    /// There is no such job.
    JobNotFound = "JOB_NOT_FOUND", NOT_FOUND;
    /// There is no such run.
    RunNotFound = "RUN_NOT_FOUND", NOT_FOUND;
    /// There is no such task.
    TaskNotFound = "TASK_NOT_FOUND", NOT_FOUND;
    /// There is no such source.
    SourceNotFound = "SOURCE_NOT_FOUND", NOT_FOUND;
    /// There is nothing at this address.
    NotFound = "NOT_FOUND", NOT_FOUND;
    /// The token is missing or wrong.
    Unauthorized = "UNAUTHORIZED", UNAUTHORIZED;
    /// Too many requests.
    RateLimited = "RATE_LIMITED", TOO_MANY_REQUESTS;
    /// It contradicts what there is.
    Conflict = "CONFLICT", CONFLICT;
    /// A tool could not do what it was asked.
    ToolFailed = "TOOL_FAILED", UNPROCESSABLE_ENTITY;
    /// The server stops.
    Stopped = "STOPPED", SERVICE_UNAVAILABLE;
    /// A fault of the server.
    Internal = "INTERNAL", INTERNAL_SERVER_ERROR;
}

impl ApiCode {
    /// Every code, the spec's first.
    pub fn all() -> impl Iterator<Item = Self> {
        ErrorCode::ALL.iter().copied().map(Self::Spec).chain(Self::OWN.iter().copied())
    }
}

/// The spec leaves open which status goes with which code: the request's fault, a thing that is not there or not allowed, something that
/// was understood and could not be done, or a fault or a delay of somebody whom the server asks in turn.
const fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorCode::RepoNotFound => StatusCode::NOT_FOUND,
        ErrorCode::RepoAccessDenied => StatusCode::FORBIDDEN,
        ErrorCode::TestDiscoveryFailed
        | ErrorCode::TestExecutionFailed
        | ErrorCode::PatchApplyFailed
        | ErrorCode::SyntaxValidationFailed
        | ErrorCode::RetryLimitReached => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::RepoCloneFailed | ErrorCode::LlmApiError | ErrorCode::GitPushFailed => StatusCode::BAD_GATEWAY,
        ErrorCode::DockerBuildFailed | ErrorCode::DockerRunFailed => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::LlmTimeout | ErrorCode::CiTimeout => StatusCode::GATEWAY_TIMEOUT,
    }
}

/// An error, on its way to whoever asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    code: ApiCode,
    /// Where it differs from the code's own.
    status: Option<StatusCode>,
    message: String,
    details: Map<String, Value>,
    /// After how many seconds to ask again.
    retry_after: Option<u64>,
}

/// `{"error": {...}}`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ErrorResponse {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ErrorBody {
    /// A code that programs can rely on.
    #[schema(schema_with = schema::error_code)]
    pub code: &'static str,
    /// What happened, and what to do.
    pub message: String,
    /// What it happened to.
    #[schema(value_type = Object)]
    pub details: Map<String, Value>,
    /// When.
    pub timestamp: Time,
}

impl ApiError {
    /// An error of this code.
    pub fn new(code: ApiCode, message: impl Into<String>) -> Self {
        Self { code, status: None, message: message.into(), details: Map::new(), retry_after: None }
    }

    /// What was asked makes no sense.
    #[expect(clippy::needless_pass_by_value, reason = "errors and texts are given as they are at hand")]
    pub fn invalid(message: impl ToString) -> Self {
        Self::new(ApiCode::Spec(ErrorCode::InvalidInput), message.to_string())
    }

    /// The same with one more detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The same with another status than its code's.
    #[must_use]
    pub fn at(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// The same, to be asked again after so many seconds.
    #[must_use]
    pub fn after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// A fault of the server: its causes are for the log, not for whoever asked.
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        let causes = std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string);
        tracing::error!(error = causes.collect::<Vec<_>>().join(": "), "a request could not be answered");
        Self::new(ApiCode::Internal, "the server could not do it: its log says why")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status.unwrap_or_else(|| self.code.status());
        let body = ErrorBody {
            code: self.code.name(),
            message: self.message,
            details: self.details,
            timestamp: Time(system_time()),
        };
        let mut response = (status, Json(ErrorResponse { error: body })).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Superseded => Self::new(ApiCode::Conflict, error.to_string()),
            StoreError::Refused { .. } => Self::invalid(error),
            error => Self::internal(&error),
        }
    }
}

impl From<PerformError> for ApiError {
    fn from(error: PerformError) -> Self {
        match error {
            PerformError::AskedOtherwise { task, .. } => {
                Self::new(ApiCode::Conflict, error.to_string()).with("taskId", task.0)
            }
            PerformError::Ending(task) => Self::new(ApiCode::Conflict, error.to_string()).with("taskId", task.0),
            error => Self::internal(&error),
        }
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        // Too long and of another kind stay what they are; what cannot be understood is the request's fault.
        match rejection.status() {
            status @ (StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNSUPPORTED_MEDIA_TYPE) => {
                Self::invalid(rejection.body_text()).at(status)
            }
            _ => Self::invalid(rejection.body_text()),
        }
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(rejection.body_text())
    }
}

impl From<PathRejection> for ApiError {
    fn from(rejection: PathRejection) -> Self {
        Self::invalid(rejection.body_text())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_is_told_once_and_as_an_error() {
        let names: BTreeSet<_> = ApiCode::all().map(ApiCode::name).collect();
        assert_eq!(names.len(), ApiCode::all().count());
        for code in ApiCode::all() {
            let status = code.status();
            assert!(status.is_client_error() || status.is_server_error(), "{code:?}: {status}");
        }
    }
}
