//! Excerpts of the code that are needed to repair a failure: the lines it points at, and the definitions that are used there.

mod names;

use std::collections::{BTreeSet, VecDeque};

use autoheal_engine::diagnostics::Finding;

use crate::language::outline::Outline;
use crate::languages;
use crate::sources::Sources;
use crate::span::Span;
use crate::stack::stack_with_causes;

pub use names::{name_around, signatures};

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
    /// Maximum length of the failing test's file that is shown whole, in characters.
    pub test_characters: usize,
}

/// Maximum length of a definition that is included in full, in lines. A longer one is replaced by the lines
/// around the line in question, or left out when that line is not known.
const LONGEST_DEFINITION: u32 = 80;

/// Maximum number of places of a failure that are shown, of those that may be changed and of the others.
const MOST_PLACES: usize = 8;

/// Maximum length of a module-level statement that is shown with a test, in lines.
const LONGEST_STATEMENT: usize = 40;

/// Returns the code that matters for the failure, most important first: the failing test, whole and with what its
/// file prepares for it; the places that the failure points at, the deepest frame first; then definitions in
/// editable files whose names are used there, as far as there is room. Of the others, the signatures are shown.
pub fn excerpts(finding: &Finding, sources: &Sources, extent: Extent) -> Vec<Excerpt> {
    let mut shown = Shown { sources, extent, excerpts: Vec::new(), used: 0, signatures: Vec::new() };
    let mut queue: VecDeque<(String, Span)> = VecDeque::new();
    let mut places = places(finding, sources);
    if let Some(test) = places.iter().position(|(file, _)| !sources.is_editable(file)) {
        let (file, line) = places.remove(test);
        queue.extend(shown.test(&file, line).map(|span| (file, span)));
    }
    for (file, line) in places {
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
                    shown.prepare(file, span);
                    queue.push_back((file.to_owned(), span));
                } else {
                    shown.add_signature(file, span, outline);
                }
            }
        }
    }
    shown.excerpts.extend(shown.signatures);
    shown.excerpts
}

/// Returns the excerpts of each file in the order of its lines, those that touch or overlap as one; files are in the order in which
/// they first occur.
pub fn by_file(excerpts: Vec<Excerpt>, sources: &Sources) -> Vec<Vec<Excerpt>> {
    let mut files: Vec<Vec<Excerpt>> = Vec::new();
    for excerpt in excerpts {
        match files.iter_mut().find(|parts| parts.iter().any(|part| part.file == excerpt.file)) {
            Some(parts) => parts.push(excerpt),
            None => files.push(vec![excerpt]),
        }
    }
    for parts in &mut files {
        parts.sort_by_key(|part| (part.first_line, part.last_line));
        let mut joined: Vec<Excerpt> = Vec::new();
        for part in parts.drain(..) {
            let touched = joined.last_mut().filter(|last| part.first_line <= last.last_line.saturating_add(1));
            let whole = touched
                .as_ref()
                .and_then(|last| lines_of(sources, &part.file, last.first_line, last.last_line.max(part.last_line)));
            match touched.zip(whole) {
                Some((last, whole)) => *last = whole,
                None => joined.push(part),
            }
        }
        *parts = joined;
    }
    files
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
    /// Signatures of definitions for which there was no room.
    signatures: Vec<Excerpt>,
}

