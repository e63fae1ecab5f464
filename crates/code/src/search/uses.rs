//! Uses of a variable: variables of one kind are used alike.

/// Uses of a variable in the file, as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Uses(u8);

impl Uses {
    pub(crate) const CALLED: Self = Self(1);
    pub(crate) const INDEXED: Self = Self(2);
    pub(crate) const ITERATED: Self = Self(4);
    pub(crate) const COUNTED: Self = Self(8);
    pub(crate) const INDEX: Self = Self(16);
    pub(crate) const RECEIVER: Self = Self(32);

    /// Adds what else is done with it.
    pub(crate) const fn note(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns whether the variable is known to be a number: it is used in arithmetic or in comparisons, and not as a collection.
    pub(crate) const fn is_number(self) -> bool {
        self.0 & Self::COUNTED.0 != 0 && !self.is_collection()
    }

    /// Returns whether it is called somewhere.
    pub(crate) const fn is_called(self) -> bool {
        self.0 & Self::CALLED.0 != 0
    }

    /// Returns whether it is known to have elements.
    pub(crate) const fn is_collection(self) -> bool {
        self.0 & (Self::INDEXED.0 | Self::ITERATED.0) != 0
    }

    /// Returns whether it is known to be something other than a number.
    pub(crate) const fn is_no_number(self) -> bool {
        self.0 & !(Self::COUNTED.0 | Self::INDEX.0) != 0
    }

    /// Returns how well a variable with the other uses fits in its place, relative to others: 1 when nothing is known.
    pub(crate) fn fit(self, other: Self) -> f64 {
        match (self.0 & other.0 != 0, self.0 == 0 || other.0 == 0) {
            (true, _) => 3.0,
            (false, true) => 1.0,
            (false, false) => 0.3,
        }
    }
}
