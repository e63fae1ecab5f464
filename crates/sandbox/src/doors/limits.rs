//! The doors that are limits: for each, a command that exceeds it.

use super::{Facts, Judgement};
use crate::outcome::End;
use crate::settings::Settings;
use crate::spec::{Disk, Limits};

/// A command that exceeds one limit.
pub(super) struct Excess {
    /// Name of the door.
    pub(super) name: &'static str,
    /// Program that exceeds the limit, in Python.
    pub(super) script: &'static str,
    /// Returns the command's limits, based on the common ones.
    pub(super) limits: fn(Limits) -> Limits,
}

/// Outcome of a command that exceeds a limit.
#[derive(Debug)]
pub(super) struct Overrun {
    pub(super) end: End,
    /// Standard output of the command.
    pub(super) said: String,
}

pub(super) const EXCESSES: &[Excess] = &[
    Excess { name: "memory", script: "b'x' * (512 << 20)", limits: |limits| Limits { memory: 96 << 20, ..limits } },
    Excess {
        name: "processes",
        script: "import os, time\nfor _ in range(64):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(60)",
        limits: |limits| Limits { processes: 16, ..limits },
    },
    // Exceeds nothing: prints the share of a processor that it got in half a second, in percent.
    Excess {
        name: "processors",
        script: "import time\nbegin, spent = time.monotonic(), time.process_time()\nwhile time.monotonic() < begin + 0.5: pass\n\
                 print(round(100 * (time.process_time() - spent) / (time.monotonic() - begin)))",
        limits: |limits| Limits { cpus: 0.1, ..limits },
    },
    Excess {
        name: "time",
        script: "import time; time.sleep(60)",
        limits: |limits| Limits { time: std::time::Duration::from_millis(500), ..limits },
    },
    Excess { name: "output", script: "print('x' * (1 << 20))", limits: |limits| Limits { output: 4096, ..limits } },
    Excess {
        name: "disk",
        script: "for name in range(32): open(f'{name}', 'wb').write(b'x' * (1 << 20))",
        limits: |limits| Limits { disk: Disk { bytes: 16 << 20, entries: 1000 }, ..limits },
    },
];

/// The judgement about one of the [`EXCESSES`].
pub(super) fn judge(facts: &Facts, name: &str) -> Judgement {
    let by = match name {
        "memory" | "processes" => facts.claims.limits.as_str(),
        _ => "autoheal ends the command",
    };
    let remedy = "see \"The limits\" in docs/sandbox.md";
    match facts.overruns.get(name) {
        Some(overrun) if !overrun.end.is_success() => {
            let by = format!("{by} ({})", overrun.end);
            if facts.claims.are_limits_weak && matches!(name, "memory" | "processes") {
                return Judgement::weak(by, groups_remedy());
            }
            Judgement::shut(by)
        }
        Some(overrun) => Judgement::open(format!("a command exceeded the limit ({})", overrun.end), remedy),
        None => Judgement::open("it was not tried", remedy),
    }
}

/// The judgement about the share of processors.
pub(super) fn processors(facts: &Facts) -> Judgement {
    let used: Option<u32> = facts.overruns.get("processors").and_then(|overrun| overrun.said.trim().parse().ok());
    match used {
        Some(used) if facts.claims.limits_processors && used <= 50 => {
            Judgement::shut(format!("{} (a tenth was allowed, {used} % were used)", facts.claims.limits))
        }
        Some(_) | None if facts.claims.limits_processors => {
            Judgement::open("a command used more than its share", "see \"The limits\" in docs/sandbox.md")
        }
        Some(_) | None => Judgement::weak("not limited, but by the time limit", groups_remedy()),
    }
}

/// The way to limits of the kernel's.
fn groups_remedy() -> String {
    format!(
        "start autoheal where it can make control groups (`systemd-run --user --scope -p Delegate=yes autoheal ...`); `{}` accepts less",
        Settings::WEAK_LIMITS_SETTING
    )
}
