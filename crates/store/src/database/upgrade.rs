//! Every schema that was ever released, with a row in each of its tables, is brought to the newest without losing one.

use autoheal_engine::task::TaskKind;
use autoheal_engine::{TaskId, Timestamp};
use rstest::rstest;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _, Row as _};

use super::{Database, Dialect};
use crate::{ClaimRequest, Store, UsageBy};

/// The tables that each version brought, and a row for each, written as that version did.
const ROWS: &[(i64, &str, &str)] = &[
    (
        1,
        "task_queue",
        "(task_id, type, target, state, priority, created_at, retry_count, max_retries, context_json, run_at, lease_owner, lease_until, lease_epoch)
         VALUES (7, 'HEAL_REPO', 't', 'IN_PROGRESS', 5, 1, 2, 3, '{}', 1, 'an old worker', 2, 4)",
    ),
    (1, "source_health", "(source_name, state, created_at, updated_at) VALUES ('news', 'ACTIVE', 1, 1)"),
    (1, "run", "(run_id, task_id, workflow, target, started_at) VALUES ('018f0000-0000-7000-8000-000000000001', 7, 'repo', 't', 1)"),
    (
        1,
        "run_checkpoint",
        "(run_id, seq, node, next_node, state_version, state_json, created_at)
         VALUES ('018f0000-0000-7000-8000-000000000001', 1, 'analyze', 'discover', 1, '{}', 1)",
    ),
    (
        1,
        "run_event",
        "(run_id, sequence, at, body_json)
         VALUES ('018f0000-0000-7000-8000-000000000001', 1, 1, '{\"type\":\"RUN_STARTED\",\"target\":\"t\"}')",
    ),
    (
        1,
        "diagnostic",
        "(run_id, diagnostic_key, first_seen_at, entry_json) VALUES ('018f0000-0000-7000-8000-000000000001', 'key', 1, '{}')",
    ),
    (
        1,
        "run_output",
        "(run_id, sequence, node, command, ended, millis, output_deflate)
         VALUES ('018f0000-0000-7000-8000-000000000001', 1, 'analyze', 'pytest', 'exit 1', 5, 'bytes')",
    ),
    (
        1,
        "fix_history",
        "(source_name, error_type, diagnosis_context, patch_generated, validation_result, deployed_to, created_at, run_id)
         VALUES ('t', 'SYNTAX', '{}', '', '{}', 'FAILED', 1, '018f0000-0000-7000-8000-000000000001')",
    ),
    (2, "source", "(source_name, definition_json, created_at, updated_at) VALUES ('news', '{}', 1, 1)"),
    (
        2,
        "recipe_version",
        "(source_name, version, stage, recipe_json, definition_json, asked_by, created_at)
         VALUES ('news', 1, 'PRODUCTION', '{}', '{}', 'scout', 1)",
    ),
    (2, "snapshot", "(source_name, role, url, taken_at, content_deflate) VALUES ('news', 'GOOD', 'http://a/', 1, 'bytes')"),
    (2, "source_value", "(source_name, url, at, version, values_json) VALUES ('news', 'http://a/', 1, 1, '{}')"),
    (2, "alert", "(target, kind, message, created_at) VALUES ('news', 'DEAD', 'gone', 1)"),
    (2, "name_check", "(source_name, at, target_known, control_known) VALUES ('news', 1, 0, 1)"),
    (2, "host_turn", "(host, idle_at, taken) VALUES ('a', 1, 1)"),
    (3, "notice", "(target, body_json, created_at, due_at) VALUES ('news', '{}', 1, 1)"),
    (
        4,
        "llm_call",
        "(at, purpose, model, prompt_hash, input_tokens, output_tokens, cached_tokens, latency_millis, outcome)
         VALUES (1, 'fix', 'm', 'h', 1, 1, 0, 5, 'OK')",
    ),
    (5, "job", "(job_id, task_id, asked_by, created_at) VALUES ('018f0000-0000-7000-8000-000000000002', 7, 'http', 1)"),
    (6, "decision", "(source_name, decision, asked_by, at) VALUES ('news', 'RELEASED', 'ada', 1)"),
];

/// A database as an autoheal of `version` left it.
async fn make(dialect: Dialect, url: &str, version: i64) {
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(url).await.unwrap();
    dialect.migrations_until(version).run_direct(None, &mut connection, false).await.unwrap();
    for (since, table, row) in ROWS {
        if *since <= version {
            connection.execute(AssertSqlSafe(format!("INSERT INTO {table} {row}"))).await.unwrap();
        }
    }
    connection.close().await.unwrap();
}

async fn tables(database: &Database) -> Vec<String> {
    let sql = match database.dialect {
        Dialect::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        Dialect::Postgres => {
            "SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = current_schema()"
        }
    };
    let rows = sqlx::query(sql).fetch_all(&database.pool).await.unwrap();
    rows.iter().map(|row| row.get::<String, _>("name")).filter(|name| !name.starts_with("_sqlx")).collect()
}

#[rstest]
#[tokio::test]
async fn every_released_schema_is_brought_to_the_newest_with_all_its_rows(
    #[values(Dialect::Sqlite, Dialect::Postgres)] dialect: Dialect,
    #[values(1, 2, 3, 4, 5, 6, 7)] version: i64,
) {
    let folder = tempfile::tempdir().unwrap();
    let url = match dialect {
        Dialect::Sqlite => format!("sqlite://{}/a.db", folder.path().display()),
        Dialect::Postgres => match autoheal_testkit::postgres::database() {
            Some(url) => url,
            None => return,
        },
    };
    let made = if dialect == Dialect::Sqlite { format!("{url}?mode=rwc") } else { url.clone() };
    make(dialect, &made, version).await;

    let store = Store::open(&url).await.unwrap();
    for table in tables(&store.database).await {
        let since = ROWS.iter().find(|(_, name, _)| *name == table).map(|(since, ..)| *since);
        // A table that a later version brings has a row here when that version is released.
        let expected = since.map(|since| i64::from(since <= version));
        let count = AssertSqlSafe(format!("SELECT COUNT(*) AS n FROM {table}"));
        let count = sqlx::query(count).fetch_one(&store.database.pool).await.unwrap().get::<i64, _>("n");
        assert_eq!(count, expected.unwrap_or(0), "{table}");
    }
    let task = store.task(TaskId(7)).await.unwrap().unwrap();
    assert_eq!((task.retry_count, task.deaths, task.lease_epoch), (2, 0, 4));
    let request = ClaimRequest {
        worker: "a new worker".to_owned(),
        host: "here".to_owned(),
        kinds: TaskKind::ALL.to_vec(),
        lease: std::time::Duration::from_mins(1),
        only: None,
    };
    let (claimed, lease) = store.claim(&request).await.unwrap().unwrap();
    let run = store.open_run(claimed.id).await.unwrap().unwrap().run;
    assert_eq!((claimed.deaths, store.last_checkpoint(run).await.unwrap().unwrap().node.as_str()), (1, "analyze"));
    let used = store.usage(Timestamp::default(), UsageBy::Model).await.unwrap();
    assert_eq!(used.iter().map(|row| row.usage.calls).collect::<Vec<_>>(), if version < 4 { vec![] } else { vec![1] });
    assert_eq!(store.fixes_of_target("t", Timestamp::default()).await.unwrap().len(), 1);
    store.release(&lease).await.unwrap();
}
