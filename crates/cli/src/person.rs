//! The user of this process.

use nix::unistd::{User, getuid};

/// Returns the name recorded with decisions: that of the user who runs this process.
pub(crate) fn person() -> String {
    let user = User::from_uid(getuid()).ok().flatten();
    user.map_or("person".to_owned(), |user| format!("person {}", user.name))
}
