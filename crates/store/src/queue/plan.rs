//! Tests of the query plan of the claim. Idle workers repeat it all the time, so it must read the ready index, whatever
//! statistics the engine has about the table.

use autoheal_engine::Timestamp;
use autoheal_engine::task::{NewTask, TaskKind};
use rstest::rstest;
use sqlx::{AssertSqlSafe, Executor as _, Row as _};

use super::{CLAIM, CLAIM_ONLY};
use crate::Store;

/// Content of the table when the plan is made. The engine has never gathered statistics of it.
#[derive(Debug, Clone, Copy)]
enum Table {
    Empty,
    ManyPending,
    ManyClosed,
}

async fn fill(store: &Store, table: Table) {
    let state = match table {
        Table::Empty => return,
        Table::ManyPending => "PENDING",
        Table::ManyClosed => "COMPLETED",
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
}

#[rstest]
#[tokio::test]
async fn sqlite_claims_by_the_ready_index(#[values(Table::Empty, Table::ManyPending, Table::ManyClosed)] table: Table) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_file(&folder.path().join("queue.db")).await.unwrap();
    fill(&store, table).await;
    let plan = |claim| {
        let sql = format!("EXPLAIN QUERY PLAN {}", store.database.dialect.sql(claim).as_str());
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
        assert!(text.contains("running_key"), "{text}");
        assert!(!text.contains("SCAN") && !text.contains("TEMP B-TREE"), "{text}");
    }
}

#[rstest]
#[tokio::test]
async fn postgres_claims_by_the_ready_index(
    #[values(Table::Empty, Table::ManyPending, Table::ManyClosed)] table: Table,
    #[values("force_custom_plan", "force_generic_plan")] mode: &str,
) {
    let Some(url) = autoheal_testkit::postgres::database() else { return };
    let store = Store::open(&url).await.unwrap();
    store.database.pool.execute("ALTER TABLE task_queue SET (autovacuum_enabled = false)").await.unwrap();
    fill(&store, table).await;
    let mut connection = store.database.pool.acquire().await.unwrap();
    let claim = store.database.dialect.sql(CLAIM);
    let prepare = format!("PREPARE claim (text, bigint, text, text, text, text, text) AS {}", claim.as_str());
    connection.execute(AssertSqlSafe(prepare)).await.unwrap();
    connection.execute(AssertSqlSafe(format!("SET plan_cache_mode = {mode}"))).await.unwrap();
    let explain = sqlx::raw_sql("EXPLAIN EXECUTE claim ('w', 1, 'here', 'HEAL_REPO', 'FIX_SOURCE', '', '')");
    let rows = explain.fetch_all(&mut *connection).await.unwrap();
    let plan = rows.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>().join("\n");
    assert!(plan.contains("Index Scan using task_ready on task_queue ready"), "{plan}");
    assert!(plan.contains("running_key"), "{plan}");
    assert!(!plan.contains("Seq Scan") && !plan.contains("Sort"), "{plan}");
}
