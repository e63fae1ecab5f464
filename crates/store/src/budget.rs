//! Reservations: the maximum usage of a request to a language model is reserved before the request, for all processes together.

use std::time::Duration;

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::budget::{Exhausted, Usage};
use autoheal_engine::ledger::{Planned, Reservation};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::database::Dialect;
use crate::{Store, StoreError, row};

/// Target of alerts about the budget that all runs share.
pub const MODELS: &str = "language models";

/// A transaction that reserves holds this row until it ends. Otherwise two that found the last of the budget could both
/// spend it.
const LOCK: &str = "
    INSERT INTO llm_admission (budget, reserved_at) VALUES ('models', {now})
    ON CONFLICT (budget) DO UPDATE SET reserved_at = {now}";

/// Deletes the reservations of processes that died.
const EXPIRED: &str = "DELETE FROM llm_reservation WHERE until <= {now}";

const RESERVE: &str = "
    INSERT INTO llm_reservation (run_id, tokens, micro_dollars, until) VALUES ($1, $2, $3, {now} + $4)
    RETURNING reservation_id";

/// Sums the usage of the calls that match one condition and the reservations that match another.
macro_rules! used {
    ($calls:literal, $reservations:literal) => {
        concat!(
            "SELECT COUNT(*) AS calls, CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens,
                    CAST(COALESCE(SUM(micro_dollars), 0) AS BIGINT) AS micro_dollars
             FROM (SELECT input_tokens + output_tokens AS tokens, micro_dollars FROM llm_call WHERE ",
            $calls,
            " UNION ALL SELECT tokens, micro_dollars FROM llm_reservation WHERE ",
            $reservations,
            ") AS used"
        )
    };
}

const USED_BY_RUN: &str = used!("run_id = $1", "run_id = $1 AND until > {now}");

/// A call counts for the day, in UTC, on which it ends, and a reservation for any: it may end on the next.
const USED_TODAY: &str = used!("at >= {now} - {now} % 86400000", "until > {now}");

/// Limit that a request would exceed: the run's or the day's.
enum Refused {
    ByRun(Exhausted),
    ByDay(Exhausted),
}

/// Converts a number to the type that the database stores; stays at the maximum instead of wrapping.
pub(crate) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn usage(row: &AnyRow) -> Result<Usage, StoreError> {
    Ok(Usage {
        tokens: row::number(row, "tokens")?,
        micro_dollars: row::number(row, "micro_dollars")?,
        calls: row::number(row, "calls")?,
        wall_time: Duration::ZERO,
    })
}

async fn reserve(
    dialect: Dialect,
    planned: Planned,
    connection: &mut AnyConnection,
) -> Result<Result<Reservation, Refused>, StoreError> {
    sqlx::query(dialect.sql(LOCK)).execute(&mut *connection).await?;
    sqlx::query(dialect.sql(EXPIRED)).execute(&mut *connection).await?;
    let run = planned.run.to_string();
    let by_run = sqlx::query(dialect.sql(USED_BY_RUN)).bind(run.clone()).fetch_one(&mut *connection).await?;
    if let Err(exhausted) = planned.per_run.allow(usage(&by_run)?, planned.worst_case) {
        return Ok(Err(Refused::ByRun(exhausted)));
    }
    let today = sqlx::query(dialect.sql(USED_TODAY)).fetch_one(&mut *connection).await?;
    if let Err(exhausted) = planned.per_day.allow(usage(&today)?, planned.worst_case) {
        return Ok(Err(Refused::ByDay(exhausted)));
    }
    let reserved = sqlx::query(dialect.sql(RESERVE))
        .bind(run)
        .bind(number(planned.worst_case.tokens))
        .bind(number(planned.worst_case.micro_dollars))
        .bind(i64::try_from(planned.longest.as_millis()).unwrap_or(i64::MAX / 4))
        .fetch_one(connection)
        .await?;
    Ok(Ok(Reservation { number: row::integer(&reserved, "reservation_id")?, run: planned.run }))
}

impl Store {
    pub(crate) async fn reserve_call(&self, planned: Planned) -> Result<Result<Reservation, Exhausted>, StoreError> {
        let dialect = self.database.dialect;
        let reserved = self.database.write(move |connection| Box::pin(reserve(dialect, planned, connection))).await?;
        match reserved {
            Ok(reservation) => Ok(Ok(reservation)),
            Err(Refused::ByRun(exhausted)) => Ok(Err(exhausted)),
            Err(Refused::ByDay(exhausted)) => {
                self.day_exhausted(exhausted).await?;
                Ok(Err(exhausted))
            }
        }
    }

    async fn day_exhausted(&self, what: Exhausted) -> Result<(), StoreError> {
        let alert = Alert {
            target: MODELS.to_owned(),
            kind: AlertKind::Budget,
            message: format!(
                "{what} for today: no request is sent to a language model before midnight UTC; `llm.day_calls`, `llm.day_tokens` \
                 and `llm.day_dollars` are the limits, `autoheal usage` shows what has used them up"
            ),
            shared: None,
        };
        self.raise(self.now(), &[alert]).await
    }
}
