//! Choices that look random and are the same for the same seed.

use sha2::{Digest as _, Sha256};

/// Generator of numbers (`SplitMix64`, Steele et al. 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: &str) -> Self {
        Self(number(seed))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// One of them, which must not be empty.
    pub(super) fn choice<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at + 1));
        }
    }

    /// The word as a hurried person types it: a letter too few, too many, wrong, or two swapped.
    pub(super) fn typo(&mut self, word: &str) -> String {
        let letters: Vec<char> = word.chars().collect();
        for _ in 0..20 {
            let at = self.below(letters.len());
            let mut changed = letters.clone();
            match self.below(4) {
                0 => {
                    changed.remove(at);
                }
                1 => changed.insert(at, letters[at]),
                2 => changed[at] = char::from(self.choice(b"abcdefghijklmnopqrstuvwxyz")),
                _ => changed.swap(at, (at + 1).min(letters.len() - 1)),
            }
            let changed: String = changed.into_iter().collect();
            // Neither a keyword nor a number.
            if changed != word && changed != "_" && syn::parse_str::<syn::Ident>(&changed).is_ok() {
                return changed;
            }
        }
        format!("{word}{}", letters.last().copied().unwrap_or('x'))
    }
}

/// Number from a text, by its hash.
pub(super) fn number(text: &str) -> u64 {
    let bytes: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    bytes.as_chunks::<8>().0.first().map_or(0, |first| u64::from_be_bytes(*first))
}
