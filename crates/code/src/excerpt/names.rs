//! Names and signatures of the functions of a file.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::language::outline::Outline;
use crate::languages;
use crate::sources::Sources;
use crate::span::Span;

/// Returns the signatures of a file's functions, in its order; empty for a file in no known language.
pub fn signatures<'s>(file: &str, sources: &'s Sources) -> Vec<&'s str> {
    let Some((outline, text)) = languages::outline(file, sources).zip(sources.text(file)) else { return Vec::new() };
    let mut spans: Vec<Span> = functions(file, outline).into_iter().map(|(_, span)| span).collect();
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let signature = |span: Span| {
        let head = text.get(head(text, span)?)?.trim();
        Some(head.trim_end_matches([' ', '\t', ':', '{']))
    };
    spans.into_iter().filter_map(signature).collect()
}

/// Returns the name of the innermost function or class around a byte of a file; `None` outside of all.
pub fn name_around<'s>(file: &str, at: usize, sources: &'s Sources) -> Option<&'s str> {
    let outline = languages::outline(file, sources)?;
    let around = functions(file, outline).into_iter().filter(|(_, span)| span.start <= at && at < span.end);
    around.min_by_key(|(_, span)| span.end - span.start).map(|(name, _)| name)
}

/// The functions and classes of a file that have a name.
fn functions<'s>(file: &str, outline: &'s dyn Outline) -> Vec<(&'s str, Span)> {
    let names: BTreeSet<&str> = outline.functions(file).into_iter().collect();
    let of = |name: &'s str| {
        let namesakes = outline.namesakes(name).into_iter().filter(|(other, _)| *other == file);
        namesakes.map(move |(_, span)| (name, span)).collect::<Vec<_>>()
    };
    names.into_iter().flat_map(of).collect()
}

/// Maximum length of a signature with its decorators and attributes, in lines.
const LONGEST_HEAD: usize = 20;

/// The head of a definition: behind its decorators, up to the line that closes its parameters.
pub(super) fn head(text: &str, span: Span) -> Option<Range<usize>> {
    let (mut start, mut end) = (span.start, span.start);
    let (mut depth, mut is_decorator) = (0_i32, false);
    for line in text.get(span.start..span.end)?.split_inclusive('\n').take(LONGEST_HEAD) {
        if depth == 0 {
            is_decorator = line.trim_start().starts_with(['@', '#']);
        }
        for character in line.chars() {
            match character {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        end += line.len();
        if depth <= 0 {
            depth = 0;
            if !is_decorator {
                break;
            }
            start = end;
        }
    }
    Some(start..end)
}
