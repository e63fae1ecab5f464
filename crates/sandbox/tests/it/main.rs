//! Tests of the sandboxes from outside: what commands may do, and what they leave behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod containers;
mod disk;
mod doors;
mod escape;
mod isolation;
mod killed;
mod mounts;
mod node_image;
mod ordinary_user;
mod place;
mod remains;
mod sessions;
mod weak;
