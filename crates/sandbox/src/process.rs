//! Processes of the host: what they use, how they are limited and ended.

use std::fmt;
use std::fs;
use std::io;
use std::str::FromStr;
use std::time::{Duration, Instant};

use autoheal_process::Owner;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use rustix::process::{Resource, Rlimit};

/// One process, distinguished from later ones with the same ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(Owner);

impl Process {
    /// The process with this number now, if there is one.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        Owner::of(u32::try_from(pid).ok()?).map(Self)
    }

    /// Returns this process; `None` when `/proc` is not mounted.
    pub(crate) fn current() -> Option<Self> {
        Owner::current().map(Self)
    }

    /// Returns the process ID.
    pub(crate) fn pid(self) -> i32 {
        // The kernel's numbers are far smaller; 0 would be this process's own group.
        i32::try_from(self.0.pid()).unwrap_or(i32::MAX)
    }

    /// Returns whether it still runs; a process that ended and was not yet waited for does not.
    pub(crate) fn is_alive(self) -> bool {
        self.0.is_alive()
    }

    /// Ends it at once. No error when it is gone already.
    pub(crate) fn kill(self) {
        if self.is_alive() {
            let _: Result<(), Errno> = kill(Pid::from_raw(self.pid()), Signal::SIGKILL);
        }
    }

    /// Sets a resource limit of the process; its later child processes inherit it.
    pub(crate) fn limit(self, resource: Resource, most: u64) -> io::Result<()> {
        let pid = rustix::process::Pid::from_raw(self.pid()).ok_or(io::ErrorKind::NotFound)?;
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        Ok(rustix::process::prlimit(Some(pid), resource, limit).map(drop)?)
    }

    /// Ends everything in the process group that it leads.
    pub(crate) fn kill_group(self) {
        let _: Result<(), Errno> = killpg(Pid::from_raw(self.pid()), Signal::SIGKILL);
    }

    /// Ends it and waits, for a second at most, until it is gone. For `Drop`, which cannot await.
    pub(crate) fn kill_and_wait(self) {
        let deadline = Instant::now() + Duration::from_secs(1);
        while self.is_alive() && Instant::now() < deadline {
            self.kill();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends it and awaits that it is gone, for ten seconds at most (a process with much memory takes its time).
    pub(crate) async fn kill_and_await(self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.is_alive() && Instant::now() < deadline {
            self.kill();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Returns the child processes of all its threads.
    pub(crate) fn children(self) -> Vec<Self> {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.pid())) else { return Vec::new() };
        tasks
            .flatten()
            .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>())
            .filter_map(Self::of)
            .collect()
    }

    /// Itself and everything below it.
    pub(crate) fn tree(self) -> Vec<Self> {
        let mut found = vec![self];
        let mut next = 0;
        while let Some(process) = found.get(next).copied() {
            next += 1;
            for child in process.children() {
                if !found.contains(&child) {
                    found.push(child);
                }
            }
        }
        found
    }

    /// Returns the number of its threads.
    pub(crate) fn threads(self) -> u64 {
        self.0.threads()
    }

    /// Returns the memory it uses, in bytes; of a shared page it counts a proportional part.
    pub(crate) fn memory(self) -> u64 {
        let Ok(rollup) = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid())) else { return 0 };
        rollup
            .lines()
            .find_map(|line| line.strip_prefix("Pss:"))
            .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok())
            .unwrap_or(0)
            * 1024
    }
}

/// Formats the process as `PID-START`, for labels.
impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Process {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_its_label_reads_back() {
        let this = Process::current().unwrap();
        assert!(this.is_alive());
        assert_eq!(this.to_string().parse(), Ok(this));
        assert!(this.threads() >= 1);
        assert!(this.memory() > 0);
    }
}
