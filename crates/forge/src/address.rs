//! Repository addresses: a repository at a code host, a local server, or a folder.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::ForgeError;
use crate::site::{HostSite, NameForm, RepositoryName, is_loopback};

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

/// Pages of the public hosts: addresses there are accepted regardless of the settings; a token is sent there only if the settings
/// configure one.
const PUBLIC: &[(&str, NameForm)] =
    &[("https://github.com/", NameForm::OwnerAndName), ("https://gitlab.com/", NameForm::GroupsAndName)];

/// The address of a repository: at a code host, on this machine's loopback interface, or a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RepositoryAddress {
    /// Repository at a public code host, or at one that the settings name: `https://github.com/OWNER/NAME`.
    Hosted {
        /// The host.
        site: HostSite,
        /// Name of the repository there.
        name: RepositoryName,
    },
    /// A server on the loopback interface, for tests and local mirrors.
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
        Self::parse_on(text, &[])
    }

    /// Parses an address like [`RepositoryAddress::parse`], and also accepts repositories at `sites`, the hosts of the settings.
    ///
    /// # Errors
    ///
    /// As [`RepositoryAddress::parse`].
    pub fn parse_on(text: &str, sites: &[HostSite]) -> Result<Self, ForgeError> {
        if text.is_empty() || text.len() > LONGEST || text.contains(['\0', '\n', '\r']) {
            return Err(invalid(format!(
                "it is empty, too long, or holds a line break; give a path or {}",
                patterns(sites)
            )));
        }
        if text.contains("://") {
            return Self::parse_url(text, sites);
        }
        let is_scp_like = text.split('/').next().is_some_and(|first| first.contains('@') && first.contains(':'));
        if is_scp_like && !Path::new(text).exists() {
            return Err(invalid(format!("SSH addresses are not supported; write {}", patterns(sites))));
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
            Err(invalid("it is a file; name the top folder of a git repository".to_owned()))
        }
    }

    fn parse_url(text: &str, sites: &[HostSite]) -> Result<Self, ForgeError> {
        let write = || format!("write {}", patterns(sites));
        let url = Url::parse(text).map_err(|_| invalid(format!("the URL cannot be parsed; {}", write())))?;
        if !url.username().is_empty() || url.password().is_some() {
            let reason = "a URL must not hold a user or password; give the token by the environment instead";
            return Err(invalid(reason.to_owned()));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid(format!("a URL must not have a query or fragment; {}", write())));
        }
        match url.scheme() {
            "http" | "https" if is_loopback(&url) => Ok(Self::Server(SafeUrl::new(url))),
            "https" => {
                let mut known = sites.iter().cloned().chain(public());
                let hosted = known.find_map(|site| site.named(text).map(|name| Self::Hosted { site, name }));
                hosted.ok_or_else(|| {
                    invalid(format!(
                        "it is not a repository of a known host; {}, or give a path; the settings name other hosts",
                        write()
                    ))
                })
            }
            "file" => match url.to_file_path() {
                Ok(path) => Self::from_path(&path),
                Err(()) => Err(invalid("a file URL must name a folder of this machine; write its path".to_owned())),
            },
            _ => Err(invalid(format!("only https is supported; {}", write()))),
        }
    }

    /// Name of the repository on a host; `None`: it is elsewhere.
    pub fn on(&self, host: &HostSite) -> Option<RepositoryName> {
        match self {
            Self::Hosted { site, name } => (site == host).then(|| name.clone()),
            Self::Server(SafeUrl(url)) => {
                (url.origin() == host.web().origin()).then(|| host.named_by_path(url.path())).flatten()
            }
            Self::Path(_) => None,
        }
    }

    /// Returns the address as an argument for git, without any credential.
    pub(crate) fn argument(&self) -> std::ffi::OsString {
        match self {
            Self::Hosted { site, name } => format!("{}.git", site.page(name)).into(),
            Self::Server(url) => url.plain().to_string().into(),
            Self::Path(path) => path.clone().into_os_string(),
        }
    }

    /// The one transport that git may use for it.
    pub(crate) fn protocol(&self) -> &str {
        match self {
            Self::Hosted { site, .. } => site.web().scheme(),
            Self::Server(url) => url.0.scheme(),
            Self::Path(_) => "file",
        }
    }

    /// The origin under which it lies; `None`: a folder, for which no token is needed.
    pub(crate) fn origin(&self) -> Option<String> {
        match self {
            Self::Hosted { site, .. } => Some(site.web().origin().ascii_serialization()),
            Self::Server(url) => Some(url.origin()),
            Self::Path(_) => None,
        }
    }

    /// The folder, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Hosted { .. } | Self::Server(_) => None,
        }
    }

    /// Checks, without git, that a folder is one in which git finds a repository. Other addresses are not checked.
    ///
    /// # Errors
    ///
    /// [`ForgeError::InvalidAddress`].
    pub fn check_folder(&self) -> Result<(), ForgeError> {
        let is_work_tree = |folder: &Path| folder.join(".git").exists();
        let is_bare = |folder: &Path| folder.join("HEAD").is_file() && folder.join("objects").is_dir();
        match self {
            Self::Path(folder) if !is_work_tree(folder) && !is_bare(folder) => {
                Err(invalid(match folder.ancestors().find(|above| is_work_tree(above)) {
                    Some(top) => format!("{self} is inside of the repository {}; name that folder", top.display()),
                    None => format!("{self} is not a git repository; to make it one: git init"),
                }))
            }
            Self::Path(_) | Self::Hosted { .. } | Self::Server(_) => Ok(()),
        }
    }

    /// A URI for it (the `repository` of `results.json`).
    pub fn uri(&self) -> String {
        match self {
            Self::Hosted { .. } | Self::Server(_) => self.to_string(),
            Self::Path(path) => Url::from_file_path(path).map_or_else(|()| self.to_string(), |url| url.to_string()),
        }
    }
}

/// The public hosts.
fn public() -> impl Iterator<Item = HostSite> {
    PUBLIC.iter().filter_map(|(web, form)| Url::parse(web).ok().map(|web| HostSite::new(web, *form)))
}

/// Forms of the addresses that are taken, for messages.
fn patterns(sites: &[HostSite]) -> String {
    let mut patterns: Vec<String> = sites.iter().cloned().chain(public()).map(|site| site.pattern()).collect();
    let mut seen = std::collections::BTreeSet::new();
    patterns.retain(|pattern| seen.insert(pattern.clone()));
    patterns.join(" or ")
}

fn invalid(reason: String) -> ForgeError {
    ForgeError::InvalidAddress { reason }
}

impl fmt::Display for RepositoryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hosted { site, name } => f.write_str(&site.page(name)),
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
