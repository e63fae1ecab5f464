//! Control groups: one per command, named after the run and the process that owns it, removed when the command is gone.
//!
//! See the kernel's `admin-guide/cgroup-v1` and `admin-guide/cgroup-v2`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use autoheal_engine::RunId;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{AccessFlags, Pid, access};

use super::Limiter;
use crate::outcome::Limit;
use crate::process::Process;
use crate::spec::Limits;

/// Prefix of the names of our groups.
const PREFIX: &str = "autoheal-";

/// The length of one round of processor time, in microseconds.
const PERIOD: u64 = 100_000;

/// The control groups that can be made here, or why none can.
pub(crate) fn detect() -> Result<Limiter, String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;
    let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    choose(&parse_mounts(&mounts), &own, &make_ready)
}

/// Mount point of a hierarchy.
#[derive(Debug, PartialEq, Eq)]
struct Hierarchy {
    folder: PathBuf,
    /// Controllers of a version 1 hierarchy; `None` for version 2.
    controllers: Option<Vec<String>>,
}

/// `36 35 98:0 /root /mount/point rw,noatime master:1 - type source options`, as `proc_pid_mountinfo(5)` describes it.
fn parse_mounts(mountinfo: &str) -> Vec<Hierarchy> {
    mountinfo
        .lines()
        .filter_map(|line| {
            let (left, right) = line.split_once(" - ")?;
            let folder = PathBuf::from(left.split(' ').nth(4)?);
            let mut fields = right.split(' ');
            let kind = fields.next()?;
            let options = fields.nth(1)?;
            match kind {
                "cgroup" => {
                    Some(Hierarchy { folder, controllers: Some(options.split(',').map(str::to_owned).collect()) })
                }
                "cgroup2" => Some(Hierarchy { folder, controllers: None }),
                _ => None,
            }
        })
        .collect()
}

fn choose(hierarchies: &[Hierarchy], own: &str, make_ready: &dyn Fn(&Path) -> Option<bool>) -> Result<Limiter, String> {
    let version1 = |controller: &str| {
        hierarchies
            .iter()
            .filter(|hierarchy| hierarchy.controllers.iter().flatten().any(|name| name == controller))
            .map(|hierarchy| hierarchy.folder.clone())
            .find(|folder| access(folder, AccessFlags::W_OK).is_ok())
    };
    if let (Some(memory), Some(processes)) = (version1("memory"), version1("pids")) {
        return Ok(Limiter::Version1 { memory, processes, cpu: version1("cpu") });
    }
    let Some(root) = hierarchies.iter().find(|hierarchy| hierarchy.controllers.is_none()) else {
        return Err("control groups are not mounted, or not writable".to_owned());
    };
    let inside = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/").trim_start_matches('/');
    root.folder
        .join(inside)
        .ancestors()
        .take_while(|folder| folder.starts_with(&root.folder))
        // The group of a worker process of ours has its limit: what runs in a sandbox has others, and is not below it.
        .filter(|folder| folder.file_name().and_then(|name| name.to_str()).is_none_or(|name| owner_of(name).is_none()))
        .find_map(|base| make_ready(base).map(|cpu| Limiter::Version2 { base: base.to_owned(), cpu }))
        .ok_or_else(|| "no group of this process may hand memory and pids to groups below it".to_owned())
}

/// Prepares `base` for groups with limits on memory and processes, and hands the controllers down if needed. Returns whether
/// processors can be limited, too; `None` if memory and processes cannot.
fn make_ready(base: &Path) -> Option<bool> {
    access(base, AccessFlags::W_OK).ok()?;
    let offered = fs::read_to_string(base.join("cgroup.controllers")).ok()?;
    let offers = |name: &str| offered.split_whitespace().any(|controller| controller == name);
    if !offers("memory") || !offers("pids") {
        return None;
    }
    let subtree = base.join("cgroup.subtree_control");
    let hands = |name: &str| {
        fs::read_to_string(&subtree).is_ok_and(|down| down.split_whitespace().any(|controller| controller == name))
    };
    if !(hands("memory") && hands("pids")) && fs::write(&subtree, "+memory +pids").is_err() {
        // A group that hands controllers down may not hold processes itself. If it holds only this process, it was delegated to
        // us, and we move one level down.
        step_down(base)?;
        fs::write(&subtree, "+memory +pids").ok()?;
    }
    if offers("cpu") && !hands("cpu") {
        let _: io::Result<()> = fs::write(&subtree, "+cpu");
    }
    Some(hands("cpu"))
}

