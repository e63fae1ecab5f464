//! Values that a test expects, and ways to perturb them, as a language finds them.

use crate::edit::Edit;
use crate::span::Span;

/// The place of a failure in a test.
#[derive(Debug, Clone, Default)]
pub struct TestPlace {
    /// The test's id, as reports have it.
    pub name: String,
    /// Lines of the test's file on the way to the failure, from 1, with a column where it is known; the deepest first.
    pub lines: Vec<(u32, Option<u32>)>,
    /// True if an assertion failed. Otherwise the program broke: a call of the test then does not count as a
    /// check, unless its name says so.
    pub is_asserted: bool,
}

/// Comparison that a test makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Two values have to be equal: with any other expected value, the test has to fail.
    Equality,
    /// Something is judged (`assert is_valid(x)`, `check(x, 3)`, `a < b`): another value may rightly be as good.
    Judgement,
    /// No comparison is known, only where the test ends.
    Unknown,
}

/// Way in which a value is perturbed; its number is an argument of the helper function that is appended to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Near = 0,
    FarUp = 1,
    FarDown = 2,
    NearDown = 3,
    /// The value becomes empty; an empty value becomes another value.
    Empty = 4,
}

/// Places of one text that are perturbed together.
pub(crate) type Mutation = Vec<(Span, How)>;

/// Perturbations that a language finds for a test.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) form: Form,
    pub(crate) any: Vec<Mutation>,
    pub(crate) each: Vec<Mutation>,
    /// The places of a computed value and of an expected one, if a call judges just these two.
    pub(crate) pair: Option<(Span, Span)>,
    /// Something is wanted not to be.
    pub(crate) is_negative: bool,
}

impl Plan {
    pub(crate) const fn new(form: Form, any: Vec<Mutation>) -> Self {
        Self { form, any, each: Vec::new(), pair: None, is_negative: false }
    }

    /// Nothing is known to perturb.
    pub(crate) const fn nothing() -> Self {
        Self::new(Form::Unknown, Vec::new())
    }

    /// The same of what must not be.
    pub(crate) fn negative(self) -> Self {
        Self { is_negative: true, ..self }
    }

    /// Combines the plans for several assertions: one text perturbs
    /// all of them, and any of them has to notice.
    pub(crate) fn together(plans: Vec<Self>) -> Self {
        let all: Mutation = plans.into_iter().filter_map(|plan| plan.any.into_iter().next()).flatten().collect();
        if all.is_empty() { Self::nothing() } else { Self::new(Form::Judgement, vec![all]) }
    }
}

/// A test as its language reads it.
pub(crate) enum Found {
    /// An example in a text, and the edits after which it expects something else.
    Example(Vec<Edit>),
    /// A test in code.
    Code {
        /// Perturbations of the expected values.
        plan: Plan,
        /// Edit that makes the test fail at its end.
        failing: Option<Edit>,
        /// The function that gives another value, to be put at the end of the file.
        other: String,
        /// An expression in a call of that function.
        wrapped: fn(&str, How) -> String,
    },
}

/// The last part of a test's id, parameters left out: the name of its function, or its title.
pub(crate) fn last_name(id: &str) -> &str {
    let plain = id.split_once('[').map_or(id, |(plain, _)| plain);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    last.rsplit(['.', '>']).next().unwrap_or(last).trim()
}

/// Returns the ways to perturb an argument of a call that judges. Next to a computed argument it is the expected value. Otherwise the call is a
/// predicate of the program and the argument its input (`is_asked_about`), of which a predicate may read the length alone.
pub(crate) const fn ways_of_argument(is_number: bool, is_asked_about: bool) -> &'static [How] {
    match (is_number, is_asked_about) {
        (true, _) => &[How::FarUp, How::FarDown],
        (false, true) => &[How::FarUp, How::Empty],
        (false, false) => &[How::FarUp],
    }
}

/// Returns whether words of a name suggest a comparison with a tolerance.
pub(crate) fn is_approximate(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["almost", "approx", "close", "within", "near"].iter().any(|word| name.contains(word))
}

/// Returns whether words of a name suggest a comparison for equality, or
/// that one value is what another should be.
pub(crate) fn is_equality(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let says = ["equal", "eql", "same", "tobe", "called_with", "called_once_with", "calledwith", "calls", "snapshot"];
    !name.contains("not")
        && (says.iter().any(|word| name.contains(word)) || matches!(name.as_str(), "is" | "eq" | "be"))
}

/// Returns whether words of a name suggest a comparison of the order of values.
pub(crate) fn is_ordering(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["greater", "less", "above", "below", "least", "most", "order"].iter().any(|word| name.contains(word))
}
