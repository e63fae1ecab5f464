//! Pages without a network: `file://` URLs, and a folder of stored pages that replaces the web.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use url::{Host, Url};

use crate::error::shown;
use crate::fetched::AnswerHeaders;
use crate::{FetchError, Fetched, Provenance};

/// Returns the path of the page at `url` in a folder of snapshots: `HOST/PATH`, or `HOST_PORT/PATH` when the port is not the usual one.
///
/// Path and query keep the spelling of the URL, including percent signs. A path that ends in `/` gets `index.html`. A query
/// follows an `@`, with its slashes written `%2F`. The scheme and the fragment are ignored. If the file does not exist, the
/// same path with `.html`, then with `/index.html`, is tried.
///
/// Returns `None` if the URL is not `http` or `https`, or its host is not a valid folder name.
///
/// # Example
///
/// ```
/// # use autoheal_fetch::snapshot_path;
/// let path = |text: &str| snapshot_path(&url::Url::parse(text).unwrap()).unwrap();
/// assert_eq!(path("https://example.com/"), std::path::Path::new("example.com/index.html"));
/// assert_eq!(path("http://example.com:8080/a/b?page=2"), std::path::Path::new("example.com_8080/a/b@page=2"));
/// ```
pub fn snapshot_path(url: &Url) -> Option<PathBuf> {
    // Hosts of other schemes may be any text.
    let host = match url.host().filter(|_| matches!(url.scheme(), "http" | "https"))? {
        // `..` is a host to the URL standard.
        Host::Domain(name) if name.chars().all(|letter| letter == '.') => return None,
        Host::Domain(name) => name.to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string().replace(':', "_"),
    };
    let mut name = url.port().map_or_else(|| host.clone(), |port| format!("{host}_{port}"));
    name.push_str(url.path());
    if name.ends_with('/') {
        name.push_str("index.html");
    }
    if let Some(query) = url.query() {
        name.push('@');
        name.push_str(&query.replace('/', "%2F"));
    }
    Some(PathBuf::from(name))
}

/// Takes a page from the folder of snapshots. Nothing outside the folder is read, wherever symbolic links lead.
pub(crate) fn read_snapshot(folder: &Path, url: &Url, limit: u64) -> Result<Fetched, FetchError> {
    let relative = snapshot_path(url).ok_or_else(|| FetchError::NotHttp { url: shown(url) })?;
    let exact = folder.join(relative);
    let mut with_extension = exact.clone().into_os_string();
    with_extension.push(".html");
    for candidate in [exact.clone(), PathBuf::from(with_extension), exact.join("index.html")] {
        match read_below(&[folder.to_owned()], &candidate, url, limit) {
            Ok(body) => return Ok(fetched(url, &candidate, body, Provenance::Snapshot)),
            Err(FetchError::FileMissing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(FetchError::SnapshotMissing { url: shown(url), path: exact })
}

/// Reads the file that a `file://` URL names.
pub(crate) fn read_file(folders: &[PathBuf], url: &Url, limit: u64) -> Result<Fetched, FetchError> {
    let path = url.to_file_path().map_err(|()| FetchError::FileRefused { path: PathBuf::from(url.path()) })?;
    let body = read_below(folders, &path, url, limit)?;
    Ok(fetched(url, &path, body, Provenance::File))
}

/// Reads an ordinary file that is, with links followed, in one of the folders.
fn read_below(folders: &[PathBuf], path: &Path, url: &Url, limit: u64) -> Result<Bytes, FetchError> {
    let refused = || FetchError::FileRefused { path: path.to_owned() };
    let missing = |source| FetchError::FileMissing { path: path.to_owned(), source };
    if folders.is_empty() {
        return Err(refused());
    }
    let real = path.canonicalize().map_err(missing)?;
    let is_below = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if !folders.iter().any(is_below) {
        return Err(refused());
    }
    let metadata = real.metadata().map_err(missing)?;
    if metadata.is_dir() {
        return Err(missing(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    // A pipe or a device may block, or never end.
    if !metadata.is_file() {
        return Err(refused());
    }
    let mut body = Vec::new();
    std::fs::File::open(&real).and_then(|file| file.take(limit + 1).read_to_end(&mut body)).map_err(missing)?;
    if u64::try_from(body.len()).is_ok_and(|length| length > limit) {
        return Err(FetchError::TooLarge { url: shown(url), limit });
    }
    Ok(body.into())
}

fn fetched(url: &Url, path: &Path, body: Bytes, provenance: Provenance) -> Fetched {
    Fetched {
        url: url.clone(),
        status: 200,
        headers: AnswerHeaders { content_type: content_type(path).map(str::to_owned), ..AnswerHeaders::default() },
        body,
        redirects: Vec::new(),
        provenance,
        tries: 1,
        elapsed: Duration::ZERO,
    }
}

/// The type that a file's name promises; its charset is for the reader to find out.
fn content_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "html" | "htm" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "xml" | "rss" | "atom" => "application/xml",
        "json" | "jsonld" => "application/json",
        "txt" => "text/plain",
        _ => return None,
    })
}
