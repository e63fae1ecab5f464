//! Repository addresses: a GitHub repository, a local server, or a folder.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::ForgeError;
use crate::github::{GitHubHost, RepositoryName};

/// Maximum length of an address, in bytes.
const LONGEST: usize = 4096;

/// A URL whose printed form never holds a credential: user, password, query and fragment are masked or dropped.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SafeUrl(Url);

impl SafeUrl {
    /// Wraps a URL, which may hold credentials.
    pub const fn new(url: Url) -> Self {
        Self(url)
    }

    /// Scheme, host and port: `https://github.com`.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// The owner and the name, where the path is `/OWNER/NAME`, with or without `.git` or a slash at the end.
    pub(crate) fn owner_and_name(&self) -> Option<RepositoryName> {
        let path = self.0.path().strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        let (owner, name) = path.strip_suffix(".git").unwrap_or(path).split_once('/')?;
        let is_plain = |part: &str| {
            !matches!(part, "" | "." | "..")
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        (is_plain(owner) && is_plain(name)).then(|| RepositoryName { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// The URL as git wants it, without any credential.
    fn plain(&self) -> Url {
        let mut url = self.0.clone();
        // Both fail only for URLs that cannot have a user, which then have nothing to remove.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.set_query(None);
        url.set_fragment(None);
        url
    }
}

impl fmt::Display for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.plain();
        if !self.0.username().is_empty() || self.0.password().is_some() {
            let _ = url.set_username("***");
        }
        url.fmt(f)
    }
}

impl fmt::Debug for SafeUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SafeUrl({self})")
    }
}

/// The address of a repository: on GitHub, on this machine's loopback interface, or a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RepositoryAddress {
    /// Repository on github.com: `https://github.com/OWNER/NAME`.
    GitHub {
        /// The user or organisation.
        owner: String,
        /// The repository, without `.git`.
        name: String,
    },
    /// A server on the loopback interface, for tests and local mirrors, or the GitHub Enterprise that the settings name.
    Server(SafeUrl),
    /// A folder, absolute and with its links resolved.
    Path(PathBuf),
}

impl RepositoryAddress {
    /// The address that `text` writes: `https://github.com/OWNER/NAME` (with or without `.git` or a slash at the end), an
    /// `http(s)` URL of the loopback interface, or the path of an existing folder. Credentials in a URL are refused:
    /// a URL ends up in logs and in `.git/config`.
    ///
    /// # Errors
    ///
    /// [`ForgeError::InvalidAddress`]; [`ForgeError::NotFound`] for a path at which nothing is.
    pub fn parse(text: &str) -> Result<Self, ForgeError> {
        Self::parse_on(text, None)
    }

    /// Parses an address like [`RepositoryAddress::parse`], and also accepts `https://HOST/OWNER/NAME` if `HOST` is `host`, the
    /// GitHub Enterprise of the settings.
    ///
    /// # Errors
    ///
    /// As [`RepositoryAddress::parse`].
    pub fn parse_on(text: &str, host: Option<&GitHubHost>) -> Result<Self, ForgeError> {
        if text.is_empty() || text.len() > LONGEST || text.contains(['\0', '\n', '\r']) {
            return Err(invalid(
                "it is empty, too long, or holds a line break; give a path or https://github.com/OWNER/NAME",
            ));
        }
        if text.contains("://") {
            return Self::parse_url(text, host);
        }
        let is_scp_like = text.split('/').next().is_some_and(|first| first.contains('@') && first.contains(':'));
        if is_scp_like && !Path::new(text).exists() {
            return Err(invalid("SSH addresses are not supported; write https://github.com/OWNER/NAME"));
        }
        Self::from_path(Path::new(text))
    }

    /// The address of a folder.
    ///
    /// # Errors
    ///
    /// [`ForgeError::NotFound`] when nothing is there, [`ForgeError::InvalidAddress`] when it is not a folder.
    pub fn from_path(path: &Path) -> Result<Self, ForgeError> {
        let Ok(absolute) = path.canonicalize() else {
            return Err(ForgeError::NotFound { address: path.display().to_string() });
        };
        if absolute.is_dir() {
            Ok(Self::Path(absolute))
        } else {
            Err(invalid("it is a file; name the top folder of a git repository"))
        }
    }

