//! Git repositories served over HTTP on the loopback interface, by git's own `http-backend`.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::repository::isolated_git;

/// Behaviour of the server towards requests.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Serves reading and writing to all clients.
    Open,
    /// Serves those who give this token as the password.
    Token(String),
    /// Asks for a password and then refuses with this status, repeating what it was given in the answer.
    Indiscreet(u16),
    /// Answers everything with this status.
    Status(u16),
    /// Redirects all clients to the same path at this origin.
    Redirect(String),
    /// Takes requests and never answers.
    Silent,
}

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// HTTP method, `GET` or `POST`.
    pub method: String,
    /// Path and query of the URL.
    pub target: String,
    /// The password of HTTP basic authentication.
    pub password: Option<String>,
}

/// A server; it ends when this is dropped.
#[derive(Debug)]
pub struct GitHttp {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    behaviour: Behaviour,
    requests: Mutex<Vec<Request>>,
    held: Mutex<Vec<TcpStream>>,
    is_over: AtomicBool,
}

impl GitHttp {
    /// Serves the bare repositories in the folder `root`.
    pub fn serve(root: &Path, behaviour: Behaviour) -> Self {
        Self::serve_at(IpAddr::V4(Ipv4Addr::LOCALHOST), root, behaviour)
    }

    /// Serves the bare repositories in `root` at another address of this machine.
    pub fn serve_at(address: IpAddr, root: &Path, behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind((address, 0)).expect("a port");
        let address = listener.local_addr().expect("the port");
        let shared = Arc::new(Shared {
            root: root.to_owned(),
            behaviour,
            requests: Mutex::default(),
            held: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if accepting.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let answering = Arc::clone(&accepting);
                // A client that goes away in the middle is its own business.
                thread::spawn(move || drop(answering.answer(stream)));
            }
        });
        Self { address, shared }
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the origin of the server, `http://127.0.0.1:PORT`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The URL of the repository `NAME.git`.
    pub fn url(&self, name: &str) -> String {
        format!("{}/{name}.git", self.origin())
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for GitHttp {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next client.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let mut words = first.split_whitespace().map(str::to_owned);
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(()) };
        let headers = read_headers(&mut reader)?;
        let password = headers.get("authorization").and_then(|value| password(value));
        let request = Request { method, target, password };
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());

        match (&self.behaviour, &request.password) {
            (Behaviour::Open, _) => {}
            (Behaviour::Token(token), Some(password)) if password == token => {}
            (Behaviour::Token(_), Some(_) | None) | (Behaviour::Indiscreet(_), None) => {
                return respond(&mut stream, 401, "WWW-Authenticate: Basic realm=\"git\"\r\n", b"");
            }
            (Behaviour::Indiscreet(status), Some(password)) => {
                let body = format!("the password {password} is refused, as in http://user:{password}@host/");
                return respond(&mut stream, *status, "Content-Type: text/plain\r\n", body.as_bytes());
            }
            (Behaviour::Status(status), _) => return respond(&mut stream, *status, "", b""),
            (Behaviour::Redirect(origin), _) => {
                let location = format!("Location: {origin}{}\r\n", request.target);
                return respond(&mut stream, 302, &location, b"");
            }
            (Behaviour::Silent, _) => {
                self.held.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
                return Ok(());
            }
        }
        if headers.get("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = read_body(&mut reader, &headers)?;
        let (status, headers, body) = run_backend(&self.root, &request, &headers, &body)?;
        respond(&mut stream, status, &headers, &body)
    }
}

/// Runs git's own server, and returns its response: status, header lines, body.
pub(crate) fn run_backend(
    root: &Path,
    request: &Request,
    headers: &BTreeMap<String, String>,
    body: &[u8],
) -> io::Result<(u16, String, Vec<u8>)> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let header = |name: &str| headers.get(name).map_or("", String::as_str);
    let mut child = isolated_git()
        .args(["-c", "http.receivepack=true", "-c", "safe.directory=*", "http-backend"])
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .env("REMOTE_ADDR", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or_else(|| io::Error::other("no stdin"))?;
    let input = body.to_owned();
    let feeding = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output()?.stdout;
    let _ = feeding.join();

    let end = output.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(output.len());
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let mut status = 200;
    let mut kept = String::new();
    for line in head.lines() {
        match line.strip_prefix("Status: ") {
            Some(value) => status = value.get(..3).and_then(|code| code.parse().ok()).unwrap_or(500),
            None => {
                let _ = write!(kept, "{line}\r\n");
            }
        }
    }
    Ok((status, kept, output.get(end + 4..).unwrap_or_default().to_vec()))
}

/// The password in an `Authorization: Basic ...` header.
pub(crate) fn password(value: &str) -> Option<String> {
    let decoded = BASE64_STANDARD.decode(value.strip_prefix("Basic ")?).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    text.split_once(':').map(|(_, password)| password.to_owned())
}

pub(crate) fn read_headers(reader: &mut impl BufRead) -> io::Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None => return Ok(headers),
        };
    }
}

pub(crate) fn read_body(reader: &mut impl BufRead, headers: &BTreeMap<String, String>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if headers.get("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let size = u64::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            reader.by_ref().take(size).read_to_end(&mut body)?;
            reader.read_line(&mut String::new())?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
    let size = headers.get("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    reader.by_ref().take(size).read_to_end(&mut body)?;
    Ok(body)
}

pub(crate) fn respond(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) -> io::Result<()> {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status} Status\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n")?;
    stream.write_all(body)?;
    stream.flush()
}
