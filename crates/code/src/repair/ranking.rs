//! Proposals with the costs of candidates.

use super::proposal::Proposal;

/// Maximum number of candidates that are returned.
const MAX_CANDIDATES: usize = 60;

/// Bits as posterior costs: minus the logarithm of each one's share in all that was found.
pub(crate) fn costs(mut survivors: Vec<(f64, Proposal)>) -> Vec<(u32, Proposal)> {
    survivors.sort_by(|one, other| one.0.total_cmp(&other.0));
    let Some(best) = survivors.first().map(|(bits, _)| *bits) else { return Vec::new() };
    let total: f64 = survivors.iter().map(|(bits, _)| (best - bits).exp2()).sum();
    survivors.truncate(MAX_CANDIDATES);
    survivors
        .into_iter()
        .map(|(bits, proposal)| {
            let hundredths = ((bits - best + total.log2()) * 100.0).clamp(0.0, 1e6).round();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1e6")]
            (hundredths as u32, proposal)
        })
        .collect()
}
