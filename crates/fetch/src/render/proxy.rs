//! The browser's way to the network: a forward proxy (RFC 9110, section 7.6; CONNECT, 9.3.6), at a unix socket that only the
//! browser's namespace shows, or on the loopback interface.
//!
//! It connects to addresses that the guard let through, after looking names up itself, and to nothing else. It counts the
//! downloads and the uploads of a page separately, over all its connections.

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::task::{JoinHandle, JoinSet};
use url::{Host, Url};

use crate::resolve::{GuardedResolver, ResolveError};

/// The longest head of a request, in bytes.
const HEAD_LIMIT: u64 = 64 << 10;

/// Maximum number of connections that are served at once; a browser opens six to a host.
const CONNECTIONS: usize = 128;

/// Limits on the traffic of a page, in bytes.
#[derive(Debug)]
pub(super) struct Allowance {
    load: Left,
    send: Left,
}

impl Allowance {
    pub(super) const fn new(load: u64, send: u64) -> Self {
        Self { load: Left(AtomicU64::new(load)), send: Left(AtomicU64::new(send)) }
    }
}

/// Number of bytes that are left.
#[derive(Debug)]
struct Left(AtomicU64);

impl Left {
    /// Takes some, or fails when that is more than there is.
    fn take(&self, bytes: usize) -> io::Result<()> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.map(drop).map_err(|_| io::Error::other("the page loads or sends more than it may"))
    }
}

/// A running proxy; it ends, with every connection, when this is dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    port: u16,
    serving: JoinHandle<()>,
}

impl Proxy {
    /// At a free port of the loopback interface.
    pub(super) async fn at_port(resolver: GuardedResolver, allowance: Allowance) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let way = Arc::new(Way { resolver, allowance });
        let serving = tokio::spawn(async move {
            let mut connections = Connections::new(way);
            loop {
                if let Some(Ok((stream, _))) = connections.until(listener.accept()).await {
                    connections.serve(stream);
                }
            }
        });
        Ok(Self { port, serving })
    }

    /// At a unix socket, which is made.
    pub(super) fn at_socket(socket: &Path, resolver: GuardedResolver, allowance: Allowance) -> io::Result<Self> {
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket)?;
        let way = Arc::new(Way { resolver, allowance });
        let serving = tokio::spawn(async move {
            let mut connections = Connections::new(way);
            loop {
                if let Some(Ok((stream, _))) = connections.until(listener.accept()).await {
                    connections.serve(stream);
                }
            }
        });
        Ok(Self { port: 0, serving })
    }

    /// The port of a proxy that has one.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// State that all connections share.
struct Way {
    resolver: GuardedResolver,
    allowance: Allowance,
}

/// Connections of the browser, [`CONNECTIONS`] at most.
struct Connections {
    way: Arc<Way>,
    open: JoinSet<()>,
}

impl Connections {
    fn new(way: Arc<Way>) -> Self {
        Self { way, open: JoinSet::new() }
    }

    /// Awaits the next one, when there is room for it; `None`: one ended.
    async fn until<T>(&mut self, next: impl Future<Output = T>) -> Option<T> {
        if self.open.len() >= CONNECTIONS {
            self.open.join_next().await;
        }
        tokio::select! {
            next = next => Some(next),
            Some(_) = self.open.join_next() => None,
        }
    }

    fn serve(&mut self, stream: impl AsyncRead + AsyncWrite + Send + 'static) {
        let way = Arc::clone(&self.way);
        // A connection that fails is for the browser to notice.
        self.open.spawn(async move {
            let _: io::Result<()> = way.serve(stream).await;
        });
    }
}

/// A request's first lines.
struct Head {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
}

impl Way {
    async fn serve(&self, stream: impl AsyncRead + AsyncWrite) -> io::Result<()> {
        let (read, mut write) = tokio::io::split(stream);
        let mut read = BufReader::new(read);
        let Some(head) = read_head(&mut read).await? else { return refuse(&mut write, 400).await };
        let Some((host, port, path)) = destination(&head) else { return refuse(&mut write, 400).await };
        let upstream = match self.connect(&host, port).await {
            Ok(upstream) => upstream,
            Err(status) => return refuse(&mut write, status).await,
        };
        if let Some(path) = path {
            self.forward(&head, &path, read, write, upstream).await
        } else {
            write.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            self.tunnel(read, write, upstream).await
        }
    }

