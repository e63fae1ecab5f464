//! Excerpts of the code that are needed to repair a failure: the lines it points at, and the definitions that are used there.

use std::collections::{BTreeSet, VecDeque};

use autoheal_engine::diagnostics::Finding;

use crate::languages;
use crate::sources::Sources;
use crate::span::Span;
use crate::stack::stack_with_causes;

/// Whole lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// First line of the excerpt, from 1.
    pub first_line: u32,
    /// Last line of the excerpt, from 1.
    pub last_line: u32,
    /// Text of the lines.
    pub text: String,
    /// True if the file may be changed.
    pub is_editable: bool,
}

/// Limits on the size of excerpts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Lines before and after the one in question (spec `get_code_context`).
    pub context_lines: u32,
    /// Maximum length of all excerpts together, in characters; the first one is included whatever its length.
    pub characters: usize,
}

/// Maximum length of a definition that is included in full, in lines. A longer one is replaced by the lines
/// around the line in question, or left out when that line is not known.
const LONGEST_DEFINITION: u32 = 80;

/// Maximum number of places of a failure that are shown, of those that may be changed and of the others.
const MOST_PLACES: usize = 8;

/// Returns the code that matters for the failure, most important first: the places that it points at, the
/// deepest frame first; then, as far as there is room, definitions in editable files whose names are used
/// there.
pub fn excerpts(finding: &Finding, sources: &Sources, extent: Extent) -> Vec<Excerpt> {
    let mut shown = Shown { sources, extent, excerpts: Vec::new(), used: 0 };
    let mut queue: VecDeque<(String, Span)> = VecDeque::new();
    for (file, line) in places(finding, sources) {
        queue.extend(shown.around(&file, line).map(|span| (file, span)));
    }
    let mut seen = BTreeSet::new();
    while let Some((file, span)) = queue.pop_front() {
        let Some(outline) = languages::outline(&file, sources) else { continue };
        for name in outline.names_in(&file, span) {
            if !seen.insert(name) {
                continue;
            }
            for (file, span) in outline.definitions(sources, name) {
                let (first, last) = outline.lines(file, span);
                if last - first < LONGEST_DEFINITION && shown.add_lines(file, first, last) {
                    queue.push_back((file.to_owned(), span));
                }
            }
        }
    }
    shown.excerpts
}

/// The lines that a failure points at, from 1: those of files that may be changed first, the deepest first.
fn places(finding: &Finding, sources: &Sources) -> Vec<(String, u32)> {
    let frames = stack_with_causes(finding, sources);
    let line = finding.location.map(|location| location.line).or(frames.is_empty().then_some(1));
    let own = finding.file.clone().zip(line);
    let mut seen = BTreeSet::new();
    let frames = frames.into_iter().map(|frame| (frame.file, frame.line));
    let all = frames.chain(own).filter(|place| sources.text(&place.0).is_some() && seen.insert(place.clone()));
    let (mut places, mut witnesses): (Vec<_>, Vec<_>) = all.partition(|(file, _)| sources.is_editable(file));
    places.truncate(MOST_PLACES);
    witnesses.truncate(MOST_PLACES);
    places.into_iter().chain(witnesses).collect()
}

/// Returns a file from its beginning, as far as the extent allows: for a file that was requested by name.
pub fn beginning(file: &str, sources: &Sources, extent: Extent) -> Option<Excerpt> {
    let mut room = extent.characters;
    let fits = |line: &&str| {
        let left = room.checked_sub(line.chars().count());
        room = left.unwrap_or_default();
        left.is_some()
    };
    let lines: Vec<&str> = sources.text(file)?.split_inclusive('\n').take_while(fits).collect();
    let last_line = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let (text, is_editable) = (lines.concat(), sources.is_editable(file));
    (last_line > 0).then(|| Excerpt { file: file.to_owned(), first_line: 1, last_line, text, is_editable })
}

struct Shown<'a> {
    sources: &'a Sources,
    extent: Extent,
    excerpts: Vec<Excerpt>,
    used: usize,
}

