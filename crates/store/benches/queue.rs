//! The queue's rates.
fn main() {}
