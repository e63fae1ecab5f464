//! The store for programs without an asynchronous runtime: a thread with its own runtime, which writes while the
//! program continues.

use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::JoinHandle;

use autoheal_store::Store;

use crate::memory::{self, Lesson, Stored};
use crate::{ScraperError, locked};

/// Maximum number of writes that wait. A program that is faster than its store waits for it then.
const WAITING: usize = 64;

enum Order {
    Load(String, SyncSender<Result<Option<Stored>, ScraperError>>),
    Save(Box<Lesson>),
    Flush(SyncSender<Result<(), ScraperError>>),
}

/// A store and its thread, which is started when it is first wanted. Dropping it waits for what is still to be written.
#[derive(Debug)]
pub(crate) struct StoreThread {
    address: String,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    orders: SyncSender<Order>,
    thread: JoinHandle<()>,
}

impl StoreThread {
    /// Opens the store.
    pub(crate) fn start(address: String) -> Result<Self, ScraperError> {
        let running = Mutex::new(Some(Running::start(address.clone())?));
        Ok(Self { address, running })
    }

    /// Returns a source that a program feeds, as it is stored.
    pub(crate) fn load(&self, source: String) -> Result<Option<Stored>, ScraperError> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.order(Order::Load(source, answer))?;
        answered.recv().map_err(|_| ended())?
    }

    /// Stores what was learnt, after this call. Its error is that of the next [`StoreThread::flush`].
    pub(crate) fn save(&self, lesson: Lesson) {
        // A store that has ended says so at the next flush.
        _ = self.order(Order::Save(Box::new(lesson)));
    }

    /// Waits until everything is stored. Returns the first error since the last call.
    pub(crate) fn flush(&self) -> Result<(), ScraperError> {
        if locked(&self.running).is_none() {
            return Ok(());
        }
        let (answer, answered) = mpsc::sync_channel(1);
        self.order(Order::Flush(answer))?;
        answered.recv().map_err(|_| ended())?
    }

    /// Ends the thread and closes the store, until it is wanted again.
    pub(crate) fn suspend(&self) {
        if let Some(Running { orders, thread }) = locked(&self.running).take() {
            drop(orders);
            _ = thread.join();
        }
    }

    fn order(&self, order: Order) -> Result<(), ScraperError> {
        let orders = {
            let mut running = locked(&self.running);
            match &*running {
                Some(running) => running.orders.clone(),
                None => running.insert(Running::start(self.address.clone())?).orders.clone(),
            }
        };
        orders.send(order).map_err(|_| ended())
    }
}

impl Drop for StoreThread {
    fn drop(&mut self) {
        self.suspend();
    }
}

impl Running {
    fn start(address: String) -> Result<Self, ScraperError> {
        let (orders, inbox) = mpsc::sync_channel(WAITING);
        let (opened, is_opened) = mpsc::sync_channel(1);
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| ScraperError::Thread(error.to_string()));
            let store = runtime.and_then(|runtime| {
                let store = runtime.block_on(Store::open(&address))?;
                Ok((runtime, store))
            });
            match store {
                Err(error) => _ = opened.send(Err(error)),
                Ok((runtime, store)) => {
                    _ = opened.send(Ok(()));
                    runtime.block_on(serve(store, &inbox));
                }
            }
        };
        let thread = std::thread::Builder::new().name("autoheal-store".to_owned()).spawn(work);
        let thread = thread.map_err(|error| ScraperError::Thread(error.to_string()))?;
        is_opened.recv().map_err(|_| ended())??;
        Ok(Self { orders, thread })
    }
}

fn ended() -> ScraperError {
    ScraperError::Thread("its thread has ended".to_owned())
}

/// Works until the program drops its end. The orders come one by one, so that nothing is read before what was ordered earlier is
/// written.
async fn serve(store: Store, inbox: &Receiver<Order>) {
    let mut failed = None;
    while let Ok(order) = inbox.recv() {
        match order {
            Order::Load(source, answer) => _ = answer.send(memory::load(&store, &source).await),
            Order::Save(lesson) => {
                if let Err(error) = memory::save(&store, &lesson).await {
                    failed.get_or_insert(error);
                }
            }
            Order::Flush(answer) => _ = answer.send(failed.take().map_or(Ok(()), Err)),
        }
    }
    store.disconnect().await;
}
