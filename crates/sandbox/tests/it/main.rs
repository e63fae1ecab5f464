//! The sandboxes from outside: what commands may and may not do, and what is left of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod containers;
mod disk;
mod doors;
mod escape;
mod killed;
mod mounts;
mod node_image;
mod ordinary_user;
mod place;
mod remains;
mod sessions;
mod walls;
mod weak;