    /// Connects to the first address of a host that accepts a connection. The error is the status of the response to the
    /// browser.
    async fn connect(&self, host: &Host, port: u16) -> Result<TcpStream, u16> {
        let addresses = match host {
            Host::Domain(name) => self.resolver.addresses(name).await,
            Host::Ipv4(address) => self.resolver.literal(IpAddr::V4(*address)),
            Host::Ipv6(address) => self.resolver.literal(IpAddr::V6(*address)),
        };
        let addresses = addresses.map_err(|error| match error {
            ResolveError::Forbidden { .. } => 403_u16,
            ResolveError::UnknownName | ResolveError::Unanswered(_) => 502,
        })?;
        for address in addresses {
            if let Ok(stream) = TcpStream::connect(SocketAddr::new(address, port)).await {
                return Ok(stream);
            }
        }
        Err(502)
    }

    /// Forwards one request and its response. The connection then ends, so that no second request can follow, which might
    /// have another host as its destination.
    async fn forward(
        &self,
        head: &Head,
        path: &str,
        read: impl AsyncRead + Unpin,
        mut write: impl AsyncWrite + Unpin,
        upstream: TcpStream,
    ) -> io::Result<()> {
        let mut text = format!("{} {path} HTTP/1.1\r\nConnection: close\r\n", head.method);
        for (name, value) in &head.headers {
            if !matches!(name.to_ascii_lowercase().as_str(), "connection" | "proxy-connection" | "keep-alive") {
                let _ = write!(text, "{name}: {value}\r\n");
            }
        }
        text.push_str("\r\n");
        let length = head.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|(_, value)| value.parse::<u64>().ok()).unwrap_or(0);
        let (mut answer, mut request) = upstream.into_split();
        self.allowance.send.take(text.len())?;
        request.write_all(text.as_bytes()).await?;
        copy(&mut read.take(length), &mut request, &self.allowance.send).await?;
        copy(&mut answer, &mut write, &self.allowance.load).await?;
        write.shutdown().await
    }

    async fn tunnel(
        &self,
        mut read: impl AsyncRead + Unpin,
        mut write: impl AsyncWrite + Unpin,
        upstream: TcpStream,
    ) -> io::Result<()> {
        let (mut incoming, mut outgoing) = upstream.into_split();
        tokio::select! {
            ended = copy(&mut incoming, &mut write, &self.allowance.load) => ended?,
            ended = copy(&mut read, &mut outgoing, &self.allowance.send) => ended?,
        }
        write.shutdown().await
    }
}

/// Copies until the end, or until the limit is reached.
async fn copy(from: &mut (impl AsyncRead + Unpin), to: &mut (impl AsyncWrite + Unpin), left: &Left) -> io::Result<()> {
    let mut piece = vec![0_u8; 16 << 10];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            return Ok(());
        }
        left.take(length)?;
        to.write_all(&piece[..length]).await?;
    }
}

async fn read_head(read: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Head>> {
    let mut limited = read.take(HEAD_LIMIT);
    let mut first = String::new();
    limited.read_line(&mut first).await?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let mut head = Head { method: method.to_owned(), target: target.to_owned(), headers: Vec::new() };
    loop {
        let mut line = String::new();
        limited.read_line(&mut line).await?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => head.headers.push((name.to_owned(), value.trim().to_owned())),
            None if line == "\r\n" || line == "\n" => return Ok(Some(head)),
            None => return Ok(None),
        }
    }
}

/// Host, port, and for a plain request its path and query.
fn destination(head: &Head) -> Option<(Host, u16, Option<String>)> {
    let is_tunnel = head.method == "CONNECT";
    // Parsed as a URL, so that addresses in unusual notation are treated as everywhere else.
    let url =
        if is_tunnel { Url::parse(&format!("https://{}/", head.target)) } else { Url::parse(&head.target) }.ok()?;
    let host = url.host()?.to_owned();
    let port = url.port_or_known_default()?;
    if is_tunnel {
        return Some((host, port, None));
    }
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    (url.scheme() == "http").then_some((host, port, Some(path)))
}

