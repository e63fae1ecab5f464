//! Container of the browser: namespaces made by bubblewrap.
//!
//! Its network has nothing but the relay to our proxy: no page, and no flaw of the browser, reaches anything past the proxy,
//! by any protocol. Of the machine, the browser sees only programs, libraries and fonts, read-only; its profile is in memory.
//! The user inside is an ordinary one without capabilities, so the browser's own sandbox works as well, also for root.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use autoheal_process::Program;

use super::RelayProgram;
use crate::FetchError;

/// The home of the browser inside, with its profile.
pub(super) const HOME: &str = "/home/browser";

/// Path inside at which the folder of the proxy's socket is mounted; `RELAY` is the path of the relay.
const SOCKET_FOLDER: &str = "/run/autoheal";
const RELAY: &str = "/run/autoheal-relay";
/// The folder for a picture: the only one that is shared and can be written.
pub(super) const PICTURES: &str = "/run/autoheal-pictures";

/// Mounted read-only, if the machine has them; links are recreated.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Only those files of /etc that a browser needs to start and to draw letters.
const ETC: &[&str] = &[
    "/etc/alternatives",
    "/etc/chromium",
    "/etc/chromium.d",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
];

/// The size of each folder in memory, in bytes.
const SCRATCH: u64 = 512 << 20;

/// Files and folders that the container sees in addition to the system.
pub(super) struct Inside<'run> {
    /// The folder that holds the socket of the proxy.
    pub(super) socket_folder: &'run Path,
    pub(super) socket_name: &'run str,
    pub(super) pictures: &'run Path,
    pub(super) relay: &'run RelayProgram,
}

/// Returns the command that starts `program` in the container, without the arguments of the program.
pub(super) fn words(program: &Path, inside: &Inside<'_>) -> Result<Vec<OsString>, FetchError> {
    let mut words = Words::default();
    words.push(["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]);
    words.push(["--die-with-parent", "--new-session", "--hostname", "browser", "--chdir", HOME]);
    for path in SYSTEM {
        match fs::read_link(path) {
            Ok(target) => words.push([OsStr::new("--symlink"), target.as_os_str(), OsStr::new(path)]),
            Err(_) => words.push(["--ro-bind-try", path, path]),
        }
    }
    for path in ETC {
        words.push(["--ro-bind-try", path, path]);
    }
    words.push(["--proc", "/proc", "--dev", "/dev"]);
    for folder in ["/tmp", "/dev/shm", HOME] {
        words.push(["--size", &SCRATCH.to_string(), "--tmpfs", folder]);
    }
    if let Some(folder) = folder_of_its_own(program)? {
        words.push([OsStr::new("--ro-bind"), folder.as_os_str(), folder.as_os_str()]);
    }
    words.push([OsStr::new("--ro-bind"), inside.relay.program.as_os_str(), OsStr::new(RELAY)]);
    words.push([OsStr::new("--ro-bind"), inside.socket_folder.as_os_str(), OsStr::new(SOCKET_FOLDER)]);
    words.push([OsStr::new("--bind"), inside.pictures.as_os_str(), OsStr::new(PICTURES)]);
    words.push(["--remount-ro", "/", "--", RELAY]);
    words.push(&inside.relay.arguments);
    words.push([format!("{SOCKET_FOLDER}/{}", inside.socket_name)]);
    words.push([program]);
    Ok(words.0)
}

/// `bwrap`, which makes the namespaces.
pub(super) fn bubblewrap() -> Result<Program, FetchError> {
    let reason = "the program `bwrap`, which contains it, is not installed; install the package `bubblewrap` (0.8 or later), or \
                  take the wall down with the setting `fetch.browser_sandbox = false`";
    Program::on_path("bwrap").map_err(|_| FetchError::BrowserMissing { reason })
}

/// The folder of a browser that is not among the system's programs, with its libraries.
fn folder_of_its_own(program: &Path) -> Result<Option<PathBuf>, FetchError> {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    if SYSTEM.iter().any(|folder| real.starts_with(folder)) {
        return Ok(None);
    }
    let reason = "its folder is your home folder or the top of the file system, and would be shown to pages; install it in a \
                  folder of its own";
    let shown = real.parent().filter(|folder| {
        let is_home = std::env::home_dir().is_some_and(|home| home.canonicalize().unwrap_or(home).starts_with(folder));
        !is_home && folder.parent().is_some()
    });
    shown.map(|folder| Some(folder.to_owned())).ok_or(FetchError::BrowserMissing { reason })
}

#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn push<S: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = S>) {
        self.0.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }
}
