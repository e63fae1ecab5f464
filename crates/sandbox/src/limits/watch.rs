//! Monitoring without control groups: checks all processes together twenty times a second, and more often near the memory limit.
//!
//! Resource limits apply to each process (memory) or leave no trace when they take effect, so the watch enforces the limit
//! itself; the resource limit, some way above it, is the backstop between two checks.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Resource;

use crate::outcome::Limit;
use crate::process::Process;
use crate::spec::Limits;

const INTERVAL: Duration = Duration::from_millis(50);

/// Time between two checks of processes that use more than half of their limit, because they could reach the backstop within
/// the usual time.
const NEAR: Duration = Duration::from_millis(10);

/// Number of processes by which the backstop exceeds the limit. A fork bomb must neither reach the backstop nor end between two checks:
/// otherwise its processes fail one by one, and the command looks as if it had failed by itself.
const SPARE_PROCESSES: u64 = 1024;

/// The folders in memory inside of a namespace.
const IN_MEMORY: [&str; 3] = ["tmp", "dev/shm", "home/autoheal"];

/// Returns when the processes below `root` together use more than they may; never when they do not. With `in_memory` the folders in
/// memory that `root` sees count as well.
pub(crate) async fn watch(root: Process, limits: Limits, in_memory: bool) -> Limit {
    loop {
        let tree = root.tree();
        if tree.iter().map(|process| process.threads()).sum::<u64>() > u64::from(limits.processes) {
            return Limit::Processes;
        }
        let folders = if in_memory { in_folders(root) } else { 0 };
        let memory = folders + tree.iter().map(|process| process.memory()).sum::<u64>();
        if memory > limits.memory {
            return Limit::Memory;
        }
        tokio::time::sleep(if memory > limits.memory / 2 { NEAR } else { INTERVAL }).await;
    }
}

/// Returns the size of the files in the folders in memory that a process sees, in bytes.
fn in_folders(process: Process) -> u64 {
    let root = PathBuf::from(format!("/proc/{}/root", process.pid()));
    let taken = IN_MEMORY.iter().filter_map(|folder| rustix::fs::statvfs(root.join(folder)).ok());
    taken.map(|about| about.f_blocks.saturating_sub(about.f_bfree).saturating_mul(about.f_frsize)).sum()
}

/// Returns the resource limits of each process that are the backstop between two checks.
///
/// `processes`: whether to limit those, too. The kernel counts all of the user's, which is only correct in a user namespace.
pub(crate) fn backstop(limits: &Limits, processes: bool) -> Vec<(Resource, u64)> {
    let mut all = vec![(Resource::Data, limits.memory.saturating_add(limits.memory / 4))];
    if processes {
        all.push((Resource::Nproc, u64::from(limits.processes) + SPARE_PROCESSES));
    }
    all
}
