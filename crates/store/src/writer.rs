//! Group commit for SQLite: one connection writes, and changes that several callers request at the same time share one
//! transaction and its wait for the disk. A caller receives its result after the commit, never before.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Connection as _, Transaction};
use tokio::sync::{mpsc, oneshot};

use crate::StoreError;

/// Future of a piece of work on a connection, with its result.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'c>>;

/// Maximum number of callers that share one transaction: bounds how long the first of them waits for the others.
const LARGEST_GROUP: usize = 64;

/// Time that a transaction is kept open for expected callers: far less than a disk needs to confirm a commit.
const PATIENCE: Duration = Duration::from_micros(100);

/// Handle to the one writing connection. The writer ends when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Writer {
    jobs: mpsc::UnboundedSender<Box<dyn Job>>,
}

impl Writer {
    /// Starts the writer on its own connection.
    pub(crate) fn start(connection: PoolConnection<Any>) -> Self {
        let (jobs, queue) = mpsc::unbounded_channel();
        tokio::spawn(write_all(connection, queue));
        Self { jobs }
    }

    /// Does `work` in a separate transaction or a shared one: either way all of it is on disk when this returns `Ok`, and
    /// none of it happened when this returns `Err`. Work whose caller has gone away is still done.
    pub(crate) async fn write<T, W>(&self, scope: Scope, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut AnyConnection) -> Work<'c, T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Submitted { scope, work: Some(work), result: None, reply };
        self.jobs.send(Box::new(job)).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

/// Extent of the changes that a failure has to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// One statement: the engine undoes it by itself.
    Statement,
    /// Several: they are put behind a savepoint.
    Statements,
}

/// Effect of a job on the transaction.
enum Ended {
    Done,
    /// It failed, and its changes must be undone.
    Failed,
    /// It failed so that the whole transaction is lost.
    Broken(Arc<str>),
}

type Running<'a> = Pin<Box<dyn Future<Output = Ended> + Send + 'a>>;

trait Job: Send {
    fn scope(&self) -> Scope;

    /// Does the work and keeps the result.
    fn run<'a>(&'a mut self, connection: &'a mut AnyConnection) -> Running<'a>;

    /// Returns the result to the caller, after the transaction was committed or failed.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Submitted<T, W> {
    scope: Scope,
    work: Option<W>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> Job for Submitted<T, W>
where
    T: Send,
    W: for<'c> FnOnce(&'c mut AnyConnection) -> Work<'c, T> + Send,
{
    fn scope(&self) -> Scope {
        self.scope
    }

    fn run<'a>(&'a mut self, connection: &'a mut AnyConnection) -> Running<'a> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return Ended::Done };
            let result = work(connection).await;
            let ended = match &result {
                Ok(_) => Ended::Done,
                Err(error) if error.is_breakdown() => Ended::Broken(reason(error)),
                Err(_) => Ended::Failed,
            };
            self.result = Some(result);
            ended
        })
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let result = match (self.result, committed) {
            // The work's own failure says more than the transaction's.
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            (Some(result), Ok(())) => result,
            (None, Ok(())) => Err(StoreError::Closed),
        };
        // A caller that has gone away needs no answer.
        let _ = self.reply.send(result);
    }
}

async fn write_all(mut connection: PoolConnection<Any>, mut queue: mpsc::UnboundedReceiver<Box<dyn Job>>) {
    let mut expected = 1;
    while let Some(first) = queue.recv().await {
        let mut group = vec![first];
        let committed = write_group(&mut connection, &mut group, expected, &mut queue).await;
        expected = group.len();
        for job in group {
            job.answer(committed.clone().map_err(StoreError::NotCommitted));
        }
    }
}

/// Runs one transaction: the first job, and those that arrive while it is open. `expected` callers received the result of the
/// last commit and may be about to send another job: it is worth waiting a moment for them.
async fn write_group(
    connection: &mut AnyConnection,
    group: &mut Vec<Box<dyn Job>>,
    expected: usize,
    queue: &mut mpsc::UnboundedReceiver<Box<dyn Job>>,
) -> Result<(), Arc<str>> {
    // IMMEDIATE takes the write lock before the first read, so that the values read are still current when they are written.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(|error| reason(&error))?;
    let mut begun = Instant::now();
    let mut done = 0;
    loop {
        while let Some(job) = group.get_mut(done) {
            run_within(&mut transaction, job.as_mut()).await?;
            done += 1;
            begun = Instant::now();
        }
        if let Some(arrived) = (done < LARGEST_GROUP).then(|| queue.try_recv().ok()).flatten() {
            group.push(arrived);
        } else if done < expected && begun.elapsed() < PATIENCE {
            tokio::task::yield_now().await;
        } else {
            return transaction.commit().await.map_err(|error| reason(&error));
        }
    }
}

/// Runs one job so that its failure undoes its own changes and no one else's.
async fn run_within(transaction: &mut Transaction<'_, Any>, job: &mut dyn Job) -> Result<(), Arc<str>> {
    let (ended, undone) = match job.scope() {
        Scope::Statement => (job.run(transaction).await, Ok(())),
        Scope::Statements => {
            let mut savepoint = transaction.begin().await.map_err(|error| reason(&error))?;
            let ended = job.run(&mut savepoint).await;
            let undone = match ended {
                Ended::Done => savepoint.commit().await,
                Ended::Failed | Ended::Broken(_) => savepoint.rollback().await,
            };
            (ended, undone)
        }
    };
    match ended {
        Ended::Done | Ended::Failed => undone.map_err(|error| reason(&error)),
        Ended::Broken(reason) => Err(reason),
    }
}

/// Returns the error in one line, for all callers that shared the transaction.
fn reason(error: &dyn std::error::Error) -> Arc<str> {
    match error.source() {
        Some(source) => format!("{error}: {source}").into(),
        None => error.to_string().into(),
    }
}
