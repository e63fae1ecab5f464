//! Consensus of the candidates. Many candidates for a list differ in only an item or two: what matters is the
//! share of the likelihood behind one answer, not its distribution over variants of the answer.

use super::number::float;
use super::ranking::Ranked;
use super::words::Word;

/// Maximum number of candidates that are considered.
const HEARD: usize = 40;

/// From this F1 over their items on, two lists are one answer.
const ALIKE: f32 = 0.9;

/// Weight of the support relative to the odds when lists are ranked.
const SUPPORT: f32 = 1.0;

/// Sets the support of the first candidates, which are in the order of their odds: the share of the likelihood that stands
/// behind the same answer. Lists are put into the order of odds and support.
pub(super) fn settle(candidates: &mut [Ranked]) {
    let heard = candidates.len().min(HEARD);
    let Some(first) = candidates.first().map(|first| first.odds) else { return };
    let likelihoods: Vec<f32> = candidates[..heard].iter().map(|candidate| (candidate.odds - first).exp()).collect();
    let total: f32 = likelihoods.iter().sum();
    let supports: Vec<f32> = (0..heard)
        .map(|one| {
            let behind = (0..heard).filter(|other| one == *other || alike(&candidates[one], &candidates[*other]));
            behind.map(|other| likelihoods[other]).sum::<f32>() / total
        })
        .collect();
    for (candidate, support) in candidates.iter_mut().zip(supports) {
        candidate.support = support;
        if !candidate.items.is_empty() {
            candidate.odds += SUPPORT * support.max(0.01).ln();
        }
    }
    candidates[..heard].sort_by(|left, right| right.odds.total_cmp(&left.odds));
}

/// Returns whether two candidates are the same answer.
pub(super) fn alike(left: &Ranked, right: &Ranked) -> bool {
    left.key == right.key || (!left.items.is_empty() && likeness(&left.items, &right.items) >= ALIKE)
}

/// F1 over the items of two sorted lists.
fn likeness(left: &[Word], right: &[Word]) -> f32 {
    let (mut one, mut other, mut shared) = (0, 0, 0);
    while let (Some(first), Some(second)) = (left.get(one), right.get(other)) {
        shared += usize::from(first == second);
        one += usize::from(first <= second);
        other += usize::from(second <= first);
    }
    2.0 * float(shared) / float((left.len() + right.len()).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_alike_by_their_items() {
        assert!((likeness(&[1, 2, 2, 3], &[1, 2, 3, 4]) - 0.75).abs() < 1e-6);
        assert!((likeness(&[1, 2], &[3]) - 0.0).abs() < 1e-6);
        assert!((likeness(&[5, 5], &[5, 5]) - 1.0).abs() < 1e-6);
    }
}
