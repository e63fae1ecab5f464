//! Everything that knows JavaScript and TypeScript.

pub mod environment;
pub mod fix;
