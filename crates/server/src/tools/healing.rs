//! Repositories that clients may heal, and the settings for healing them. A request comes from a language model that may have read
//! anything; it can only choose among the repositories that the user has allowed.

use std::path::PathBuf;

use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_forge::host::HostSite;
use autoheal_forge::{ForgeError, RepositoryAddress};
use autoheal_orchestrator::Worker;
use autoheal_repo::HealRequest;
use autoheal_repo::request::Delivery;
use secrecy::SecretString;

use super::ToolError;

/// Repositories that may be healed, and the settings for healing them.
#[derive(Debug, Clone)]
pub struct Healing {
    /// Request with the configured settings. Each call sets the repository and the delivery of the fixes.
    pub request: HealRequest,
    /// True if a tool call may push the branch; the caller is a language model.
    pub may_push: bool,
    /// True if the branch is pushed when a user requests the healing over HTTP.
    pub people_push: bool,
    /// Repositories that may be healed.
    pub repositories: Repositories,
    /// The code hosts that the settings name: their repositories are addresses, too.
    pub sites: Vec<HostSite>,
}

/// Settings of the GitHub webhook: the secret for its signatures, and whether it triggers healing.
#[derive(Debug, Clone, Default)]
pub struct Webhook {
    /// Secret that events are signed with; `None`: the webhook is disabled.
    pub secret: Option<SecretString>,
    /// True if a failing CI run of a repository triggers healing.
    pub is_enabled: bool,
}

/// Repositories that may be healed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repositories {
    /// Repositories that the settings name.
    Listed(Vec<AllowedRepository>),
    /// Repositories on the code hosts: the settings name none, and the caller is not the user of this process.
    AtHost,
    /// Every repository that the user of this process can read: the caller is this user.
    OfUser,
}

/// Entry in the list of repositories that may be healed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedRepository {
    /// The repository in this folder, and those below it: absolute, without symbolic links.
    Folder(PathBuf),
    /// The repository at this address.
    Address(RepositoryAddress),
}

/// A text that names nothing that could be healed.
#[derive(Debug, thiserror::Error)]
pub enum AllowedRepositoryError {
    /// It would depend on where the server was started.
    #[error("`{0}` is neither an absolute path nor https://github.com/OWNER/NAME")]
    Relative(String),
    /// It is not there.
    #[error("the folder `{folder}` cannot be found")]
    Missing {
        /// As it was given.
        folder: String,
        /// Cause of the error.
        #[source]
        source: std::io::Error,
    },
    /// The text is not an address.
    #[error(transparent)]
    Address(#[from] ForgeError),
}

impl AllowedRepository {
    /// Parses an entry of the setting `server.repositories`; `sites` as for [`RepositoryAddress::parse_on`].
    ///
    /// # Errors
    ///
    /// [`AllowedRepositoryError`].
    pub fn parse_on(text: &str, sites: &[HostSite]) -> Result<Self, AllowedRepositoryError> {
        if text.contains("://") {
            return Ok(Self::Address(RepositoryAddress::parse_on(text, sites)?));
        }
        let folder = PathBuf::from(text);
        if !folder.is_absolute() {
            return Err(AllowedRepositoryError::Relative(text.to_owned()));
        }
        let missing = |source| AllowedRepositoryError::Missing { folder: text.to_owned(), source };
        folder.canonicalize().map(Self::Folder).map_err(missing)
    }

    fn holds(&self, asked: &RepositoryAddress) -> bool {
        match self {
            Self::Folder(folder) => asked.path().is_some_and(|path| path.starts_with(folder)),
            Self::Address(address) => address == asked,
        }
    }
}

impl Healing {
    /// Returns whether folders of this machine may be healed at the request of users over HTTP.
    pub(crate) fn has_folders(&self) -> bool {
        match &self.repositories {
            Repositories::Listed(listed) => {
                listed.iter().any(|allowed| matches!(allowed, AllowedRepository::Folder(_)))
            }
            Repositories::AtHost => false,
            Repositories::OfUser => true,
        }
    }

    fn holds(&self, address: &RepositoryAddress) -> bool {
        match &self.repositories {
            Repositories::Listed(listed) => listed.iter().any(|allowed| allowed.holds(address)),
            Repositories::AtHost => self.sites.iter().any(|site| address.on(site).is_some()),
            Repositories::OfUser => true,
        }
    }

    /// The repository that a text names, whether it may be healed or not.
    pub(super) fn parse(&self, text: &str) -> Result<RepositoryAddress, ForgeError> {
        RepositoryAddress::parse_on(text, &self.sites)
    }

    /// Returns the repository that a user names over HTTP: one on a code host, or one that the setting `server.repositories` allows. A local path is
    /// accepted only if the setting allows it: it means nothing to a client on another machine.
    ///
    /// # Errors
    ///
    /// [`ToolError::InvalidInput`], which describes the accepted forms.
    pub(crate) fn address_of(&self, text: &str) -> Result<RepositoryAddress, ToolError> {
        let expected = || {
            let patterns: Vec<String> = self.sites.iter().map(HostSite::pattern).collect();
            ToolError::InvalidInput(format!(
                "give a repository as {}; others must be named in the setting server.repositories",
                patterns.join(" or ")
            ))
        };
        let is_address = text.contains("://");
        let is_folder = self.has_folders() && text.starts_with('/');
        if !is_address && !is_folder {
            return Err(expected());
        }
        let address = self.parse(text).map_err(|_| expected())?;
        if self.holds(&address) { Ok(address) } else { Err(expected()) }
    }

