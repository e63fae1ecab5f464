//! Sources that the schedule has to check: those that changed since the last time, and those whose time has come. However many
//! sources there are, only these are read.

use autoheal_engine::Timestamp;
use autoheal_engine::task::NewTask;

use crate::database::Statement;
use crate::filter::Filter;
use crate::row::storable;
use crate::source::{SOURCES, source_row};
use crate::{SourceRow, Store, StoreError, queue, row};

/// A source that the schedule has to check.
#[derive(Debug, Clone, PartialEq)]
pub struct DueSource {
    /// The source.
    pub row: SourceRow,
    /// Number of changes of its definition and health when it was read.
    changes: i64,
}

/// Decision of the schedule about a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduled {
    /// Run to enqueue now.
    pub run: Option<NewTask>,
    /// Time of the next check, even if nothing of the source has changed by then; `None`: only after a change.
    pub look_at: Option<Timestamp>,
}

/// A change since the source was read makes the decision void: the schedule checks the source again.
const LOOKED_AT: &str = "UPDATE source_health SET look_at = $2 WHERE source_name = $1 AND changes = $3";

fn due(now: Timestamp, limit: u32) -> Statement {
    let due = Filter::of_statement(SOURCES).and("health.look_at <=", Some(now.as_millis()));
    due.page("health.look_at, health.source_name", 0, limit)
}

impl Store {
    /// Sources that the schedule has to check, at most `limit`, those that wait for longest first.
    ///
    /// # Errors
    ///
    /// Returns the error of the database.
    pub async fn due_sources(&self, now: Timestamp, limit: u32) -> Result<Vec<DueSource>, StoreError> {
        let rows = due(now, limit).fetch_all(&self.database.pool).await?;
        rows.iter().map(|row| Ok(DueSource { row: source_row(row)?, changes: row::integer(row, "changes")? })).collect()
    }

    /// Stores what the schedule decided, all of it in one transaction, and returns the number of runs that it enqueued. Nothing is
    /// done about a source that has changed since it was read, as it does when it runs; nor is a run enqueued of one that is
    /// enqueued already.
    ///
    /// # Errors
    ///
    /// Returns the error of the database; then nothing is stored.
    pub async fn reschedule(&self, mut decided: Vec<(DueSource, Scheduled)>) -> Result<usize, StoreError> {
        // Several who decide at once lock the rows in one order.
        decided.sort_by(|(one, _), (other, _)| one.row.source.cmp(&other.row.source));
        let dialect = self.database.dialect;
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    let mut enqueued = 0;
                    for (DueSource { row, changes }, turn) in decided {
                        if let Some(task) = &turn.run {
                            let enqueue = queue::enqueue_unchanged(dialect, task, changes);
                            enqueued += usize::from(enqueue.fetch_optional(&mut *connection).await?.is_some());
                        }
                        sqlx::query(LOOKED_AT)
                            .bind(storable(&row.source))
                            .bind(turn.look_at.map_or(i64::MAX, Timestamp::as_millis))
                            .bind(changes)
                            .execute(&mut *connection)
                            .await?;
                    }
                    Ok(enqueued)
                })
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Execute as _, Row as _};

    use super::*;

    /// Each process does this every two seconds.
    #[tokio::test]
    async fn the_schedule_reads_an_index_in_its_order() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {}", due(Timestamp::default(), 10).sql().as_str());
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&store.database.pool).await.unwrap();
        let plan = rows.iter().map(|row| row.get::<String, _>("detail")).collect::<Vec<_>>().join("\n");
        assert!(plan.contains("SEARCH health USING INDEX source_to_look_at (look_at<?)"), "{plan}");
        assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}
