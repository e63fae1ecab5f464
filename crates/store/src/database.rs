//! The two engines behind one set of statements: connecting, migrating, and the few expressions in which their SQL differs.

use std::borrow::Cow;
use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use sqlx::any::{AnyArguments, AnyPoolOptions, AnyRow};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AnyPool, Connection as _, Executor as _};
use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};
use url::Url;
use uuid::Uuid;

use crate::writer::{Scope, Work, Writer};
use crate::{StoreError, row};

/// A statement with its arguments, made before the transaction that executes it.
pub(crate) type Statement = Query<'static, Any, AnyArguments>;

/// SQL dialect of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    fn of(url: &str) -> Result<Self, StoreError> {
        match url.split(':').next() {
            Some("sqlite") => Ok(Self::Sqlite),
            Some("postgres" | "postgresql") => Ok(Self::Postgres),
            _ => Err(StoreError::UnknownAddress),
        }
    }

    /// Returns the statement for this engine. Statements are written once; these placeholders are replaced by what differs:
    /// `{now}` the database's clock in milliseconds, `{for_update}` a lock on the rows read until the transaction ends,
    /// `{skip_locked}` the same, passing over rows that another transaction has locked, `{any_of} ... {end}` the values that a
    /// query returns, which is executed once: PostgreSQL may repeat the query of an `IN`, and each time lock other rows.
    pub(crate) fn sql(self, text: &'static str) -> SqlStr {
        if !text.contains('{') {
            return text.into_sql_str();
        }
        let values = match self {
            // One writer at a time: a row that was read cannot change before the transaction ends.
            Self::Sqlite => [
                ("{now}", "CAST(unixepoch('subsec') * 1000 AS INTEGER)"),
                ("{for_update}", ""),
                ("{skip_locked}", ""),
                ("{any_of}", "IN ("),
                ("{end}", ")"),
            ],
            Self::Postgres => [
                ("{now}", "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"),
                ("{for_update}", "FOR NO KEY UPDATE"),
                ("{skip_locked}", "FOR NO KEY UPDATE SKIP LOCKED"),
                ("{any_of}", "= ANY (ARRAY("),
                ("{end}", "))"),
            ],
        };
        let text = values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        // Made of constants alone.
        AssertSqlSafe(text).into_sql_str()
    }

    /// The version of the schema that this program brings a database to.
    pub(crate) fn newest_version(self) -> i64 {
        self.migrations().iter().map(|migration| migration.version).max().unwrap_or(0)
    }

    /// Returns the migrations up to a version: those that an autoheal of that time knew.
    #[cfg(test)]
    fn migrations_until(self, version: i64) -> Migrator {
        Migrator::with_migrations(self.migrations().iter().filter(|one| one.version <= version).cloned().collect())
    }

    fn migrations(self) -> Migrator {
        macro_rules! files {
            ($folder:literal) => {
                [
                    (1, "queue and runs", include_str!(concat!("../migrations/", $folder, "/0001_queue_and_runs.sql"))),
                    (2, "sources", include_str!(concat!("../migrations/", $folder, "/0002_sources.sql"))),
                    (3, "notices", include_str!(concat!("../migrations/", $folder, "/0003_notices.sql"))),
                    (4, "model calls", include_str!(concat!("../migrations/", $folder, "/0004_model_calls.sql"))),
                    (5, "jobs", include_str!(concat!("../migrations/", $folder, "/0005_jobs.sql"))),
                    (6, "decisions", include_str!(concat!("../migrations/", $folder, "/0006_decisions.sql"))),
                    (7, "deaths", include_str!(concat!("../migrations/", $folder, "/0007_deaths.sql"))),
                    (8, "reservations", include_str!(concat!("../migrations/", $folder, "/0008_reservations.sql"))),
                    (9, "outcomes", include_str!(concat!("../migrations/", $folder, "/0009_outcomes.sql"))),
                    (10, "open matters", include_str!(concat!("../migrations/", $folder, "/0010_open_matters.sql"))),
                    (
                        11,
                        "decisions and alerts",
                        include_str!(concat!("../migrations/", $folder, "/0011_decisions_and_alerts.sql")),
                    ),
                    (
                        12,
                        "source diagnostics",
                        include_str!(concat!("../migrations/", $folder, "/0012_source_diagnostics.sql")),
                    ),
                    (13, "schedule", include_str!(concat!("../migrations/", $folder, "/0013_schedule.sql"))),
                ]
            };
        }
        let files = match self {
            Self::Sqlite => files!("sqlite"),
            Self::Postgres => files!("postgres"),
        };
        let migrations = files.map(|(version, description, sql)| {
            Migration::new(version, Cow::Borrowed(description), MigrationType::Simple, sql.into_sql_str(), false)
        });
        Migrator::with_migrations(migrations.to_vec())
    }
}

