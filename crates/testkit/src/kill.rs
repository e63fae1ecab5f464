//! Kill after each node: a run that is killed around any checkpoint and resumed ends as one that is not killed.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Environment variable that names the fail point at which a binary ends itself.
pub const FAIL_POINT: &str = "AUTOHEAL_FAIL_POINT";

/// Input of [`kill_after_each_node`]. Every world is a fresh copy of
/// the same one: a database, a repository, ...
pub struct Scenario<'a, World> {
    /// Creates a fresh world.
    pub fresh: &'a (dyn Fn() -> World + Sync),
    /// The command that begins the work in a world.
    pub begin: &'a (dyn Fn(&World) -> Command + Sync),
    /// Returns the command that resumes the work after a kill.
    pub resume: &'a (dyn Fn(&World) -> Command + Sync),
    /// Returns the number of checkpoints that the work left in a world.
    pub checkpoints: &'a (dyn Fn(&World) -> i64 + Sync),
    /// Everything that must be the same in the end; what may differ (times, names of runs, leases) is left out or masked.
    pub end_state: &'a (dyn Fn(&World) -> Value + Sync),
}

/// Runs the work once without a kill, then once for each point: around the start of the run, each checkpoint and the end.
/// Each time the process must die by SIGKILL at the point, and be resumed to the same end state.
///
/// # Panics
///
/// When a command does not end as it should, or an end state differs.
pub fn kill_after_each_node<World>(scenario: &Scenario<'_, World>) {
    let unkilled = (scenario.fresh)();
    let expected_exit = run(&mut (scenario.begin)(&unkilled));
    assert!(expected_exit.status.code().is_some(), "the unkilled run was killed: {}", told(&expected_exit));
    let expected = (scenario.end_state)(&unkilled);
    let checkpoints = (scenario.checkpoints)(&unkilled);
    assert!(checkpoints > 0, "the unkilled run left no checkpoint: {}", told(&expected_exit));
    let points = points(checkpoints);
    let next = AtomicUsize::new(0);
    // Each world is its own, and a run waits more than it computes.
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    kill_at(point, scenario, &expected_exit, &expected);
                }
            });
        }
    });
}

/// Number of worlds that are killed and resumed at the same time.
const AT_ONCE: usize = 3;

fn kill_at<World>(point: &str, scenario: &Scenario<'_, World>, expected_exit: &Output, expected: &Value) {
    let world = (scenario.fresh)();
    let killed = run((scenario.begin)(&world).env(FAIL_POINT, point));
    assert_eq!(killed.status.signal(), Some(9), "{point} was not reached: {}", told(&killed));
    let resumed = run(&mut (scenario.resume)(&world));
    assert_eq!(resumed.status.code(), expected_exit.status.code(), "resumed after {point}: {}", told(&resumed));
    let state = (scenario.end_state)(&world);
    assert!(state == *expected, "killed at {point}, resumed, and not the same:\n{}", difference("", expected, &state));
}

/// Returns every fail point of a run with this many checkpoints.
fn points(checkpoints: i64) -> Vec<String> {
    let around = (1..=checkpoints)
        .flat_map(|number| [format!("before-checkpoint:{number}"), format!("after-checkpoint:{number}")]);
    // After the end there is nothing to resume; its effects are those of any run that ended.
    std::iter::once("after-begin:0".to_owned()).chain(around).chain(["before-finish:0".to_owned()]).collect()
}

#[expect(clippy::panic, reason = "a test fails by panicking")]
fn run(command: &mut Command) -> Output {
    match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => panic!("{command:?} could not be started: {error}"),
    }
}

fn told(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Replaces the values of all fields with one of these names by `"*"`, at any depth.
pub fn mask(value: &mut Value, fields: &[&str]) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                if fields.contains(&name.as_str()) {
                    *inner = Value::from("*");
                } else {
                    mask(inner, fields);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Number of characters of a long text to display before the first difference.
const CONTEXT: usize = 80;

/// Lists the differences between two documents, one line each: path, expected, found.
fn difference(path: &str, expected: &Value, found: &Value) -> String {
    let mut text = String::new();
    match (expected, found) {
        _ if expected == found => {}
        (Value::Object(left), Value::Object(right)) => {
            for name in left.keys().chain(right.keys().filter(|name| !left.contains_key(*name))) {
                let side = |object: &serde_json::Map<String, Value>| object.get(name).cloned().unwrap_or_default();
                text += &difference(&format!("{path}.{name}"), &side(left), &side(right));
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for index in 0..left.len().max(right.len()) {
                let side = |items: &[Value]| items.get(index).cloned().unwrap_or_default();
                text += &difference(&format!("{path}[{index}]"), &side(left), &side(right));
            }
        }
        _ => {
            let (expected, found) = (expected.to_string(), found.to_string());
            let same = expected.chars().zip(found.chars()).take_while(|(left, right)| left == right).count();
            let from_there =
                |text: &str| text.chars().skip(same.saturating_sub(CONTEXT)).take(3 * CONTEXT).collect::<String>();
            let _ = writeln!(text, "{path}: expected {}, found {}", from_there(&expected), from_there(&found));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn points_lie_around_every_checkpoint() {
        let expected = [
            "after-begin:0",
            "before-checkpoint:1",
            "after-checkpoint:1",
            "before-checkpoint:2",
            "after-checkpoint:2",
            "before-finish:0",
        ];
        assert_eq!(points(2), expected);
    }

    #[test]
    fn masks_at_any_depth() {
        let mut value = json!({"at": 1, "inner": [{"at": 2, "kept": 3}]});
        mask(&mut value, &["at"]);
        assert_eq!(value, json!({"at": "*", "inner": [{"at": "*", "kept": 3}]}));
    }

    #[test]
    fn a_difference_names_its_place() {
        let text = difference("", &json!({"a": [1, 2], "b": 1}), &json!({"a": [1, 3], "c": 2}));
        assert_eq!(text, ".a[1]: expected 2, found 3\n.b: expected 1, found null\n.c: expected null, found 2\n");
        assert_eq!(difference("", &json!([1]), &json!([1])), "");
    }
}
