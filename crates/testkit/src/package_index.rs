//! A small index of Python packages on the loopback interface. Its wheels are made of text, so that a test defines each release, and can publish
//! another one later.

#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};

use crate::background::{Background, loopback};
use crate::http::{read_request, write};

/// A release of a distribution, as one wheel.
#[derive(Debug, Clone, Default)]
pub struct Wheel {
    name: String,
    version: String,
    day: String,
    requires: Vec<String>,
    files: Vec<(String, String)>,
}

impl Wheel {
    /// A release of a day (`2024-01-31`) without any file.
    pub fn new(name: &str, version: &str, day: &str) -> Self {
        Self { name: name.to_owned(), version: version.to_owned(), day: day.to_owned(), ..Self::default() }
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, file: &str, text: &str) -> Self {
        self.files.push((file.to_owned(), text.to_owned()));
        self
    }

    /// Adds a requirement.
    #[must_use]
    pub fn requiring(mut self, requirement: &str) -> Self {
        self.requires.push(requirement.to_owned());
        self
    }

    fn file_name(&self) -> String {
        format!("{}-{}-py3-none-any.whl", self.name.replace('-', "_"), self.version)
    }

    fn bytes(&self) -> Vec<u8> {
        let folder = format!("{}-{}.dist-info", self.name.replace('-', "_"), self.version);
        let requires: Vec<String> = self.requires.iter().map(|one| format!("Requires-Dist: {one}\n")).collect();
        let requires = requires.concat();
        let mut files = self.files.clone();
        let metadata = format!("Metadata-Version: 2.1\nName: {}\nVersion: {}\n{requires}", self.name, self.version);
        files.push((format!("{folder}/METADATA"), metadata));
        let wheel = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned();
        files.push((format!("{folder}/WHEEL"), wheel));
        let record = format!("{folder}/RECORD");
        let listed: Vec<String> = files.iter().map(|(file, _)| format!("{file},,\n")).collect();
        files.push((record.clone(), format!("{}{record},,\n", listed.concat())));
        zip(&files)
    }
}

/// A running index; it ends when this is dropped.
#[derive(Debug)]
pub struct PackageIndex {
    address: SocketAddr,
    wheels: Arc<Mutex<Vec<Wheel>>>,
    _server: Background,
}

impl PackageIndex {
    /// Serves these releases.
    pub async fn of(wheels: Vec<Wheel>) -> Self {
        let wheels = Arc::new(Mutex::new(wheels));
        let served = Arc::clone(&wheels);
        let serve = move |listener| serve(listener, served);
        let (address, server) = Background::start("package index", loopback(), serve).await;
        Self { address, wheels, _server: server }
    }

    /// Publishes another release.
    pub fn publish(&self, wheel: Wheel) {
        self.wheels.lock().unwrap_or_else(PoisonError::into_inner).push(wheel);
    }

    /// The address of the index for pip.
    pub fn url(&self) -> String {
        format!("http://{}/simple", self.address)
    }
}

async fn serve(listener: TcpListener, wheels: Arc<Mutex<Vec<Wheel>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let wheels = Arc::clone(&wheels);
        tokio::spawn(async move {
            // A client that goes away does not concern the index.
            let _: io::Result<()> = answer(stream, &wheels).await;
        });
    }
}

async fn answer(stream: TcpStream, wheels: &Mutex<Vec<Wheel>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let found = {
            let wheels = wheels.lock().unwrap_or_else(PoisonError::into_inner);
            body(&request.path, &wheels)
        };
        let (status, kind, body) = found.unwrap_or((404, "text/plain", Vec::new()));
        let headers = [("Content-Type".to_owned(), kind.to_owned())];
        write(&mut stream, status, &headers, &body, request.method == "HEAD").await?;
    }
    Ok(())
}

fn body(path: &str, wheels: &[Wheel]) -> Option<(u16, &'static str, Vec<u8>)> {
    if let Some(name) = path.strip_prefix("/files/") {
        let wheel = wheels.iter().find(|wheel| wheel.file_name() == name)?;
        return Some((200, "application/zip", wheel.bytes()));
    }
    let name = path.strip_prefix("/simple/")?.trim_end_matches('/');
    let own: Vec<&Wheel> = wheels.iter().filter(|wheel| wheel.name.to_lowercase() == name).collect();
    let file = |wheel: &&Wheel| {
        json!({
            "filename": wheel.file_name(),
            "url": format!("/files/{}", wheel.file_name()),
            "hashes": {},
            "upload-time": format!("{}T12:00:00Z", wheel.day),
        })
    };
    let files: Vec<_> = own.iter().map(file).collect();
    let page = json!({ "meta": { "api-version": "1.1" }, "name": name, "versions": [], "files": files });
    (!own.is_empty()).then(|| (200, "application/vnd.pypi.simple.v1+json", page.to_string().into_bytes()))
}

/// A ZIP file without compression.
fn zip(files: &[(String, String)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let at = bytes.len();
        let mut common = Vec::new();
        // Version 2.0, no flags, stored, the first day of 1980.
        for value in [20_u16, 0, 0, 0, 33] {
            common.extend(value.to_le_bytes());
        }
        for value in [crc32(text.as_bytes()), length(text.len()), length(text.len())] {
            common.extend(value.to_le_bytes());
        }
        common.extend(u16::try_from(name.len()).expect("a short name").to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(text.as_bytes());
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        // No comment, the first disk, text of unknown kind, readable files.
        directory.extend([0; 6]);
        directory.extend((0o100_644_u32 << 16).to_le_bytes());
        directory.extend(length(at).to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, size) = (length(bytes.len()), length(directory.len()));
    let count = u16::try_from(files.len()).expect("few files").to_le_bytes();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend(size.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

fn length(length: usize) -> u32 {
    u32::try_from(length).expect("a small file")
}

/// The checksum of ZIP files.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 })
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// Wheels of one file, by version and day: `(version, day, text)`.
pub fn module(name: &str, releases: &[(&str, &str, &str)]) -> Vec<Wheel> {
    let wheel =
        |(version, day, text): &(&str, &str, &str)| Wheel::new(name, version, day).with(&format!("{name}.py"), text);
    releases.iter().map(wheel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
