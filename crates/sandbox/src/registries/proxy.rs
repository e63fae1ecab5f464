//! An HTTP proxy that knows one method, `CONNECT`, and lets through only what is on its list.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::address::{is_private, is_public};
use crate::spec::RegistryAccess;

/// The only port: HTTPS.
const PORT: u16 = 443;

/// How much of a request is read, at most.
const HEAD: u64 = 8 << 10;

/// How long a client may take to ask, and a host to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tunnels at one time.
const TUNNELS: usize = 64;

/// How hosts are reached.
#[async_trait]
pub(super) trait Outside: Send + Sync {
    /// The addresses of a host.
    async fn resolve(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
    /// A connection to one that was found public.
    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream>;
}

/// The internet.
pub(super) struct Internet;

#[async_trait]
impl Outside for Internet {
    async fn resolve(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, PORT)).await?.collect())
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(address).await
    }
}

/// Why a request was refused: the status line that says so.
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

/// What is let through.
pub(super) struct Rules {
    hosts: Vec<String>,
    private_hosts: Vec<String>,
    outside: Arc<dyn Outside>,
}

impl Rules {
    pub(super) fn new(access: &RegistryAccess, outside: Arc<dyn Outside>) -> Self {
        let lowercase = |hosts: &[String]| hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        Self { hosts: lowercase(&access.hosts), private_hosts: lowercase(&access.private_hosts), outside }
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

    /// A connection to the host. The address that was checked is the one that is connected to: no second look at the name.
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

    async fn tunnel(&self, mut client: UnixStream) -> io::Result<()> {
        let head = tokio::time::timeout(PATIENCE, read_head(&mut client)).await??;
        let reached = match self.admit(&head) {
            Ok(host) => self.reach(&host).await.map_err(|refusal| (refusal, host)),
            Err(refusal) => Err((refusal, String::from_utf8_lossy(head.get(..80).unwrap_or(&head)).into_owned())),
        };
        match reached {
            Ok(mut server) => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
                tokio::io::copy_bidirectional(&mut client, &mut server).await?;
                Ok(())
            }
            Err((refusal, asked)) => {
                tracing::warn!(?refusal, ?asked, "a connection out of the sandbox was refused");
                let answer = format!("HTTP/1.1 {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", refusal.status());
                client.write_all(answer.as_bytes()).await
            }
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
pub(super) mod tests {
    use super::*;

    /// Knows two hosts: one is this machine, the other is the public address 198.41.0.4, and led to a local server.
    pub(crate) struct Village(pub(crate) SocketAddr);

    #[async_trait]
    impl Outside for Village {
        async fn resolve(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
            match host {
                "registry.example" => Ok(vec!["127.0.0.1:443".parse().unwrap(), "198.41.0.4:443".parse().unwrap()]),
                "rebound.example" => {
                    Ok(vec!["127.0.0.1:443".parse().unwrap(), "[::ffff:169.254.169.254]:443".parse().unwrap()])
                }
                _ => Err(io::Error::other("no such host")),
            }
        }

        async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
            assert_eq!(address.to_string(), "198.41.0.4:443");
            TcpStream::connect(self.0).await
        }
    }

    fn rules(server: SocketAddr) -> Rules {
        let hosts = ["Registry.example", "rebound.example", "unknown.example"].map(str::to_owned);
        let access = RegistryAccess { hosts: hosts.to_vec(), ..RegistryAccess::default() };
        Rules::new(&access, Arc::new(Village(server)))
    }

    async fn ask(request: &str) -> String {
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr().unwrap();
        let echo = async {
            let (mut stream, _) = server.accept().await.unwrap();
            let (mut from, mut to) = stream.split();
            tokio::io::copy(&mut from, &mut to).await.unwrap();
        };
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let talk = async {
            ours.write_all(request.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"\r\n\r\n") {
                answer.push(ours.read_u8().await.unwrap());
            }
            if answer.starts_with(b"HTTP/1.1 200") {
                ours.write_all(b"hello").await.unwrap();
                ours.shutdown().await.unwrap();
                ours.read_to_end(&mut answer).await.unwrap();
            }
            String::from_utf8(answer).unwrap()
        };
        let rules = rules(address);
        tokio::select! {
            (answer, _) = async { tokio::join!(talk, rules.tunnel(theirs)) } => answer,
            () = async { echo.await; std::future::pending().await } => unreachable!(),
        }
    }

    #[tokio::test]
    async fn a_registry_is_reached_at_its_public_address() {
        let answer = ask("CONNECT registry.EXAMPLE:443 HTTP/1.1\r\nHost: registry.example\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\nhello"), "{answer}");
    }

    #[tokio::test]
    async fn everything_else_is_refused() {
        for (target, status) in [
            ("CONNECT other.example:443 HTTP/1.1", 403),
            ("CONNECT registry.example.other:443 HTTP/1.1", 403),
            ("CONNECT registry.example:80 HTTP/1.1", 403),
            ("CONNECT 198.41.0.4:443 HTTP/1.1", 403),
            ("CONNECT 127.0.0.1:443 HTTP/1.1", 403),
            ("CONNECT rebound.example:443 HTTP/1.1", 403),
            ("CONNECT unknown.example:443 HTTP/1.1", 502),
            ("CONNECT registry.example HTTP/1.1", 400),
            ("GET http://registry.example:443/ HTTP/1.1", 405),
            ("CONNECT registry.example:443 SPDY/3", 400),
            ("nonsense", 400),
        ] {
            let answer = ask(&format!("{target}\r\n\r\n")).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {answer}");
        }
    }
}
