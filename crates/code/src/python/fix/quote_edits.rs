//! Repairs of quotes: one that is missing, one too many, one of the wrong kind, and what is wrong inside an f-string.

use std::collections::BTreeSet;

use crate::edit::Edit;
use crate::python::grammar::is_formatted;
use crate::python::tokens::{Kind, Token, is_closed};

use super::proposal::Proposal;
use super::site::Site;
use crate::repair::quote_marks::{EXTRA, MISSING, one_line};
use crate::repair::region::{floor, lines};

/// Lines of a string that is too long in which its end is sought.
const MAX_LINES: usize = 60;

/// Every repair of one quotation mark, and of one sign inside an f-string.
pub(super) fn proposals(site: &Site<'_>) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    let strings: Vec<&Token> = site.tokens.iter().filter(|token| token.kind == Kind::String).collect();
    let text = site.text;
    for (start, line) in suspicious_lines(site, &strings) {
        one_line(start, line, &['"', '\''], &mut proposals);
    }
    for string in &strings {
        if is_formatted(string.text(text)) {
            inside(string.start, string.text(text), &mut proposals);
        }
    }
    triple(site, &strings, &mut proposals);
    proposals
}

/// Lines that hold an unclosed string, or a quote near the fault, or nothing that Python knows.
fn suspicious_lines<'text>(site: &Site<'text>, strings: &[&Token]) -> Vec<(usize, &'text str)> {
    let text = site.text;
    let mut starts = BTreeSet::new();
    let line_begin = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    for string in strings {
        if !is_closed(string.text(text)) {
            starts.insert(line_begin(string.start));
        }
    }
    let focus = line_begin(floor(text, site.focus.saturating_sub(1)));
    starts.insert(focus);
    starts.insert(line_begin(focus.saturating_sub(1)));
    let window = &text[site.window.clone()];
    lines(window)
        .map(|(start, line)| (start + site.window.start, line))
        .filter(|(start, line)| starts.contains(start) && line.len() < 400)
        .collect()
}

/// Brackets, quotes and signs inside of an f-string's fields.
fn inside(start: usize, string: &str, proposals: &mut Vec<Proposal>) {
    if string.len() > 300 {
        return;
    }
    for (at, character) in string.char_indices() {
        for new in ["{", "}", "(", ")", "[", "]"] {
            let edit = Edit::insert(start + at, new);
            proposals.push(Proposal::new(vec![edit], MISSING - 1.0, format!("insert the missing `{new}`")));
        }
        if character.is_ascii_punctuation() {
            let edit = Edit::delete(start + at..start + at + 1);
            proposals.push(Proposal::new(vec![edit], EXTRA + 2.0, format!("remove the extra `{character}`")));
        }
        if matches!(character, '}' | ')' | ']') {
            for new in ["}", ")", "]"] {
                let edit = Edit::replace(start + at..start + at + 1, new);
                proposals.push(Proposal::new(vec![edit], EXTRA, format!("replace `{character}` by `{new}`")));
            }
        }
    }
}

/// Triple quotes that are missing, at the edges of lines, or that lost a mark.
fn triple(site: &Site<'_>, strings: &[&Token], proposals: &mut Vec<Proposal>) {
    let text = site.text;
    let marks: Vec<&str> = {
        let chunk = &text[site.chunk.clone()];
        ["\"\"\"", "'''"].into_iter().filter(|mark| chunk.contains(mark)).collect()
    };
    let lines: Vec<(usize, &str)> =
        lines(&text[site.window.clone()]).map(|(start, line)| (start + site.window.start, line)).collect();
    for (start, line) in lines.iter().take(MAX_LINES).chain(lines.iter().skip(MAX_LINES).rev().take(MAX_LINES)) {
        let indent = line.len() - line.trim_start().len();
        for mark in &marks {
            let odd = indent % 2;
            let mut places = vec![start + indent - odd, start + indent, start + line.trim_end().len().max(indent)];
            let values = line.match_indices(['=', '(', ',']).map(|(at, _)| start + at + 1);
            places.extend(values.filter(|_| line.len() < 200));
            places.sort_unstable();
            places.dedup();
            // Most docstrings end on the line that they begin on.
            let opens = line.trim_start().starts_with(mark) && line.matches(mark).count() == 1;
            let end = start + line.trim_end().len();
            for at in places {
                let edit = Edit::insert(at, *mark);
                let slip = if opens && at == end { MISSING - 2.0 } else { MISSING + 1.0 };
                proposals.push(Proposal::new(vec![edit], slip, format!("insert the missing {mark}")));
            }
        }
    }
    for string in strings {
        let token = string.text(text);
        for (mark, triple) in [('"', "\"\"\""), ('\'', "'''")] {
            if token.contains(triple) {
                for at in [token.find(triple), token.rfind(triple)].into_iter().flatten() {
                    let edit = Edit::delete(string.start + at..string.start + at + 3);
                    proposals.push(Proposal::new(vec![edit], EXTRA + 2.0, format!("remove the extra {triple}")));
                }
            }
            let two = format!("{mark}{mark}");
            for (at, _) in token.match_indices(&two).filter(|(at, _)| *at > 0 || !token.starts_with(triple)).take(8) {
                let edit = Edit::insert(string.start + at, mark);
                proposals.push(Proposal::new(vec![edit], MISSING, format!("complete {triple}")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::SyntaxRepair;
    use crate::fix_example::{check_fix, pytest};

    #[test]
    fn closes_string() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 3
    raise ValueError('no width)
                     ^
SyntaxError: unterminated string literal (detected at line 3)"#,
            ),
            r"
 def area(width, height):
     if width < 0:
-        raise ValueError('no width)
+        raise ValueError('no width')
     return width * height
",
        );
    }

    #[test]
    fn closes_docstring() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 2
SyntaxError: unterminated triple-quoted string literal (detected at line 7)"#,
            ),
            r#"
 def area(width, height):
-    """The area.
+    """The area."""
     return width * height


 def circumference(width, height):
     return 2 * (width + height)
"#,
        );
    }

    #[test]
    fn completes_triple_quotes() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 2
    ""The area."""
      ^^^
SyntaxError: invalid syntax"#,
            ),
            r#"
 def area(width, height):
-    ""The area."""
+    """The area."""
     return width * height


 def circumference(width, height):
     """The way around."""
     return 2 * (width + height)
"#,
        );
    }

    #[test]
    fn closes_brace_inside_of_string() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 2
    return f'{shape.name: {shape.area}'
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
SyntaxError: f-string: expecting '}'"#,
            ),
            r"
 def show(shape):
-    return f'{shape.name: {shape.area}'
+    return f'{shape.name}: {shape.area}'


 def label(shape):
     return f'{shape.name}: {shape.title}'
",
        );
    }
}
