//! Identity of a worker, and the check whether the process behind a lease is gone.
//!
//! A lease outlives the process that held it until it expires. A user who resumes a killed `heal` on the same machine
//! should not wait for that, so a worker's name identifies its process: once that process is provably gone, its lease can
//! be ended at once. If the proof were wrong, the epoch would still fence the old holder off.

use std::fmt;
use std::str::FromStr;

/// A worker's name: the process it runs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Host name of the machine.
    pub host: String,
    /// The process-id namespace: the same number in two containers is two processes. 0 without namespaces.
    pub namespace: u64,
    /// Process id.
    pub pid: u32,
    /// Time at which the process began, in ticks since the machine
    /// started: process ids are reused. 0 if unknown.
    pub started: u64,
}

impl Owner {
    /// Returns the identity of the current process.
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Self { host: host_name(), namespace: namespace(), pid, started: started(pid).unwrap_or(0) }
    }

    /// Returns whether the process has provably ended: it ran on this machine, where its number is free or
    /// belongs to another.
    pub fn is_gone(&self) -> bool {
        let here = Self::this_process();
        // Without both there is no proof (no `/proc`, or another machine or container).
        let can_tell = here.started != 0 && self.started != 0;
        can_tell
            && self.host == here.host
            && self.namespace == here.namespace
            && started(self.pid) != Some(self.started)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.host, self.namespace, self.pid, self.started)
    }
}

/// A name that is not of the form `host/namespace/pid/started`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a worker process")]
pub struct NotAnOwner(String);

impl FromStr for Owner {
    type Err = NotAnOwner;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut parts = text.rsplitn(4, '/');
            let started = parts.next()?.parse().ok()?;
            let pid = parts.next()?.parse().ok()?;
            let namespace = parts.next()?.parse().ok()?;
            Some(Self { host: parts.next()?.to_owned(), namespace, pid, started })
        };
        parse().ok_or_else(|| NotAnOwner(text.to_owned()))
    }
}

/// The machine's name; tasks about a local path are for the host of that name only.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".to_owned() } else { name.to_owned() }
}

fn namespace() -> u64 {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    // `pid:[4026531836]`
    let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// Returns the time at which the process began; `None` if there is no such process, or only its remains.
fn started(pid: u32) -> Option<u64> {
    autoheal_process::Owner::of(pid).filter(|process| process.is_alive()).map(autoheal_process::Owner::start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn this_process_is_not_gone() {
        let owner = Owner::this_process();
        assert!(!owner.is_gone());
        assert_eq!(owner.to_string().parse(), Ok(owner));
    }

    #[test]
    fn a_reused_process_number_is_another_process() {
        let mut owner = Owner::this_process();
        if owner.started == 0 {
            return autoheal_testkit::skip("owner of a lease", "no /proc here");
        }
        owner.started -= 1;
        assert!(owner.is_gone());
    }

    #[test]
    fn of_another_machine_or_container_nothing_is_known() {
        let mut owner = Owner { started: 1, ..Owner::this_process() };
        owner.namespace += 1;
        assert!(!owner.is_gone());
        let owner = Owner { host: "elsewhere".to_owned(), started: 1, ..Owner::this_process() };
        assert!(!owner.is_gone());
    }

    proptest! {
        #[test]
        fn a_name_survives_its_text(host in "[a-z./-]{0,12}", namespace: u64, pid: u32, started: u64) {
            let owner = Owner { host, namespace, pid, started };
            prop_assert_eq!(owner.to_string().parse::<Owner>(), Ok(owner));
        }

        #[test]
        fn any_other_text_is_refused(text in "\\PC{0,20}") {
            if let Ok(owner) = text.parse::<Owner>() {
                prop_assert_eq!(owner.to_string().matches('/').count(), text.matches('/').count());
            }
        }
    }
}