impl Shown<'_> {
    /// Adds the failing test: its whole file if that is short, else its function with the functions of its file that it uses, such as
    /// fixtures. Returns the span of the test.
    fn test(&mut self, file: &str, line: u32) -> Option<Span> {
        let text = self.sources.text(file)?;
        let outline = languages::outline(file, self.sources);
        if text.chars().count() <= self.extent.test_characters {
            self.add_lines(file, 1, u32::try_from(text.lines().count()).unwrap_or(u32::MAX));
            let span = line_span(text, line)?;
            let function = outline.and_then(|outline| outline.function_at(file, span.start));
            return Some(function.map_or(span, |function| function.span));
        }
        let span = self.around(file, line)?;
        let outline = outline?;
        let names: BTreeSet<&str> = words(text.get(span.start..span.end).unwrap_or_default()).collect();
        for (own, function) in names.iter().flat_map(|name| outline.namesakes(name)) {
            let (first, last) = outline.lines(own, function);
            if own == file && last - first < LONGEST_DEFINITION {
                self.add_lines(file, first, last);
            }
        }
        Some(span)
    }

    /// Adds the statements outside of functions, such as imports, whose names a piece of a file uses.
    fn prepare(&mut self, file: &str, span: Span) {
        let Some((outline, text)) = languages::outline(file, self.sources).zip(self.sources.text(file)) else { return };
        let names: BTreeSet<&str> = outline.names_in(file, span).into_iter().collect();
        for (first, last) in statements(text, &outline.loaded_lines(file), &names) {
            self.add_lines(file, first, last);
        }
    }

    /// Notes the signature of a definition, unless the definition is shown.
    fn add_signature(&mut self, file: &str, span: Span, outline: &dyn Outline) {
        let (first, _) = outline.lines(file, span);
        let is_known = |shown: &Excerpt| shown.file == file && shown.first_line <= first && first <= shown.last_line;
        let length = self.signatures.iter().map(|shown| shown.text.chars().count()).sum::<usize>();
        if self.excerpts.iter().chain(&self.signatures).any(is_known) {
            return;
        }
        let Some(head) = self.sources.text(file).and_then(|text| names::head(text, span)) else { return };
        let (first, end) = outline.lines(file, Span { start: head.start, end: head.end });
        let signature = lines_of(self.sources, file, first, end);
        let fits = |shown: &Excerpt| length + shown.text.chars().count() <= self.extent.characters / 8;
        self.signatures.extend(signature.filter(fits));
    }

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
        let span = function.unwrap_or(span);
        self.prepare(file, span);
        Some(span)
    }

    /// Adds lines of a file; returns whether there was room for them or they are included already.
    fn add_lines(&mut self, file: &str, first: u32, last: u32) -> bool {
        let covers =
            |excerpt: &Excerpt| excerpt.file == file && excerpt.first_line <= first && last <= excerpt.last_line;
        if self.excerpts.iter().any(covers) {
            return true;
        }
        let Some(excerpt) = lines_of(self.sources, file, first, last) else { return false };
        let length = excerpt.text.chars().count();
        if !self.excerpts.is_empty() && self.used + length > self.extent.characters {
            return false;
        }
        self.used += length;
        self.excerpts.push(excerpt);
        true
    }
}

/// Whole lines of a file, from 1; `None`: they are not in it.
fn lines_of(sources: &Sources, file: &str, first: u32, last: u32) -> Option<Excerpt> {
    let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let wanted = number(last.checked_sub(first)?).saturating_add(1);
    let lines: Vec<&str> =
        sources.text(file)?.split_inclusive('\n').skip(number(first).checked_sub(1)?).take(wanted).collect();
    let last_line = first.saturating_add(u32::try_from(lines.len()).unwrap_or(u32::MAX)).checked_sub(1)?;
    let (text, is_editable) = (lines.concat(), sources.is_editable(file));
    (!lines.is_empty()).then(|| Excerpt { file: file.to_owned(), first_line: first, last_line, text, is_editable })
}

