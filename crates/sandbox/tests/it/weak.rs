//! Machines without control groups: commands run only when a setting
//! allows it, under the strongest limits available.

use autoheal_sandbox::{Choice, End, Limit, SandboxError, Settings};

use crate::place::{Place, settings, text};

/// Returns whether control groups cannot be made here.
async fn is_weak() -> bool {
    let state = tempfile::tempdir().unwrap();
    let strict = Settings { allow_weak_limits: false, ..settings(state.path()) };
    match autoheal_sandbox::select(Choice::Bubblewrap, &strict).await {
        Err(SandboxError::NoLimits { reason }) => {
            assert!(reason.contains("sandbox.allow_weak_limits"), "{reason}");
            true
        }
        Ok(_) | Err(_) => false,
    }
}

#[tokio::test]
async fn memory_of_no_process_hits_the_limit_too() {
    if !is_weak().await {
        return autoheal_testkit::skip("weak limits", "control groups can be made here");
    }
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let held = "import os\nf = [os.memfd_create('a')]\nfor i in range(600): os.write(f[0], b'x' * (1 << 20))";
    let outcome = place.python(held).await;
    assert_eq!(outcome.end, End::Exited(1), "{}", text(&outcome.stderr));
    for folder in ["/tmp", "/dev/shm"] {
        let script = format!(
            "import time\nfor i in range(245): open(f'{folder}/{{i}}', 'wb').write(b'x' * (1 << 20))\n\
             g = [b'y' * (8 << 20) for _ in range(6)]\ntime.sleep(100)"
        );
        let outcome = place.python(&script).await;
        assert_eq!(outcome.end, End::LimitHit(Limit::Memory), "{folder} {}", text(&outcome.stderr));
    }
    // Nor is there another folder in memory.
    let outcome = place.python("open('/dev/file', 'w')").await;
    assert_eq!(outcome.end, End::Exited(1), "{}", text(&outcome.stderr));
}
