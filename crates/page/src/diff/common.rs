//! The longest common subsequence of two short lists, a machine word of lines at a time (Hyyrö, "Bit-parallel LCS-length
//! computation revisited", 2004; the rows are kept, so that the way through them can be read back).

use std::collections::HashMap;

/// Room for the search, used again for the next one.
#[derive(Default)]
pub(super) struct Common {
    /// The row of `masks` of each old line.
    lines: HashMap<u32, usize>,
    /// Positions of each old line: a bit for each position, `words` machine words for each line.
    masks: Vec<u64>,
    /// After each new line: no bit where the old line of that place makes the common subsequence longer.
    rows: Vec<u64>,
}

impl Common {
    /// The pairs of places of a longest common subsequence, in order. Takes time and room in `old` times `new` by 64.
    pub(super) fn lines(&mut self, old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
        let words = old.len().div_ceil(64);
        self.read(old, words);
        self.rows.clear();
        self.rows.resize((new.len() + 1) * words, u64::MAX);
        for (place, line) in new.iter().enumerate() {
            let (before, after) = self.rows.split_at_mut((place + 1) * words);
            let before = &before[place * words..];
            let after = &mut after[..words];
            let Some(row) = self.lines.get(line) else {
                after.copy_from_slice(before);
                continue;
            };
            let mut carry = false;
            for ((before, after), mask) in before.iter().zip(after).zip(&self.masks[row * words..]) {
                let (sum, first) = before.overflowing_add(before & mask);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first || second;
                *after = sum | (before & !mask);
            }
        }
        self.read_back(old.len(), new.len(), words)
    }

    fn read(&mut self, old: &[u32], words: usize) {
        self.lines.clear();
        self.masks.clear();
        for (place, line) in old.iter().enumerate() {
            let next = self.lines.len();
            let row = *self.lines.entry(*line).or_insert(next);
            if row == next {
                self.masks.resize((next + 1) * words, 0);
            }
            self.masks[row * words + place / 64] |= 1 << (place % 64);
        }
    }

    fn read_back(&self, mut old: usize, mut new: usize, words: usize) -> Vec<(usize, usize)> {
        let is_longer = |old: usize, new: usize| self.rows[new * words + old / 64] >> (old % 64) & 1 == 0;
        let mut pairs = Vec::new();
        while old > 0 && new > 0 {
            if !is_longer(old - 1, new) {
                old -= 1;
                continue;
            }
            new -= 1;
            // The row before has no bit at its start, so this ends.
            if !is_longer(old - 1, new) {
                old -= 1;
                pairs.push((old, new));
            }
        }
        pairs.reverse();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length by the textbook.
    fn length(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for old in old {
            let mut corner = 0;
            for (place, new) in new.iter().enumerate() {
                let above = row[place + 1];
                row[place + 1] = if old == new { corner + 1 } else { above.max(row[place]) };
                corner = above;
            }
        }
        row[new.len()]
    }

    proptest! {
        #[test]
        fn what_is_common_is_the_longest(
            old in proptest::collection::vec(0_u32..9, 0..200),
            new in proptest::collection::vec(0_u32..9, 0..200),
        ) {
            let mut common = Common::default();
            // Whatever was there before does not matter.
            let _ = common.lines(&new, &new);
            let pairs = common.lines(&old, &new);
            prop_assert_eq!(pairs.len(), length(&old, &new));
            prop_assert!(pairs.iter().all(|(one, other)| old[*one] == new[*other]));
            prop_assert!(pairs.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1));
        }
    }
}
