//! Conversion of counts to features, and of odds to probabilities.

/// `count` as a feature: exact up to 16 million, which no page reaches.
#[expect(clippy::cast_precision_loss, reason = "features are approximate")]
pub(crate) const fn float(count: usize) -> f32 {
    count as f32
}

/// `part` of `whole`; 0 of nothing.
pub(crate) fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// The logarithm of how much larger `left` is than `right`, between -3 and 3.
pub(crate) fn log_ratio(left: f32, right: f32) -> f32 {
    ((left + 1.0) / (right + 1.0)).ln().clamp(-3.0, 3.0)
}

/// Converts a condition to a feature: 1 if it is true, else 0.
pub(crate) fn flag(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

/// Returns the signed distance between two places on the page: positive if `left` is the greater one.
pub(crate) fn difference(left: usize, right: usize) -> f32 {
    if left >= right { float(left - right) } else { -float(right - left) }
}

/// The logarithm of the odds of a probability.
fn odds(probability: f32) -> f32 {
    let probability = probability.clamp(1e-4, 1.0 - 1e-4);
    (probability / (1.0 - probability)).ln()
}

/// The probability for the logarithm of odds.
pub(crate) fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// Combines the score of the manual weights and the score of the trees. The manual score has `share` of the
/// trees' weight.
pub(crate) fn blend(trees: f32, hand: f32, share: f32) -> f32 {
    let bound = odds(1.0);
    (trees.clamp(-bound, bound) + share * hand.clamp(-20.0, 20.0)) / (1.0 + share / 2.0)
}

/// Converts a count to a feature, `ln(1 + count)`, in which the first few matter most.
pub(crate) fn many(count: usize) -> f32 {
    float(count).ln_1p()
}
