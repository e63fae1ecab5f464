//! The only way out of a sandbox, for installing dependencies: named hosts, by HTTPS, at public addresses.
//!
//! The network inside stays empty. A proxy in this process listens on a unix socket that is mounted inside. A small relay
//! (`relay.py`) starts the command and forwards connections from a local port to that socket, because package installers
//! cannot use one. The proxy resolves names itself, terminates TLS with certificates that only this command trusts, forwards
//! only read requests to the host of the tunnel, and ends with the command.
//!
//! # Layout
//!
//! - `address`: the addresses that may be connected to
//! - `authority`: the certificates
//! - `exchange`: requests inside a tunnel
//! - `proxy`: tunnels

mod address;
mod authority;
mod exchange;
mod proxy;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use nix::unistd::geteuid;
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret as _, SecretString};
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::task::JoinSet;

use self::authority::Authority;
use self::proxy::{Internet, Outside, Rules, serve};
use crate::outcome::Outcome;
use crate::process::Process;
use crate::spec::{Command, Mount, RegistryAccess};

/// Path inside the sandbox of the folder that holds the socket.
const INSIDE: &str = "/run/autoheal";

/// The port of the relay. The network is empty, so it is free.
const PORT: u16 = 3128;

/// Prefix of the names of the folders that hold sockets.
const PREFIX: &str = "autoheal-registries-";

/// Name of the file with the certificates that are trusted inside, in the folder of the socket.
const CERTIFICATE: &str = "certificate.pem";

/// Variables that tell programs where the certificates are. npm and pnpm ignore Node's variable when a proxy is set.
const CERTIFICATE_VARIABLES: &[&str] = &[
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "npm_config_cafile",
];

/// Variables that tell programs to use the proxy.
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
    /// The proxy; aborted with the set.
    _proxy: JoinSet<()>,
}

impl Registries {
    /// Opens the way, for commands of this user.
    pub(crate) fn open(access: &RegistryAccess, user: (u32, u32)) -> io::Result<Self> {
        Self::open_by(access, user, Arc::new(Internet))
    }

    fn open_by(access: &RegistryAccess, user: (u32, u32), outside: Arc<dyn Outside>) -> io::Result<Self> {
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
        let environment = folder.path().join("environment");
        OpenOptions::new().write(true).create_new(true).mode(0o400).open(&environment)?.write_all(&told(access))?;
        let authority = Authority::new()?;
        let certificate = folder.path().join(CERTIFICATE);
        fs::write(&certificate, authority.pem())?;
        if geteuid().is_root() {
            for path in [folder.path(), &socket, &relay, &environment, &certificate] {
                chown(path, Some(user.0), Some(user.1))?;
            }
        }
        let mut proxy = JoinSet::new();
        proxy.spawn(serve(listener, Rules::new(access, authority, outside)?));
        Ok(Self { folder, _proxy: proxy })
    }

    /// Returns the mounts that the sandbox needs.
    pub(crate) fn mounts(&self) -> Vec<Mount> {
        vec![Mount { host: self.folder.path().to_owned(), inside: INSIDE.into(), writable: false }]
    }

    /// Returns the command with the relay in front of it, and with the variables by which installers find it. Variables that the
    /// command itself sets are kept.
    #[expect(clippy::unused_self, reason = "what the variables say is true only while the way is open")]
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
        let certificate = format!("{INSIDE}/{CERTIFICATE}");
        let trusted = CERTIFICATE_VARIABLES.iter().map(|name| (name, &certificate));
        for (name, value) in PROXY_VARIABLES.iter().map(|name| (name, &proxy)).chain(trusted) {
            environment.entry((*name).to_owned()).or_insert_with(|| value.clone());
        }
        for (name, value) in [("PIP_NO_INPUT", "1"), ("PIP_DISABLE_PIP_VERSION_CHECK", "1")] {
            environment.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        Command { argv, environment, ..command.clone() }
    }
}