    fn parse_url(text: &str, host: Option<&GitHubHost>) -> Result<Self, ForgeError> {
        let url =
            Url::parse(text).map_err(|_| invalid("the URL cannot be parsed; write https://github.com/OWNER/NAME"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("a URL must not hold a user or password; give the token by the environment instead"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("a URL must not have a query or fragment; write https://github.com/OWNER/NAME"));
        }
        let is_loopback = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(domain)) => domain == "localhost",
            None => false,
        };
        match url.scheme() {
            "http" | "https" if is_loopback => Ok(Self::Server(SafeUrl::new(url))),
            "https" => match host.filter(|host| host.web().host_str() != Some("github.com")) {
                Some(host) if url.origin() == host.web().origin() => parse_enterprise(text, url),
                Some(_) | None => parse_github(text),
            },
            "file" => match url.to_file_path() {
                Ok(path) => Self::from_path(&path),
                Err(()) => Err(invalid("a file URL must name a folder of this machine; write its path")),
            },
            _ => Err(invalid("only https is supported; write https://github.com/OWNER/NAME")),
        }
    }

    /// Returns the address as an argument for git, without any credential.
    pub(crate) fn argument(&self) -> std::ffi::OsString {
        match self {
            Self::GitHub { owner, name } => format!("https://github.com/{owner}/{name}.git").into(),
            Self::Server(url) => url.plain().to_string().into(),
            Self::Path(path) => path.clone().into_os_string(),
        }
    }

    /// The one transport that git may use for it.
    pub(crate) fn protocol(&self) -> &str {
        match self {
            Self::GitHub { .. } => "https",
            Self::Server(url) => url.0.scheme(),
            Self::Path(_) => "file",
        }
    }

    /// The origin under which it lies; `None`: a folder, for which no token is needed.
    pub(crate) fn origin(&self) -> Option<String> {
        match self {
            Self::GitHub { .. } => Some("https://github.com".to_owned()),
            Self::Server(url) => Some(url.origin()),
            Self::Path(_) => None,
        }
    }

    /// The folder, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::GitHub { .. } | Self::Server(_) => None,
        }
    }

    /// A URI for it (the `repository` of `results.json`).
    pub fn uri(&self) -> String {
        match self {
            Self::GitHub { .. } | Self::Server(_) => self.to_string(),
            Self::Path(path) => Url::from_file_path(path).map_or_else(|()| self.to_string(), |url| url.to_string()),
        }
    }
}

/// Exactly `https://github.com/OWNER/NAME`, `.git` or a slash allowed after it. The text is checked as it was written, not as
/// a URL parser would repair it.
fn parse_github(text: &str) -> Result<RepositoryAddress, ForgeError> {
    let expected = "only repositories of GitHub are supported; write https://github.com/OWNER/NAME, or give a path";
    let rest = text.strip_prefix("https://github.com/").ok_or_else(|| invalid(expected))?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    let Some((owner, name)) = rest.split_once('/') else { return Err(invalid(expected)) };
    let is_owner = !owner.starts_with('-')
        && (1..=39).contains(&owner.len())
        && owner.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_name = !matches!(name, "." | "..")
        && (1..=100).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if is_owner && is_name {
        Ok(RepositoryAddress::GitHub { owner: owner.to_owned(), name: name.to_owned() })
    } else {
        Err(invalid(expected))
    }
}

/// `https://HOST/OWNER/NAME` on the host that the settings name, by the same rules.
fn parse_enterprise(text: &str, url: Url) -> Result<RepositoryAddress, ForgeError> {
    let origin = url.origin().ascii_serialization();
    let wrong = || ForgeError::InvalidAddress { reason: format!("write {origin}/OWNER/NAME, or give a path") };
    let rest = text.strip_prefix(&origin).ok_or_else(wrong)?;
    parse_github(&format!("https://github.com{rest}")).map_err(|_| wrong())?;
    Ok(RepositoryAddress::Server(SafeUrl::new(url)))
}

fn invalid(reason: &str) -> ForgeError {
    ForgeError::InvalidAddress { reason: reason.to_owned() }
}

impl fmt::Display for RepositoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GitHub { owner, name } => write!(f, "https://github.com/{owner}/{name}"),
            Self::Server(url) => url.fmt(f),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

impl TryFrom<String> for RepositoryAddress {
    type Error = ForgeError;

    /// Parses a stored address. Unlike [`RepositoryAddress::parse`], it accepts a path that does not exist: its use reports the error.
    fn try_from(text: String) -> Result<Self, Self::Error> {
        if Path::new(&text).is_absolute() { Ok(Self::Path(PathBuf::from(text))) } else { Self::parse(&text) }
    }
}

impl From<RepositoryAddress> for String {
    fn from(address: RepositoryAddress) -> Self {
        address.to_string()
    }
}
