//! Faults in the regular expressions of a file. Their parser
//! recurses, so each is checked before it is parsed.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::RegExpLiteral;
use oxc_regular_expression::{LiteralParser, Options};
use oxc_semantic::Semantic;
use oxc_span::GetSpan;

use super::place::{Place, place};
use crate::recursion::MAX_BRACKETS;

/// Maximum number of named groups: each is compared with all others.
const MAX_NAMES: usize = 255;

/// Everything that is wrong with regular expressions, in order of the text.
pub(super) fn faults(allocator: &Allocator, semantic: &Semantic<'_>) -> Vec<Place> {
    let literals = semantic.nodes().iter().filter_map(|node| match node.kind() {
        AstKind::RegExpLiteral(literal) => Some(literal),
        _ => None,
    });
    literals.filter_map(|literal| fault(allocator, literal)).collect()
}

fn fault(allocator: &Allocator, literal: &RegExpLiteral<'_>) -> Option<Place> {
    let span = literal.span();
    let pattern = literal.regex.pattern.text.as_str();
    let flags = literal.raw.as_ref().and_then(|raw| raw.as_str().get(pattern.len() + 2..)).unwrap_or_default();
    if too_deep(pattern) || pattern.matches("(?<").count() > MAX_NAMES {
        let message = "Invalid regular expression: it is too long or nested too deeply to be parsed".to_owned();
        let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        return Some((message, size(span.start), size(span.end)));
    }
    let pattern_span_offset = span.start + 1;
    let flags_span_offset = pattern_span_offset + u32::try_from(pattern.len()).ok()? + 1;
    let options = Options { pattern_span_offset, flags_span_offset };
    let pattern = allocator.alloc_str(pattern);
    let error = LiteralParser::new(allocator, pattern, Some(flags), options).parse().err()?;
    Some(place(&error.message, error.labels.first()))
}

/// Returns whether groups, or classes in classes, are nested deeper than brackets of code may be.
fn too_deep(pattern: &str) -> bool {
    let (mut groups, mut classes) = (0_usize, 0_usize);
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            // Of `[` in a class only the flags tell whether it begins another: taken for one, it keeps what follows from ending groups.
            b'[' => classes += 1,
            b']' => classes = classes.saturating_sub(1),
            b'(' => groups += 1,
            b')' if classes == 0 => groups = groups.saturating_sub(1),
            _ => {}
        }
        if groups > MAX_BRACKETS || classes > MAX_BRACKETS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::too_deep;

    #[test]
    fn groups_and_classes_are_counted() {
        for (unit, count, deep) in [
            ("(", 300, true),
            ("([)]", 300, true),
            ("(?:a|", 300, true),
            ("[", 300, true),
            ("(a)", 3_000, false),
            ("[(]", 150, false),
        ] {
            assert_eq!(too_deep(&unit.repeat(count)), deep, "{unit}");
        }
    }
}
