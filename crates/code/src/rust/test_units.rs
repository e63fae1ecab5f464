//! The tests in a Rust file: what its attributes say is built for tests only. All else is program, for it has to be built without them.

use std::collections::BTreeSet;

use super::attributes;
use super::module::Module;
use crate::language::units::{Unit, UnitKind, Units};
use crate::span::Span;

/// Pieces of text of which a file with tests holds at least one.
pub(super) const SIGNS: &[&str] = &["test", "```", "proptest!", "quickcheck!"];

/// Number of tests that begin in a text that may not parse, by their attributes.
pub(super) fn begun(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| line.starts_with("#[") && attributes::is_of_test(line)).count()
}

/// Reads the items of a file.
pub(super) fn read(text: &str) -> Units {
    let module = Module::read(text);
    let names = |span: Span| -> BTreeSet<String> {
        let inside = module.words.iter().filter(|word| span.contains(word.span));
        inside.map(|word| word.text.clone()).collect()
    };
    let unit = |item: &super::module::Item| Unit {
        span: item.span,
        kind: if item.is_test { UnitKind::Test } else { UnitKind::Definition },
        binds: item.name.iter().cloned().collect(),
        uses: names(item.span),
        is_offered: item.is_public,
    };
    let example = |span: &Span| {
        let words =
            span.text(text).split(|one: char| !one.is_alphanumeric() && one != '_').filter(|word| !word.is_empty());
        (*span, words.map(str::to_owned).collect())
    };
    Units {
        all: module.items.iter().map(unit).collect(),
        examples: module.examples.iter().map(example).collect(),
        words: module.words.iter().map(|word| (word.text.clone(), word.span)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::test_regions::{Surroundings, TestRegions};

    #[test]
    fn tests_are_apart_from_the_program_around_them() {
        let text = "pub fn add(a: u8) -> u8 { helper(a) }\n\nfn helper(a: u8) -> u8 { a }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n}\n";
        let regions = TestRegions::of("src/lib.rs", text, &Surroundings::default());
        assert!(regions.are_in_program());
        assert!(regions.contain(text.find("adds").unwrap()));
        assert!(!regions.contain(text.find("helper(a: u8)").unwrap()));
        assert_eq!(super::begun(text), 2);
    }
}
