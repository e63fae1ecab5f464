//! Numbers of things, for a reader.

use std::fmt::Display;

/// Returns a number with its noun, in the singular or the plural.
///
/// ```
/// use autoheal_engine::counted;
///
/// assert_eq!(counted(1_u32, "commit"), "1 commit");
/// assert_eq!(counted(0_usize, "fix"), "0 fixes");
/// ```
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = match noun.ends_with('x') {
        _ if number == N::from(1) => "",
        true => "es",
        false => "s",
    };
    format!("{number} {noun}{ending}")
}
