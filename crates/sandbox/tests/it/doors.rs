//! The doors of the real sandboxes, as `autoheal check` reports them.

use autoheal_sandbox::{Choice, Door, SandboxKind, State};
use rstest::rstest;

use crate::place::{sandbox, settings};

/// Doors that may be weak on a well-configured machine: without gVisor the kernel is shared, Docker shares some namespaces
/// by default, and root's copies are run by root.
const MAY_BE_WEAK: &[&str] = &["kernel", "namespaces", "user"];

/// Doors that are weak for an ordinary user without control groups.
const WEAK_WITHOUT_GROUPS: &[&str] = &["memory", "processes", "processors"];

#[rstest]
#[tokio::test]
async fn doors_are_shut(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let state = tempfile::tempdir().unwrap();
    std::fs::set_permissions(state.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = settings(state.path());
    let Some(found) = sandbox(choice, &settings).await else { return };
    let doors = autoheal_sandbox::doors(found.kind(), &settings).await.unwrap();
    let has_groups = doors.iter().any(|door| door.name == "memory" && door.by.starts_with("control groups"));
    for Door { name, state, by, remedy } in &doors {
        assert!(!by.is_empty() && remedy.is_some() == (*state != State::Shut), "{name}: {by} {remedy:?}");
        let may_be_weak = MAY_BE_WEAK.contains(name) || !has_groups && WEAK_WITHOUT_GROUPS.contains(name);
        assert!(*state == State::Shut || may_be_weak && *state == State::Weak, "{name} is {state:?}: {by}");
    }
    let door = |name: &str| doors.iter().find(|door| door.name == name).unwrap();
    assert!(door("system calls").by.contains("keyctl"), "{:?}", door("system calls"));
    let is_root = nix::unistd::geteuid().is_root();
    assert_eq!(door("user").state, if is_root { State::Weak } else { State::Shut }, "{:?}", door("user"));
    if found.kind() == SandboxKind::Bubblewrap {
        assert_eq!(door("namespaces").state, State::Shut, "{:?}", door("namespaces"));
    }
}
