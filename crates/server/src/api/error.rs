//! Errors as HTTP responses (spec "Error Response Format").

use autoheal_engine::{ErrorCode, with_causes};
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
use utoipa::openapi::schema::Schema;

use super::schema::{self, Time};

macro_rules! codes {
    ($($(#[$documentation:meta])* $variant:ident = $name:literal, $status:ident;)+) => {
        /// Code of an error: one of those of healings, or one of the API's own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ApiCode {
            /// Code of a healing.
            Spec(ErrorCode),
            $($(#[$documentation])* $variant,)+
        }

        impl ApiCode {
            const OWN: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the code as it is written in a response.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Spec(code) => code.name(),
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the HTTP status of the code.
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
    /// The client sends too many requests.
    RateLimited = "RATE_LIMITED", TOO_MANY_REQUESTS;
    /// The request conflicts with the current state of the resource.
    Conflict = "CONFLICT", CONFLICT;
    /// A tool could not do what the request asks for.
    ToolFailed = "TOOL_FAILED", UNPROCESSABLE_ENTITY;
    /// The server is shutting down.
    Stopped = "STOPPED", SERVICE_UNAVAILABLE;
    /// An internal error of the server.
    Internal = "INTERNAL", INTERNAL_SERVER_ERROR;
}

impl ApiCode {
    /// Returns all codes, those of healings first.
    pub fn all() -> impl Iterator<Item = Self> {
        ErrorCode::ALL.iter().copied().map(Self::Spec).chain(Self::OWN.iter().copied())
    }
}

/// Returns the HTTP status of a code of healings. The spec does not define it; it is chosen by the cause: an invalid request, a missing
/// or forbidden resource, a valid request that could not be carried out, or a failure or timeout of a service that the server depends on.
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
        ErrorCode::DockerBuildFailed | ErrorCode::DockerRunFailed | ErrorCode::StoreUnavailable => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        ErrorCode::DiskFailed => StatusCode::INSUFFICIENT_STORAGE,
        ErrorCode::StepFailed => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::LlmTimeout | ErrorCode::CiTimeout => StatusCode::GATEWAY_TIMEOUT,
    }
}

/// An error response to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    code: ApiCode,
    /// Status that overrides the default status of the code.
    status: Option<StatusCode>,
    message: String,
    details: Map<String, Value>,
    /// Seconds after which the client may retry; sent as `Retry-After`.
    retry_after: Option<u64>,
}

pub(super) fn error_code() -> Schema {
    schema::one_of(ApiCode::all().map(ApiCode::name))
}

/// Body of every error response: `{"error": {...}}`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ErrorResponse {
    /// Code, message, details and time of the error.
    pub error: ErrorBody,
}

/// Description of an error.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ErrorBody {
    /// Code of the error, which is stable: programs can rely on it.
    #[schema(schema_with = error_code)]
    pub code: &'static str,
    /// Message that describes the error and the action to take.
    pub message: String,
    /// Details of the error, such as the name of the resource it concerns.
    #[schema(value_type = Object)]
    pub details: Map<String, Value>,
    /// Time of the error.
    pub timestamp: Time,
}

impl ApiError {
    /// Creates an error with a code and a message.
    pub fn new(code: ApiCode, message: impl Into<String>) -> Self {
        Self { code, status: None, message: message.into(), details: Map::new(), retry_after: None }
    }

    /// Returns an error for an invalid request.
    #[expect(clippy::needless_pass_by_value, reason = "errors and texts are given as they are at hand")]
    pub fn invalid(message: impl ToString) -> Self {
        Self::new(ApiCode::Spec(ErrorCode::InvalidInput), message.to_string())
    }

    /// Adds a detail to the error.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Replaces the default status of the error's code.
    #[must_use]
    pub fn at(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the number of seconds after which the client may retry.
    #[must_use]
    pub fn after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Returns an error for a fault of the server: the causes are logged, and are not sent to the client.
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = with_causes(error), "a request could not be answered");
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
        // A body that is too long or of another type keeps its status; an invalid body is an error of the client.
        match rejection.status() {
            status @ (StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNSUPPORTED_MEDIA_TYPE) => {
                Self::invalid(rejection.body_text()).at(status)
            }
            _ => Self::invalid(rejection.body_text()),
        }
    }
}

impl ApiError {
    /// Returns the error for an input that serde refuses; it names the field between the first backticks.
    pub(super) fn invalid_field(told: &str) -> Self {
        let named = |beginning: &str| Some(told.strip_prefix(beginning)?.split_once('`')?.0.to_owned());
        match named("unknown field `").or_else(|| named("missing field `")) {
            Some(name) => Self::invalid(told).with("field", name),
            None => Self::invalid(told),
        }
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        let text = rejection.body_text();
        let told = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, told)| told);
        // The text begins with a parameter that has a wrong value.
        let is_name = |name: &&str| name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
        match told.split_once(": ").map(|(name, _)| name).filter(is_name) {
            Some(name) => Self::invalid(told).with("field", name),
            None => Self::invalid_field(told),
        }
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
