//! Connections: who takes too long to ask is not waited for, and a stop lets answers end.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// The address of whoever asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client(pub(super) IpAddr);

/// How long the headers of a request may take.
const HEADERS: Duration = Duration::from_secs(10);

/// How long a stop waits for answers that are under way.
const GRACE: Duration = Duration::from_secs(10);

/// How many connections there are at most; others wait to be taken.
const MOST: usize = 4096;

/// Answers until `stop`, and then ends what it was asked.
pub(super) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(MOST));
    loop {
        let taken = tokio::select! {
            () = stop.cancelled() => break,
            taken = take(&listener, &slots) => taken,
        };
        let Some((stream, client, slot)) = taken else { continue };
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let router = router.clone();
            async move {
                let mut request: Request = request.map(Body::new);
                request.extensions_mut().insert(client);
                router.oneshot(request).await
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            let _slot = slot;
            // Whoever hangs up or speaks no HTTP gets no answer: nothing is wrong here.
            let _: Result<(), _> = watched.await.inspect_err(|error| tracing::debug!(%error, "a connection broke"));
        });
    }
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("answers that were under way are given up");
    }
}

type Taken = (tokio::net::TcpStream, Client, tokio::sync::OwnedSemaphorePermit);

async fn take(listener: &TcpListener, slots: &Arc<Semaphore>) -> Option<Taken> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Events are small, and are to be seen at once.
            let _ = stream.set_nodelay(true);
            Some((stream, Client(peer.ip()), slot))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be taken");
            // Such as that there are too many open files: that passes.
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}
