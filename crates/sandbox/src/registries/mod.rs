//! The one way out of a sandbox, for installing dependencies: named hosts, by HTTPS, at public addresses.
//!
//! The network inside stays empty. A proxy in this process listens on a unix socket that is shown inside, and a small relay
//! (`relay.py`) starts the command and passes connections to a local port on to that socket, because package installers
//! cannot speak through one. The proxy looks names up itself and ends with the command.

mod address;
mod proxy;

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::unistd::geteuid;
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::task::JoinSet;

use self::proxy::{Internet, Outside, Rules, serve};
use crate::process::Process;
use crate::spec::{Command, Mount};

/// Where the folder of the socket is seen inside.
const INSIDE: &str = "/run/autoheal";

/// The port of the relay. The network is empty, so it is free.
const PORT: u16 = 3128;

/// How the folders of sockets begin.
const PREFIX: &str = "autoheal-registries-";

/// The certificates that this machine trusts; a company's own registry is often signed by its own authority.
const CERTIFICATES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Programs are told of certificates by these variables.
const CERTIFICATE_VARIABLES: &[&str] =
    &["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/// Programs are told of proxies by these.
const PROXY_VARIABLES: &[&str] = &[
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "npm_config_https_proxy",
    "npm_config_proxy",
];

/// A proxy that lives as long as this.
pub(crate) struct Registries {
    folder: TempDir,
    certificates: Option<PathBuf>,
    /// The proxy; aborted with the set.
    _proxy: JoinSet<()>,
}

impl Registries {
    /// Opens the way to these hosts, for commands of this user.
    pub(crate) fn open(hosts: &[String], user: (u32, u32)) -> io::Result<Self> {
        Self::open_by(hosts, user, Arc::new(Internet))
    }

    fn open_by(hosts: &[String], user: (u32, u32), outside: Arc<dyn Outside>) -> io::Result<Self> {
        let owner = Process::current().ok_or_else(|| io::Error::other("/proc is not mounted"))?;
        // Only commands, and we, may use the proxy.
        let folder = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{owner}-"))
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir()?;
        let socket = folder.path().join("proxy");
        let listener = UnixListener::bind(&socket)?;
        let relay = folder.path().join("relay.py");
        fs::write(&relay, include_str!("relay.py"))?;
        if geteuid().is_root() {
            for path in [folder.path(), &socket, &relay] {
                chown(path, Some(user.0), Some(user.1))?;
            }
        }
        let certificates =
            CERTIFICATES.iter().find_map(|path| fs::canonicalize(path).ok()).filter(|path| path.is_file());
        let mut proxy = JoinSet::new();
        proxy.spawn(serve(listener, Rules::new(hosts, outside)));
        Ok(Self { folder, certificates, _proxy: proxy })
    }

    /// What is to be seen inside.
    pub(crate) fn mounts(&self) -> Vec<Mount> {
        let folder = Mount { host: self.folder.path().to_owned(), inside: INSIDE.into(), writable: false };
        let certificates = self.certificates.iter().map(|file| Mount {
            host: file.clone(),
            inside: format!("{INSIDE}-certificates.pem").into(),
            writable: false,
        });
        std::iter::once(folder).chain(certificates).collect()
    }

    /// The command with the relay before it, and the variables by which installers find it. What the command itself says of
    /// them stays.
    pub(crate) fn wrap(&self, command: &Command) -> Command {
        let relay = format!("{INSIDE}/relay.py");
        let socket = format!("{INSIDE}/proxy");
        // Isolated: nothing in the workspace or its environment changes what the relay is.
        let argv = ["python3", "-I", "-S", &relay, &socket, &PORT.to_string()]
            .into_iter()
            .map(str::to_owned)
            .chain(command.argv.iter().cloned())
            .collect();
        let mut environment = command.environment.clone();
        let proxy = format!("http://127.0.0.1:{PORT}");
        let certificates = format!("{INSIDE}-certificates.pem");
        let trusted = if self.certificates.is_some() { CERTIFICATE_VARIABLES } else { &[] };
        for (name, value) in
            PROXY_VARIABLES.iter().map(|name| (name, &proxy)).chain(trusted.iter().map(|name| (name, &certificates)))
        {
            environment.entry((*name).to_owned()).or_insert_with(|| value.clone());
        }
        for (name, value) in [("PIP_NO_INPUT", "1"), ("PIP_DISABLE_PIP_VERSION_CHECK", "1")] {
            environment.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        Command { argv, environment, ..command.clone() }
    }
}

/// Removes the folders of processes that are gone; says how many.
pub(crate) fn sweep() -> usize {
    fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| is_abandoned(&entry.path()) && fs::remove_dir_all(entry.path()).is_ok())
        .count()
}

fn is_abandoned(folder: &Path) -> bool {
    folder
        .file_name()
        .and_then(|name| name.to_str()?.strip_prefix(PREFIX)?.rsplit_once('-')?.0.parse::<Process>().ok())
        .is_some_and(|owner| !owner.is_alive())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::net::SocketAddr;

    use super::*;

    /// A way to `registry.example`, which is the server at this address.
    pub(crate) fn village(server: SocketAddr, user: (u32, u32)) -> Registries {
        let hosts = ["registry.example".to_owned()];
        Registries::open_by(&hosts, user, Arc::new(proxy::tests::Village(server))).unwrap()
    }

    #[test]
    fn only_folders_of_dead_processes_are_abandoned() {
        let this = Process::current().unwrap();
        assert!(!is_abandoned(&PathBuf::from(format!("/tmp/{PREFIX}{this}-abc"))));
        assert!(is_abandoned(&PathBuf::from(format!("/tmp/{PREFIX}{}-1-abc", this.pid()))));
        assert!(!is_abandoned(Path::new("/tmp/else")));
    }
}
