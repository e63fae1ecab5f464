//! The accounts of language models: a row for each request, and sums over them.

use std::time::Duration;

use autoheal_engine::budget::Exhausted;
use autoheal_engine::ledger::{
    Answered, CallLedger, CallRecord, Keeping, LedgerError, ModelUsage, Planned, Reservation,
};
use autoheal_engine::{RunId, Timestamp};
use sqlx::any::AnyRow;

use crate::budget::number;
use crate::row::storable;
use crate::{Store, StoreError, row};

pub use crate::budget::MODELS;

const CALL: &str = "
    INSERT INTO llm_call (at, target, billed_to, purpose, model, prompt_hash, prompt, answer, input_tokens, output_tokens,
                          cached_tokens, micro_dollars, latency_millis, outcome, run_id)
    VALUES ({now}, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

/// The index is that of the time.
const ANSWER: &str = "
    SELECT answer FROM llm_call
    WHERE at >= $1 AND prompt_hash = $2 AND model = $3 AND purpose = $4 AND COALESCE(target, '') = $5
        AND outcome = 'ANSWERED' AND answer IS NOT NULL
    ORDER BY at DESC LIMIT 1";

/// Time for which an answer is found again.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

const RELEASE: &str = "DELETE FROM llm_reservation WHERE reservation_id = $1";

/// Columns with sums. `SUM` of no rows is NULL, and of integers a decimal on PostgreSQL, hence the casts.
macro_rules! sums {
    () => {
        "COUNT(*) AS calls, CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens,
         CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens,
         CAST(COALESCE(SUM(cached_tokens), 0) AS BIGINT) AS cached_tokens,
         CAST(COALESCE(SUM(micro_dollars), 0) AS BIGINT) AS micro_dollars,
         COUNT(*) - COUNT(micro_dollars) AS unpriced"
    };
}

/// Column by which usage is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageBy {
    /// The day, in UTC.
    Day,
    /// The model that received the request.
    Model,
    /// The target of the request.
    Target,
    /// The user who was billed for the request.
    User,
    /// The purpose of the request: the name of the prompt.
    Purpose,
}

impl UsageBy {
    const fn sql(self) -> &'static str {
        macro_rules! by {
            ($group:literal) => {
                concat!(
                    "SELECT ",
                    $group,
                    " AS name, ",
                    sums!(),
                    " FROM llm_call WHERE at >= $1 GROUP BY ",
                    $group,
                    " ORDER BY 1"
                )
            };
        }
        match self {
            // The day's number since 1970; whole numbers are divided without a rest.
            Self::Day => by!("CAST(at / 86400000 AS TEXT)"),
            Self::Model => by!("model"),
            Self::Target => by!("COALESCE(target, '')"),
            Self::User => by!("COALESCE(billed_to, '')"),
            Self::Purpose => by!("purpose"),
        }
    }
}

const OF_RUN: &str = concat!("SELECT ", sums!(), " FROM llm_call WHERE run_id = $1");

/// Usage of models, summed over the requests of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// Name of the group: the day as `2026-11-01`, or the model, target, user or purpose; empty without one.
    pub name: String,
    /// Their usage.
    pub usage: ModelUsage,
}

fn usage(row: &AnyRow) -> Result<ModelUsage, StoreError> {
    Ok(ModelUsage {
        calls: row::number(row, "calls")?,
        input_tokens: row::number(row, "input_tokens")?,
        output_tokens: row::number(row, "output_tokens")?,
        cached_tokens: row::number(row, "cached_tokens")?,
        micro_dollars: row::number(row, "micro_dollars")?,
        unpriced_calls: row::number(row, "unpriced")?,
    })
}

impl Store {
    /// Returns the usage since a time, one sum for each value of `by`.
    pub async fn usage(&self, since: Timestamp, by: UsageBy) -> Result<Vec<UsageRow>, StoreError> {
        let rows = sqlx::query(by.sql()).bind(since.as_millis()).fetch_all(&self.database.pool).await?;
        let row = |row: &AnyRow| {
            let name = row::text(row, "name")?;
            let day = |number: i64| Timestamp::from_millis(number * 86_400_000).to_rfc3339()[..10].to_owned();
            let name = if by == UsageBy::Day { name.parse().map_or(name, day) } else { name };
            Ok(UsageRow { name, usage: usage(row)? })
        };
        rows.iter().map(row).collect()
    }

    /// Returns the usage of a run.
    pub async fn model_usage(&self, run: RunId) -> Result<ModelUsage, StoreError> {
        usage(&sqlx::query(OF_RUN).bind(run.to_string()).fetch_one(&self.database.pool).await?)
    }

    /// Deletes the stored requests and answers from before a time; the sums remain.
    pub async fn forget_model_texts(&self, before: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE llm_call SET prompt = NULL, answer = NULL WHERE at < $1 AND (prompt IS NOT NULL OR answer IS NOT NULL)";
        self.database.execute(sqlx::query(sql).bind(before.as_millis())).await?;
        Ok(())
    }

    async fn kept_answer(&self, question: &Answered) -> Result<Option<String>, StoreError> {
        let since = self.now().minus(REMEMBERED);
        let answer = sqlx::query(ANSWER)
            .bind(since.as_millis())
            .bind(question.prompt_hash.as_str())
            .bind(storable(&question.model))
            .bind(storable(&question.purpose))
            .bind(question.target.as_deref().map(storable).unwrap_or_default())
            .fetch_optional(&self.database.pool)
            .await?;
        answer.map(|row| row::text(&row, "answer")).transpose()
    }

    async fn settle_call(&self, reservation: Reservation, call: CallRecord) -> Result<(), StoreError> {
        let release = sqlx::query(RELEASE).bind(reservation.number);
        let record = sqlx::query(self.database.dialect.sql(CALL))
            .bind(call.target.as_deref().map(storable))
            .bind(call.user.as_deref().map(storable))
            .bind(storable(&call.purpose))
            .bind(storable(&call.model))
            .bind(call.prompt_hash)
            .bind(call.prompt.as_deref().map(storable))
            .bind(call.answer.as_deref().map(storable))
            .bind(number(call.input_tokens))
            .bind(number(call.output_tokens))
            .bind(number(call.cached_tokens))
            .bind(call.micro_dollars.map(number))
            .bind(i64::try_from(call.latency.as_millis()).unwrap_or(i64::MAX))
            .bind(call.outcome)
            .bind(reservation.run.to_string());
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    release.execute(&mut *connection).await?;
                    record.execute(connection).await?;
                    Ok(())
                })
            })
            .await
    }
}

fn kept<T>(result: Result<T, StoreError>) -> Result<T, LedgerError> {
    result.map_err(|error| LedgerError(Box::new(error)))
}

impl CallLedger for Store {
    fn reserve(&self, planned: Planned) -> Keeping<'_, Result<Reservation, Exhausted>> {
        Box::pin(async move { kept(self.reserve_call(planned).await) })
    }

    fn settle(&self, reservation: Reservation, call: CallRecord) -> Keeping<'_, ()> {
        Box::pin(async move { kept(self.settle_call(reservation, call).await) })
    }

    fn answer_to<'call>(&'call self, question: &'call Answered) -> Keeping<'call, Option<String>> {
        Box::pin(async move { kept(self.kept_answer(question).await) })
    }

    fn usage_of(&self, run: RunId) -> Keeping<'_, ModelUsage> {
        Box::pin(async move { kept(self.model_usage(run).await) })
    }
}
