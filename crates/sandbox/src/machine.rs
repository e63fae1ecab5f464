//! The parts of /proc that are about the machine, and not about processes.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Of /proc what programs read about the machine: everything else there that is not about processes is hidden, whatever kernel or module
/// made it. Some of it lets its owner, who is root, change or watch the machine without any capability, and to the kernel root's commands are
/// root.
const MACHINE: &[&str] = &[
    "cgroups",
    "consoles",
    "cpuinfo",
    "crypto",
    "devices",
    "diskstats",
    "dma",
    "execdomains",
    "filesystems",
    "loadavg",
    "meminfo",
    "misc",
    "mounts",
    "net",
    "partitions",
    "self",
    "stat",
    "swaps",
    "sys",
    "sysvipc",
    "thread-self",
    "uptime",
    "version",
    "vmstat",
];

/// Whether this entry of /proc is shown to commands.
pub(crate) fn is_shown(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit()) || MACHINE.contains(&name)
}

/// The entries of this machine's /proc that are to be hidden.
pub(crate) fn hidden() -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir("/proc")?
        .map(|entry| entry.map(|entry| entry.path()))
        .filter(|path| {
            path.as_ref()
                .map_or(true, |path| path.file_name().and_then(OsStr::to_str).is_none_or(|name| !is_shown(name)))
        })
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}
