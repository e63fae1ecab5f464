//! autoheal
fn main() {}
