//! Broken part of a file: the statements that do not parse on their own, and the lines in which the cause may be.

use std::ops::{Deref, Range};

use crate::edit::{Edit, moved};
use crate::python::grammar::GRAMMAR;
use crate::python::parse::{self, Fault};
use crate::python::tokens::{self, Kind};
use crate::repair::region::{Region, floor, line_start, lines};

/// The broken part of a file.
pub(super) struct Site<'text> {
    /// Region in which repairs are sought. Its chunk consists of whole top-level statements outside of which everything parses: an
    /// edit within the chunk heals the file exactly when the chunk parses afterwards.
    region: Region<'text>,
    /// The interpreter's version, when it is known.
    pub(super) version: Option<(u8, u8)>,
    /// Text before and after the chunk when it is parsed on its own.
    frame: Frame,
}

/// Lines above the fault that belong to the window, and how far up an unclosed bracket or string may stretch it.
const LINES_ABOVE: usize = 6;
const MAX_LINES_ABOVE: usize = 60;
/// Maximum number of boundaries between top-level statements that are tried on each side before the whole file is used.
const MAX_BOUNDARIES: usize = 10;

/// Words that begin a statement, and hardly ever a line of prose.
const BEGINNINGS: [&str; 12] =
    ["def", "class", "async", "import", "from", "if", "for", "while", "try", "with", "del", "assert"];

impl<'text> Deref for Site<'text> {
    type Target = Region<'text>;

    fn deref(&self) -> &Self::Target {
        &self.region
    }
}

impl<'text> Site<'text> {
    /// Finds the broken part of a text that has these faults; `line` is the line, from 1, at which another tool
    /// reported the error.
    pub(super) fn find(
        text: &'text str,
        version: Option<(u8, u8)>,
        faults: &[Fault],
        line: Option<u32>,
    ) -> Option<Self> {
        let first = faults.first()?;
        let focus = floor(text, first.end.max(first.start + 1));
        let reported = line.and_then(|line| line_start(text, line)).filter(|start| *start <= focus).unwrap_or(focus);
        let fault = floor(text, first.start);
        let statements = chunk(text, version, fault);
        let (chunk, frame) =
            definition(text, version, &statements, fault).unwrap_or_else(|| (statements, Frame::default()));
        let window = window(text, &chunk, first.start.min(reported), focus);
        let region = Region::new(&GRAMMAR, text, chunk, window, focus)?;
        Some(Self { region, version, frame })
    }

    /// The chunk after edits that lie within it, as a module of its own.
    pub(super) fn edited(&self, edits: &[Edit]) -> Option<String> {
        let mut edited = self.frame.before.clone();
        splice(&mut edited, self.text, &self.chunk, edits)?;
        edited.push_str(&self.frame.after);
        Some(edited)
    }

    /// Returns the position of a byte of the text in [`Self::edited`], provided that no edit lies before it.
    pub(super) fn place_in_edited(&self, at: usize) -> usize {
        at.saturating_sub(self.chunk.start) + self.frame.before.len()
    }

    /// Returns the position in [`Self::edited`] of the place at which the parser noticed the fault.
    pub(super) fn focus_in_edited(&self, edits: &[Edit]) -> usize {
        self.place_in_edited(moved(self.focus, edits))
    }
}

/// Appends `range` of the text after the edits; `None` when they do not fit.
fn splice(result: &mut String, text: &str, range: &Range<usize>, edits: &[Edit]) -> Option<()> {
    let mut position = range.start;
    for edit in edits {
        if edit.end > range.end {
            return None;
        }
        result.push_str(text.get(position..edit.start)?);
        result.push_str(&edit.replacement);
        position = edit.end;
    }
    result.push_str(text.get(position..range.end)?);
    Some(())
}

fn begins_statement(line: &str, word: &str) -> bool {
    let rest = line[word.len()..].trim_start_matches(|part: char| part.is_alphanumeric() || "._[]'\"".contains(part));
    let rest = rest.trim_start();
    line.starts_with('@') || BEGINNINGS.contains(&word) || !word.is_empty() && rest.starts_with(['=', '(', '+'])
}

/// Starts of lines at which a top-level statement may begin.
fn boundaries(text: &str) -> Vec<usize> {
    let mut boundaries = Vec::new();
    let mut decorated = false;
    for (start, line) in lines(text) {
        let word =
            line.split(|character: char| !character.is_alphanumeric() && character != '_').next().unwrap_or_default();
        if begins_statement(line, word) {
            if !decorated {
                boundaries.push(start);
            }
            decorated = line.starts_with('@');
        }
    }
    boundaries
}

/// Indices to try: the nearest ones, then ever farther.
fn strides(count: usize) -> impl Iterator<Item = usize> {
    (0..5.min(count))
        .chain((0..).map(|power| 5_usize << power).take_while(move |index| *index < count))
        .take(MAX_BOUNDARIES)
}

fn chunk(text: &str, version: Option<(u8, u8)>, fault: usize) -> Range<usize> {
    let boundaries = boundaries(text);
    let split = boundaries.partition_point(|boundary| *boundary <= fault);
    let (before, after) = boundaries.split_at(split);
    // One block more than needed: a line that lost its indentation splits the block it belongs to, and both parts may parse.
    let is_block = |start: usize| {
        let rest = &text[start..];
        ["def ", "class ", "async ", "@", "if ", "for ", "while ", "try", "with "]
            .iter()
            .any(|word| rest.starts_with(word))
    };
    let start = strides(before.len())
        .map(|index| before.len() - 1 - index)
        .find(|index| parse::compiles(&text[..before[*index]], version))
        .map_or(0, |index| {
            let block = before[..index].iter().rev().take(12).copied().find(|start| is_block(*start));
            match block {
                Some(block) if parse::compiles(&text[..block], version) => block,
                Some(_) | None => before[index],
            }
        });
    let end = strides(after.len())
        .map(|index| after[index])
        .find(|start| parse::compiles(&text[*start..], version))
        .unwrap_or(text.len());
    start..end
}