impl Shown<'_> {
    /// Adds the lines around a line, with the function that contains it; returns the span of that function, or of the line.
    fn around(&mut self, file: &str, line: u32) -> Option<Span> {
        let span = line_span(self.sources.text(file)?, line)?;
        let outline = languages::outline(file, self.sources);
        let function = outline.and_then(|outline| outline.function_at(file, span.start)).map(|function| function.span);
        let reach = self.extent.context_lines;
        let near = (line.saturating_sub(reach).max(1), line.saturating_add(reach));
        let (first, last) = match outline.zip(function).map(|(outline, function)| outline.lines(file, function)) {
            Some((first, last)) if last - first < LONGEST_DEFINITION => (first.min(near.0), last.max(near.1)),
            _ => near,
        };
        self.add_lines(file, first, last);
        Some(function.unwrap_or(span))
    }

    /// Adds lines of a file; returns whether there was room for them or they are included already.
    fn add_lines(&mut self, file: &str, first: u32, last: u32) -> bool {
        let covers =
            |excerpt: &Excerpt| excerpt.file == file && excerpt.first_line <= first && last <= excerpt.last_line;
        if self.excerpts.iter().any(covers) {
            return true;
        }
        let Some(text) = self.sources.text(file) else { return false };
        let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
        let lines: Vec<&str> =
            text.split_inclusive('\n').skip(number(first) - 1).take(number(last - first) + 1).collect();
        let shown: String = lines.concat();
        let length = shown.chars().count();
        if lines.is_empty() || (!self.excerpts.is_empty() && self.used + length > self.extent.characters) {
            return false;
        }
        self.used += length;
        let last_line = first.saturating_add(u32::try_from(lines.len()).unwrap_or(u32::MAX)).saturating_sub(1);
        self.excerpts.push(Excerpt {
            file: file.to_owned(),
            first_line: first,
            last_line,
            text: shown,
            is_editable: self.sources.is_editable(file),
        });
        true
    }
}

/// The text of a line, from 1, without the blanks before it.
fn line_span(text: &str, line: u32) -> Option<Span> {
    let before = usize::try_from(line.checked_sub(1)?).ok()?;
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines.by_ref().take(before).map(str::len).sum();
    let own = lines.next()?;
    let blanks = own.len() - own.trim_start().len();
    Some(Span { start: start + blanks, end: start + own.len() })
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Category, Location, Source};

    use super::*;

    const TEST: &str = "from shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n";
    const CART: &str = "from shop.tax import with_tax\n\n\ndef unrelated():\n    pass\n\n\ndef total(prices):\n    return with_tax(sum(prices)) + 1\n";
    const TAX: &str = "def with_tax(price):\n    return price\n";

    fn sources() -> Sources {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("shop/cart.py", CART, false);
        sources.insert("shop/tax.py", TAX, false);
        sources.insert("tests/test_cart.py", TEST, true);
        sources
    }

    fn finding() -> Finding {
        Finding {
            source: Source::Test,
            category: Category::Logic,
            file: Some("tests/test_cart.py".to_owned()),
            location: Some(Location { line: 5, column: None }),
            message: "AssertionError: assert 4 == 3".to_owned(),
            stack: None,
        }
    }

    #[test]
    fn the_failing_line_and_what_it_calls_is_shown() {
        let extent = Extent { context_lines: 1, characters: 1000 };
        let shown = excerpts(&finding(), &sources(), extent);
        let places: Vec<_> = shown.iter().map(|one| (one.file.as_str(), one.first_line, one.last_line)).collect();
        assert_eq!(places, [("tests/test_cart.py", 4, 5), ("shop/cart.py", 8, 9), ("shop/tax.py", 1, 2)]);
        assert_eq!(shown[1].text, "def total(prices):\n    return with_tax(sum(prices)) + 1\n");
        assert!(!shown[0].is_editable && shown[1].is_editable);
        assert!(beginning("shop/tax.py", &sources(), extent).is_some_and(|one| one.text == TAX));
    }

    #[test]
    fn there_is_an_end_to_what_is_shown() {
        let shown = excerpts(&finding(), &sources(), Extent { context_lines: 1, characters: 20 });
        assert_eq!(shown.len(), 1);
        let elsewhere = Finding { file: Some("setup.toml".to_owned()), ..finding() };
        assert_eq!(excerpts(&elsewhere, &sources(), Extent { context_lines: 1, characters: 20 }), []);
    }

    #[test]
    fn javascript_is_shown_as_python_is() {
        let mut sources = Sources::new(Vec::new());
        let cart = "const { withTax } = require('./tax');\n\nfunction unrelated() {}\n\nfunction total(prices) {\n  \
                    return withTax(prices.reduce((a, b) => a + b)) + 1;\n}\n\nmodule.exports = { total };\n";
        sources.insert("src/cart.js", cart, false);
        sources.insert("src/tax.js", "exports.withTax = function withTax(price) {\n  return price;\n};\n", false);
        sources.insert(
            "test/cart.test.js",
            "const { total } = require('../src/cart');\n\ntest('total', () => {\n  expect(total([1, 2])).toBe(3);\n});\n",
            true,
        );
        let finding = Finding {
            file: Some("test/cart.test.js".to_owned()),
            location: Some(Location { line: 4, column: None }),
            message: "expect(received).toBe(expected)".to_owned(),
            stack: Some("Error\n    at Object.<anonymous> (test/cart.test.js:4:25)\n".to_owned()),
            ..finding()
        };
        let shown = excerpts(&finding, &sources, Extent { context_lines: 1, characters: 1000 });
        let places: Vec<_> = shown.iter().map(|one| (one.file.as_str(), one.first_line, one.last_line)).collect();
        assert_eq!(places, [("test/cart.test.js", 3, 5), ("src/cart.js", 5, 7), ("src/tax.js", 1, 3)]);
    }
}
