//! The doors of a sandbox: each way out of it, whether it is shut, and by which mechanism.
//!
//! `DOORS` is the table; another door is another row. A row judges facts, which `probe` collects by commands in a real
//! workspace of the sandbox: nothing is reported shut because a setting says so. The rows of `status` are checked again
//! before each namespace and for each container, and refuse to run anything while such a door is open.

mod limits;
mod probe;
mod status;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::limits::Overrun;
use self::probe::Inside;
pub(crate) use self::probe::probe;
use self::status::KILL;
pub(crate) use self::status::{own_filters, require, require_of_keeper};
use crate::{machine, seccomp};

/// The tightness of a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Every attempt to pass was refused.
    Shut,
    /// Attempts are hindered, or a second mechanism is missing.
    Weak,
    /// At least one attempt to pass succeeded.
    Open,
}

/// A way out of a sandbox, as it was found on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Door {
    /// Name of the door, such as `memory`.
    pub name: &'static str,
    /// Tightness of the door.
    pub state: State,
    /// The mechanism that shuts it, or what passed.
    pub by: String,
    /// The way to shut it, when it is not shut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// The judgement of a row about the facts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Judgement {
    state: State,
    by: String,
    remedy: Option<String>,
}

impl Judgement {
    fn shut(by: impl Into<String>) -> Self {
        Self { state: State::Shut, by: by.into(), remedy: None }
    }

    fn weak(by: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Weak, by: by.into(), remedy: Some(remedy.into()) }
    }

    fn open(by: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Open, by: by.into(), remedy: Some(remedy.into()) }
    }
}

/// The mechanisms that a sandbox claims to use; the checks verify them.
#[derive(Debug, Clone)]
pub(crate) struct Claims {
    /// The mechanism that limits memory and processes.
    pub(crate) limits: String,
    /// True if it is the weaker mechanism that `sandbox.allow_weak_limits` accepts.
    pub(crate) are_limits_weak: bool,
    /// True if it limits processors.
    pub(crate) limits_processors: bool,
    /// The program that makes namespaces.
    pub(crate) runtime: String,
    /// The number of filters of system calls that commands have from this process.
    pub(crate) inherited_filters: u32,
}

/// The facts about a sandbox on this machine.
#[derive(Debug)]
struct Facts {
    claims: Claims,
    /// The namespaces of this process, and the name of its kernel.
    namespaces: BTreeMap<String, String>,
    kernel: String,
    /// The report of a command inside.
    inside: Inside,
    /// User that owns the files that the command creates, as this machine's kernel sees it.
    owner: Option<u32>,
    /// The ends of commands that tried to exceed a limit.
    overruns: BTreeMap<&'static str, Overrun>,
    /// The answer that an install got for a host that is on no list.
    registries: String,
}

impl Facts {
    /// Returns whether commands have their own kernel, as under gVisor.
    fn has_own_kernel(&self) -> bool {
        self.inside.kernel != self.kernel
    }
}

