//! What a namespace shows of the host: the system's programs, and what the workspace names. Everything else is not there.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::spec::{Mount, WorkspaceSpec};

/// The folder of the user inside, empty and in memory.
pub(super) const HOME: &str = "/home/autoheal";

/// Shown read-only, where the host has them; links are made anew.
const SYSTEM: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Of /etc only what programs need to start, to trust certificates and to know the time zone.
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

/// Of /proc what belongs to the machine, not to processes. Some of it lets its owner, who is root, change the machine without
/// any capability, and commands of root are still root to the kernel. The list is the one that container engines use.
const MACHINE: &[&str] = &[
    "/proc/acpi",
    "/proc/asound",
    "/proc/bus",
    "/proc/fs",
    "/proc/irq",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/scsi",
    "/proc/sched_debug",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
    "/proc/timer_stats",
];

/// Arguments of `bwrap` in the making.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments(Vec<OsString>);

impl Arguments {
    pub(super) fn push<S: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = S>) {
        self.0.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    pub(super) fn into_inner(self) -> Vec<OsString> {
        self.0
    }

    /// The system's programs; `scratch` is the size in bytes of each folder in memory, where bubblewrap can limit it.
    pub(super) fn system(&mut self, identity: &Path, scratch: Option<u64>) {
        for path in SYSTEM {
            match fs::read_link(path) {
                Ok(target) => self.push([OsStr::new("--symlink"), target.as_os_str(), OsStr::new(path)]),
                Err(_) => self.push(["--ro-bind-try", path, path]),
            }
        }
        for path in ETC {
            self.push(["--ro-bind-try", path, path]);
        }
        for name in ["passwd", "group", "hosts"] {
            let inside = format!("/etc/{name}");
            self.push([OsStr::new("--ro-bind"), identity.join(name).as_os_str(), OsStr::new(&inside)]);
        }
        self.push(["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/proc/sys", "/proc/sys"]);
        for path in MACHINE.iter().map(Path::new).filter(|path| path.exists()) {
            let nothing = if path.is_dir() { identity.join("empty") } else { PathBuf::from("/dev/null") };
            self.push([OsStr::new("--ro-bind"), nothing.as_os_str(), path.as_os_str()]);
        }
        for folder in ["/tmp", "/dev/shm", HOME] {
            if let Some(bytes) = scratch {
                self.push(["--size", &bytes.to_string()]);
            }
            self.push(["--tmpfs", folder]);
        }
        self.push(["--symlink", "/tmp", "/var/tmp"]);
    }

    /// The copy of the repository and what else the workspace shows, outer folders first.
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

/// Writes the list of users that is seen inside, and returns its folder. The same for every workspace of a user.
pub(super) fn identity(state_dir: &Path, user: u32, group: u32) -> io::Result<PathBuf> {
    let folder = state_dir.join("sandbox").join(format!("identity-{user}-{group}"));
    fs::create_dir_all(folder.join("empty"))?;
    let root = if user == 0 { "" } else { "root:x:0:0::/nonexistent:/bin/false\n" };
    let passwd =
        format!("{root}autoheal:x:{user}:{group}::{HOME}:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n");
    for (name, text) in [
        ("passwd", passwd),
        ("group", format!("autoheal:x:{group}:\nnogroup:x:65534:\n")),
        ("hosts", "127.0.0.1 localhost\n::1 localhost\n".to_owned()),
    ] {
        let path = folder.join(name);
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        let mut file = tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(&folder)?;
        io::Write::write_all(&mut file, text.as_bytes())?;
        file.persist(path)?;
    }
    Ok(folder)
}
