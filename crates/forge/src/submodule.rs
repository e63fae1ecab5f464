//! Submodules: which a commit names, and where each of them lives.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use url::Url;

use crate::error::Operation;
use crate::{CommitId, ForgeError, Git, RepositoryAddress, SafeUrl};

/// A repository inside of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// Name of the submodule in `.gitmodules`.
    pub name: String,
    /// Folder of the submodule, relative to the repository, with `/`.
    pub path: String,
    /// URL of the submodule, as written in `.gitmodules`.
    pub url: String,
    /// The commit of it that belongs there.
    pub commit: CommitId,
}

impl Git {
    /// The submodules of a commit that `.gitmodules` knows.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Command`] when the clone lacks the commit.
    pub async fn submodules(&self, dir: &Path, commit: &CommitId) -> Result<Vec<Submodule>, ForgeError> {
        let command = || self.invocation(Operation::Read).within(dir);
        let admitted = self.admit(dir, commit).await?;
        let listed = command().args(["ls-tree", "-r", "-z", "--full-tree", admitted.as_str()]);
        let listed = String::from_utf8_lossy(&self.run(listed).await?.bytes()?).into_owned();
        let links: BTreeMap<&str, &str> = listed
            .split('\0')
            .filter_map(|entry| {
                let (about, path) = entry.split_once('\t')?;
                Some((path, about.strip_prefix("160000 commit ")?))
            })
            .collect();
        if links.is_empty() {
            return Ok(Vec::new());
        }
        let blob = format!("--blob={commit}:.gitmodules");
        let settings = ["config", &blob, "--null", "--get-regexp", r"^submodule\..*\.(path|url)$"];
        let output = self.run(command().args(settings)).await?;
        // Without the file, or without such settings, the links lead nowhere.
        let text = String::from_utf8_lossy(&output.stdout);
        let mut known: BTreeMap<&str, [Option<&str>; 2]> = BTreeMap::new();
        for (key, value) in text.split('\0').filter_map(|setting| setting.split_once('\n')) {
            let Some((name, kind)) = key.strip_prefix("submodule.").and_then(|key| key.rsplit_once('.')) else {
                continue;
            };
            if let Some(place) = known.entry(name).or_default().get_mut(usize::from(kind == "url")) {
                *place = Some(value);
            }
        }
        let submodule = |(name, [path, url]): (&str, [Option<&str>; 2])| {
            let (path, url) = (path?, url?);
            let commit = CommitId::parse(links.get(path)?).ok()?;
            Some(Submodule { name: name.to_owned(), path: path.to_owned(), url: url.to_owned(), commit })
        };
        Ok(known.into_iter().filter_map(submodule).collect())
    }
}

impl RepositoryAddress {
    /// Returns the address from which to fetch a submodule of the repository at this address: on the repository's own server, or at
    /// a public code host. For a folder, the submodule that the user has fetched into it. `None`: the URL leads anywhere else, where a
    /// repository must not direct us.
    pub fn of_submodule(&self, submodule: &Submodule) -> Option<Self> {
        if let Some(folder) = self.path() {
            let name = Path::new(&submodule.name);
            let is_plain = name.components().all(|part| matches!(part, Component::Normal(_)));
            let fetched = folder.join(".git/modules").join(name);
            // Through no link: the folder must be one of this repository's own.
            if is_plain && fetched.canonicalize().is_ok_and(|real| real == fetched) {
                return Some(Self::Path(fetched));
            }
        }
        let text = self.absolute(&submodule.url)?;
        if let Self::Server(own) = self
            && let Ok(url) = Url::parse(&text)
            && url.username().is_empty()
            && url.password().is_none()
            && own.origin() == url.origin().ascii_serialization()
        {
            return Some(Self::Server(SafeUrl::new(url)));
        }
        let own = match self {
            Self::Hosted { site, .. } => std::slice::from_ref(site),
            Self::Server(_) | Self::Path(_) => &[],
        };
        Self::parse_on(&text, own).ok().filter(|address| matches!(address, Self::Hosted { .. }))
    }

    /// Returns the absolute HTTPS URL for a relative URL or one in the form of ssh.
    fn absolute(&self, url: &str) -> Option<String> {
        if url.starts_with("./") || url.starts_with("../") {
            let own = self.path().is_none().then(|| self.to_string())?;
            let (origin, path) = own.split_at(own.find("://")? + 3);
            let mut parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
            for part in url.split('/') {
                match part {
                    "." | "" => {}
                    // The host stays.
                    ".." if parts.len() > 1 => drop(parts.pop()),
                    ".." => return None,
                    part => parts.push(part),
                }
            }
            return Some(format!("{origin}{}", parts.join("/")));
        }
        if url.contains("://") {
            let of_ssh = url.strip_prefix("ssh://").map(|rest| rest.split_once('@').map_or(rest, |(_, rest)| rest));
            return Some(of_ssh.map_or_else(|| url.to_owned(), |rest| format!("https://{rest}")));
        }
        let (host, path) = url.split_once('@')?.1.split_once(':')?;
        Some(format!("https://{host}/{path}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched_from(repository: &str, url: &str) -> Option<String> {
        let commit = CommitId::parse(&"0".repeat(40)).unwrap();
        let (name, path) = ("lib".to_owned(), "lib".to_owned());
        let address = RepositoryAddress::parse(repository).unwrap();
        address.of_submodule(&Submodule { name, path, url: url.to_owned(), commit }).map(|address| address.to_string())
    }

    #[test]
    fn a_submodule_lives_beside_its_repository_or_at_github() {
        let github = "https://github.com/octo/shop";
        for url in ["../lib", "./../lib.git", "https://github.com/octo/lib", "git@github.com:octo/lib.git"] {
            assert_eq!(fetched_from(github, url).as_deref(), Some("https://github.com/octo/lib"), "{url}");
        }
        let server = "http://127.0.0.1:8080/octo/shop.git";
        assert_eq!(fetched_from(server, "../lib.git").as_deref(), Some("http://127.0.0.1:8080/octo/lib.git"));
    }

    #[test]
    fn a_repository_leads_nowhere_else() {
        let urls = [
            "../../..",
            "/etc",
            "file:///etc",
            "http://127.0.0.1/x",
            "http://169.254.169.254/x",
            "ext::sh -c id",
            "-x",
            "",
        ];
        for url in urls {
            assert_eq!(fetched_from("https://github.com/octo/shop", url), None, "{url}");
        }
        assert_eq!(fetched_from("http://127.0.0.1:8080/octo/shop", "http://127.0.0.1:22/octo/lib"), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(fetched_from(folder.path().to_str().unwrap(), "../other"), None);
    }
}
