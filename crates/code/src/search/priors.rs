//! Frequencies of the kinds of fault: one table of data, with which the ranking begins.

/// Kinds of fault; an operator repairs one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
    Names,
    Attributes,
    Callees,
    Constants,
    Comparisons,
    Booleans,
    OffByOne,
    Arithmetic,
    Arguments,
    Wrappers,
    Indexing,
    Returns,
    InitialValues,
    Assignments,
    Guards,
    Placement,
    Insertion,
    Jumps,
    Loops,
    Chaining,
    Patterns,
    Removal,
    Spelling,
    Separators,
    Combinations,
}

/// A kind of fault with how common it is.
pub(crate) struct Prior {
    family: Family,
    /// Out of all weights together.
    weight: f64,
    /// Justification of the weight.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reader; a test sees that each has one"))]
    reason: &'static str,
}

/// Prior weights of the kinds of fault. Where a reason begins with a number, that many thousand single-statement fixes of that
/// pattern are counted by TSSB-3M in public Python projects (Richter, Wehrheim: "TSSB-3M: Mining single statement bugs at massive
/// scale", 2022), and the weight is derived from its square root. The root flattens the counts, as those commits were not chosen by
/// a failing test. Faults that span several statements have no pattern there: their weights are set by judgement, below those that
/// have one.
const PRIORS: [Prior; 25] = [
    prior(Family::Names, 15.0, "237: change identifier used; 174: change binary operand is mostly one too"),
    prior(Family::Attributes, 10.0, "104: change attribute used"),
    prior(Family::Callees, 8.0, "134: wrong function name, of which only related functions are tried"),
    prior(Family::Constants, 12.0, "140: numeric, boolean, and type of a constant"),
    prior(
        Family::Comparisons,
        16.0,
        "29: binary operator; most of those that a test notices are comparisons, and few others may be meant: where several changes \
         pass, a boundary is likelier than another index",
    ),
    prior(Family::Booleans, 10.0, "105: more or less specific condition, unary operator"),
    prior(
        Family::OffByOne,
        8.0,
        "174: change binary operand, as far as the operand is a 1 that is missing or too much",
    ),
    prior(Family::Arithmetic, 5.0, "29: binary operator, and its precedence"),
    prior(Family::Arguments, 12.0, "208: more, fewer or swapped arguments of the same function"),
    prior(Family::Wrappers, 12.0, "177: function around an expression, method call added"),
    prior(Family::Indexing, 5.0, "no pattern; judged as half of the wrappers, which change a value in the same way"),
    prior(Family::Returns, 4.0, "a part of the identifiers"),
    prior(Family::InitialValues, 4.0, "a part of the constants"),
    prior(Family::Assignments, 3.0, "a part of the operators"),
    prior(Family::Guards, 5.0, "judged: the commonest fix of more than one line, but what it says is hard to guess"),
    prior(Family::Placement, 3.0, "judged: indentation is syntax here"),
    prior(Family::Insertion, 2.0, "judged: a forgotten update is common, and hard to guess"),
    prior(Family::Jumps, 1.0, "judged: rare"),
    prior(Family::Loops, 1.0, "judged: rare"),
    prior(
        Family::Chaining,
        2.0,
        "judged: `?.` is rarely the fault of a value, and there are only two ways to write it",
    ),
    prior(Family::Patterns, 5.0, "a part of the constants: what texts have to look like, and what is put into them"),
    prior(Family::Spelling, 120.0, "judged: a name that is mentioned once and is almost another one is rarely meant"),
    prior(Family::Separators, 60.0, "judged: two texts next to each other in a line are rarely meant as one"),
    prior(Family::Combinations, 3.0, "judged: what is wider than the other kinds comes behind them"),
    // Taking behaviour out passes weak tests: Qi and others, "An analysis of patch plausibility and correctness", 2015.
    prior(Family::Removal, 0.05, "judged: rarely right when it passes, so last on purpose"),
];

const fn prior(family: Family, weight: f64, reason: &'static str) -> Prior {
    Prior { family, weight, reason }
}

/// Returns how unlikely a fault of that kind is, in bits.
pub(crate) fn bits(family: Family) -> f64 {
    let total: f64 = PRIORS.iter().map(|prior| prior.weight).sum();
    let weight: f64 = PRIORS.iter().filter(|prior| prior.family == family).map(|prior| prior.weight).sum();
    (total / weight).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_one_prior_and_a_reason() {
        for prior in &PRIORS {
            let own = PRIORS.iter().filter(|other| other.family == prior.family);
            let reasons: Vec<_> = own.map(|prior| prior.reason).collect();
            assert!(matches!(reasons.as_slice(), [reason] if !reason.is_empty()), "{:?}", prior.family);
        }
    }

    #[test]
    fn removal_is_the_least_likely() {
        let others = PRIORS.iter().filter(|prior| prior.family != Family::Removal);
        assert!(others.map(|prior| bits(prior.family)).all(|bits| bits + 4.0 < super::bits(Family::Removal)));
    }
}
