use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpListener;
use tokio_rustls::TlsConnector;

use super::*;

/// Knows two hosts: one is this machine, the other is the public address 198.41.0.4, and led to a local server.
pub(crate) struct Village {
    server: SocketAddr,
    roots: RootCertStore,
}

#[async_trait]
impl Outside for Village {
    async fn resolve(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        match host {
            "registry.example" | "impostor.example" => {
                Ok(vec!["127.0.0.1:443".parse().unwrap(), "198.41.0.4:443".parse().unwrap()])
            }
            "rebound.example" => {
                Ok(vec!["127.0.0.1:443".parse().unwrap(), "[::ffff:169.254.169.254]:443".parse().unwrap()])
            }
            _ => Err(io::Error::other("no such host")),
        }
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        assert_eq!(address.to_string(), "198.41.0.4:443");
        TcpStream::connect(self.server).await
    }

    fn roots(&self) -> RootCertStore {
        self.roots.clone()
    }
}

fn roots(authority: &Authority) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    roots
}

/// Starts a registry that answers each request with the server name from TLS and the request itself; `servers`: its tasks.
pub(crate) async fn village(servers: &mut JoinSet<()>) -> Village {
    let authority = Authority::new().unwrap();
    let acceptor = authority.acceptor("registry.example").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let village = Village { server: listener.local_addr().unwrap(), roots: roots(&authority) };
    servers.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not believe the certificate hangs up.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let name = stream.get_ref().1.server_name().unwrap_or_default().to_owned();
            let mut asked = Vec::new();
            while !asked.ends_with(b"\r\n\r\n") {
                match stream.read_u8().await {
                    Ok(byte) => asked.push(byte),
                    Err(_) => break,
                }
            }
            let body = format!("{name}: {}", String::from_utf8_lossy(&asked));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    village
}

/// A proxy in a village, and who it makes its certificates of.
struct Place {
    rules: Arc<Rules>,
    trusted: RootCertStore,
    servers: JoinSet<()>,
}

impl Place {
    async fn new() -> Self {
        let hosts = ["Registry.example", "rebound.example", "unknown.example", "impostor.example"].map(str::to_owned);
        let access = RegistryAccess { hosts: hosts.to_vec(), ..RegistryAccess::default() };
        let authority = Authority::new().unwrap();
        let trusted = roots(&authority);
        let mut servers = JoinSet::new();
        let outside = Arc::new(village(&mut servers).await);
        Self { rules: Arc::new(Rules::new(&access, authority, outside).unwrap()), trusted, servers }
    }

    /// Sends a request for a tunnel, and returns the head of the response and the tunnel.
    async fn connect(&mut self, request: &str) -> (String, UnixStream) {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let rules = Arc::clone(&self.rules);
        self.servers.spawn(async move {
            let _ = rules.tunnel(theirs).await;
        });
        ours.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(ours.read_u8().await.unwrap());
        }
        (String::from_utf8(answer).unwrap(), ours)
    }

    /// Sends a request in a tunnel to `host`, with `name` as the server name in TLS, and returns the response.
    async fn ask(&mut self, host: &str, name: &str, request: &str) -> String {
        let (said, tunnel) = self.connect(&format!("CONNECT {host}:443 HTTP/1.1\r\n\r\n")).await;
        assert!(said.starts_with("HTTP/1.1 200 "), "{said}");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(self.trusted.clone()).with_no_client_auth();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let mut tls = TlsConnector::from(Arc::new(config)).connect(name, tunnel).await.unwrap();
        tls.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = tls.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    async fn ask_registry(&mut self, request: &str) -> String {
        self.ask("registry.example", "registry.example", request).await
    }
}

#[tokio::test]
async fn a_registry_is_reached_at_its_public_address() {
    let request = "GET /simple/?a=b HTTP/1.1\r\nHost: registry.EXAMPLE:443\r\nAuthorization: Basic x\r\nConnection: close\r\n\r\n";
    let answer = Place::new().await.ask_registry(request).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("registry.example: GET /simple/?a=b HTTP/1.1\r\n"), "{answer}");
    assert!(answer.contains("authorization: Basic x"), "{answer}");
}

#[tokio::test]
async fn everything_else_is_refused() {
    let mut place = Place::new().await;
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
        let (answer, _) = place.connect(&format!("{target}\r\n\r\n")).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {answer}");
    }
}

#[tokio::test]
async fn a_tunnel_carries_nothing_but_reading_from_its_host() {
    let mut place = Place::new().await;
    let long = "a".repeat(1 << 16);
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: other-customer.example\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\n\r\n", 421),
        ("GET / HTTP/1.1\r\nHost: registry.example.other\r\n\r\n", 421),
        ("GET https://other-customer.example/ HTTP/1.1\r\nHost: registry.example\r\n\r\n", 421),
        ("POST /loot HTTP/1.1\r\nHost: registry.example\r\nContent-Length: 4\r\n\r\nloot", 405),
        ("PUT /package HTTP/1.1\r\nHost: registry.example\r\nContent-Length: 4\r\n\r\nloot", 405),
        ("GET / HTTP/1.1\r\nHost: registry.example\r\nContent-Length: 4\r\n\r\nloot", 413),
        ("GET / HTTP/1.1\r\nHost: registry.example\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nloot\r\n0\r\n\r\n", 413),
        (&format!("GET /{long} HTTP/1.1\r\nHost: registry.example\r\n\r\n"), 431),
    ] {
        let request = request.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1);
        let answer = place.ask_registry(&request).await;
        let is_refused = answer.starts_with(&format!("HTTP/1.1 {status} "))
            || (status == 431 && answer.starts_with("HTTP/1.1 414 "));
        assert!(is_refused && !answer.contains("registry.example: "), "{request}: {answer}");
    }
}

/// Requests go to the host of the tunnel, whatever server name TLS carries.
#[tokio::test]
async fn another_name_in_tls_leads_nowhere_else() {
    let mut place = Place::new().await;
    let (said, mut tunnel) = place.connect("CONNECT registry.example:443 HTTP/1.1\r\n\r\n").await;
    assert!(said.starts_with("HTTP/1.1 200 "), "{said}");
    // No TLS at all.
    tunnel.write_all(b"POST /loot HTTP/1.1\r\nHost: registry.example\r\n\r\nloot").await.unwrap();
    let mut answer = Vec::new();
    let _ = tunnel.read_to_end(&mut answer).await;
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1 200"));
    // A host whose certificate is another's.
    let request = "GET / HTTP/1.1\r\nHost: impostor.example\r\nConnection: close\r\n\r\n";
    let answer = place.ask("impostor.example", "impostor.example", request).await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
}

#[tokio::test]
async fn an_install_sends_no_more_than_it_may() {
    let mut place = Place::new().await;
    let rules = Arc::get_mut(&mut place.rules).unwrap();
    rules.left = Arc::new(Left::new(200));
    let request = format!("GET /{} HTTP/1.1\r\nHost: registry.example\r\nConnection: close\r\n\r\n", "a".repeat(100));
    assert!(place.ask_registry(&request).await.starts_with("HTTP/1.1 200 "));
    let answer = place.ask_registry(&request).await;
    assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("too much"), "{answer}");
}
