//! A server on a separate thread: a test may block, and the program under test may be another process.

#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

use std::net::SocketAddr;
use std::thread::{self, JoinHandle};

use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Background {
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Background {
    /// Listens at `address`, which may leave the port open, and lets `serve` answer until the end. Tells where.
    pub(crate) async fn start<F, S>(name: &str, address: SocketAddr, serve: F) -> (SocketAddr, Self)
    where
        F: FnOnce(TcpListener) -> S + Send + 'static,
        S: Future<Output = ()>,
    {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, listening) = oneshot::channel();
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind(address).await.expect("a port on the loopback interface");
                let _ = ready.send(listener.local_addr().expect("the port"));
                tokio::select! {
                    () = serve(listener) => {}
                    // Both a word and silence mean the end.
                    _ = stopped => {}
                }
            });
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run).expect("a thread");
        (listening.await.expect("the server listens"), Self { running: Some((stop, thread)) })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

/// Any port of the loopback interface.
pub(crate) fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}