/// The statements outside of functions that begin at the margin on one of these lines and have one of the names on it: first and
/// last line. A statement ends before the next line at the margin that does not close a bracket.
fn statements(text: &str, begins: &[u32], names: &BTreeSet<&str>) -> Vec<(u32, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_within = |line: &&str| line.starts_with([' ', '\t', ')', ']', '}']);
    let statement = |first: &u32| {
        let index = usize::try_from(*first).ok()?.checked_sub(1)?;
        let line = lines.get(index).filter(|line| !line.starts_with([' ', '\t']))?;
        words(line).any(|word| names.contains(word)).then_some(())?;
        let more = lines.get(index + 1..)?.iter().take(LONGEST_STATEMENT).take_while(|line| is_within(line)).count();
        Some((*first, first.saturating_add(u32::try_from(more).unwrap_or(u32::MAX))))
    };
    begins.iter().filter_map(statement).collect()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| !word.is_empty())
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
        let extent = Extent { context_lines: 1, characters: 1000, test_characters: 0 };
        let shown = excerpts(&finding(), &sources(), extent);
        let places: Vec<_> = shown.iter().map(|one| (one.file.as_str(), one.first_line, one.last_line)).collect();
        let test = [("tests/test_cart.py", 4, 5), ("tests/test_cart.py", 1, 1)];
        assert_eq!(places[..2], test);
        assert_eq!(places[2..], [("shop/cart.py", 8, 9), ("shop/cart.py", 1, 1), ("shop/tax.py", 1, 2)]);
        assert_eq!(shown[2].text, "def total(prices):\n    return with_tax(sum(prices)) + 1\n");
        assert!(!shown[0].is_editable && shown[2].is_editable);
        let files = by_file(shown, &sources());
        assert_eq!(files.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!((files[0][0].first_line, files[0][1].first_line), (1, 4));
        assert!(beginning("shop/tax.py", &sources(), extent).is_some_and(|one| one.text == TAX));
    }

    #[test]
    fn a_test_is_shown_with_what_its_file_prepares() {
        let text = "import pytest\nfrom shop.cart import total\n\nUNUSED = 1\nPRICES = [\n    1,\n    2,\n]\n\n\n@pytest.fixture\n\
                    def basket():\n    return PRICES\n\n\ndef test_other():\n    assert UNUSED\n\n\n\
                    def test_total(basket):\n    assert total(basket) == total(PRICES)\n";
        let mut sources = sources();
        sources.insert("tests/test_cart.py", text, true);
        let finding = Finding { location: Some(Location { line: 21, column: None }), ..finding() };
        let extent = Extent { context_lines: 1, characters: 1000, test_characters: 100 };
        let of_test = |extent| {
            let shown = excerpts(&finding, &sources, extent).into_iter().filter(|shown| !shown.is_editable);
            shown.map(|shown| (shown.first_line, shown.last_line)).collect::<Vec<_>>()
        };
        assert_eq!(of_test(extent), [(20, 21), (2, 2), (5, 8), (11, 13)]);
        assert_eq!(of_test(Extent { test_characters: 4000, ..extent }), [(1, 21)]);
    }

    #[test]
    fn where_there_is_no_room_signatures_are_shown() {
        let mut sources = sources();
        let long = format!("def with_tax(price):\n{}    return price\n", "    price += 1\n".repeat(90));
        sources.insert("shop/tax.py", long, false);
        let extent = Extent { context_lines: 1, characters: 1000, test_characters: 4000 };
        let shown = excerpts(&finding(), &sources, extent);
        assert_eq!(shown.last().map(|shown| shown.text.as_str()), Some("def with_tax(price):\n"));
        assert_eq!(signatures("shop/cart.py", &sources), ["def unrelated()", "def total(prices)"]);
        assert_eq!(name_around("shop/cart.py", CART.find("sum").unwrap(), &sources), Some("total"));
        assert_eq!(name_around("shop/cart.py", 0, &sources), None);
    }

    #[test]
    fn there_is_an_end_to_what_is_shown() {
        let shown = excerpts(&finding(), &sources(), Extent { context_lines: 1, characters: 20, test_characters: 0 });
        assert_eq!(shown.len(), 1);
        let elsewhere = Finding { file: Some("setup.toml".to_owned()), ..finding() };
        assert_eq!(
            excerpts(&elsewhere, &sources(), Extent { context_lines: 1, characters: 20, test_characters: 0 }),
            []
        );
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
        let shown = excerpts(&finding, &sources, Extent { context_lines: 1, characters: 1000, test_characters: 0 });
        let places: Vec<_> = shown.iter().map(|one| (one.file.as_str(), one.first_line, one.last_line)).collect();
        let test = [("test/cart.test.js", 3, 5), ("test/cart.test.js", 1, 1)];
        assert_eq!(places[..2], test);
        assert_eq!(places[2..], [("src/cart.js", 5, 7), ("src/cart.js", 1, 1), ("src/tax.js", 1, 3)]);
    }
}
