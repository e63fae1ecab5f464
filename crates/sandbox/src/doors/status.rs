//! A process as the kernel describes it in `/proc/PID/status`, and the check of that which no command runs without.

use std::collections::BTreeMap;

use super::{Judgement, State};
use crate::outcome::SandboxError;

/// The capability to end processes, which the keeper of a container has.
pub(crate) const KILL: u64 = 1 << 5;

/// Fields of a `/proc/PID/status` file, parsed from lines `Name:\tvalue`.
#[derive(Debug)]
pub(crate) struct Status(BTreeMap<String, String>);

impl Status {
    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        Self(lines.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect())
    }

    /// The value of a line; empty when it is missing.
    pub(super) fn value(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The number of filters of system calls.
    fn filters(&self) -> Option<u32> {
        self.value("Seccomp_filters").parse().ok()
    }

    /// A set of capabilities; all of them when the line is missing.
    fn capabilities(&self, set: &str) -> u64 {
        u64::from_str_radix(self.value(set), 16).unwrap_or(u64::MAX)
    }
}

/// The filters of system calls that this process has, and that all it starts inherit.
pub(crate) fn own_filters() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    Status::parse(&status).filters().unwrap_or_default()
}

/// The door of the kernel's system calls. `inherited` filters are not the sandbox's.
pub(super) fn system_calls(status: &Status, inherited: u32) -> Judgement {
    const REMEDY: &str = "use a kernel and an engine with seccomp (CONFIG_SECCOMP_FILTER)";
    let open = |found: String| Judgement::open(format!("no filter of system calls ({found})"), REMEDY);
    match status.value("Seccomp") {
        "2" => match status.filters() {
            Some(filters) if filters <= inherited => {
                open(format!("`Seccomp_filters: {filters}`, all of autoheal's own"))
            }
            // Linux before 5.9 does not count them.
            Some(_) | None => Judgement::shut("a filter of system calls"),
        },
        found => open(format!("`Seccomp: {found}`")),
    }
}

/// The door of programs that raise privileges.
pub(super) fn privileges(status: &Status) -> Judgement {
    match status.value("NoNewPrivs") {
        "1" => Judgement::shut("no-new-privileges: programs with the set-user-ID bit get nothing"),
        found => Judgement::open(
            format!("programs can raise privileges (`NoNewPrivs: {found}`)"),
            "update bubblewrap or the Docker engine",
        ),
    }
}

/// Judges the door of capabilities, of which `kept` may remain.
pub(super) fn capabilities(status: &Status, kept: u64) -> Judgement {
    let sets = ["CapInh", "CapPrm", "CapEff", "CapAmb"];
    let held = sets.into_iter().fold(0, |held, set| held | status.capabilities(set));
    if held & !kept == 0 {
        Judgement::shut(if held == 0 {
            "none is held"
        } else {
            "CAP_KILL alone is held, to end processes of the same container"
        })
    } else {
        Judgement::open(format!("capabilities are held ({held:#x})"), "update bubblewrap or the Docker engine")
    }
}

/// Refuses a process inside, described by this status, that is not shut in. No setting allows it. `kept`: capabilities that it may have;
/// `inherited`: filters of system calls that it has from whom started it.
pub(crate) fn require(status: &str, kept: u64, inherited: u32) -> Result<(), SandboxError> {
    let status = Status::parse(status);
    let doors = [
        ("system calls", system_calls(&status, inherited)),
        ("privileges", privileges(&status)),
        ("capabilities", capabilities(&status, kept)),
    ];
    match doors.into_iter().find(|(_, judgement)| judgement.state == State::Open) {
        None => Ok(()),
        Some((door, Judgement { by, remedy, .. })) => {
            Err(SandboxError::OpenDoor { door, found: by, remedy: remedy.unwrap_or_default() })
        }
    }
}

/// Checks the same for the keeper of a container, whose status ends with the name of its kernel. A container with a kernel of
/// its own, such as gVisor's, passes: that is a stronger mechanism, and it describes processes in its own way.
pub(crate) fn require_of_keeper(status: &str) -> Result<(), SandboxError> {
    let kernel = std::fs::read_to_string("/proc/version").unwrap_or_default();
    if Status::parse(status).value("Kernel") != kernel.trim() {
        return Ok(());
    }
    // The engine has started it.
    require(status, KILL, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHUT: &str =
        "Name:\tsh\nCapInh:\t0\nCapPrm:\t0\nCapEff:\t0000000000000000\nCapAmb:\t0\nNoNewPrivs:\t1\nSeccomp:\t2\n";

    #[test]
    fn a_process_that_is_not_shut_in_is_refused() {
        require(SHUT, 0, 0).unwrap();
        for (from, to, door) in [
            ("Seccomp:\t2", "Seccomp:\t0", "system calls"),
            ("Seccomp:\t2\n", "", "system calls"),
            ("NoNewPrivs:\t1", "NoNewPrivs:\t0", "privileges"),
            ("CapEff:\t0000000000000000", "CapEff:\t0000000000200000", "capabilities"),
            ("CapPrm:\t0\n", "", "capabilities"),
        ] {
            let message = require(&SHUT.replace(from, to), KILL, 0).unwrap_err().to_string();
            assert!(message.contains(door), "{message}");
        }
        let keeper = SHUT.replace("CapEff:\t0000000000000000", "CapEff:\t0000000000000020");
        require(&keeper, KILL, 0).unwrap();
        assert!(require(&keeper, 0, 0).is_err());
        let filtered = format!("{SHUT}Seccomp_filters:\t2\n");
        require(&filtered, 0, 1).unwrap();
        let message = require(&filtered, 0, 2).unwrap_err().to_string();
        assert!(message.contains("all of autoheal's own"), "{message}");
        let kernel = std::fs::read_to_string("/proc/version").unwrap();
        let open = format!("{}Kernel: {kernel}", SHUT.replace("Seccomp:\t2", "Seccomp:\t0"));
        require_of_keeper(&open).unwrap_err();
        require_of_keeper(&open.replace("Linux", "Another")).unwrap();
    }
}
