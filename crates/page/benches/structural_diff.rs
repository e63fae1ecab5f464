//! The structural diff, timed: a pair of pages a line of standard input (two files, tab between), a JSON object a line of
//! standard output. `cargo xtask bench diff` asks this and the Python of the specification the same.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use autoheal_page::diff::Outline;
use nix::time::{ClockId, clock_gettime};

/// How often a pair is measured, as often as Python does. The shortest time counts: whatever else the machine does only adds
/// to it.
const REPEATS: usize = 5;

/// How long this thread has been running, without the time in which others were.
fn processor_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(f64::NAN, |time| Duration::from(time).as_secs_f64())
}

fn main() -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let Some((old, new)) = line.split_once('\t') else { continue };
        let (old, new) = (std::fs::read_to_string(old)?, std::fs::read_to_string(new)?);
        let mut lines = 0;
        let seconds = (0..REPEATS)
            .map(|_| {
                let start = processor_seconds();
                let diff = Outline::parse(&old).diff(&Outline::parse(&new)).to_string();
                let seconds = processor_seconds() - start;
                lines = diff.lines().count();
                seconds
            })
            .fold(f64::INFINITY, f64::min);
        let mut output = std::io::stdout().lock();
        writeln!(output, "{{\"seconds\": {seconds}, \"lines\": {lines}}}")?;
        output.flush()?;
    }
    Ok(())
}
