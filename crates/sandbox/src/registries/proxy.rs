//! An HTTP proxy that accepts one method, `CONNECT`, and allows only the hosts on its list.
//!
//! A tunnel is not a plain pipe: TLS is terminated here, and the requests inside are checked, too (see `exchange`).

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::address::{is_private, is_public};
use super::authority::Authority;
use super::exchange::{self, Left, Reach, Registry};
use crate::spec::RegistryAccess;

/// The only port: HTTPS.
const PORT: u16 = 443;

/// Maximum number of bytes that are read of a request.
const HEAD: u64 = 8 << 10;

/// Maximum time for a client to send its request, and for a host to respond.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum number of tunnels at one time.
const TUNNELS: usize = 64;

/// Maximum number of bytes of requests that an install may send, over all requests: some ten thousand requests.
const SENT: u64 = 16 << 20;

/// Access to the network outside: name resolution, connections and trusted certificates.
#[async_trait]
pub(super) trait Outside: Send + Sync {
    /// The addresses of a host.
    async fn resolve(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
    /// A connection to one that was found public.
    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream>;
    /// Certificate authorities that are trusted to confirm the names of hosts.
    fn roots(&self) -> RootCertStore;
}

/// The real network of the host.
pub(super) struct Internet;

#[async_trait]
impl Outside for Internet {
    async fn resolve(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, PORT)).await?.collect())
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address).await
    }

    /// Returns the authorities that the machine trusts, which may include a company's own; those of Mozilla if it trusts no other.
    fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        roots
    }
}

/// Reason a request was refused: determines the status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Malformed,
    Method,
    Port,
    Host,
    Address,
    Unreachable,
}

impl Refusal {
    const fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::Method => "405 Only CONNECT Is Allowed",
            Self::Port => "403 Only Port 443 Is Allowed",
            Self::Host => "403 Host Is Not A Registry",
            Self::Address => "403 Host Has No Public Address",
            Self::Unreachable => "502 Host Cannot Be Reached",
        }
    }
}

/// Rules for the requests that the proxy lets through.
pub(super) struct Rules {
    hosts: Vec<String>,
    private_hosts: Vec<String>,
    outside: Arc<dyn Outside>,
    authority: Authority,
    trust: Arc<ClientConfig>,
    left: Arc<Left>,
}

impl Rules {
    pub(super) fn new(access: &RegistryAccess, authority: Authority, outside: Arc<dyn Outside>) -> io::Result<Self> {
        let lowercase = |hosts: &[String]| hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let trust = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(outside.roots())
            .with_no_client_auth();
        Ok(Self {
            hosts: lowercase(&access.hosts),
            private_hosts: lowercase(&access.private_hosts),
            outside,
            authority,
            trust: Arc::new(trust),
            left: Arc::new(Left::new(SENT)),
        })
    }

    /// The host that a request names, if it is on the list.
    fn admit(&self, head: &[u8]) -> Result<String, Refusal> {
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let line = std::str::from_utf8(line).map_err(|_| Refusal::Malformed)?;
        let words: Vec<&str> = line.split(' ').collect();
        let [method, target, version] = words[..] else { return Err(Refusal::Malformed) };
        if !version.starts_with("HTTP/1.") {
            return Err(Refusal::Malformed);
        }
        if method != "CONNECT" {
            return Err(Refusal::Method);
        }
        let (host, port) = target.rsplit_once(':').ok_or(Refusal::Malformed)?;
        if port.parse() != Ok(PORT) {
            return Err(Refusal::Port);
        }
        let host = host.to_ascii_lowercase();
        if self.hosts.contains(&host) || self.private_hosts.contains(&host) { Ok(host) } else { Err(Refusal::Host) }
    }

    /// Connects to the host. The connection uses the address that was checked: the name is not resolved again.
    async fn reach(&self, host: &str) -> Result<TcpStream, Refusal> {
        let found = self.outside.resolve(host).await.map_err(|_| Refusal::Unreachable)?;
        let mut refusal = Refusal::Address;
        let may_be_private = self.private_hosts.iter().any(|private| private == host);
        let is_allowed = |address: &SocketAddr| is_public(address.ip()) || (may_be_private && is_private(address.ip()));
        for address in found.into_iter().filter(is_allowed) {
            match tokio::time::timeout(PATIENCE, self.outside.connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(_)) | Err(_) => refusal = Refusal::Unreachable,
            }
        }
        Err(refusal)
    }

    async fn tunnel(self: Arc<Self>, mut client: UnixStream) -> io::Result<()> {
        let head = tokio::time::timeout(PATIENCE, read_head(&mut client)).await??;
        let reached = match self.admit(&head) {
            Ok(host) => match self.reach(&host).await {
                Ok(server) => Ok((host, server)),
                Err(refusal) => Err((refusal, host)),
            },
            Err(refusal) => Err((refusal, String::from_utf8_lossy(head.get(..80).unwrap_or(&head)).into_owned())),
        };
        match reached {
            Ok((host, server)) => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
                let acceptor = self.authority.acceptor(&host)?;
                let (trust, left) = (Arc::clone(&self.trust), Arc::clone(&self.left));
                let (rules, first) = (Arc::clone(&self), Mutex::new(Some(server)));
                let way = Box::new(Way { rules, host: host.clone(), first });
                exchange::serve(client, acceptor, Registry { host, way, trust, left }).await
            }
            Err((refusal, asked)) => {
                tracing::warn!(?refusal, ?asked, "a connection out of the sandbox was refused");
                let answer = format!("HTTP/1.1 {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", refusal.status());
                client.write_all(answer.as_bytes()).await
            }
        }
    }
}

/// The way to a host of the list.
struct Way {
    rules: Arc<Rules>,
    host: String,
    /// The connection that was made before the tunnel was granted.
    first: Mutex<Option<TcpStream>>,
}

#[async_trait]
impl Reach for Way {
    async fn reach(&self) -> io::Result<TcpStream> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        match first {
            Some(first) => Ok(first),
            None => self.rules.reach(&self.host).await.map_err(|refusal| io::Error::other(refusal.status())),
        }
    }
}

/// Up to the empty line. A client sends nothing after it until it was answered.
async fn read_head(client: &mut UnixStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut limited = client.take(HEAD);
    while !head.ends_with(b"\r\n\r\n") {
        match limited.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    Ok(head)
}

/// Answers until it is dropped; with it end all tunnels.
pub(super) async fn serve(listener: UnixListener, rules: Rules) {
    let rules = Arc::new(rules);
    let free = Arc::new(Semaphore::new(TUNNELS));
    let mut tunnels = JoinSet::new();
    loop {
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
        let Ok((client, _)) = listener.accept().await else { return };
        let rules = Arc::clone(&rules);
        tunnels.spawn(async move {
            let _permit = permit;
            if let Err(error) = rules.tunnel(client).await {
                tracing::debug!(%error, "a tunnel out of the sandbox ended");
            }
        });
        while tunnels.try_join_next().is_some() {}
    }
}

#[cfg(test)]
pub(super) mod tests;
