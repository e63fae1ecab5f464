//! Memory use of the browser, over all its processes.
//!
//! The kernel limits that an ordinary user may set apply to one process each, and a browser has ten.

use std::fs;
use std::time::Duration;

/// Time between two checks.
const INTERVAL: Duration = Duration::from_millis(100);

/// Ends when the process with this number and all below it use more than `limit` bytes.
pub(super) async fn outgrown(leader: u32, limit: u64) {
    loop {
        tokio::time::sleep(INTERVAL).await;
        let used = tokio::task::spawn_blocking(move || used_below(leader)).await.unwrap_or(0);
        if used > limit {
            return;
        }
    }
}

/// Memory of a process and all below it, in bytes. Shared memory counts for each process that has touched it.
fn used_below(leader: u32) -> u64 {
    let mut found = vec![leader];
    let mut next = 0;
    let mut used = 0_u64;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        used = used.saturating_add(used_by(pid));
        for child in children(pid) {
            if !found.contains(&child) {
                found.push(child);
            }
        }
    }
    used
}

fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// Private and shared memory that a process has touched, without files that it maps (`proc_pid_status(5)`).
fn used_by(pid: u32) -> u64 {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let of = |line: &str| {
        let rest = line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:"))?;
        rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    };
    status.lines().filter_map(of).sum::<u64>().saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_touched_counts() {
        let before = used_below(std::process::id());
        let touched = vec![1_u8; 64 << 20];
        let after = used_below(std::process::id());
        assert!(before > 0 && after >= before + (60 << 20), "{before} {after} {}", touched.len());
    }
}
