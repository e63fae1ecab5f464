//! Files of the host that a namespace shows: the system's programs, and the mounts of the workspace.
//! Everything else is hidden.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::machine;
use crate::spawn::FIRST_FILE;
use crate::spec::{Mount, WorkspaceSpec};

/// The folder of the user inside, empty and in memory.
pub(super) const HOME: &str = "/home/autoheal";

/// Shown read-only, where the host has them; links are made anew.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// The parts of /etc that programs need to start, to trust certificates and to know the time zone.
const ETC: &[&str] = &[
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
];

/// Arguments of `bwrap` in the making, and the files that they name by their numbers.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    words: Vec<OsString>,
    files: Vec<Vec<u8>>,
}

impl Arguments {
    pub(super) fn push<S: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = S>) {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    /// Adds a file, and returns its number as a word. The first number is that of the arguments themselves.
    pub(super) fn file(&mut self, bytes: Vec<u8>) -> String {
        self.files.push(bytes);
        (FIRST_FILE + self.files.len()).to_string()
    }

    /// The files that `bwrap --args` is to find from [`FIRST_FILE`] on: the arguments, then those that they name.
    pub(super) fn into_files(self) -> Vec<Vec<u8>> {
        let words = self.words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
        std::iter::once(words).chain(self.files).collect()
    }

    /// The system's programs, for this user; `scratch` is the size in bytes of each folder in memory, where bubblewrap can limit it.
    pub(super) fn system(&mut self, user: (u32, u32), empty: &Path, scratch: Option<u64>) -> io::Result<()> {
        for path in SYSTEM {
            match fs::read_link(path) {
                Ok(target) => self.push([OsStr::new("--symlink"), target.as_os_str(), OsStr::new(path)]),
                Err(_) => self.push(["--ro-bind-try", path, path]),
            }
        }
        for path in ETC {
            self.push(["--ro-bind-try", path, path]);
        }
        for (path, text) in made(user) {
            let number = self.file(text.into_bytes());
            self.push(["--perms", "0444", "--file", &number, path]);
        }
        self.push(["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/proc/sys", "/proc/sys"]);
        for path in machine::hidden()? {
            let nothing = if path.is_dir() { empty } else { Path::new("/dev/null") };
            self.push([OsStr::new("--ro-bind"), nothing.as_os_str(), path.as_os_str()]);
        }
        for folder in ["/tmp", "/dev/shm", HOME] {
            if let Some(bytes) = scratch {
                self.push(["--size", &bytes.to_string()]);
            }
            self.push(["--tmpfs", folder]);
        }
        // Else files could be made there, which no limit of a folder in memory would count.
        self.push(["--remount-ro", "/dev", "--symlink", "/tmp", "/var/tmp"]);
        Ok(())
    }

    /// Mounts the copy of the repository and the workspace's other mounts, outer folders first.
    pub(super) fn workspace(&mut self, spec: &WorkspaceSpec, more: &[Mount]) {
        let root = Mount { host: spec.root.clone(), inside: spec.inside.clone(), writable: true };
        let mut mounts: Vec<&Mount> = std::iter::once(&root).chain(&spec.mounts).chain(more).collect();
        mounts.sort_by_key(|mount| mount.inside.components().count());
        for mount in mounts {
            let how = if mount.writable { "--bind" } else { "--ro-bind" };
            self.push([OsStr::new(how), mount.host.as_os_str(), mount.inside.as_os_str()]);
        }
        self.push(["--remount-ro", "/"]);
    }
}

/// Returns the files of /etc that are generated for the inside, with their paths: the user, and the machine's own name.
fn made((user, group): (u32, u32)) -> [(&'static str, String); 3] {
    let passwd = format!(
        "root:x:0:0::/nonexistent:/bin/false\nautoheal:x:{user}:{group}::{HOME}:/bin/sh\n\
         nobody:x:65534:65534::/nonexistent:/bin/false\n"
    );
    [
        ("/etc/passwd", passwd),
        ("/etc/group", format!("autoheal:x:{group}:\nnogroup:x:65534:\n")),
        ("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n".to_owned()),
    ]
}

/// Makes the empty folder that hides folders, and returns its path.
pub(super) fn empty(state_dir: &Path) -> io::Result<PathBuf> {
    let folder = state_dir.join("sandbox").join("empty");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