/// Text that makes a module of an indented block: a header before it, and a statement of its own level on both sides, so that
/// nothing in the block can change the level around it.
#[derive(Debug, Default)]
struct Frame {
    before: String,
    after: String,
}

impl Frame {
    fn new(header: &str, level: &str) -> Self {
        Self { before: format!("{header}\n{level}pass\n"), after: format!("{level}pass\n") }
    }
}

/// The innermost definition around the fault that can be repaired on its own: without it, what is around it compiles.
fn definition(
    text: &str,
    version: Option<(u8, u8)>,
    chunk: &Range<usize>,
    fault: usize,
) -> Option<(Range<usize>, Frame)> {
    let mut definitions: Vec<(usize, &str, &str)> = Vec::new();
    let mut levels: Vec<(usize, &str)> = Vec::new();
    let mut decorated = false;
    for (start, line) in lines(&text[chunk.clone()]) {
        let code = line.trim_start_matches([' ', '\t']);
        let level = &line[..line.len() - code.len()];
        let defines = ["def ", "class ", "async def ", "@"].iter().any(|word| code.starts_with(word));
        if defines && !decorated {
            definitions.push((chunk.start + start, level, code));
        }
        decorated = code.starts_with('@');
        if !code.is_empty() && !code.starts_with(['#', ')', ']', '}']) {
            levels.push((chunk.start + start, level));
        }
    }
    let fault_line = levels.partition_point(|(start, _)| *start <= fault).checked_sub(1)?;
    let (above, below) = (&levels[..fault_line], &levels[fault_line + 1..]);
    let split = definitions.partition_point(|(start, ..)| *start <= fault);
    let (before, after) = definitions.split_at(split);
    let mut narrowest = usize::MAX;
    for (index, (start, level, _)) in before.iter().enumerate().rev() {
        let is_left = above.iter().any(|(at, other)| at >= start && other.len() < level.len());
        if level.is_empty() || level.len() >= narrowest || is_left {
            continue;
        }
        narrowest = level.len();
        // The definition before it belongs to it: a line that lost its indentation splits a body, and both parts may parse.
        let first = before[..index].iter().rev().find(|(_, other, _)| other.len() <= level.len());
        let start = first.filter(|(_, other, _)| other == level).map_or(*start, |(start, ..)| *start);
        let header = before.iter().rev().find(|(at, other, _)| *at < start && other.len() < level.len());
        let header = match header.map(|(.., code)| *code) {
            Some(code) if code.starts_with("class") => "class _:",
            Some(code) if code.starts_with("async") => "async def _():",
            Some(_) => "def _():",
            None => "if 1:",
        };
        // The line after the fault may be the one that lost its indentation.
        let leaves = |below: &[(usize, &str)]| {
            below.iter().find(|(_, other)| other.len() < level.len()).map_or(chunk.end, |(end, _)| *end)
        };
        let (left, later) = (leaves(below), leaves(below.get(1..).unwrap_or_default()));
        let next =
            after.iter().filter(|(_, other, _)| other == level).map(|(end, ..)| *end).take_while(|end| *end < left);
        for end in next.take(2).chain([left, later]) {
            let without = format!("{}{level}pass\n{}", &text[chunk.start..start], &text[end..chunk.end]);
            if parse::compiles(&without, version) {
                return Some((start..end, Frame::new(header, level)));
            }
        }
    }
    None
}

/// The lines in which the cause may be: a few above the fault, the line of the bracket that is still open there, and
/// the string that ends just before it.
fn window(text: &str, chunk: &Range<usize>, first: usize, focus: usize) -> Range<usize> {
    let line_begin = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let up = |from: usize, count: usize| {
        let mut start = line_begin(from);
        for _ in 0..count {
            if start <= chunk.start {
                break;
            }
            start = line_begin(start - 1);
        }
        start.max(chunk.start)
    };
    let first = floor(text, first.clamp(chunk.start, chunk.end));
    let mut start = up(first, LINES_ABOVE);
    let farthest = up(first, MAX_LINES_ABOVE);
    let mut open = Vec::new();
    let mut strings = Vec::new();
    for token in tokens::scan(&text[chunk.clone()]) {
        let at = token.start + chunk.start;
        if at >= focus {
            break;
        }
        match token.kind {
            Kind::Open => open.push(at),
            Kind::Close => {
                open.pop();
            }
            Kind::String if token.text(&text[chunk.clone()]).contains('\n') => {
                strings.push(at..token.end + chunk.start);
            }
            _ => {}
        }
    }
    if let Some(opener) = open.into_iter().find(|opener| *opener >= farthest) {
        start = start.min(line_begin(opener));
    }
    // Never begin inside a string.
    if let Some(string) = strings.iter().find(|string| string.contains(&start)) {
        start = line_begin(string.start);
    }
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
    let end = line_end(floor(text, focus.min(text.len())));
    start.max(chunk.start)..end.clamp(start, chunk.end.max(start))
}