/// The variables as the relay reads them.
fn told(access: &RegistryAccess) -> Vec<u8> {
    let lines = access.environment.iter().map(|(name, value)| format!("{name}={}\0", value.expose_secret()));
    lines.collect::<String>().into_bytes()
}

/// Removes the credentials of private indexes from the output of a command.
pub(crate) fn redact(access: &RegistryAccess, outcome: Outcome) -> Outcome {
    let secrets = secrets(access);
    let redacted = |text: Vec<u8>| secrets.iter().fold(text, |text, secret| without(text, secret.expose_secret()));
    Outcome { stdout: redacted(outcome.stdout), stderr: redacted(outcome.stderr), ..outcome }
}

/// Returns the secret parts of the variables, the longest first: of a URL the user information before the `@`, both as
/// written and percent-decoded; of any other value all of it.
fn secrets(access: &RegistryAccess) -> Vec<SecretString> {
    let words = access.environment.values().flat_map(|value| value.expose_secret().split_whitespace());
    let parts = words.flat_map(|word| match word.split_once("://") {
        Some((_, rest)) => {
            let user = rest.split('/').next().and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
            user.into_iter().flat_map(|user| user.splitn(2, ':')).collect::<Vec<_>>()
        }
        None => vec![word],
    });
    let written_and_meant = |part: &str| {
        let meant = percent_decode_str(part).decode_utf8_lossy().into_owned();
        [part.to_owned(), meant]
    };
    // A value as short as `1` is not a secret, and masking it would damage all output.
    let mut secrets: Vec<String> = parts.flat_map(written_and_meant).filter(|secret| secret.len() >= 4).collect();
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets.into_iter().map(SecretString::from).collect()
}

fn without(text: Vec<u8>, secret: &str) -> Vec<u8> {
    let found: Vec<usize> = memmem::find_iter(&text, secret).collect();
    if found.is_empty() {
        return text;
    }
    let mut clean = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in found {
        clean.extend_from_slice(text.get(from..at).unwrap_or_default());
        clean.extend_from_slice(b"***");
        from = at + secret.len();
    }
    clean.extend_from_slice(text.get(from..).unwrap_or_default());
    clean
}

/// Removes the folders of processes that have ended; returns their number.
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
    use super::*;

    /// A way to `registry.example`, which is a server in this process; it ends with `servers`.
    pub(crate) async fn village(user: (u32, u32), servers: &mut JoinSet<()>) -> Registries {
        let hosts = vec!["registry.example".to_owned()];
        let access = RegistryAccess { hosts, ..RegistryAccess::default() };
        let outside = Arc::new(proxy::tests::village(servers).await);
        Registries::open_by(&access, user, outside).unwrap()
    }

    #[test]
    fn what_opens_an_index_is_found_in_its_address() {
        let environment = [
            ("A", "https://user:s3cret%40x@index.example/simple https://t0ken:@other.example/"),
            ("B", "https://index.example/simple"),
            ("C", "npm_abcdef"),
            ("D", "1"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), SecretString::from(value)));
        let access = RegistryAccess { environment: environment.into(), ..RegistryAccess::default() };
        let found = secrets(&access);
        let found: Vec<&str> = found.iter().map(secrecy::ExposeSecret::expose_secret).collect();
        assert_eq!(found, ["s3cret%40x", "npm_abcdef", "s3cret@x", "t0ken", "user"]);
        assert_eq!(without(b"a npm_abcdef, npm_abcdef".to_vec(), "npm_abcdef"), b"a ***, ***");
    }

    #[test]
    fn only_folders_of_dead_processes_are_abandoned() {
        let this = Process::current().unwrap();
        assert!(!is_abandoned(&std::path::PathBuf::from(format!("/tmp/{PREFIX}{this}-abc"))));
        assert!(is_abandoned(&std::path::PathBuf::from(format!("/tmp/{PREFIX}{}-1-abc", this.pid()))));
        assert!(!is_abandoned(Path::new("/tmp/else")));
    }
}
