//! A process of this machine, distinguished from later ones with the same ID.

use std::fmt;
use std::fs;
use std::str::FromStr;

/// One process: its number, and its start (in clock ticks since the machine's own), because numbers are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    start: u64,
}

impl Owner {
    /// This process; `None` where `/proc` is not mounted.
    pub fn current() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// The process with this number now, if there is one.
    pub fn of(pid: u32) -> Option<Self> {
        Some(Self { pid, start: Stat::read(pid)?.start })
    }

    /// Returns the process ID.
    pub const fn pid(self) -> u32 {
        self.pid
    }

    /// Returns its start time, in clock ticks since the machine's boot.
    pub const fn start(self) -> u64 {
        self.start
    }

    /// Returns the number of its threads; 0 when it has ended.
    pub fn threads(self) -> u64 {
        Stat::read(self.pid).map_or(0, |stat| stat.threads)
    }

    /// Returns whether it still runs; a process that ended and was not yet waited for does not.
    pub fn is_alive(self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.start == self.start && !stat.has_ended)
    }
}

/// `PID-START`, for names of folders.
impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.pid, self.start)
    }
}

impl FromStr for Owner {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (pid, start) = text.split_once('-').ok_or(())?;
        Ok(Self { pid: pid.parse().map_err(drop)?, start: start.parse().map_err(drop)? })
    }
}

/// The fields of `/proc/PID/stat` that matter here (`proc_pid_stat(5)`).
struct Stat {
    has_ended: bool,
    threads: u64,
    start: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.get(text.rfind(')')? + 1..)?.split_whitespace().collect();
        Some(Self {
            has_ended: matches!(*fields.first()?, "Z" | "X"),
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
        let this = Owner::current().unwrap();
        assert!(this.is_alive() && this.threads() >= 1);
        assert_eq!(this.to_string().parse(), Ok(this));
    }

    #[test]
    fn another_start_time_is_another_process() {
        let this = Owner::current().unwrap();
        assert!(!Owner { start: this.start + 1, ..this }.is_alive());
    }

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = Stat::parse("7 (a) Z (b) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 4242 0 0").unwrap();
        assert!(!stat.has_ended);
        assert_eq!((stat.threads, stat.start), (3, 4242));
    }
}
