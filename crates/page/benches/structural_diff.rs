//! Benchmark of the structural diff. Reads a pair of pages per line of standard input (two files, separated by a tab) and
//! writes a JSON object per line. `cargo xtask bench diff` runs it and the specification's Python on the same pairs.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use autoheal_page::Document;
use autoheal_page::diff::structural_diff;
use nix::time::{ClockId, clock_gettime};

/// Number of measurements of each pair, the same as in the Python benchmark. The shortest time counts,
/// because any other load on the machine only adds to it.
const REPEATS: usize = 5;

/// Returns the processor time that this thread has used, in seconds; time spent in other threads is not
/// included.
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
                let diff = structural_diff(&Document::parse(&old), &Document::parse(&new)).to_string();
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
