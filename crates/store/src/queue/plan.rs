//! Tests of the query plans of the claim, which idle workers repeat all the time, and of the search for the open task of the same
//! work. They must read an index, whatever statistics the engine has about the table.

use autoheal_engine::Timestamp;
use autoheal_engine::task::{NewTask, TaskKind};
use rstest::rstest;
use sqlx::{AssertSqlSafe, Executor as _, Row as _};

use super::claim::{CLAIM, CLAIM_ONLY};
use super::{ENQUEUE, OPEN_TASK};
use crate::Store;

/// Content of the table when the plan is made.
#[derive(Debug, Clone, Copy)]
enum Table {
    Empty,
    /// The engine has never gathered statistics.
    ManyPending,
    ManyClosed,
    /// The engine has just gathered statistics.
    ManyPendingAnalyzed,
    ManyClosedAnalyzed,
}

async fn fill(store: &Store, table: Table) {
    let state = match table {
        Table::Empty => return,
        Table::ManyPending | Table::ManyPendingAnalyzed => "PENDING",
        Table::ManyClosed | Table::ManyClosedAnalyzed => "COMPLETED",
    };
    let numbers = match store.database.dialect {
        crate::database::Dialect::Sqlite => {
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
             SELECT n FROM numbers"
        }
        crate::database::Dialect::Postgres => "SELECT n FROM generate_series(1, 5000) AS numbers (n)",
    };
    let rows = format!(
        "INSERT INTO task_queue (type, target, state, created_at, context_json, run_at)
         SELECT 'HEAL_REPO', 'target-' || n, '{state}', 0, '{{}}', n FROM ({numbers}) AS numbered"
    );
    store.database.pool.execute(AssertSqlSafe(rows)).await.unwrap();
    store.enqueue(&NewTask::new(TaskKind::HealRepo, "new", Timestamp::from_millis(0))).await.unwrap();
    if matches!(table, Table::ManyPendingAnalyzed | Table::ManyClosedAnalyzed) {
        store.database.pool.execute("ANALYZE").await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn sqlite_claims_and_deduplicates_by_index(
    #[values(
        Table::Empty,
        Table::ManyPending,
        Table::ManyClosed,
        Table::ManyPendingAnalyzed,
        Table::ManyClosedAnalyzed
    )]
    table: Table,
) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_file(&folder.path().join("queue.db")).await.unwrap();
    fill(&store, table).await;
    let plan = |statement| {
        let sql = format!("EXPLAIN QUERY PLAN {}", store.database.dialect.sql(statement).as_str());
        let pool = store.database.pool.clone();
        async move {
            let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&pool).await.unwrap();
            rows.iter().map(|row| row.get::<String, _>("detail")).collect::<Vec<_>>().join("\n")
        }
    };
    let claim = plan(CLAIM).await;
    assert!(claim.contains("SEARCH ready USING INDEX task_ready"), "{claim}");
    let only = plan(CLAIM_ONLY).await;
    assert!(only.contains("SEARCH ready USING INTEGER PRIMARY KEY"), "{only}");
    for text in [claim, only] {
        assert!(text.contains("SEARCH task_queue USING INTEGER PRIMARY KEY"), "{text}");
        assert!(text.contains("running_key"), "{text}");
        assert!(!text.contains("SCAN") && !text.contains("TEMP B-TREE"), "{text}");
    }
    let open = plan(OPEN_TASK).await;
    assert!(open.starts_with("SEARCH task_queue USING INDEX") && open.contains("(open_key=?)"), "{open}");
}

#[rstest]
#[tokio::test]
async fn postgres_claims_and_deduplicates_by_index(
    #[values(
        Table::Empty,
        Table::ManyPending,
        Table::ManyClosed,
        Table::ManyPendingAnalyzed,
        Table::ManyClosedAnalyzed
    )]
    table: Table,
    #[values("force_custom_plan", "force_generic_plan")] mode: &str,
) {
    let Some(url) = autoheal_testkit::postgres::database() else { return };
    let store = Store::open(&url).await.unwrap();
    store.database.pool.execute("ALTER TABLE task_queue SET (autovacuum_enabled = false)").await.unwrap();
    fill(&store, table).await;
    let mut connection = store.database.pool.acquire().await.unwrap();
    connection.execute(AssertSqlSafe(format!("SET plan_cache_mode = {mode}"))).await.unwrap();
    let mut plan = async |name: &str, types: &str, statement: &'static str, arguments: &str| {
        let sql = store.database.dialect.sql(statement);
        connection.execute(AssertSqlSafe(format!("PREPARE {name} ({types}) AS {}", sql.as_str()))).await.unwrap();
        let explain = sqlx::raw_sql(AssertSqlSafe(format!("EXPLAIN EXECUTE {name} ({arguments})")));
        let rows = explain.fetch_all(&mut *connection).await.unwrap();
        rows.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>().join("\n")
    };
    let types = "text, bigint, text, text, text, text, text, bigint";
    let claim = plan("claim", types, CLAIM, "'w', 1, 'here', 'HEAL_REPO', 'FIX_SOURCE', '', '', 4").await;
    assert!(claim.contains("Index Scan using task_ready on task_queue ready"), "{claim}");
    assert!(claim.contains("Index Scan using task_queue_pkey on task_queue"), "{claim}");
    assert!(claim.contains("running_key"), "{claim}");
    assert!(!claim.contains("Seq Scan") && !claim.contains("Sort"), "{claim}");
    let open = plan("open_task", "text", OPEN_TASK, "'HEAL_REPO:new'").await;
    assert!(open.contains("using task_queue_open_key_key") && open.contains("Index Cond: (open_key"), "{open}");
    let types = "text, text, bigint, bigint, bigint, text, text";
    let enqueue = plan("enqueue", types, ENQUEUE, "'HEAL_REPO', 'new', 5, 0, 3, NULL, '{}'").await;
    assert!(enqueue.contains("Conflict Arbiter Indexes: task_queue_open_key_key"), "{enqueue}");
}
