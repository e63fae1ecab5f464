//! Text in a file for readers and tools rather than the compiler, and code that a repair must not add.

use super::tokens::{self, Kind};
use crate::language::guard::Guard;

/// Guard for Rust: comments, and code that ends a test, hides it, silences a tool, or gives up checks.
pub(crate) static GUARD: Guard = Guard {
    prose: comments,
    tokens: tokens::scan,
    // None of these makes the compiler accept more types: it has no such escape but `unsafe`.
    escapes: &["unsafe", "transmute"],
    phrases: &[
        "process::exit",
        "process::abort",
        "abort()",
        "exit(",
        "catch_unwind",
        "panic::set_hook",
        "panic::take_hook",
        "resume_unwind",
        "#[ignore",
        "#[should_panic",
        "#[test",
        "#[allow",
        "#![allow",
        "#[expect(",
        "#![expect(",
        "#[rustfmt::skip",
        "#[cfg(",
        "#![cfg(",
        "#[cfg_attr",
        "cfg!(",
        "todo!(",
        "unimplemented!(",
        "unreachable_unchecked",
        "unsafe{",
        "unsafe fn",
        "mem::forget",
        "libtest",
        "RUST_TEST",
        "NEXTEST",
        "CARGO_",
        "thread::panicking",
    ],
    powers: &["process::Command", "Command::new", "TcpStream", "UdpSocket", "remove_dir_all", "libc::system"],
};

fn comments(text: &str) -> Vec<&str> {
    let tokens = tokens::scan(text);
    let comments = tokens.iter().filter(|token| token.kind == Kind::Comment);
    comments.map(|token| token.text(text).trim_end()).collect()
}
