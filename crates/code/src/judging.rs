//! Signs in a file that it judges programs instead of being one: it says what a test framework says, or fails as assertions do.

use crate::languages;
use crate::sources::Sources;

/// Methods that decide whether a value is the expected one, when the expected value is an object of their class.
const COMPARISONS: [&str; 5] = ["__eq__", "__ne__", "__bool__", "__contains__", "asymmetricMatch"];

/// Returns whether a file shows one of these signs. In a file that only tests load, a sign means that the
/// file belongs to them; a program may show one, too.
pub fn judges(file: &str, sources: &Sources) -> bool {
    languages::of(file).is_some_and(|language| language.judges(file, sources))
}

/// Returns whether a file defines how its objects compare with others. Of a file that nothing but tests load, and that none of them is about,
/// it means that the objects are what the tests expect.
pub fn compares(file: &str, sources: &Sources) -> bool {
    let functions = languages::outline(file, sources).map(|outline| outline.functions(file)).unwrap_or_default();
    functions.into_iter().any(|name| COMPARISONS.contains(&name))
}

/// Returns whether a file defines only values.
pub fn holds_only_values(file: &str, sources: &Sources) -> bool {
    languages::outline(file, sources).is_some_and(|outline| outline.holds_only_values(file))
}
