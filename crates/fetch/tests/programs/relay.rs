//! The relay to the browser's namespace as a program, for the tests of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    autoheal_fetch::render::relay(std::env::args_os().skip(1))
}
