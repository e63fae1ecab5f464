//! Excerpts of the code that are needed to repair a failure: the lines it points at, and the definitions that are used there.

use std::collections::{BTreeSet, VecDeque};

use autoheal_engine::diagnostics::Finding;

use super::blame::{Blame, Place};
use crate::environment::Environment;
use crate::fix::FixContext;

use crate::python::index::Index;
use crate::python::module::{Role, Span};
use crate::sources::Sources;

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

/// Maximum number of definitions with one name: beyond it, the name does not tell which one is meant.
pub(in crate::python) const MOST_NAMESAKES: usize = 3;

/// Returns the code that matters for the failure, most important first: the places that it points at, the
/// deepest frame first; then, as far as there is room, definitions in editable files whose names are used
/// there.
pub fn excerpts(finding: &Finding, sources: &Sources, extent: Extent) -> Vec<Excerpt> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    let mut shown = Shown { sources, index: sources.index(), extent, excerpts: Vec::new(), used: 0 };
    if blame.all_places().next().is_none() {
        shown.around_finding(finding);
        return shown.excerpts;
    }
    let mut queue: VecDeque<(String, Span)> = VecDeque::new();
    for place in blame.all_places() {
        queue.extend(shown.around(place).map(|span| (place.file.clone(), span)));
    }
    let mut seen = BTreeSet::new();
    while let Some((file, span)) = queue.pop_front() {
        for name in names_in(shown.index, &file, span) {
            if !seen.insert(name.to_owned()) {
                continue;
            }
            let definitions = definitions(shown.index, sources, name);
            if definitions.len() > MOST_NAMESAKES {
                continue;
            }
            for (file, span) in definitions {
                if shown.add(file, span) {
                    queue.push_back((file.to_owned(), span));
                }
            }
        }
    }
    shown.excerpts
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

/// The names that a piece of code uses, in its order.
pub(in crate::python) fn names_in<'a>(index: &'a Index, file: &str, span: Span) -> impl Iterator<Item = &'a str> {
    let words = index.module(file).map(|module| module.words.as_slice()).unwrap_or_default();
    let used = |role: Role| matches!(role, Role::Load | Role::Attribute | Role::Imported);
    words.iter().filter(move |word| span.contains(word.span) && used(word.role)).map(|word| word.text.as_str())
}

/// The functions and classes of that name in files that may be changed.
pub(in crate::python) fn definitions<'a>(index: &'a Index, sources: &Sources, name: &str) -> Vec<(&'a str, Span)> {
    let editable = index.modules().filter(|(file, _)| sources.is_editable(file));
    editable
        .flat_map(|(file, module)| {
            let functions = module.functions.iter().filter(|function| function.name == name);
            let classes = module.classes.iter().filter(|class| class.name == name);
            let spans = functions.map(|function| function.span).chain(classes.map(|class| class.span));
            spans.map(move |span| (file, span)).collect::<Vec<_>>()
        })
        .collect()
}

struct Shown<'a> {
    sources: &'a Sources,
    index: &'a Index,
    extent: Extent,
    excerpts: Vec<Excerpt>,
    used: usize,
}

impl Shown<'_> {
    /// Adds the lines around a place, with the function that contains it; returns the span of that function, or
    /// of the line.
    fn around(&mut self, place: &Place) -> Option<Span> {
        let module = self.index.module(&place.file)?;
        let line = module.line_span(place.line)?;
        let function = module.function_at(line.start).map(|function| function.span);
        let lines = |span: Span| (module.line_of(span.start), module.line_of(span.end.saturating_sub(1)));
        let near = (
            place.line.saturating_sub(self.extent.context_lines).max(1),
            place.line.saturating_add(self.extent.context_lines),
        );
        let (first, last) = match function.map(lines) {
            Some((first, last)) if last - first < LONGEST_DEFINITION => (first.min(near.0), last.max(near.1)),
            _ => near,
        };
        self.add_lines(&place.file, first, last);
        Some(function.unwrap_or(line))
    }

    /// Adds the lines around the finding's own location: for files other than Python, and for findings without
    /// a known place.
    fn around_finding(&mut self, finding: &Finding) {
        let Some(file) = &finding.file else { return };
        let line = finding.location.map_or(1, |location| location.line);
        let reach = self.extent.context_lines;
        self.add_lines(file, line.saturating_sub(reach).max(1), line.saturating_add(reach));
    }

    fn add(&mut self, file: &str, span: Span) -> bool {
        let Some(module) = self.index.module(file) else { return false };
        let (first, last) = (module.line_of(span.start), module.line_of(span.end.saturating_sub(1)));
        last - first < LONGEST_DEFINITION && self.add_lines(file, first, last)
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
}
