//! What repairs of every language share: edits that are thought of in great number, ranked by how likely such a slip is and how
//! natural the result reads in its project, and kept when the file still parses, or when they take one of several faults away.
//!
//! # Layout
//!
//! - [`grammar`]: what is particular to a language, as data; [`tokens`]: what a scanner gives
//! - [`ngram`]: how natural a text reads; [`spelling`]: how likely one word is a misspelling of another
//! - [`region`]: a piece of a file in which repairs are sought; [`proposal`]: one that has been thought of
//! - [`token_edits`]: every repair of one token of a region; [`quote_marks`]: of one quotation mark; [`merge_markers`]: what a merge left behind
//! - [`pointless`]: what is never proposed
//! - [`in_turn`]: several faults of one file, one after the other
//! - [`ranking`]: proposals with the costs of candidates; [`shortlist`]: those of fixers that know what they look for

pub(crate) mod grammar;
pub(crate) mod in_turn;
pub(crate) mod merge_markers;
pub(crate) mod ngram;
pub(crate) mod pointless;
pub(crate) mod proposal;
pub(crate) mod quote_marks;
pub(crate) mod ranking;
pub(crate) mod region;
pub(crate) mod shortlist;
pub(crate) mod spelling;
pub(crate) mod token_edits;
pub(crate) mod tokens;
