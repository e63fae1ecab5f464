//! Growth by the size of an input: the time of the processor, and the power of the size by which an amount grows.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Times below are more noise than work.
pub(super) const NOISE: Duration = Duration::from_millis(4);

/// The processor time of this process so far: other programs on the machine do not count.
pub(super) fn processor_time() -> anyhow::Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into())
}

/// Fits `amount = a * size ^ exponent` to sizes and amounts, and returns the exponent; `None` if there are too few points.
pub(super) fn exponent(points: &[(usize, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|(size, amount)| Some((f64::from(u32::try_from(*size).ok()?).ln(), amount.ln())))
        .collect();
    let count = f64::from(u32::try_from(logarithms.len()).ok()?);
    if count < 3.0 {
        return None;
    }
    let (x, y) = logarithms.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (above, below) = logarithms.iter().fold((0.0, 0.0), |(above, below), point| {
        (above + (point.0 - x) * (point.1 - y), below + (point.0 - x) * (point.0 - x))
    });
    Some(above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let square: Vec<(usize, f64)> =
            (1..6).map(|size| (size * 100, f64::from(u32::try_from(size * size).unwrap()))).collect();
        assert!((exponent(&square).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&square[..2]), None);
    }
}