fn step_down(base: &Path) -> Option<()> {
    let here = processes_in(base);
    let this = Process::current()?;
    if here != [this.pid()] {
        return None;
    }
    let leaf = base.join(format!("{PREFIX}main"));
    fs::create_dir_all(&leaf).ok()?;
    fs::write(leaf.join("cgroup.procs"), this.pid().to_string()).ok()
}

fn processes_in(folder: &Path) -> Vec<i32> {
    fs::read_to_string(folder.join("cgroup.procs"))
        .map(|list| list.lines().filter_map(|pid| pid.parse().ok()).collect())
        .unwrap_or_default()
}

/// One control group (in version 1: one per controller). Dropping it kills the processes in it and removes it.
#[derive(Debug)]
pub(crate) struct Group {
    memory: PathBuf,
    processes: PathBuf,
    cpu: Option<PathBuf>,
    version1: bool,
}

impl Group {
    /// Creates a group; `None` for a limiter without control groups.
    pub(crate) fn create(limiter: &Limiter, run: RunId) -> io::Result<Option<Self>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let owner = Process::current().ok_or_else(|| io::Error::other("/proc is not mounted"))?;
        let name = format!("{PREFIX}{}-{owner}-{}", run.0.simple(), NEXT.fetch_add(1, Ordering::Relaxed));
        let group = match limiter {
            Limiter::Version1 { memory, processes, cpu } => Self {
                memory: memory.join(&name),
                processes: processes.join(&name),
                cpu: cpu.as_ref().map(|folder| folder.join(&name)),
                version1: true,
            },
            Limiter::Version2 { base, cpu } => {
                let folder = base.join(&name);
                Self { memory: folder.clone(), processes: folder.clone(), cpu: cpu.then_some(folder), version1: false }
            }
            Limiter::ResourceLimits => return Ok(None),
        };
        for folder in group.folders() {
            fs::create_dir(folder)?;
        }
        Ok(Some(group))
    }

    fn folders(&self) -> Vec<&PathBuf> {
        let mut folders = vec![&self.memory];
        if self.version1 {
            folders.push(&self.processes);
            folders.extend(&self.cpu);
        }
        folders
    }

    /// Applies the limits. The group is new, so no limit is lowered below the current usage.
    pub(crate) fn limit(&self, limits: &Limits) -> io::Result<()> {
        self.limit_memory(limits.memory)?;
        fs::write(self.processes.join("pids.max"), limits.processes.to_string())?;
        if let Some(cpu) = &self.cpu {
            let quota = microseconds(limits.cpus);
            if self.version1 {
                fs::write(cpu.join("cpu.cfs_period_us"), PERIOD.to_string())?;
                fs::write(cpu.join("cpu.cfs_quota_us"), quota.to_string())?;
            } else {
                fs::write(cpu.join("cpu.max"), format!("{quota} {PERIOD}"))?;
            }
        }
        Ok(())
    }

    /// Limits the memory of all its processes together, in bytes, without swap.
    pub(crate) fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        let memory = bytes.to_string();
        if self.version1 {
            fs::write(self.memory.join("memory.limit_in_bytes"), &memory)?;
            // The kernel accounts swap only with that option.
            let _: io::Result<()> = fs::write(self.memory.join("memory.memsw.limit_in_bytes"), &memory);
        } else {
            fs::write(self.memory.join("memory.max"), &memory)?;
            let _: io::Result<()> = fs::write(self.memory.join("memory.swap.max"), "0");
        }
        Ok(())
    }

    /// Moves a process in.
    pub(crate) fn add(&self, process: Process) -> io::Result<()> {
        for folder in self.folders() {
            fs::write(folder.join("cgroup.procs"), process.pid().to_string())?;
        }
        Ok(())
    }

    /// The limit that the kernel enforced since the group was made.
    pub(crate) fn hit(&self) -> Option<Limit> {
        let killed_file = if self.version1 { "memory.oom_control" } else { "memory.events" };
        if count(&self.memory.join(killed_file), "oom_kill") > 0 {
            Some(Limit::Memory)
        } else if count(&self.processes.join("pids.events"), "max") > 0 {
            Some(Limit::Processes)
        } else {
            None
        }
    }

    /// Ends everything in it, and no new process can start.
    pub(crate) fn kill(&self) {
        if !self.version1 && fs::write(self.memory.join("cgroup.kill"), "1").is_ok() {
            return;
        }
        let _: io::Result<()> = fs::write(self.processes.join("pids.max"), "0");
        for pid in processes_in(&self.processes) {
            let _: nix::Result<()> = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }

    /// Returns whether no process is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.folders().into_iter().all(|folder| processes_in(folder).is_empty())
    }

    /// Ends everything in it and awaits that it is gone, for ten seconds at most.
    pub(crate) async fn kill_and_await(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !self.is_empty() && Instant::now() < deadline {
            self.kill();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Ends everything in it and removes it, trying for a second at most.
    fn remove(&self) {
        let deadline = Instant::now() + Duration::from_secs(1);
        loop {
            let left: Vec<_> = self
                .folders()
                .into_iter()
                .filter(|folder| fs::remove_dir(folder).is_err() && folder.exists())
                .collect();
            if left.is_empty() {
                return;
            }
            if Instant::now() > deadline {
                tracing::warn!(?left, "a control group could not be removed; the next start will try again");
                return;
            }
            self.kill();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Returns the number after `name` in a file of `name number` lines; 0 when there is no such line.
fn count(file: &Path, name: &str) -> u64 {
    fs::read_to_string(file)
        .ok()
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()))
        .unwrap_or(0)
}

/// The share of one [`PERIOD`], at least a hundredth of a processor.
fn microseconds(cpus: f64) -> u64 {
    let share = std::time::Duration::from_secs_f64(cpus.clamp(0.01, 10_000.0));
    u64::try_from(share.as_micros()).unwrap_or(u64::MAX) / (1_000_000 / PERIOD)
}

/// Removes the groups of processes that have ended, with everything in them; returns their number.
pub(crate) fn sweep(limiter: &Limiter) -> usize {
    let folders: Vec<&PathBuf> = match limiter {
        Limiter::Version1 { memory, processes, cpu } => [memory, processes].into_iter().chain(cpu).collect(),
        Limiter::Version2 { base, .. } => vec![base],
        Limiter::ResourceLimits => return 0,
    };
    let version1 = matches!(limiter, Limiter::Version1 { .. });
    let mut removed = 0;
    for folder in folders {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name.to_str().and_then(owner_of).is_some_and(|owner| !owner.is_alive()) {
                let group = Group { memory: entry.path(), processes: entry.path(), cpu: None, version1 };
                drop(group);
                removed += 1;
            }
        }
    }
    removed
}

/// Returns the process that created the group of this name, if [`Group::create`] made the name.
fn owner_of(name: &str) -> Option<Process> {
    let mut parts = name.strip_prefix(PREFIX)?.splitn(2, '-');
    let (_run, rest) = (parts.next()?, parts.next()?);
    rest.rsplit_once('-')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "\
35 24 0:30 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw
36 24 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
37 24 0:32 / /sys/fs/cgroup/cpu,cpuacct rw shared:3 master:1 - cgroup cgroup rw,cpu,cpuacct
21 1 254:0 / / rw,relatime - ext4 /dev/vda rw";

    #[test]
    fn mounts_are_read() {
        let found = parse_mounts(HYBRID);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], Hierarchy { folder: "/sys/fs/cgroup/unified".into(), controllers: None });
        assert_eq!(found[2].controllers.as_ref().unwrap().join(" "), "rw cpu cpuacct");
    }

    #[test]
    fn version_2_takes_the_nearest_group_that_can_hand_down() {
        let mounts = [Hierarchy { folder: "/c".into(), controllers: None }];
        let own = "0::/user.slice/user-1000.slice/session.scope\n";
        let ready = |base: &Path| base.ends_with("user-1000.slice").then_some(true);
        let chosen = choose(&mounts, own, &ready).unwrap();
        assert_eq!(chosen, Limiter::Version2 { base: "/c/user.slice/user-1000.slice".into(), cpu: true });
        assert!(choose(&mounts, own, &|_| None).is_err());
    }

    #[test]
    fn a_name_tells_its_owner() {
        let this = Process::current().unwrap();
        let name = format!("{PREFIX}{}-{this}-17", "0".repeat(32));
        assert_eq!(owner_of(&name), Some(this));
        assert_eq!(owner_of("autoheal-main"), None);
        assert_eq!(owner_of("user.slice"), None);
    }

    #[test]
    fn processors_become_microseconds() {
        assert_eq!(microseconds(2.0), 200_000);
        assert_eq!(microseconds(0.5), 50_000);
        assert_eq!(microseconds(f64::MIN), 1000);
    }
}
