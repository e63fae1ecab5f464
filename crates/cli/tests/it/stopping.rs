//! Tests that Ctrl-C loses no results.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::binary::Ended;
use crate::healing::World;

/// A process whose standard error is read line by line.
pub(crate) struct Running {
    child: Child,
    lines: BufReader<ChildStderr>,
    heard: String,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines, heard: String::new() }
    }

    /// Reads up to a line that holds `part`; that line.
    pub(crate) fn wait_for(&mut self, part: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "ended before `{part}`:\n{}", self.heard);
            self.heard.push_str(&line);
            if line.contains(part) {
                return line;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    pub(crate) fn exit_code(mut self) -> Option<i32> {
        // Until the end, so that the process never waits for a reader.
        std::io::copy(&mut self.lines, &mut std::io::sink()).unwrap();
        self.child.wait().unwrap().code()
    }
}

/// The name of the run that `heal` was stopped in.
fn stop_after_the_first_agent(world: &World) -> String {
    let mut heal = Running::start(&mut world.heal());
    heal.wait_for("analyze_repo");
    heal.signal(Signal::SIGINT);
    let told = heal.wait_for("autoheal heal --resume ");
    let run = told.rsplit(' ').next().unwrap().trim().to_owned();
    assert_eq!(heal.exit_code(), Some(130));
    run
}

fn task_state(world: &World) -> String {
    let tasks: Vec<Value> = serde_json::from_str(&world.home.run(&["tasks", "--json"]).stdout).unwrap();
    tasks[0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn after_ctrl_c_the_run_goes_on_where_it_was() {
    let Some(world) = World::new() else { return };
    let run = stop_after_the_first_agent(&world);
    assert_eq!(task_state(&world), "PENDING");
    let unfinished = world.home.run(&["report", &run]);
    assert_eq!(unfinished.code, Some(2));
    assert!(unfinished.stderr.contains(&format!("autoheal heal --resume {run}")), "{}", unfinished.stderr);

    let mut command = world.home.command(&["heal", "--resume", &run, "--sandbox", world.sandbox, "--json"]);
    let resumed = Ended::of(&mut command);
    assert_eq!(resumed.code, Some(0), "{}", resumed.told());
    assert!(resumed.stderr.contains("resuming at"), "{}", resumed.stderr);
    assert!(!resumed.stderr.contains("✓ analyze_repo"), "its checkpoint was there: {}", resumed.stderr);
    assert_eq!(task_state(&world), "COMPLETED");
}

#[test]
fn a_worker_takes_up_what_was_stopped_and_ends_on_sigterm() {
    let Some(world) = World::new() else { return };
    stop_after_the_first_agent(&world);
    let mut worker = Running::start(&mut world.home.command(&["worker", "--sandbox", world.sandbox]));
    worker.wait_for("fixed: GREEN");
    worker.signal(Signal::SIGTERM);
    assert_eq!(worker.exit_code(), Some(0));
    assert_eq!(task_state(&world), "COMPLETED");
}

#[test]
fn a_cancelled_task_is_not_gone_on_with() {
    let Some(world) = World::new() else { return };
    let run = stop_after_the_first_agent(&world);
    assert_eq!(world.home.run(&["tasks", "cancel", "1"]).code, Some(0));
    assert_eq!(task_state(&world), "CANCELLED");
    let again = Ended::of(&mut world.heal());
    assert_eq!(again.code, Some(0), "a new task: {}", again.told());
    let show = world.home.run(&["tasks", "show", "1"]);
    let row = show.stdout.lines().find(|line| line.starts_with(&run));
    assert!(row.is_some_and(|row| row.contains("\tcancelled\t")), "its run ended with it: {}", show.stdout);
    let report = world.home.run(&["report", &run]);
    assert!(report.code == Some(2) && report.stderr.contains("ended without results"), "{}", report.told());
}
