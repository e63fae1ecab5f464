//! Everything that knows Python.

pub mod environment;
pub mod fix;
pub mod probe;
