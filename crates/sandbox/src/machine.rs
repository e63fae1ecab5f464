//! The parts of /proc that are about the machine, and not about processes.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Entries of /proc that programs read to learn about the machine. All other entries that are not about processes are hidden,
/// whichever kernel or module made them: some let their owner, who is root, change or watch the machine without any
/// capability, and to the kernel root's commands are root.
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

/// Returns whether commands can see this entry of /proc.
pub(crate) fn is_shown(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit()) || MACHINE.contains(&name)
}

/// Returns the entries of this machine's /proc that must be hidden.
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
