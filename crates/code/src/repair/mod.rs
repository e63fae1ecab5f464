//! Parts that the repairs of every language share: edits are proposed in great number, ranked by how likely such a slip is and how
//! natural the result reads in its project, and kept when the file still parses or when they remove one of several faults.
//!
//! # Layout
//!
//! - [`grammar`]: properties of a language, as data; [`tokens`]: tokens that a scanner returns
//! - [`ngram`]: naturalness of a text; [`spelling`]: likelihood that one word is a misspelling of another
//! - [`region`]: a piece of a file in which repairs are sought; [`proposal`]: one proposed repair
//! - [`token_edits`]: every repair of one token of a region; [`quote_marks`]: of one quotation mark; [`merge_markers`]: of conflicts
//!   that a merge left behind
//! - [`layout`]: brackets against the indentation; [`learning`]: the model of a project
//! - [`pointless`]: edits that are never proposed
//! - [`in_turn`]: repairs of several faults of one file, one after the other
//! - [`ranking`]: proposals with the costs of candidates; [`shortlist`]: proposals of fixers that know what they look for

pub(crate) mod grammar;
pub(crate) mod in_turn;
pub(crate) mod layout;
pub(crate) mod learning;
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