    /// Returns the request for a run that a user asks for over HTTP: with the configured settings, and pushed unless these forbid it.
    pub(crate) fn for_person(&self, address: &RepositoryAddress) -> HealRequest {
        let delivery = if self.people_push { Delivery::Push } else { Delivery::DryRun };
        HealRequest { repository: address.to_string(), delivery, ..self.request.clone() }
    }

    /// Returns the request for a run that a tool call asks for.
    ///
    /// # Errors
    ///
    /// [`ToolError::InvalidInput`] for anything the user has not allowed; the message names the setting that would allow it.
    pub(super) fn of(&self, address: &RepositoryAddress, push: bool) -> Result<HealRequest, ToolError> {
        if !self.holds(address) {
            return Err(ToolError::InvalidInput(format!(
                "{address} may not be healed here: the user of the server must name it in the setting server.repositories"
            )));
        }
        if push && !self.may_push {
            return Err(ToolError::InvalidInput(
                "nothing may be pushed from here; omit `push` to get the patch, or let the user set server.allow_push"
                    .to_owned(),
            ));
        }
        let delivery = if push { Delivery::Push } else { Delivery::DryRun };
        Ok(HealRequest { repository: address.to_string(), delivery, ..self.request.clone() })
    }
}

/// A task of the queue that heals the repository at this address, for `worker` and those that share its database.
pub(crate) fn new_task(
    worker: &Worker,
    address: &RepositoryAddress,
    request: HealRequest,
) -> Result<NewTask, serde_json::Error> {
    let mut task = NewTask::new(TaskKind::HealRepo, address.to_string(), worker.store().now());
    // A path means something on this machine only.
    task.host = address.path().map(|_| worker.host().to_owned());
    task.context = serde_json::to_value(request)?;
    Ok(task)
}

#[cfg(test)]
mod tests {
    use autoheal_forge::github::site_of_api;

    use super::*;

    fn sites(api: &str) -> Vec<HostSite> {
        vec![site_of_api(&api.parse().unwrap()).unwrap()]
    }

    fn allowed_repository(text: &str) -> Result<AllowedRepository, AllowedRepositoryError> {
        AllowedRepository::parse_on(text, &sites("https://api.github.com"))
    }

    fn healing(allowed: Option<&[&str]>) -> Healing {
        Healing {
            request: HealRequest { team_name: "a team".to_owned(), ..HealRequest::new("") },
            may_push: false,
            people_push: true,
            repositories: match allowed {
                Some(texts) => {
                    Repositories::Listed(texts.iter().map(|text| allowed_repository(text).unwrap()).collect())
                }
                None => Repositories::AtHost,
            },
            sites: sites("https://api.github.com"),
        }
    }

    #[test]
    fn what_is_asked_is_what_the_settings_say_and_nothing_is_pushed_unless_a_person_allows_it() {
        let address = RepositoryAddress::parse("https://github.com/owner/name").unwrap();
        let mut healing = healing(None);
        let request = healing.of(&address, false).unwrap();
        assert_eq!((request.team_name.as_str(), request.delivery), ("a team", Delivery::DryRun));
        assert_eq!(request.repository, "https://github.com/owner/name");
        assert!(healing.of(&address, true).unwrap_err().to_string().contains("server.allow_push"));
        healing.may_push = true;
        assert_eq!(healing.of(&address, true).unwrap().delivery, Delivery::Push);
    }

    #[test]
    fn a_person_names_repositories_of_the_github_that_the_settings_name() {
        let of = |api: &str| Healing { sites: sites(api), ..healing(None) };
        let (github, enterprise) = (of("https://api.github.com"), of("https://git.example.com/api/v3"));
        for (asked, at_github, at_enterprise) in [
            ("https://github.com/owner/name", true, false),
            ("https://git.example.com/owner/name", false, true),
            ("https://git.example.com/owner", false, false),
            ("http://127.0.0.1/owner/name", false, false),
        ] {
            assert_eq!(github.address_of(asked).is_ok(), at_github, "{asked}");
            assert_eq!(enterprise.address_of(asked).is_ok(), at_enterprise, "{asked}");
        }
        let refused = enterprise.address_of("x").unwrap_err().to_string();
        assert!(refused.contains("https://git.example.com/OWNER"), "{refused}");
    }

    #[test]
    fn a_folder_that_no_setting_names_is_healed_for_the_user_of_the_process_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let address = RepositoryAddress::parse(path).unwrap();
        let over_http = healing(None);
        for refused in [over_http.of(&address, false).map(drop), over_http.address_of(path).map(drop)] {
            assert!(refused.unwrap_err().to_string().contains("server.repositories"));
        }
        let of_user = Healing { repositories: Repositories::OfUser, ..healing(None) };
        assert!(of_user.of(&address, false).is_ok());
    }

    #[test]
    fn only_what_is_listed_is_healed_whatever_way_it_is_named() {
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
        for folder in ["code/shop", "code-of-others"] {
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(home.path().join("code-of-others"), home.path().join("code/link")).unwrap();
        let healing = healing(Some(&[&path("code"), "https://github.com/owner/name"]));
        for (asked, is_allowed) in [
            (path("code"), true),
            (path("code/shop"), true),
            (path("code-of-others"), false),
            (path("code/../code-of-others"), false),
            (path("code/link"), false),
            ("https://github.com/owner/name.git".to_owned(), true),
            ("https://github.com/owner/names".to_owned(), false),
        ] {
            let request = healing.of(&RepositoryAddress::parse(&asked).unwrap(), false);
            assert_eq!(request.is_ok(), is_allowed, "{asked}: {request:?}");
        }
        assert!(allowed_repository("code").unwrap_err().to_string().contains("absolute"));
        assert!(allowed_repository(&path("nothing")).unwrap_err().to_string().contains("cannot be found"));
    }
}
