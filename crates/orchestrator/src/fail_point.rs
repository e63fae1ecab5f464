//! Points at which the kill tests end the process, as a power cut would.
//!
//! Compiled only with the feature `fail-points`; otherwise [`reach`] does nothing. The environment variable
//! `AUTOHEAL_FAIL_POINT` names one point, `NAME:NUMBER`, such as `before-checkpoint:3`; the process that reaches it
//! sends itself SIGKILL.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set when this is a worker process, which does the work of another one.
static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// The environment variable that names the point.
pub const VARIABLE: &str = "AUTOHEAL_FAIL_POINT";

/// Ends the process here if the environment says so.
#[cfg(feature = "fail-points")]
pub fn reach(name: &str, number: i64) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    if std::env::var(VARIABLE).is_ok_and(|point| point == format!("{name}:{number}")) {
        // A power cut spares no process: the parent of a worker process goes first.
        if IS_CHILD.load(Ordering::Relaxed) {
            let _ = kill(Pid::parent(), Signal::SIGKILL);
        }
        let _ = kill(Pid::this(), Signal::SIGKILL);
        // The signal is on its way: nothing after this point may happen.
        loop {
            std::thread::park();
        }
    }
}

/// Notes that this is a worker process, whose parent dies with it at a fail point.
pub fn in_worker_process() {
    IS_CHILD.store(true, Ordering::Relaxed);
}

/// Ends the process here if the environment says so: never, without the feature `fail-points`.
#[cfg(not(feature = "fail-points"))]
pub fn reach(_name: &str, _number: i64) {}