/// A row of the table: the name of a door, and the function that judges it.
type Row = (&'static str, fn(&Facts) -> Judgement);

/// All doors, in the order in which they are reported.
const DOORS: &[Row] = &[
    ("kernel", kernel),
    ("namespaces", namespaces),
    ("system calls", system_calls),
    ("privileges", |facts| of_process(facts, status::privileges)),
    ("capabilities", |facts| of_process(facts, |status| status::capabilities(status, KILL))),
    ("user", user),
    ("keyrings", keyrings),
    ("files", files),
    ("/proc", proc),
    ("terminal", terminal),
    ("network", network),
    ("registries", registries),
    ("memory", |facts| limits::judge(facts, "memory")),
    ("processes", |facts| limits::judge(facts, "processes")),
    ("processors", limits::processors),
    ("time", |facts| limits::judge(facts, "time")),
    ("output", |facts| limits::judge(facts, "output")),
    ("disk", |facts| limits::judge(facts, "disk")),
];

/// The remedy where a mechanism that autoheal always uses does not hold.
const BUG: &str = "report this as a bug of autoheal";

/// The attempts that nothing refused.
fn passed(attempts: &BTreeMap<String, Option<String>>) -> Vec<&str> {
    attempts.iter().filter(|(_, refused)| refused.is_none()).map(|(name, _)| name.as_str()).collect()
}

/// Judges all doors by the facts found on this machine.
fn judge(facts: &Facts) -> Vec<Door> {
    let door = |(name, judge): &Row| {
        let Judgement { state, by, remedy } = judge(facts);
        Door { name, state, by, remedy }
    };
    DOORS.iter().map(door).collect()
}

fn kernel(facts: &Facts) -> Judgement {
    let runtime = &facts.claims.runtime;
    if facts.has_own_kernel() {
        return Judgement::shut(format!("{runtime}: a kernel of the sandbox's own"));
    }
    Judgement::weak(
        format!("{runtime}: the kernel of this machine is shared, behind the filter of system calls"),
        "for code that you believe to be malicious, use Docker with gVisor (`sandbox.docker_runtime = \"runsc\"`)",
    )
}

/// The namespaces without which a command would see this machine.
const NECESSARY: &[&str] = &["mnt", "pid", "net", "ipc", "uts"];

fn namespaces(facts: &Facts) -> Judgement {
    if facts.has_own_kernel() {
        return Judgement::shut("a kernel of the sandbox's own");
    }
    let is_shared =
        |name: &&str| facts.inside.namespaces.get(*name).is_none_or(|id| facts.namespaces.get(*name) == Some(id));
    let (necessary, all) = (NECESSARY.join(", "), ["user", "cgroup"]);
    let shared: Vec<&str> = NECESSARY.iter().copied().filter(|name| is_shared(name)).collect();
    if !shared.is_empty() {
        return Judgement::open(format!("shared with this machine: {}", shared.join(", ")), BUG);
    }
    let (shared, own): (Vec<&str>, Vec<&str>) = all.into_iter().partition(is_shared);
    let own = std::iter::once(necessary).chain(own.into_iter().map(str::to_owned)).collect::<Vec<_>>().join(", ");
    if shared.is_empty() {
        return Judgement::shut(format!("own {own}"));
    }
    Judgement::weak(
        format!("own {own}; shared with this machine: {}", shared.join(", ")),
        "use a rootless engine, or one with `userns-remap`",
    )
}

/// The judgement about a process as its kernel describes it, or the kernel's own.
fn of_process(facts: &Facts, judge: impl FnOnce(&status::Status) -> Judgement) -> Judgement {
    if facts.has_own_kernel() {
        return Judgement::shut("a kernel of the sandbox's own");
    }
    judge(&facts.inside.status())
}

fn system_calls(facts: &Facts) -> Judgement {
    let filter = of_process(facts, |status| status::system_calls(status, facts.claims.inherited_filters));
    if filter.state != State::Shut || facts.has_own_kernel() {
        return filter;
    }
    let passed = passed(&facts.inside.calls);
    if !passed.is_empty() {
        return Judgement::open(format!("the filter lets pass: {}", passed.join(", ")), BUG);
    }
    let refused: Vec<_> = facts.inside.calls.keys().map(String::as_str).collect();
    Judgement::shut(format!(
        "a filter that allows {} calls; tried and refused: {}",
        seccomp::allowed(),
        refused.join(", ")
    ))
}

fn user(facts: &Facts) -> Judgement {
    match (facts.inside.user(), facts.owner) {
        (Some(inside), Some(0)) => Judgement::weak(
            format!("user {inside} inside is root for this machine's kernel, without capabilities"),
            "start autoheal as an ordinary user",
        ),
        (Some(inside), Some(kernel)) => {
            Judgement::shut(format!("user {inside} inside is the ordinary user {kernel} for the kernel"))
        }
        (None, _) | (_, None) => Judgement::open("the user inside is unknown", BUG),
    }
}

fn keyrings(facts: &Facts) -> Judgement {
    match ["keyctl", "add_key"].map(|call| facts.inside.calls.get(call).cloned().flatten()) {
        [Some(keyctl), Some(_)] => Judgement::shut(format!("the filter ({keyctl})")),
        [_, _] => Judgement::open("keys can be looked for", "use a kernel and an engine with seccomp"),
    }
}

fn files(facts: &Facts) -> Judgement {
    let writable = passed(&facts.inside.writing);
    if writable.is_empty() {
        return Judgement::shut("only the copy of the repository can be written; the system is read-only");
    }
    Judgement::open(format!("can be written: {}", writable.join(", ")), BUG)
}

fn proc(facts: &Facts) -> Judgement {
    let seen: Vec<_> = facts.inside.proc.iter().map(String::as_str).filter(|name| !machine::is_shown(name)).collect();
    if seen.is_empty() || facts.has_own_kernel() {
        return Judgement::shut("processes and a short list of figures are seen; the rest is masked");
    }
    Judgement::open(format!("can be read: {}", seen.join(", ")), BUG)
}

fn terminal(facts: &Facts) -> Judgement {
    match &facts.inside.terminal {
        Some(error) => Judgement::shut(format!("a session without a terminal ({error})")),
        None => Judgement::open("the terminal can be opened", BUG),
    }
}

fn network(facts: &Facts) -> Judgement {
    let others: Vec<_> = facts.inside.interfaces.iter().map(String::as_str).filter(|name| is_device(name)).collect();
    let reached = passed(&facts.inside.network);
    if others.is_empty() && reached.is_empty() {
        return Judgement::shut("a network namespace with nothing but its own loopback");
    }
    Judgement::open(format!("there is more than a loopback: {}", [others, reached].concat().join(", ")), BUG)
}

/// Returns whether an interface leads anywhere: kernels with tunnels make one of each kind in every namespace, which is down and
/// which only capabilities could bring up.
fn is_device(name: &str) -> bool {
    const MADE_BY_THE_KERNEL: &[&str] =
        &["lo", "erspan0", "gre0", "gretap0", "ip6gre0", "ip6tnl0", "ip6_vti0", "ip_vti0", "sit0", "tunl0"];
    !MADE_BY_THE_KERNEL.contains(&name)
}

fn registries(facts: &Facts) -> Judgement {
    let answer = &facts.registries;
    if answer.starts_with("refused") {
        return Judgement::shut(format!("at install only, through the checking proxy ({answer})"));
    }
    Judgement::open(format!("a host that is on no list was not refused: {answer}"), BUG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_door_has_one_row() {
        let names: std::collections::BTreeSet<_> = DOORS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), DOORS.len());
    }
}
