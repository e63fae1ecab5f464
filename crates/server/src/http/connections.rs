//! Connections: slow clients are disconnected, and a stop lets open responses finish.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::clients::{Client, Connections};

/// Time limit for receiving the headers of a request.
const HEADERS: Duration = Duration::from_secs(5);

/// Grace period for unfinished responses when the server stops.
const GRACE: Duration = Duration::from_secs(10);

/// Maximum time for which a client may leave a response unread.
const UNREAD: Duration = Duration::from_secs(30);

/// Maximum number of connections; others wait to be accepted.
const MOST: u64 = 4096;

/// Number of files reserved for the rest of this process (the database, sandboxes, git): clients cannot use them up.
const RESERVED: u64 = 512;

/// Returns the maximum number of connections, after raising this process's limit on open files.
fn room() -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return 64 };
    let wanted = (MOST + RESERVED).min(hard).max(soft);
    let files = if setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft };
    usize::try_from(files.saturating_sub(RESERVED).clamp(64, MOST)).unwrap_or(64)
}

/// Serves requests until `stop`, then finishes the open ones. Limits each client to `most` connections at once; 0: unlimited.
pub(super) async fn serve(listener: TcpListener, router: Router, most: usize, stop: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let (slots, connections) = (Arc::new(Semaphore::new(room())), Connections::new(most));
    loop {
        let taken = tokio::select! {
            () = stop.cancelled() => break,
            taken = take(&listener, &slots) => taken,
        };
        let Some((stream, client, slot)) = taken else { continue };
        // A client with too many connections is disconnected, so that no other client has to wait.
        let Some(place) = connections.take(client) else { continue };
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
            .serve_connection(TokioIo::new(Patient::new(stream)), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            let _held = (slot, place);
            // A client that disconnects or does not speak HTTP gets no answer: that is not an error of the server.
            let _: Result<(), _> = watched.await.inspect_err(|error| tracing::debug!(%error, "a connection broke"));
        });
    }
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("answers that were under way are given up");
    }
}

/// A connection that breaks when an answer is left unread for too long: it would keep its place for ever.
struct Patient<S> {
    stream: S,
    unread: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    const fn new(stream: S) -> Self {
        Self { stream, unread: None }
    }

    /// Returns the result of an attempt to write, or an error if the attempt is pending for too long.
    fn waited<T>(&mut self, tried: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.unread = None;
            return tried;
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        unread.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.waited(tried, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.waited(tried, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

type Taken = (TcpStream, Client, tokio::sync::OwnedSemaphorePermit);

async fn take(listener: &TcpListener, slots: &Arc<Semaphore>) -> Option<Taken> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Events are small, and are to be seen at once.
            let _ = stream.set_nodelay(true);
            Some((stream, Client::at(peer.ip()), slot))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be taken");
            // Such as that there are too many open files: that passes.
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_reads_slowly_is_waited_for_and_who_does_not_read_is_not() {
        let (ours, mut theirs) = tokio::io::duplex(16);
        let mut patient = Patient::new(ours);
        let reading = async {
            let mut read = [0; 64];
            for _ in 0..4 {
                sleep(UNREAD / 2).await;
                theirs.read_exact(&mut read[..16]).await.unwrap();
            }
            theirs
        };
        let (written, _theirs) = tokio::join!(patient.write_all(&[0; 64]), reading);
        written.unwrap();
        patient.write_all(&[0; 16]).await.unwrap();
        let begun = Instant::now();
        let stalled = patient.write_all(&[0; 16]).await;
        assert_eq!(stalled.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), UNREAD.as_secs());
    }
}
