//! Without control groups: a look at all processes together, twenty times a second, and oftener near the limit of memory.
//!
//! Resource limits bind each process (memory) or leave no trace when they bite, so the watch enforces the limit itself and the
//! resource limit, a quarter above it, is the backstop between two looks.

use std::time::Duration;

use crate::outcome::Limit;
use crate::process::Process;
use crate::spec::Limits;

const INTERVAL: Duration = Duration::from_millis(50);

/// Between two looks at processes that use more than half of what they may: they may get to the backstop within the usual time.
const NEAR: Duration = Duration::from_millis(10);

/// Returns when the processes below `root` together use more than they may; never when they do not.
pub(crate) async fn watch(root: Process, limits: Limits) -> Limit {
    loop {
        let tree = root.tree();
        if tree.iter().map(|process| process.threads()).sum::<u64>() > u64::from(limits.processes) {
            return Limit::Processes;
        }
        let memory = tree.iter().map(|process| process.memory()).sum::<u64>();
        if memory > limits.memory {
            return Limit::Memory;
        }
        tokio::time::sleep(if memory > limits.memory / 2 { NEAR } else { INTERVAL }).await;
    }
}

/// The words to put before a command so that it starts with the resource limits.
///
/// `processes` says whether to limit those: the kernel counts all of the user's, which is right only in a user namespace.
pub(crate) fn prefix(limits: &Limits, processes: bool) -> Vec<String> {
    let mut words = vec!["prlimit".to_owned(), format!("--data={0}:{0}", above(limits.memory))];
    if processes {
        words.push(format!("--nproc={0}:{0}", above(u64::from(limits.processes))));
    }
    words.push("--".to_owned());
    words
}

const fn above(limit: u64) -> u64 {
    limit.saturating_add(limit / 4 + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backstop_is_above_the_limit() {
        let limits = Limits { memory: 1000, processes: 64, ..Limits::default() };
        assert_eq!(prefix(&limits, true), ["prlimit", "--data=1258:1258", "--nproc=88:88", "--"]);
        assert_eq!(prefix(&limits, false), ["prlimit", "--data=1258:1258", "--"]);
    }
}
