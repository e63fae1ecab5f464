//! The running test program again, as an ordinary user: to whom closed folders are closed, and who makes no control groups.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt, chown};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::skip;

/// No user of the machine.
pub const USER: u32 = 54321;

/// Runs tests of this program as an ordinary user, chosen by the arguments of a test program. They have to pass, `shown` among them. Does nothing
/// where this user is not root: then the tests themselves have shown it.
#[expect(clippy::disallowed_methods, reason = "the test starts itself as another user")]
pub fn test_again(what: &str, arguments: &[&str], shown: &str) {
    if !std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    chown(home.path(), Some(USER), Some(USER)).unwrap();
    let program = home.path().join("it");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let output = Command::new(program)
        .args(arguments)
        .args(["--test-threads=1", "--nocapture"])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .current_dir(home.path())
        .uid(USER)
        .gid(USER)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if let Some(reason) = said.lines().find_map(|line| line.strip_prefix("SKIPPED: ")) {
        return skip(&format!("{what} as an ordinary user"), reason);
    }
    assert!(output.status.success(), "{said}");
    assert!(said.contains(shown) && !said.contains(" 0 passed"), "{said}");
}
