//! Programs of this machine that autoheal starts by itself: git and the browser.
//!
//! They end when autoheal ends, however that happens, have limits of the kernel, and their temporary folders are removed by a
//! later process if this one was killed.
//!
//! # Layout
//!
//! - [`group`]: starting a program, and ending it with everything it started
//! - [`folder`]: temporary folders with an owner
//! - [`owner`]: a process of this machine, distinguished from later ones with the same ID
//!
//! # Example
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use autoheal_process::{Limits, Program};
//!
//! let git = Program::on_path("git")?.limited(&Limits { memory: 2 << 30, file: 1 << 30 })?;
//! let mut started = autoheal_process::start(git).await?;
//! started.child.wait().await?;
//! # Ok(()) }
//! ```

pub mod folder;
pub mod group;
pub mod owner;

pub use folder::OwnedFolder;
pub use group::{Group, Limits, Program, Started, is_program, prlimit_options, start};
pub use owner::Owner;