/// An open database: its connections, and the writer where there is one.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) dialect: Dialect,
    /// Connections for reading; on PostgreSQL for writing, too.
    pub(crate) pool: AnyPool,
    /// SQLite has one writer at a time in any case; this one lets callers share a transaction.
    writer: Option<Writer>,
}

impl Database {
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(url)?;
        match dialect {
            Dialect::Sqlite => Self::open_sqlite(url).await,
            Dialect::Postgres => Self::open_postgres(url).await,
        }
    }

    pub(crate) async fn close(self) {
        // The writer's connection is returned when the writer ends.
        drop(self.writer);
        self.pool.close().await;
    }

    /// Returns whether there is a database with the newest schema. Makes and changes nothing.
    pub(crate) async fn is_current(url: &str) -> Result<bool, StoreError> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(url)?;
        let mut connection = AnyConnection::connect(url).await?;
        let newest =
            sqlx::query("SELECT MAX(version) AS version FROM _sqlx_migrations").fetch_one(&mut connection).await?;
        Ok(row::integer(&newest, "version")? == dialect.newest_version())
    }

    async fn open_sqlite(url: &str) -> Result<Self, StoreError> {
        // Another process may hold the write lock for a moment; its transactions are short. The log is carried over into the
        // file every 32 MB: a queue changes the same pages again and again, and each is carried over once.
        const PRAGMAS: &str = "PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000;";
        let url = if url == "sqlite::memory:" {
            // Named, so that every connection of this store sees the same database and no other store does.
            format!("sqlite:file:autoheal-{}?mode=memory&cache=shared", Uuid::now_v7())
        } else if url.contains('?') {
            url.to_owned()
        } else {
            format!("{url}?mode=rwc")
        };
        if let Some(file) = file_of(&url) {
            make_private(&file).map_err(|error| {
                let reason = format!("{} cannot be opened for this user alone: {error}", file.display());
                StoreError::Refused { what: "the database file", reason }
            })?;
        }
        let pool = AnyPoolOptions::new()
            .max_connections(5)
            // A file is always there: no connection has to be tried out or replaced. An in-memory database ends with its
            // last connection, which is the writer's.
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .after_connect(|connection, _| Box::pin(async move { connection.execute(PRAGMAS).await.map(|_| ()) }))
            .connect(&url)
            .await?;
        let mut connection = pool.acquire().await?;
        // In one transaction, so that of several processes that start on a new file one migrates and the others wait.
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
        migrate(Dialect::Sqlite, &mut transaction).await?;
        transaction.commit().await?;
        Ok(Self { dialect: Dialect::Sqlite, writer: Some(Writer::start(connection)), pool })
    }

    async fn open_postgres(url: &str) -> Result<Self, StoreError> {
        // Every statement here is written for an index, and the planner must use it: without statistics, or with those of a
        // time when the queue was empty, it would read and sort the whole queue for each claim. If it has to sort, it
        // considers the plan expensive enough to compile it, which takes longer than the statement.
        // A process that was frozen, or lost its network, in the middle of a transaction must not keep its locks:
        // no other worker could take its task over.
        const SETTINGS: &str =
            "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off;
             SET idle_in_transaction_session_timeout = '15s';";
        // A connection that was used a moment ago need not be tried out before each statement, which takes as long as a statement.
        const TRUSTED: Duration = Duration::from_secs(1);
        let pool = AnyPoolOptions::new()
            .max_connections(10)
            .test_before_acquire(false)
            .before_acquire(|connection, used| {
                Box::pin(async move {
                    if used.idle_for > TRUSTED {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .after_connect(|connection, _| Box::pin(async move { connection.execute(SETTINGS).await.map(|_| ()) }))
            .connect(url)
            .await?;
        migrate(Dialect::Postgres, &mut *pool.acquire().await?).await?;
        Ok(Self { dialect: Dialect::Postgres, pool, writer: None })
    }

    /// Executes one writing statement, and returns its row. The write is on disk when this returns `Ok`.
    pub(crate) async fn execute(&self, statement: Statement) -> Result<Option<AnyRow>, StoreError> {
        Ok(self.execute_all(statement).await?.into_iter().next())
    }

    /// Executes one writing statement, and returns its rows. The write is on disk when this returns `Ok`.
    pub(crate) async fn execute_all(&self, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        if let Some(writer) = &self.writer {
            return writer
                .write(Scope::Statement, |connection| {
                    Box::pin(async move { Ok(statement.fetch_all(connection).await?) })
                })
                .await;
        }
        let mut connection = self.pool.acquire().await?;
        match statement.fetch_all(&mut *connection).await {
            Ok(rows) => Ok(rows),
            Err(error) => {
                // PostgreSQL reports an error before it undoes the statement. Until it has, the rows of the statement are locked, and
                // the caller's next try, on another connection, would skip them. A connection that is lost has undone it as well.
                let _ = connection.ping().await;
                Err(error.into())
            }
        }
    }

    /// Does `work` in a transaction: when this returns `Ok` all of it is on disk, when it returns `Err` none of it happened.
    pub(crate) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut AnyConnection) -> Work<'c, T> + Send + 'static,
    {
        if let Some(writer) = &self.writer {
            return writer.write(Scope::Statements, work).await;
        }
        let mut transaction = self.pool.begin().await?;
        match work(&mut transaction).await {
            Ok(value) => {
                transaction.commit().await?;
                Ok(value)
            }
            Err(error) => {
                // Waits until its locks are gone; a connection that is lost has undone it as well.
                let _ = transaction.rollback().await;
                Err(error)
            }
        }
    }
}

async fn migrate(dialect: Dialect, connection: &mut AnyConnection) -> Result<(), StoreError> {
    dialect.migrations().run_direct(None, connection, false).await.map_err(|error| match error {
        MigrateError::VersionMissing(version) => StoreError::NewerSchema { version },
        error => StoreError::Migration(error),
    })
}

/// Returns the file that a SQLite address creates if it is missing; for other addresses the user decides.
fn file_of(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:")?.strip_suffix("?mode=rwc")?;
    let path = percent_decode_str(path.strip_prefix("//").unwrap_or(path)).decode_utf8().ok()?;
    (!path.contains(":memory:")).then(|| PathBuf::from(&*path))
}

/// Creates the file with access for this user only, or removes the access of others: SQLite gives the files next to it the
/// same mode.
fn make_private(file: &Path) -> std::io::Result<()> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    let found = file.metadata()?;
    if found.mode().trailing_zeros() >= 6 {
        return Ok(());
    }
    match file.set_permissions(Permissions::from_mode(0o600)) {
        // Another user's file, which is shared on purpose.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
        changed => changed,
    }
}

/// Returns the address of a SQLite file, with any characters in its path.
pub(crate) fn sqlite_url(path: &Path) -> Result<String, StoreError> {
    let refused = |reason: &str| StoreError::Refused { what: "the database file", reason: reason.to_owned() };
    let path = std::path::absolute(path).map_err(|error| refused(&error.to_string()))?;
    let file = Url::from_file_path(path).map_err(|()| refused("its path is not one a URL can hold"))?;
    Ok(format!("sqlite://{}", file.path()))
}

#[cfg(test)]
mod tests {
    use sqlx::Row as _;

    use super::{Database, Dialect};

    #[tokio::test]
    async fn every_connection_to_a_file_is_durable_and_patient() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&super::sqlite_url(&folder.path().join("a.db")).unwrap()).await.unwrap();
        let value = |pragma: &'static str| {
            let database = database.clone();
            async move {
                let on =
                    |row: sqlx::any::AnyRow| row.try_get::<i64, _>(0).map_or_else(|_| row.get(0), |n| n.to_string());
                let read = on(sqlx::query(pragma).fetch_one(&database.pool).await.unwrap());
                let write = database.write(move |connection| {
                    Box::pin(async move { Ok(sqlx::query(pragma).fetch_one(connection).await?) })
                });
                (read, on(write.await.unwrap()))
            }
        };
        let both = |text: &str| (text.to_owned(), text.to_owned());
        assert_eq!(value("PRAGMA journal_mode").await, both("wal"));
        assert_eq!(value("PRAGMA synchronous").await, both("2"));
        assert_eq!(value("PRAGMA busy_timeout").await, both("30000"));
        assert_eq!(value("PRAGMA foreign_keys").await, both("1"));
    }

    #[test]
    fn every_migration_that_is_written_is_applied() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        for (dialect, name) in [(Dialect::Sqlite, "sqlite"), (Dialect::Postgres, "postgres")] {
            let written = i64::try_from(std::fs::read_dir(folder.join(name)).unwrap().count()).unwrap();
            let applied: Vec<i64> = dialect.migrations().iter().map(|migration| migration.version).collect();
            assert_eq!(applied, (1..=written).collect::<Vec<_>>(), "{name}");
        }
    }
}

#[cfg(test)]
mod upgrade;
