//! Group commit for SQLite: one connection writes, and what several callers ask for at the same time shares one
//! transaction, so that they share the wait for the disk. A caller is answered after the commit, never before.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Connection as _, Transaction};
use tokio::sync::{mpsc, oneshot};

use crate::StoreError;

/// What a piece of work on a connection gives.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'c>>;

/// So many callers share one transaction at most: bounds how long the first of them waits for the others.
const LARGEST_GROUP: usize = 64;

/// The way to the one writing connection. The writer ends when the last clone is dropped.
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

    /// Does `work` in a transaction of its own or a shared one: either way all of it is on disk when this returns `Ok`, and
    /// none of it happened when this returns `Err`. Work whose caller has gone away is still done.
    pub(crate) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'c> FnOnce(&'c mut AnyConnection) -> Work<'c, T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Submitted { work: Some(work), result: None, reply };
        self.jobs.send(Box::new(job)).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

trait Job: Send {
    /// Does the work and keeps the result; says whether it succeeded.
    fn run<'a>(&'a mut self, connection: &'a mut AnyConnection) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

    /// Tells the caller, now that it is known whether the transaction was committed.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Submitted<T, W> {
    work: Option<W>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> Job for Submitted<T, W>
where
    T: Send,
    W: for<'c> FnOnce(&'c mut AnyConnection) -> Work<'c, T> + Send,
{
    fn run<'a>(&'a mut self, connection: &'a mut AnyConnection) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async move {
            if let Some(work) = self.work.take() {
                self.result = Some(work(connection).await);
            }
            matches!(self.result, Some(Ok(_)))
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
    while let Some(first) = queue.recv().await {
        let mut group = vec![first];
        let committed = write_group(&mut connection, &mut group, &mut queue).await.map_err(Arc::new);
        for job in group {
            job.answer(committed.clone().map_err(StoreError::NotCommitted));
        }
    }
}

/// One transaction: the first job, and those that arrived while it ran.
async fn write_group(
    connection: &mut AnyConnection,
    group: &mut Vec<Box<dyn Job>>,
    queue: &mut mpsc::UnboundedReceiver<Box<dyn Job>>,
) -> Result<(), sqlx::Error> {
    // IMMEDIATE takes the write lock before the first read, so that what was read is still true when it is written.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut next = 0;
    while let Some(job) = group.get_mut(next) {
        run_within(&mut transaction, job.as_mut()).await?;
        next += 1;
        if next < LARGEST_GROUP
            && let Ok(arrived) = queue.try_recv()
        {
            group.push(arrived);
        }
    }
    transaction.commit().await
}

/// Runs one job behind a savepoint: its failure undoes its own changes and no one else's.
async fn run_within(transaction: &mut Transaction<'_, Any>, job: &mut dyn Job) -> Result<(), sqlx::Error> {
    let mut savepoint = transaction.begin().await?;
    if job.run(&mut savepoint).await { savepoint.commit().await } else { savepoint.rollback().await }
}
