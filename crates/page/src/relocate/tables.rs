//! The trained part: small tables of weights and boosted trees, made by `xtask/train/relocation.py` (docs/relocation.md).

use super::certainty::Certainty;
use super::list::List;
use super::single::Single;
use super::words::word;

/// The tables that come with the program.
static BUILT_IN: &[u8] = include_bytes!("tables.bin");

/// Magic bytes at the start of the file.
const MAGIC: &[u8] = b"autoheal-relocate-1\n";

/// Tables that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TablesError {
    /// The bytes are not tables, or cut off.
    #[error("these are no relocation tables: make them with xtask/train/relocation.py")]
    Malformed,
    /// The tables were trained on other features than this program computes.
    #[error(
        "the tables for {part} were trained on other features: export the features again and retrain (docs/relocation.md)"
    )]
    OtherFeatures {
        /// The affected part of the tables.
        part: &'static str,
    },
}

/// All trained tables, and the threshold.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    pub(super) single: Table,
    pub(super) list: Table,
    pub(super) single_certainty: Table,
    pub(super) list_certainty: Table,
    /// Minimum certainty for accepting a relocation.
    pub(super) threshold: f32,
}

impl Tables {
    pub(super) fn built_in() -> Result<Self, TablesError> {
        Self::parse(BUILT_IN)
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, TablesError> {
        let mut reader = Reader { bytes: bytes.strip_prefix(MAGIC).ok_or(TablesError::Malformed)? };
        Ok(Self {
            threshold: reader.float()?,
            single: reader.table("single values", Single::NAMES)?,
            list: reader.table("lists", List::NAMES)?,
            single_certainty: reader.table("the certainty of single values", Certainty::NAMES)?,
            list_certainty: reader.table("the certainty of lists", Certainty::NAMES)?,
        })
    }
}

/// A sum: a constant, weighted features, and trees.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    constant: f32,
    weights: Vec<f32>,
    trees: Vec<Tree>,
}

#[derive(Debug, Clone)]
struct Tree {
    splits: Vec<Split>,
    leaves: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
struct Split {
    feature: usize,
    threshold: f32,
    /// Next step if the feature is at most the threshold, and next step if it is greater.
    low: Next,
    high: Next,
}

#[derive(Debug, Clone, Copy)]
enum Next {
    Split(usize),
    Leaf(usize),
}

impl Table {
    /// The logarithm of odds for a row of features.
    pub(super) fn sum(&self, row: &[f32]) -> f32 {
        let weighted: f32 = self.weights.iter().zip(row).map(|(weight, value)| weight * value).sum();
        self.constant + weighted + self.trees.iter().map(|tree| tree.value(row)).sum::<f32>()
    }

    /// Returns whether the table is untrained.
    pub(super) const fn is_empty(&self) -> bool {
        self.trees.is_empty() && self.weights.is_empty()
    }
}

impl Tree {
    fn value(&self, row: &[f32]) -> f32 {
        let mut next = if self.splits.is_empty() { Next::Leaf(0) } else { Next::Split(0) };
        // A tree has fewer levels than splits: damaged tables end too.
        for _ in 0..=self.splits.len() {
            match next {
                Next::Leaf(leaf) => return self.leaves.get(leaf).copied().unwrap_or(0.0),
                Next::Split(place) => {
                    let Some(split) = self.splits.get(place) else { return 0.0 };
                    let value = row.get(split.feature).copied().unwrap_or(0.0);
                    next = if value <= split.threshold { split.low } else { split.high };
                }
            }
        }
        0.0
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], TablesError> {
        let (first, rest) = self.bytes.split_first_chunk::<N>().ok_or(TablesError::Malformed)?;
        self.bytes = rest;
        Ok(*first)
    }

    fn float(&mut self) -> Result<f32, TablesError> {
        let value = f32::from_le_bytes(self.take()?);
        if value.is_finite() { Ok(value) } else { Err(TablesError::Malformed) }
    }

    fn count(&mut self) -> Result<usize, TablesError> {
        Ok(usize::from(u16::from_le_bytes(self.take()?)))
    }

    fn byte(&mut self) -> Result<usize, TablesError> {
        Ok(usize::from(u8::from_le_bytes(self.take()?)))
    }

    fn table(&mut self, part: &'static str, names: &[&str]) -> Result<Table, TablesError> {
        let features = u64::from_le_bytes(self.take()?);
        if features != fingerprint(names) {
            return Err(TablesError::OtherFeatures { part });
        }
        let constant = self.float()?;
        let weights = (0..self.count()?).map(|_| self.float()).collect::<Result<_, _>>()?;
        let trees = (0..self.count()?).map(|_| self.tree()).collect::<Result<_, _>>()?;
        Ok(Table { constant, weights, trees })
    }

    fn tree(&mut self) -> Result<Tree, TablesError> {
        let count = self.byte()?;
        let splits = (0..count)
            .map(|_| {
                Ok(Split { feature: self.byte()?, threshold: self.float()?, low: self.next()?, high: self.next()? })
            })
            .collect::<Result<_, TablesError>>()?;
        let leaves = (0..=count).map(|_| self.float()).collect::<Result<_, _>>()?;
        Ok(Tree { splits, leaves })
    }

    /// A split by its number, or a leaf by 128 and its number.
    fn next(&mut self) -> Result<Next, TablesError> {
        let number = self.byte()?;
        Ok(if number < 128 { Next::Split(number) } else { Next::Leaf(number - 128) })
    }
}

/// The number of the features' names in their order.
fn fingerprint(names: &[&str]) -> u64 {
    word(&names.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_tables_fit_the_features() {
        Tables::built_in().unwrap();
    }

    #[test]
    fn damaged_tables_are_refused() {
        assert_eq!(Tables::parse(b"x").unwrap_err(), TablesError::Malformed);
        assert_eq!(Tables::parse(&BUILT_IN[..BUILT_IN.len() - 1]).unwrap_err(), TablesError::Malformed);
        let mut changed = BUILT_IN.to_vec();
        changed[MAGIC.len() + 4] ^= 1;
        assert!(matches!(Tables::parse(&changed), Err(TablesError::OtherFeatures { .. })));
    }

    #[test]
    fn trees_lead_to_their_leaves() {
        let split = Split { feature: 1, threshold: 0.5, low: Next::Leaf(0), high: Next::Leaf(1) };
        let tree = Tree { splits: vec![split], leaves: vec![-1.0, 2.0] };
        let table = Table { constant: 0.5, weights: vec![1.0], trees: vec![tree] };
        assert!((table.sum(&[1.0, 0.5]) - 0.5).abs() < 1e-6);
        assert!((table.sum(&[1.0, 0.6]) - 3.5).abs() < 1e-6);
    }
}
