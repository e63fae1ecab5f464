//! Columns and the values in them: the results of statements, as the types of the rest of the program, and the way back.

use std::io::{Read as _, Write as _};

use autoheal_engine::source::HealthState;
use autoheal_engine::task::{Task, TaskKind, TaskState};
use autoheal_engine::{Outcome, RunId, TaskId, Timestamp};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::StoreError;

pub(crate) fn integer(row: &AnyRow, column: &'static str) -> Result<i64, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn text(row: &AnyRow, column: &'static str) -> Result<String, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn optional_text(row: &AnyRow, column: &'static str) -> Result<Option<String>, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn optional_integer(row: &AnyRow, column: &'static str) -> Result<Option<i64>, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn bytes(row: &AnyRow, column: &'static str) -> Result<Vec<u8>, StoreError> {
    Ok(row.try_get(column)?)
}

pub(crate) fn time(row: &AnyRow, column: &'static str) -> Result<Timestamp, StoreError> {
    integer(row, column).map(Timestamp::from_millis)
}

pub(crate) fn optional_time(row: &AnyRow, column: &'static str) -> Result<Option<Timestamp>, StoreError> {
    Ok(optional_integer(row, column)?.map(Timestamp::from_millis))
}

/// A number of a narrower type than the column's.
pub(crate) fn number<T: TryFrom<i64>>(row: &AnyRow, column: &'static str) -> Result<T, StoreError> {
    let value = integer(row, column)?;
    T::try_from(value).map_err(|_| StoreError::Corrupt { column, found: value.to_string() })
}

/// A document of a type that JSON can hold.
pub(crate) fn document<T: serde::de::DeserializeOwned>(row: &AnyRow, column: &'static str) -> Result<T, StoreError> {
    parse(&text(row, column)?, column)
}

/// A document, or nothing.
pub(crate) fn optional_document<T: serde::de::DeserializeOwned>(
    row: &AnyRow,
    column: &'static str,
) -> Result<Option<T>, StoreError> {
    optional_text(row, column)?.map(|json| parse(&json, column)).transpose()
}

fn parse<T: serde::de::DeserializeOwned>(json: &str, column: &'static str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::Corrupt { column, found: error.to_string() })
}

pub(crate) fn run_id(row: &AnyRow) -> Result<RunId, StoreError> {
    parsed(row, "run_id")
}

/// A name that can be read back from its text.
pub(crate) fn parsed<T: std::str::FromStr>(row: &AnyRow, column: &'static str) -> Result<T, StoreError> {
    named(row, column, |name| name.parse().ok())
}

pub(crate) fn task_kind(row: &AnyRow) -> Result<TaskKind, StoreError> {
    named(row, "type", TaskKind::from_name)
}

pub(crate) fn task_state(row: &AnyRow) -> Result<TaskState, StoreError> {
    named(row, "state", TaskState::from_name)
}

pub(crate) fn health_state(row: &AnyRow) -> Result<HealthState, StoreError> {
    named(row, "state", HealthState::from_name)
}

/// The outcome of a run, or `None` while it is unfinished.
pub(crate) fn outcome(row: &AnyRow) -> Result<Option<Outcome>, StoreError> {
    let name = optional_text(row, "outcome")?;
    let read = |name: String| Outcome::from_name(&name).ok_or(StoreError::Corrupt { column: "outcome", found: name });
    name.map(read).transpose()
}

fn named<T>(row: &AnyRow, column: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
    let name = text(row, column)?;
    read(&name).ok_or(StoreError::Corrupt { column, found: name })
}

pub(crate) fn task(row: &AnyRow) -> Result<Task, StoreError> {
    Ok(Task {
        id: TaskId(integer(row, "task_id")?),
        kind: task_kind(row)?,
        target: text(row, "target")?,
        state: task_state(row)?,
        priority: number(row, "priority")?,
        created_at: time(row, "created_at")?,
        run_at: time(row, "run_at")?,
        started_at: optional_time(row, "started_at")?,
        completed_at: optional_time(row, "completed_at")?,
        error_message: optional_text(row, "error_message")?,
        retry_count: number(row, "retry_count")?,
        max_retries: number(row, "max_retries")?,
        deaths: number(row, "deaths")?,
        host: optional_text(row, "host")?,
        context: document(row, "context_json")?,
        lease_owner: optional_text(row, "lease_owner")?,
        lease_until: optional_time(row, "lease_until")?,
        lease_epoch: integer(row, "lease_epoch")?,
        cancel_requested: integer(row, "cancel_requested")? != 0,
    })
}

/// Text as both engines can hold it: PostgreSQL refuses the character NUL, which the output of a command or a patch may
/// contain. (Documents need no such care: JSON escapes it.)
pub(crate) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A value as the text of a JSON column.
pub(crate) fn json(what: &'static str, value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused { what, reason: error.to_string() })
}

/// Returns the digest of a diagnostic's key.
pub(crate) fn diagnostic_key(key: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
    Ok(Sha256::digest(json("a diagnostic", key)?).to_vec())
}

pub(crate) fn deflate(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let refused = |error: std::io::Error| StoreError::Refused { what: "a text", reason: error.to_string() };
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).map_err(refused)?;
    encoder.finish().map_err(refused)
}

pub(crate) fn inflate(row: &AnyRow, column: &'static str) -> Result<Vec<u8>, StoreError> {
    let mut inflated = Vec::new();
    DeflateDecoder::new(bytes(row, column)?.as_slice())
        .read_to_end(&mut inflated)
        .map_err(|error| StoreError::Corrupt { column, found: error.to_string() })?;
    Ok(inflated)
}
