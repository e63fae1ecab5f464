//! Attempts to get out of a sandbox: none may succeed.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;

use autoheal_sandbox::{Choice, Command};
use rstest::rstest;
use serde::Deserialize;
use serde_json::json;

use crate::place::{Place, command, text};

/// The program that makes the attempts.
const ATTEMPTS: &str = concat!(include_str!("../escape/attempts.py"), "\n\n", include_str!("../escape/kernel.py"));

/// One attempt, as the program tells it.
#[derive(Debug, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) name: String,
    pub(crate) tries: String,
    /// Nothing: it has no meaning on this machine.
    pub(crate) refused: Option<bool>,
    pub(crate) by: String,
}

/// Resources of the host that commands try to reach, while it exists.
pub(crate) struct Outside {
    folder: tempfile::TempDir,
    loopback: TcpListener,
    _abstract_socket: UnixListener,
    name: String,
}

impl Outside {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "what-nobody-inside-may-read").unwrap();
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let name = format!("autoheal-escape-{}", uuid::Uuid::now_v7());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let abstract_socket = UnixListener::bind_addr(&address).unwrap();
        let loopback = TcpListener::bind("127.0.0.1:0").unwrap();
        // Found by its name in the session of whoever runs this; not everywhere there are keyrings.
        if let Ok(mut ring) = keyutils::Keyring::attach_or_create(keyutils::SpecialKeyring::Session) {
            let _: Result<_, _> = ring
                .add_key::<keyutils::keytypes::User, _, _>(name.as_str(), b"what-nobody-inside-may-read".as_slice());
        }
        Self { folder, loopback, _abstract_socket: abstract_socket, name }
    }

    /// Returns the program and its arguments.
    pub(crate) fn argv(&self, tree: &Path) -> Vec<String> {
        let outside = json!({
            "secret": self.folder.path().join("secret"),
            "text": "what-nobody-inside-may-read",
            "tree": tree,
            "port": self.loopback.local_addr().unwrap().port(),
            "abstract": self.name,
            "pid": std::process::id(),
            "key": self.name,
        });
        ["python3", "-c", ATTEMPTS, &outside.to_string()].map(str::to_owned).to_vec()
    }
}

/// Makes all attempts in a workspace.
pub(crate) async fn attempt_all(place: &mut Place) -> Vec<Attempt> {
    let outside = Outside::new();
    let command = Command { argv: outside.argv(place.folder.path()), ..command(&[]) };
    let outcome = place.workspace.run(&command).await.unwrap();
    assert!(outcome.end.is_success(), "{outcome:?} {}", text(&outcome.stderr));
    serde_json::from_slice(&outcome.stdout).unwrap()
}

#[rstest]
#[tokio::test]
async fn every_attempt_to_escape_is_refused(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let attempts = attempt_all(&mut place).await;
    assert!(attempts.iter().filter(|attempt| attempt.refused.is_some()).count() >= 100, "{attempts:?}");
    let succeeded: Vec<_> = attempts
        .iter()
        .filter(|attempt| attempt.refused == Some(false))
        .map(|Attempt { name, tries, by, .. }| format!("{name} ({tries}): {by}"))
        .collect();
    assert!(succeeded.is_empty(), "{succeeded:#?}");
}
