//! Requests inside a tunnel: a registry can be read from, but nothing can be sent to it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{Either, Empty, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONNECTION, HOST, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, UPGRADE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// Maximum time for each side of the TLS handshake.
const PATIENCE: Duration = Duration::from_secs(30);

/// The longest head of a request, in bytes.
const HEAD: usize = 32 << 10;

/// Headers that are about one connection, not about the request.
const OF_THE_CONNECTION: &[HeaderName] = &[CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, UPGRADE];

/// Response to a client: the registry's response, or the reason the request was refused.
type Answer = Response<Either<Incoming, Full<Bytes>>>;

/// Number of bytes that an install may still send to registries, over all requests.
#[derive(Debug)]
pub(super) struct Left(AtomicU64);

impl Left {
    pub(super) const fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    fn take(&self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }
}

/// Reason a request was not forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not for the host of the tunnel.
    OtherHost,
    /// Its method is not a read method.
    Method,
    /// It has a body.
    Body,
    /// The install has sent as much as it may.
    SentTooMuch,
    /// The registry could not be reached, or the server that answers is not the registry.
    Unreachable,
}

impl Refusal {
    const fn told(self) -> (StatusCode, &'static str) {
        match self {
            Self::OtherHost => (StatusCode::MISDIRECTED_REQUEST, "autoheal: this tunnel leads to another host\n"),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "autoheal: only GET and HEAD reach a registry\n"),
            Self::Body => (StatusCode::PAYLOAD_TOO_LARGE, "autoheal: a request to a registry has no body\n"),
            Self::SentTooMuch => (StatusCode::FORBIDDEN, "autoheal: this install has sent too much to registries\n"),
            Self::Unreachable => (StatusCode::BAD_GATEWAY, "autoheal: the registry cannot be reached by TLS\n"),
        }
    }

    fn answer(self) -> Answer {
        let (status, text) = self.told();
        let mut answer = Response::new(Either::Right(Full::new(Bytes::from_static(text.as_bytes()))));
        *answer.status_mut() = status;
        answer
    }
}

/// Connector to the host of a tunnel.
#[async_trait]
pub(super) trait Reach: Send + Sync {
    /// A connection to an address that was found to be allowed.
    async fn reach(&self) -> io::Result<TcpStream>;
}

/// Destination of the requests of one tunnel.
pub(super) struct Registry {
    pub(super) host: String,
    pub(super) way: Box<dyn Reach>,
    pub(super) trust: Arc<ClientConfig>,
    pub(super) left: Arc<Left>,
}

/// Answers the requests of a client that believes to speak with the host, until it hangs up.
pub(super) async fn serve<C>(client: C, acceptor: TlsAcceptor, registry: Registry) -> io::Result<()>
where
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let client = tokio::time::timeout(PATIENCE, acceptor.accept(client)).await??;
    let upstream = Arc::new(Upstream { registry, open: Mutex::default() });
    let answer = service_fn(move |request| {
        let upstream = Arc::clone(&upstream);
        async move { Ok::<_, io::Error>(upstream.answer(request).await) }
    });
    let served = http1::Builder::new().max_buf_size(HEAD).serve_connection(TokioIo::new(client), answer).await;
    served.map_err(io::Error::other)
}

/// A connection to the registry, made when it is needed.
struct Upstream {
    registry: Registry,
    open: Mutex<Option<Open>>,
}

struct Open {
    sender: SendRequest<Empty<Bytes>>,
    /// Drives the connection; the task ends when this is dropped.
    _driver: JoinSet<()>,
}

impl Upstream {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let answered = match self.admitted(request) {
            Ok(request) => self.hand_on(request).await.map_err(|error| {
                tracing::debug!(%error, host = self.registry.host, "a registry cannot be reached");
                Refusal::Unreachable
            }),
            Err(refusal) => Err(refusal),
        };
        answered.unwrap_or_else(|refusal| {
            tracing::warn!(?refusal, %method, %uri, host = self.registry.host, "a request to a registry was refused");
            refusal.answer()
        })
    }

    /// Returns the request to forward, if it is allowed.
    fn admitted(&self, request: Request<Incoming>) -> Result<Request<Empty<Bytes>>, Refusal> {
        let (head, body) = request.into_parts();
        let named = head.uri.authority().map(hyper::http::uri::Authority::as_str);
        let said = head.headers.get(HOST).map(|value| value.to_str().unwrap_or_default());
        if said.is_none() || named.into_iter().chain(said).any(|name| !self.is_host(name)) {
            return Err(Refusal::OtherHost);
        }
        if !matches!(head.method, Method::GET | Method::HEAD) {
            return Err(Refusal::Method);
        }
        if !body.is_end_stream() {
            return Err(Refusal::Body);
        }
        let length = |(name, value): (&HeaderName, &hyper::header::HeaderValue)| name.as_str().len() + value.len();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        if !self.registry.left.take(path.len() + head.headers.iter().map(length).sum::<usize>()) {
            return Err(Refusal::SentTooMuch);
        }
        let mut request = Request::new(Empty::new());
        *request.method_mut() = head.method;
        *request.uri_mut() = path.parse::<Uri>().map_err(|_| Refusal::OtherHost)?;
        *request.headers_mut() = head.headers;
        for name in OF_THE_CONNECTION {
            request.headers_mut().remove(name);
        }
        Ok(request)
    }

    fn is_host(&self, name: &str) -> bool {
        name.strip_suffix(":443").unwrap_or(name).eq_ignore_ascii_case(&self.registry.host)
    }

    async fn hand_on(&self, request: Request<Empty<Bytes>>) -> io::Result<Answer> {
        let mut open = self.open.lock().await;
        let mut kept = open.take();
        if let Some(open) = &mut kept
            && open.sender.ready().await.is_err()
        {
            kept = None;
        }
        let kept = match kept {
            Some(kept) => kept,
            None => self.connect(self.registry.way.reach().await?).await?,
        };
        let answer = open.insert(kept).sender.send_request(request).await.map_err(io::Error::other)?;
        let (mut head, body) = answer.into_parts();
        for name in OF_THE_CONNECTION {
            head.headers.remove(name);
        }
        Ok(Response::from_parts(head, Either::Left(body)))
    }

    async fn connect(&self, stream: TcpStream) -> io::Result<Open> {
        let name = ServerName::try_from(self.registry.host.clone()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(Arc::clone(&self.registry.trust));
        let stream = tokio::time::timeout(PATIENCE, connector.connect(name, stream)).await??;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            let _: hyper::Result<()> = connection.await;
        });
        Ok(Open { sender, _driver: driver })
    }
}
