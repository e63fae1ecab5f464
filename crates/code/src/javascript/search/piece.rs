//! The part of a file that is parsed to know whether the file still parses: the innermost function around a change that can be read on
//! its own, or else all of it.

use std::cell::OnceCell;

use crate::edit::{Edit, apply_within};
use crate::javascript::module::{Function, Module};
use crate::javascript::parse;
use crate::span::Span;

/// A function that can be parsed on its own, with the text that has to surround it.
#[derive(Debug)]
pub(super) struct Piece {
    span: Span,
    before: &'static str,
    /// True if it can indeed be read on its own; determined when first needed.
    is_readable: OnceCell<bool>,
}

impl Piece {
    fn code(&self, function: &str) -> String {
        let after = if self.before.ends_with('(') { ")" } else { "}" };
        format!("{}{function}\n{after};\n", self.before)
    }
}

/// Shorter texts are read whole: that takes as little time.
const SHORT: usize = 2_000;

/// The functions of a file with braces, outer ones first.
pub(super) fn pieces(text: &str, module: &Module) -> Vec<Piece> {
    if text.len() < SHORT {
        return Vec::new();
    }
    let piece = |function: &Function| Piece {
        span: function.span,
        before: before(text, function),
        is_readable: OnceCell::new(),
    };
    module.functions.iter().filter(|function| function.braces.is_some()).map(piece).collect()
}

/// A method's own text begins with its parameters.
fn before(text: &str, function: &Function) -> &'static str {
    let is_method = function.span.text(text).starts_with(['(', '<'])
        && !function
            .span
            .text(text)
            .get(..function.parameters_span.end.saturating_sub(function.span.start) + 8)
            .is_some_and(|head| head.contains("=>"));
    match (is_method, function.name.as_str(), function.is_async, function.is_generator) {
        (false, ..) => "(",
        (true, "constructor", ..) => "class A extends B { constructor",
        (true, _, true, true) => "class A extends B { async * a",
        (true, _, true, false) => "class A extends B { async a",
        (true, _, false, true) => "class A extends B { * a",
        (true, _, false, false) => "class A extends B { a",
    }
}

/// Returns whether the text, which parsed before, parses with the edits.
pub(super) fn parses(file: &str, text: &str, pieces: &[Piece], edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return false };
    let edited = Span { start: first.start, end: last.end };
    let whole = Span { start: 0, end: text.len() };
    // Within its outermost bytes: text inserted before or after it does not belong to it.
    let inner = |span: Span| span.start < edited.start && edited.end < span.end;
    let around = pieces.iter().rev().filter(|piece| inner(piece.span));
    let readable = around
        .min_by_key(|piece| piece.span.end - piece.span.start)
        .filter(|piece| *piece.is_readable.get_or_init(|| parse::compiles(file, &piece.code(piece.span.text(text)))));
    match readable {
        Some(piece) => {
            apply_within(text, edits, piece.span).is_some_and(|code| parse::compiles(file, &piece.code(&code)))
        }
        None => apply_within(text, edits, whole).is_some_and(|code| parse::compiles(file, &code)),
    }
}
