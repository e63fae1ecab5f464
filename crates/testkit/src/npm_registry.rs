//! A small registry of npm packages on the loopback interface. Its tarballs are made of text, so that a test defines each release.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha512};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};

use crate::background::{Background, loopback};
use crate::http::{read_request, write};

/// A release of a package.
#[derive(Debug, Clone, Default)]
pub struct NpmRelease {
    name: String,
    version: String,
    day: String,
    requires: BTreeMap<String, String>,
    files: Vec<(String, String)>,
}

impl NpmRelease {
    /// A release of a day (`2024-01-31`) whose only module has this text.
    pub fn new(name: &str, version: &str, day: &str, text: &str) -> Self {
        let files = vec![("index.js".to_owned(), text.to_owned())];
        Self { name: name.to_owned(), version: version.to_owned(), day: day.to_owned(), files, ..Self::default() }
    }

    /// Adds a dependency with the range that it may have.
    #[must_use]
    pub fn requiring(mut self, name: &str, range: &str) -> Self {
        self.requires.insert(name.to_owned(), range.to_owned());
        self
    }

    fn manifest(&self) -> Value {
        json!({ "name": self.name, "version": self.version, "main": "index.js", "dependencies": self.requires })
    }

    /// Path of the tarball, as registries name it.
    fn path(&self) -> String {
        let base = self.name.rsplit('/').next().unwrap_or(&self.name);
        format!("/{}/-/{base}-{}.tgz", self.name, self.version)
    }

    fn tarball(&self) -> io::Result<Vec<u8>> {
        let mut bytes = GzEncoder::new(Vec::new(), Compression::fast());
        let manifest = ("package.json".to_owned(), self.manifest().to_string());
        for (file, text) in std::iter::once(&manifest).chain(&self.files) {
            bytes.write_all(&header(&format!("package/{file}"), text.len()))?;
            bytes.write_all(text.as_bytes())?;
            bytes.write_all(&vec![0; text.len().next_multiple_of(BLOCK) - text.len()])?;
        }
        bytes.write_all(&[0; 2 * BLOCK])?;
        bytes.finish()
    }
}

/// Unit of archives, in bytes.
const BLOCK: usize = 512;

/// Header of a file in an archive, by the POSIX format `ustar`.
fn header(path: &str, size: usize) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| {
        for (place, byte) in header.iter_mut().skip(at).zip(text.bytes()) {
            *place = byte;
        }
    };
    put(0, path);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    // The sum is taken with blanks in its own place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\0");
    put(263, "00");
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    for (place, byte) in header.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
        *place = byte;
    }
    header
}

/// A running registry; it ends when this is dropped.
#[derive(Debug)]
pub struct NpmRegistry {
    address: SocketAddr,
    releases: Arc<Mutex<Vec<NpmRelease>>>,
    _server: Background,
}

impl NpmRegistry {
    /// Serves these releases. The last of each package is its `latest`.
    pub async fn of(releases: Vec<NpmRelease>) -> Self {
        let releases = Arc::new(Mutex::new(releases));
        let served = Arc::clone(&releases);
        let serve = move |listener| serve(listener, served);
        let (address, server) = Background::start("npm registry", loopback(), serve).await;
        Self { address, releases, _server: server }
    }

    /// Publishes another release.
    pub fn publish(&self, release: NpmRelease) {
        self.releases.lock().unwrap_or_else(PoisonError::into_inner).push(release);
    }

    /// The address of the registry for npm.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

async fn serve(listener: TcpListener, releases: Arc<Mutex<Vec<NpmRelease>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let releases = Arc::clone(&releases);
        tokio::spawn(async move {
            // A client that goes away does not concern the registry.
            let _: io::Result<()> = answer(stream, &releases).await;
        });
    }
}

async fn answer(stream: TcpStream, releases: &Mutex<Vec<NpmRelease>>) -> io::Result<()> {
    let address = stream.local_addr()?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let (status, kind, body) = {
            let releases = releases.lock().unwrap_or_else(PoisonError::into_inner);
            body(&request.path, address, &releases)?
        };
        let headers = [("Content-Type".to_owned(), kind.to_owned())];
        write(&mut stream, status, &headers, &body, request.method == "HEAD").await?;
    }
    Ok(())
}

fn body(path: &str, address: SocketAddr, releases: &[NpmRelease]) -> io::Result<(u16, &'static str, Vec<u8>)> {
    // The slash of a scope is escaped in the address of a package.
    let path = path.replace("%2f", "/").replace("%2F", "/");
    if let Some(release) = releases.iter().find(|release| release.path() == path) {
        return Ok((200, "application/octet-stream", release.tarball()?));
    }
    let own: Vec<&NpmRelease> =
        releases.iter().filter(|release| path.strip_prefix('/') == Some(&release.name)).collect();
    let Some(latest) = own.last() else { return Ok((404, "application/json", b"{\"error\":\"Not found\"}".to_vec())) };
    let (mut versions, mut time) = (BTreeMap::new(), BTreeMap::new());
    for release in &own {
        let integrity = format!("sha512-{}", STANDARD.encode(Sha512::digest(release.tarball()?)));
        let mut manifest = release.manifest();
        manifest["dist"] = json!({ "tarball": format!("http://{address}{}", release.path()), "integrity": integrity });
        versions.insert(&release.version, manifest);
        time.insert(&release.version, format!("{}T12:00:00.000Z", release.day));
    }
    let packument = json!({
        "_id": latest.name,
        "name": latest.name,
        "dist-tags": { "latest": latest.version },
        "versions": versions,
        "time": time,
    });
    Ok((200, "application/json", packument.to_string().into_bytes()))
}

/// Releases of a package of one module, by version and day: `(version, day, text)`.
pub fn package(name: &str, releases: &[(&str, &str, &str)]) -> Vec<NpmRelease> {
    releases.iter().map(|(version, day, text)| NpmRelease::new(name, version, day, text)).collect()
}
