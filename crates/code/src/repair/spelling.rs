//! Likelihood that one word is a misspelling of another.

/// Returns how unlikely the slip from `right` to `wrong` is, in bits; `None` when the words have nothing in common.
pub(crate) fn slip(wrong: &str, right: &str) -> Option<f64> {
    if wrong == right || right.is_empty() || wrong.is_empty() {
        return None;
    }
    let length = wrong.chars().count().max(right.chars().count());
    let shorter = wrong.chars().count().min(right.chars().count());
    let bare = |word: &str| word.trim_matches('_').to_lowercase().replace('_', "");
    if bare(wrong) == bare(right) && !bare(wrong).is_empty() {
        return Some(2.0);
    }
    let distance = strsim::osa_distance(wrong, right);
    // A word with something appended or cut off.
    let is_piece = shorter >= 3
        && (wrong.starts_with(right) || right.starts_with(wrong) || wrong.ends_with(right) || right.ends_with(wrong));
    let distance = if is_piece { distance.min(1 + length.saturating_sub(shorter) / 3) } else { distance };
    let allowed = if length <= 3 { 1 } else { 1 + length / 4 };
    if distance > allowed || (length <= 2 && distance >= length) {
        return None;
    }
    let ratio = number(distance) / number(length);
    Some(1.0 + 3.0 * number(distance - 1) + 6.0 * ratio)
}

/// A small number as a factor or summand of bits.
pub(crate) fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Bits for a word that is used `count` times where words are used at all: common words are likelier.
pub(crate) fn rarity(count: usize) -> f64 {
    3.0 - (number(count.min(1_000)) + 1.0).log2().min(6.0) / 2.0
}
