//! Places of code hosts, and names of repositories there.

use std::fmt;

use url::{Host, Url};

/// Origin of a host, with the form of its repositories' names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostSite {
    /// Ends in a slash.
    web: Url,
    form: NameForm,
}

/// Form of repositories' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameForm {
    /// `OWNER/NAME`.
    OwnerAndName,
    /// `GROUP/NAME`, with groups within groups: `GROUP/SUBGROUP/NAME`.
    GroupsAndName,
}

/// A repository by the name of its owner and its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RepositoryName {
    /// The user, organisation or group; a group within others with all of them, such as `group/subgroup`.
    pub owner: String,
    /// The repository, without `.git`.
    pub name: String,
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl HostSite {
    /// The host whose pages begin at `web`.
    pub fn new(mut web: Url, form: NameForm) -> Self {
        if !web.path().ends_with('/') {
            let path = format!("{}/", web.path());
            web.set_path(&path);
        }
        Self { web, form }
    }

    /// The address at which pages begin and from which repositories are cloned, with a slash at its end.
    pub const fn web(&self) -> &Url {
        &self.web
    }

    /// Form of an address there, for messages: `https://github.com/OWNER/NAME`.
    pub fn pattern(&self) -> String {
        format!("{}{}", self.web, self.form.pattern())
    }

    /// The address of a repository's page.
    pub(crate) fn page(&self, repository: &RepositoryName) -> String {
        format!("{}{repository}", self.web)
    }

    /// The repository that `text`, an address, names exactly as the host writes it, with `.git` or a slash at its end allowed. The
    /// text is checked as it was written, not as a URL parser would repair it.
    pub(crate) fn named(&self, text: &str) -> Option<RepositoryName> {
        let rest = text.strip_prefix(self.web.as_str())?;
        self.form.parse(without_end(rest), Strictness::AsHostsAllow)
    }

    /// The repository that the path of a URL names, whatever characters a plain name has.
    pub(crate) fn named_by_path(&self, path: &str) -> Option<RepositoryName> {
        self.form.parse(without_end(path.strip_prefix(self.web.path())?), Strictness::Plain)
    }
}

fn without_end(path: &str) -> &str {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.strip_suffix(".git").unwrap_or(path)
}

/// The most groups within each other (GitLab allows 20 below the first).
const MOST_GROUPS: usize = 21;

/// Rules for the parts of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// Names that the host itself would give.
    AsHostsAllow,
    /// Letters, digits, `-`, `_` and `.`: for servers of tests and mirrors.
    Plain,
}

impl NameForm {
    const fn pattern(self) -> &'static str {
        match self {
            Self::OwnerAndName => "OWNER/NAME",
            Self::GroupsAndName => "GROUP/NAME",
        }
    }

    fn parse(self, path: &str, strictness: Strictness) -> Option<RepositoryName> {
        let (owner, name) = match self {
            Self::OwnerAndName => path.split_once('/')?,
            Self::GroupsAndName => path.rsplit_once('/')?,
        };
        let is_named = match (self, strictness) {
            (Self::OwnerAndName, Strictness::AsHostsAllow) => {
                let is_owner = !owner.starts_with('-') && owner.len() <= 39 && !owner.contains('.');
                is_owner && is_plain(owner) && is_plain(name) && name.len() <= 100
            }
            (Self::OwnerAndName, Strictness::Plain) => is_plain(owner) && is_plain(name),
            (Self::GroupsAndName, _) => {
                let is_part = |part: &str| is_plain(part) && !part.starts_with('-') && part.len() <= 255;
                owner.split('/').count() <= MOST_GROUPS && owner.split('/').all(is_part) && is_part(name)
            }
        };
        is_named.then(|| RepositoryName { owner: owner.to_owned(), name: name.to_owned() })
    }
}

fn is_plain(part: &str) -> bool {
    !matches!(part, "" | "." | "..") && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Returns whether a URL may be the address of an API or of its pages: HTTPS, or HTTP on the loopback interface, without user, password,
/// query and fragment.
pub(crate) fn is_plain_base(url: &Url) -> bool {
    let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    let is_allowed = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url));
    is_plain && is_allowed && url.fragment().is_none() && url.host().is_some()
}

/// Returns whether a URL is on the loopback interface.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(domain)) => domain == "localhost",
        None => false,
    }
}