async fn refuse(write: &mut (impl AsyncWrite + Unpin), status: u16) -> io::Result<()> {
    let answer = format!("HTTP/1.1 {status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    write.write_all(answer.as_bytes()).await?;
    write.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressGuard;

    async fn proxy(allowed: &[&str], traffic_limit: u64) -> Proxy {
        let places: Vec<_> = allowed.iter().map(|place| place.parse().unwrap()).collect();
        let resolver = GuardedResolver::new(Arc::new(AddressGuard::new(&places)));
        Proxy::at_port(resolver, Allowance::new(traffic_limit, 10_000)).await.unwrap()
    }

    /// Returns the proxy's answer to these bytes, up to the end of the connection.
    async fn ask(proxy: &Proxy, text: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port())).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Starts a server that echoes the request, then `padding` more bytes.
    async fn echo(padding: usize) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut asked = vec![0; 4096];
                let length = stream.read(&mut asked).await.unwrap();
                let _ = stream.write_all(&asked[..length]).await;
                let _ = stream.write_all(&vec![b'.'; padding]).await;
            }
        });
        port
    }

    #[tokio::test]
    async fn forbidden_places_are_refused_in_every_form() {
        let (proxy, port) = (proxy(&[], 1 << 20).await, echo(0).await);
        for target in [
            format!("GET http://127.0.0.1:{port}/ HTTP/1.1"),
            format!("GET http://localhost:{port}/ HTTP/1.1"),
            format!("GET http://0x7f.1:{port}/ HTTP/1.1"),
            format!("GET http://[::ffff:127.0.0.1]:{port}/ HTTP/1.1"),
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1"),
            format!("CONNECT localhost:{port} HTTP/1.1"),
            "CONNECT 169.254.169.254:443 HTTP/1.1".to_owned(),
        ] {
            let answer = ask(&proxy, &format!("{target}\r\nHost: example.com\r\n\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 403 "), "{target}: {answer}");
        }
    }

    #[tokio::test]
    async fn what_is_no_request_is_refused() {
        let proxy = proxy(&["127.0.0.1"], 1 << 20).await;
        for text in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n",
            "\r\n",
            "GET file:///etc HTTP/1.1\r\n\r\n",
        ] {
            assert!(ask(&proxy, text).await.starts_with("HTTP/1.1 400 "), "{text}");
        }
        assert!(ask(&proxy, "CONNECT name.invalid:443 HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 502 "));
    }

    #[tokio::test]
    async fn one_request_goes_through_and_nothing_after_it() {
        let (proxy, port) = (proxy(&["127.0.0.1"], 1 << 20).await, echo(0).await);
        let text = format!(
            "POST http://127.0.0.1:{port}/a?b=c HTTP/1.1\r\nHost: here\r\nProxy-Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbodyGET http://other/ HTTP/1.1\r\n\r\n"
        );
        let seen = ask(&proxy, &text).await;
        assert!(seen.starts_with("POST /a?b=c HTTP/1.1\r\nConnection: close\r\nHost: here\r\n"), "{seen}");
        assert!(!seen.contains("other") && !seen.contains("Proxy-Connection"), "{seen}");
    }

    #[tokio::test]
    async fn a_page_does_not_load_more_than_it_may() {
        let (proxy, port) = (proxy(&["127.0.0.1"], 100_000).await, echo(1 << 20).await);
        let answer = ask(&proxy, &format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n")).await;
        assert!(answer.len() <= 100_000, "{}", answer.len());
    }

    #[tokio::test]
    async fn a_page_does_not_send_more_than_it_may() {
        let (proxy, port) = (proxy(&["127.0.0.1"], 1 << 20).await, echo(0).await);
        let body = "x".repeat(20_000);
        for request in [
            format!("POST http://127.0.0.1:{port}/ HTTP/1.1\r\nContent-Length: 20000\r\n\r\n{body}"),
            format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n{body}"),
        ] {
            let answer = ask(&proxy, &request).await;
            assert!(!answer.contains(&body), "{}", answer.len());
        }
    }
}
