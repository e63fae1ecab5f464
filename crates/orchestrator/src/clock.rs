use std::time::{SystemTime, UNIX_EPOCH};

use autoheal_engine::Timestamp;

/// The time by this machine's clock. Leases do not depend on it: they use the database's.
pub fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(0).plus(since_epoch)
}
