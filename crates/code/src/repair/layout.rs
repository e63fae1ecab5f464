//! Brackets and the indentation around them: people indent what they mean, so a line whose indentation does not match its brackets
//! is where a bracket was lost.

use super::proposal::Proposal;
use super::tokens::{Kind, Token};
use crate::edit::Edit;

const MISSING: f64 = 2.0;
const EXTRA: f64 = 3.0;
/// Maximum number of disagreements that are examined.
const MAX_PLACES: usize = 6;

/// A place where the indentation disagrees with the brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disagreement {
    /// The bracket at the first token is not closed, and the line that begins with the second one is outside of it.
    Unclosed(usize, usize),
    /// The bracket closes more than is open.
    Unopened(usize),
    /// The bracket closes one that began on a line with another indentation.
    Askew(usize),
}

/// A line's tokens: the index of the first, and how far it is indented.
struct Lines<'text> {
    text: &'text str,
    tokens: &'text [Token],
    /// The first byte of each line: looking back for it would grow with the square of a line.
    starts: Vec<usize>,
}

impl<'text> Lines<'text> {
    fn new(text: &'text str, tokens: &'text [Token]) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        Self { text, tokens, starts }
    }

    /// Returns the indentation, in characters, of the line that contains a byte.
    fn indent(&self, at: usize) -> usize {
        let start = self.start(at);
        self.text[start..].chars().take_while(|character| matches!(character, ' ' | '\t')).count()
    }

    fn start(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        self.starts.get(line).copied().unwrap_or_default()
    }

    /// Returns whether a token is the first visible one of its line.
    fn is_first(&self, index: usize) -> bool {
        self.tokens[index].start == self.start(self.tokens[index].start) + self.indent(self.tokens[index].start)
    }
}

fn closes(open: &str, close: &str) -> bool {
    matches!((open, close), ("(", ")") | ("[", "]") | ("{", "}"))
}

/// Returns the places where indentation and brackets disagree, from the top.
pub(crate) fn disagreements(text: &str, tokens: &[Token]) -> Vec<Disagreement> {
    let lines = Lines::new(text, tokens);
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if matches!(token.kind, Kind::Comment | Kind::Newline) {
            continue;
        }
        let word = token.text(text);
        if lines.is_first(index) {
            let indent = lines.indent(token.start);
            while let Some(top) = open.last().copied() {
                let opener = lines.indent(tokens[top].start);
                let closes_it = token.kind == Kind::Close && closes(tokens[top].text(text), word);
                let is_brace = tokens[top].text(text) == "{";
                let stands_outside = indent < opener || is_brace && indent == opener;
                let goes_on = token.kind == Kind::Operator || matches!(word, "case" | "default");
                if !stands_outside || goes_on || closes_it && indent == opener {
                    break;
                }
                // The bracket that this one closes, when it is further out.
                let is_out = token.kind != Kind::Close
                    || open.iter().rev().skip(1).any(|outer| {
                        closes(tokens[*outer].text(text), word) && lines.indent(tokens[*outer].start) == indent
                    });
                if !is_out {
                    break;
                }
                found.push(Disagreement::Unclosed(top, index));
                open.pop();
            }
        }
        match token.kind {
            Kind::Open => open.push(index),
            Kind::Close => match open.last().copied() {
                Some(top) if closes(tokens[top].text(text), word) => {
                    open.pop();
                    if lines.is_first(index) && lines.indent(token.start) != lines.indent(tokens[top].start) {
                        found.push(Disagreement::Askew(index));
                    }
                }
                Some(_) | None => found.push(Disagreement::Unopened(index)),
            },
            Kind::Name
            | Kind::Keyword
            | Kind::Number
            | Kind::String
            | Kind::Operator
            | Kind::Comment
            | Kind::Newline
            | Kind::Unknown => {}
        }
    }
    found.extend(open.into_iter().map(|top| Disagreement::Unclosed(top, tokens.len())));
    found
}

/// Brackets put in or taken out where the indentation asks for it. `tails`: text that may follow a closing brace on its line.
pub(crate) fn proposals(text: &str, tokens: &[Token], tails: &[&str]) -> Vec<Proposal> {
    let lines = Lines::new(text, tokens);
    let mut proposals = Vec::new();
    let found = disagreements(text, tokens);
    for (number, disagreement) in found.iter().take(MAX_PLACES).enumerate() {
        let later = f64::from(u32::try_from(number).unwrap_or(9));
        match *disagreement {
            Disagreement::Unclosed(opener, line) => unclosed(&lines, (opener, line), tails, later, &mut proposals),
            Disagreement::Unopened(index) | Disagreement::Askew(index) => {
                unopened(&lines, index, later, &mut proposals);
            }
        }
    }
    proposals
}

fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// A closing bracket before the line outside of it.
fn unclosed(
    lines: &Lines<'_>,
    (opener, line): (usize, usize),
    tails: &[&str],
    later: f64,
    proposals: &mut Vec<Proposal>,
) {
    let (text, tokens) = (lines.text, lines.tokens);
    let bracket = tokens[opener];
    let close = closing(bracket.text(text));
    let mut put = |edit: Edit, bits: f64| {
        proposals.push(Proposal::new(vec![edit], MISSING + later + bits, format!("insert the missing `{close}`")));
    };
    let is_visible = |token: &&Token| !matches!(token.kind, Kind::Comment | Kind::Newline);
    let last = tokens[opener..line].iter().rev().find(is_visible).map_or(bracket.end, |token| token.end);
    let level: String =
        text[lines.start(bracket.start)..].chars().take_while(|one| matches!(one, ' ' | '\t')).collect();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(next) = tokens.get(line) {
        put(Edit::insert(next.start, close), 1.0);
        put(Edit::insert(next.start, format!("{close} ")), 0.5);
        let blank = text[last..next.start].rfind('\n').map_or(next.start, |at| last + at + 1);
        put(Edit::insert(blank, format!("{level}{close}{newline}")), 1.0);
    }
    put(Edit::insert(last, close), 1.0);
    put(Edit::insert(last, format!("{newline}{level}{close}")), 0.0);
    for tail in tails.iter().filter(|_| close == "}") {
        put(Edit::insert(last, format!("{newline}{level}{close}{tail}")), 1.0);
    }
    // A line that holds nothing but the space before the bracket.
    let end = tokens.get(line).map_or(text.len(), |next| next.start);
    let mut at = last;
    for blank in text[last..end].split_inclusive('\n') {
        let trimmed = blank.trim_end_matches(['\n', '\r']);
        if at > last && trimmed.trim().is_empty() {
            let here = at + trimmed.len().min(level.len());
            let lead = level.get(trimmed.len()..).unwrap_or_default();
            let bits = if trimmed.is_empty() { 0.0 } else { -1.0 };
            put(Edit::insert(here, format!("{lead}{close}")), bits);
        }
        at += blank.len();
    }
    // Or the opening one is too many.
    proposals.push(Proposal::new(
        vec![Edit::delete(bracket.start..bracket.end)],
        EXTRA + later + 3.0,
        format!("remove the extra `{}`", bracket.text(text)),
    ));
}

/// An opening bracket at the end of the line above whose indentation the closing one shares, or the closing one taken out.
fn unopened(lines: &Lines<'_>, index: usize, later: f64, proposals: &mut Vec<Proposal>) {
    let (text, tokens) = (lines.text, lines.tokens);
    let token = tokens[index];
    let word = token.text(text);
    let remove = |range, bits: f64| {
        Proposal::new(vec![Edit::delete(range)], EXTRA + later + bits, format!("remove the extra `{word}`"))
    };
    proposals.push(remove(token.start..token.end, 0.0));
    if lines.is_first(index) {
        let line_end = text[token.end..].find('\n').map_or(text.len(), |at| token.end + at + 1);
        if text[token.end..line_end].trim().is_empty() {
            proposals.push(remove(lines.start(token.start)..line_end, 0.0));
        }
    }
    let indent = lines.indent(token.start);
    let above = (0..index).rev().filter(|above| lines.is_first(*above) && tokens[*above].kind != Kind::Comment);
    let heads = above.filter(|above| lines.indent(tokens[*above].start) <= indent).take(4);
    let open = match word {
        ")" => "(",
        "]" => "[",
        _ => "{",
    };
    for (distance, head) in heads.enumerate() {
        let line_end = text[tokens[head].start..].find('\n').map_or(text.len(), |at| tokens[head].start + at);
        let is_code = |one: &&Token| one.end <= line_end && !matches!(one.kind, Kind::Comment | Kind::Newline);
        let Some(last) = tokens[head..].iter().take_while(|one| one.start < line_end).filter(is_code).last() else {
            continue;
        };
        let far = f64::from(u32::try_from(distance).unwrap_or(9));
        let mut put = |at: usize, with: String, bits: f64| {
            let bits = MISSING + later + far + bits;
            proposals.push(Proposal::new(vec![Edit::insert(at, with)], bits, format!("insert the missing `{open}`")));
        };
        put(last.end, format!(" {open}"), 0.0);
        put(last.end, open.to_owned(), 1.0);
        if text[last.end..].starts_with(' ') {
            put(last.end + 1, open.to_owned(), 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::applied;
    use crate::fix_example::{check_fix, node};
    use crate::javascript::fix::syntax::SyntaxRepair;
    use crate::javascript::tokens::scan;

    fn repaired(text: &str) -> Vec<String> {
        let apply = |proposal: Proposal| applied(text, &proposal.edits).unwrap();
        proposals(text, &scan(text), &[]).into_iter().map(apply).collect()
    }

    #[test]
    fn closes_block_where_indentation_ends() {
        check_fix(
            &SyntaxRepair,
            node(
                r"/repo/a.js:14
SyntaxError: Unexpected end of input
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
            ),
            r"
 function describe(lines) {
   for (const line of lines) {
     console.log(line.name);
     console.log(line.price);
+  }
   console.log('end');
 }

 function total(lines) {
   let sum = 0;
   for (const line of lines) {
     sum += line.price;
   }
   return sum;
 }
",
        );
    }

    #[test]
    fn what_is_indented_as_it_is_bracketed_agrees() {
        let text = "f(a, {\n  b: [\n    c,\n  ],\n}, function () {\n  switch (d) {\n  case 1:\n    e();\n  }\n});\nconst x = a\n  .b(() => {\n    c();\n  });\n";
        assert_eq!(disagreements(text, &scan(text)), []);
    }

    #[test]
    fn a_lost_brace_is_put_where_the_indentation_ends() {
        let whole = "function f() {\n  if (a) {\n    b();\n  }\n  c();\n}\n\nfunction g() {\n  d();\n}\n";
        assert!(repaired(&whole.replacen("  }\n", "", 1)).contains(&whole.to_owned()));
        assert!(repaired(&whole.replacen("\n}\n\nf", "\n\n\nf", 1)).contains(&whole.to_owned()));
        assert!(repaired(&whole.replacen("(a) {", "(a) ", 1)).contains(&whole.to_owned()));
        assert!(repaired(&whole.replacen("g() {", "g()", 1)).contains(&whole.to_owned()));
    }

    #[test]
    fn an_extra_brace_is_taken_out() {
        let whole = "function f() {\n  a();\n}\n";
        assert!(repaired("function f() {\n  a();\n}\n}\n").contains(&whole.to_owned()));
    }
}
