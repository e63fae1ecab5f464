//! A part that a machine lacks is skipped loudly and never counted as passed.

use std::fs::OpenOptions;
use std::io::Write as _;

/// The environment variable that names the file in which `./test` collects what was skipped.
pub const SKIP_LOG: &str = "AUTOHEAL_SKIP_LOG";

/// Says that `part` is not tested here because of `reason`, on standard error and in the file that [`SKIP_LOG`] names.
pub fn skip(part: &str, reason: &str) {
    let line = format!("SKIPPED: {part}: {reason}\n");
    // Not `eprint!`: the harness would capture it, and a skipped part must be seen.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os(SKIP_LOG)
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = file.write_all(line.as_bytes());
    }
}
