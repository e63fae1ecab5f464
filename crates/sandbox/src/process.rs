//! Processes of the host, told apart from later ones with the same number.

use std::fmt;
use std::fs;
use std::io;
use std::str::FromStr;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use rustix::process::{Resource, Rlimit};

/// One process: its number, and when it started (in clock ticks since the machine did), because numbers are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pid: i32,
    start: u64,
}

impl Process {
    /// The process with this number now, if there is one.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        Some(Self { pid, start: Stat::read(pid)?.start })
    }

    /// This process.
    pub(crate) fn current() -> Option<Self> {
        Self::of(Pid::this().as_raw())
    }

    /// Its number.
    pub(crate) const fn pid(self) -> i32 {
        self.pid
    }

    /// Whether it still runs; one that ended and was not yet waited for does not.
    pub(crate) fn is_alive(self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.start == self.start && !stat.ended)
    }

    /// Ends it at once. No error when it is gone already.
    pub(crate) fn kill(self) {
        if self.is_alive() {
            let _: Result<(), Errno> = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
        }
    }

    /// Sets a resource limit of it, which what it starts inherits.
    pub(crate) fn limit(self, resource: Resource, most: u64) -> io::Result<()> {
        let pid = rustix::process::Pid::from_raw(self.pid).ok_or(io::ErrorKind::NotFound)?;
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        Ok(rustix::process::prlimit(Some(pid), resource, limit).map(drop)?)
    }

    /// Ends everything in the process group that it leads.
    pub(crate) fn kill_group(self) {
        let _: Result<(), Errno> = killpg(Pid::from_raw(self.pid), Signal::SIGKILL);
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

    /// Its children.
    pub(crate) fn children(self) -> Vec<Self> {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.pid)) else { return Vec::new() };
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

    /// How many threads it has.
    pub(crate) fn threads(self) -> u64 {
        Stat::read(self.pid).map_or(0, |stat| stat.threads)
    }

    /// How much memory it uses, in bytes, each shared page counted in parts.
    pub(crate) fn memory(self) -> u64 {
        let Ok(rollup) = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)) else { return 0 };
        rollup
            .lines()
            .find_map(|line| line.strip_prefix("Pss:"))
            .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok())
            .unwrap_or(0)
            * 1024
    }
}

/// `PID-START`, for labels.
impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.start)
    }
}

impl FromStr for Process {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (pid, start) = text.split_once('-').ok_or(())?;
        Ok(Self { pid: pid.parse().map_err(drop)?, start: start.parse().map_err(drop)? })
    }
}

/// What is read of `/proc/PID/stat`.
struct Stat {
    ended: bool,
    threads: u64,
    start: u64,
}

impl Stat {
    fn read(pid: i32) -> Option<Self> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.get(text.rfind(')')? + 1..)?.split_whitespace().collect();
        Some(Self {
            ended: matches!(*fields.first()?, "Z" | "X"),
            threads: fields.get(17)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
        })
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

    #[test]
    fn another_start_time_is_another_process() {
        let this = Process::current().unwrap();
        assert!(!Process { start: this.start + 1, ..this }.is_alive());
    }

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = Stat::parse("7 (a) Z (b) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 4242 0 0").unwrap();
        assert!(!stat.ended);
        assert_eq!((stat.threads, stat.start), (3, 4242));
    }
}
