//! Schemas of types from other crates, for the API description.

use autoheal_engine::alert::AlertKind;
use autoheal_engine::breaker::Reason;
use autoheal_engine::diagnostics::Category;
use autoheal_engine::source::{HealthState, SnapshotRole, Stage};
use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_engine::{Outcome, StopReason, Timestamp};
use autoheal_repo::FlakyKind;
use autoheal_repo::results::FixOrigin;
use autoheal_source::timeline::EventKind;
use autoheal_store::{NeedKind, Slice};
use serde::{Deserialize, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::run_standing::RunStanding;

/// A point in time, serialized as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time(pub Timestamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339())
    }
}

impl PartialSchema for Time {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        let description = "A point of time: RFC 3339, UTC.";
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).description(Some(description)).into()
    }
}

impl ToSchema for Time {}

/// Maximum number of rows in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub struct Limit(u32);

impl Limit {
    const MOST: u32 = 200;

    /// Returns the maximum number of rows.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the number of rows to query: one more than is returned, to detect whether there is a next page.
    pub const fn asked(self) -> u32 {
        self.0 + 1
    }

    /// Truncates the rows to one page. Returns the key of its last row if there is a next page.
    pub fn page<T, K>(self, rows: &mut Vec<T>, key: impl Fn(&T) -> K) -> Option<K> {
        let told = self.0 as usize;
        let goes_on = rows.len() > told;
        rows.truncate(told);
        rows.last().filter(|_| goes_on).map(key)
    }
}

/// Number of rows to leave out at the beginning of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "u32")]
pub struct Offset(u32);

impl Offset {
    const MOST: u32 = 1_000_000;

    /// Returns the number of rows.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Offset {
    type Error = &'static str;

    fn try_from(offset: u32) -> Result<Self, Self::Error> {
        if offset <= Self::MOST { Ok(Self(offset)) } else { Err("a number from 0 to 1,000,000 is expected") }
    }
}

pub(super) fn offset() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .maximum(Some(Offset::MOST))
        .default(Some(0.into()))
        .into()
}

/// The part of a list that a request asks for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Part {
    /// Number of rows to leave out at the beginning.
    #[param(schema_with = offset, required = false)]
    offset: Offset,
    /// Maximum number of rows.
    #[param(schema_with = limit, required = false)]
    limit: Limit,
}

impl Part {
    /// Returns the rows to query: one more than is returned, to detect whether there is a next part.
    pub fn asked(&self) -> Slice {
        Slice { offset: self.offset.get().into(), limit: self.limit.asked().into() }
    }

    /// Truncates the queried rows. Returns the offset of the next part if there is one.
    pub fn page<T>(&self, rows: &mut Vec<T>) -> Option<u32> {
        let end = self.offset.get().saturating_add(self.limit.get());
        self.limit.page(rows, |_| end)
    }

    /// Takes the part of a whole list, and the offset of the next part.
    pub fn of<T>(&self, rows: Vec<T>) -> (Vec<T>, Option<u32>) {
        let mut rows = rows.into_iter().skip(self.offset.get() as usize).take(self.limit.asked() as usize).collect();
        let next = self.page(&mut rows);
        (rows, next)
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(50)
    }
}

impl TryFrom<u32> for Limit {
    type Error = &'static str;

    fn try_from(limit: u32) -> Result<Self, Self::Error> {
        if (1..=Self::MOST).contains(&limit) { Ok(Self(limit)) } else { Err("a number from 1 to 200 is expected") }
    }
}

pub(super) fn limit() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .maximum(Some(Limit::MOST))
        .default(Some(Limit::default().get().into()))
        .into()
}

pub(super) fn one_of(names: impl IntoIterator<Item = &'static str>) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
}

pub(super) fn task_kind() -> Schema {
    one_of(TaskKind::ALL.map(TaskKind::name))
}

pub(super) fn task_state() -> Schema {
    one_of(TaskState::ALL.map(TaskState::name))
}

pub(super) fn category() -> Schema {
    one_of(Category::ALL.map(Category::name))
}

pub(super) fn health_state() -> Schema {
    one_of(HealthState::ALL.map(HealthState::name))
}

pub(super) fn stage() -> Schema {
    one_of(Stage::ALL.map(Stage::name))
}

pub(super) fn snapshot_role() -> Schema {
    one_of(SnapshotRole::ALL.map(SnapshotRole::name))
}

pub(super) fn alert_kind() -> Schema {
    one_of(AlertKind::ALL.map(AlertKind::name))
}

pub(super) fn breaker_reason() -> Schema {
    one_of(Reason::ALL.map(Reason::name))
}

pub(super) fn event_kind() -> Schema {
    one_of(EventKind::ALL.map(EventKind::name))
}

pub(super) fn stop_reason() -> Schema {
    one_of(StopReason::ALL.iter().map(|reason| reason.name()))
}

pub(super) fn need_kind() -> Schema {
    one_of(NeedKind::ALL.map(NeedKind::name))
}

pub(super) fn fix_origin() -> Schema {
    one_of(FixOrigin::ALL.map(FixOrigin::name))
}

pub(super) fn outcome() -> Schema {
    one_of(Outcome::ALL.iter().map(|outcome| outcome.name()))
}

pub(super) fn run_state() -> Schema {
    one_of(RunStanding::names())
}

/// Returns the schema of the kinds of flaky tests: the factor, besides the program, that the outcome depends on.
pub(super) fn flaky_kind() -> Schema {
    one_of(FlakyKind::ALL.map(FlakyKind::name))
}

pub(super) fn step() -> Schema {
    one_of(super::progress::STEPS)
}
