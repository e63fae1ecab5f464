//! Repairs of indentation: one line or a block is moved to a level that the lines around it have.

use std::collections::BTreeSet;

use crate::edit::Edit;
use crate::python::tokens::{self, Kind};

use super::proposal::Proposal;
use super::site::Site;

/// Logical lines above the fault that may be the moved ones.
const LINES_ABOVE: usize = 10;
/// Lines below it that a moved block may reach.
const LINES_BELOW: usize = 40;

const ONE_LINE: f64 = 3.0;
const BLOCK: f64 = 4.0;
const PART: f64 = 6.5;
/// A level that is no multiple of the file's own step.
const ODD_LEVEL: f64 = 4.0;

/// Statements that alone make a body, with how unlikely it is that one was lost.
const BODIES: [(&str, f64); 6] =
    [("pass", 4.0), ("continue", 4.0), ("break", 4.0), ("return", 4.5), ("raise", 5.5), ("return None", 5.5)];

/// A logical line: its first byte, its indentation, and the starts of the physical lines that continue it.
#[derive(Debug)]
struct Line<'text> {
    start: usize,
    prefix: &'text str,
    continued: Vec<usize>,
    /// The starts of the comments directly above it.
    comments: Vec<usize>,
    /// True if a blank line stands above.
    is_apart: bool,
    word: &'text str,
}

/// Every repair that moves lines.
pub(super) fn proposals(site: &Site<'_>) -> Vec<Proposal> {
    let lines = logical_lines(site);
    let Some(fault) = lines.iter().rposition(|line| line.start < site.focus) else { return Vec::new() };
    let fault = (fault + 1).min(lines.len() - 1);
    let step = step(site.text);
    let mut proposals = Vec::new();
    for first in fault.saturating_sub(LINES_ABOVE)..=fault {
        let targets = targets(&lines, first, fault, step);
        for (last, slip) in ends(&lines, first, fault) {
            for target in &targets {
                let odd = if target.len() % step == 0 || target.contains('\t') { 0.0 } else { ODD_LEVEL };
                let far = 0.3 * f64::from(u32::try_from(fault - first).unwrap_or(u32::MAX));
                let Some(edits) = moved(site.text, &lines[first..=last], target) else { continue };
                let described = describe(lines[first].prefix, target, last - first + 1);
                proposals.push(Proposal::new(edits, slip + odd + far, described));
            }
        }
    }
    proposals.extend(without_tabs(&lines, site.text));
    proposals
}

/// The statement that alone stood below a header. What it was cannot be read off the text around it, so these are all tried.
pub(super) fn lost_bodies(site: &Site<'_>) -> Vec<Proposal> {
    let lines = logical_lines(site);
    let Some(fault) = lines.iter().rposition(|line| line.start < site.focus) else { return Vec::new() };
    let step = step(site.text);
    (fault.saturating_sub(1)..=fault).flat_map(|header| bodies_of(site.text, &lines, header, step)).collect()
}

fn bodies_of(text: &str, lines: &[Line<'_>], header: usize, step: usize) -> Vec<Proposal> {
    let Some(line) = lines.get(header) else { return Vec::new() };
    let last_start = line.continued.last().copied().unwrap_or(line.start).max(line.start);
    let end = text[last_start..].find('\n').map_or(text.len(), |newline| last_start + newline + 1);
    let code = text[line.start..end].trim_end();
    let has_body = lines.get(header + 1).is_some_and(|next| next.prefix.len() > line.prefix.len());
    if has_body || !(code.ends_with(':') || code.contains(": #") || code.contains(":  #")) {
        return Vec::new();
    }
    let unit = if line.prefix.starts_with('\t') { "\t".to_owned() } else { " ".repeat(step) };
    let lead = if text[..end].ends_with('\n') { "" } else { "\n" };
    BODIES
        .iter()
        .map(|(statement, slip)| {
            let edit = Edit::insert(end, format!("{lead}{}{unit}{statement}\n", line.prefix));
            Proposal::new(vec![edit], *slip, format!("insert the missing `{statement}`"))
        })
        .collect()
}

fn describe(old: &str, new: &str, count: usize) -> String {
    let verb = if new.len() > old.len() { "indent" } else { "dedent" };
    let what = if count == 1 { "the line".to_owned() } else { format!("{count} lines") };
    format!("{verb} {what} to column {}", new.len() + 1)
}

fn logical_lines<'text>(site: &Site<'text>) -> Vec<Line<'text>> {
    let text = &site.text[site.chunk.clone()];
    let mut lines: Vec<Line<'text>> = Vec::new();
    let (mut depth, mut is_new, mut line_start, mut blank) = (0_usize, true, 0, false);
    let (mut comments, mut is_comment) = (Vec::new(), false);
    for token in tokens::scan(text) {
        if token.kind == Kind::Newline {
            if is_new && !is_comment {
                blank = true;
            }
            is_comment = false;
            is_new = depth == 0 || is_new;
            line_start = token.end;
            if !is_new && let Some(line) = lines.last_mut() {
                line.continued.push(site.chunk.start + token.end);
            }
            continue;
        }
        if token.kind == Kind::Comment && is_new {
            comments.push(site.chunk.start + line_start);
            is_comment = true;
            continue;
        }
        let text_of = token.text(text);
        let column = token.start - line_start;
        let is_statement = depth > 0
            && text[line_start..token.start].trim().is_empty()
            && token.kind == Kind::Keyword
            && matches!(text_of, "def" | "class" | "return" | "raise" | "import" | "with" | "while" | "try");
        if is_statement {
            depth = 0;
            is_new = true;
            if let Some(line) = lines.last_mut() {
                line.continued.pop();
            }
        }
        if is_new {
            lines.push(Line {
                start: site.chunk.start + line_start,
                prefix: &text[line_start..line_start + column],
                continued: Vec::new(),
                comments: std::mem::take(&mut comments),
                is_apart: blank,
                word: text_of,
            });
            is_new = false;
            blank = false;
        }
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::String => {
                if let Some(line) = lines.last_mut() {
                    let starts = text_of.match_indices('\n').map(|(at, _)| site.chunk.start + token.start + at + 1);
                    line.continued.extend(starts);
                }
            }
            _ => {}
        }
    }
    lines
}

/// The step by which the file indents.
fn step(text: &str) -> usize {
    let mut votes = [0_usize; 9];
    let mut previous = 0_usize;
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(4000) {
        let level = line.len() - line.trim_start_matches(' ').len();
        let by = level.saturating_sub(previous);
        if (1..=8).contains(&by) {
            votes[by] += 1;
        }
        previous = level;
    }
    let best = (1..=8).max_by_key(|by| (votes[*by], *by == 4)).unwrap_or(4);
    if votes[best] == 0 { 4 } else { best }
}

/// The levels that the first of the moved lines may have had.
fn targets(lines: &[Line<'_>], first: usize, fault: usize, step: usize) -> BTreeSet<String> {
    let around = &lines[first.saturating_sub(12)..(fault + 6).min(lines.len())];
    let mut targets: BTreeSet<String> = around.iter().map(|line| line.prefix.to_owned()).collect();
    targets.insert(String::new());
    let unit = if around.iter().any(|line| line.prefix.starts_with('\t')) { "\t".to_owned() } else { " ".repeat(step) };
    if let Some(above) = first.checked_sub(1).and_then(|above| lines.get(above)) {
        targets.insert(format!("{}{unit}", above.prefix));
        if let Some(outer) = above.prefix.strip_suffix(unit.as_str()) {
            targets.insert(outer.to_owned());
        }
    }
    targets.remove(lines[first].prefix);
    targets
}

/// Returns the lines at which the moved lines may end, each with how unlikely it is, in bits.
fn ends(lines: &[Line<'_>], first: usize, fault: usize) -> Vec<(usize, f64)> {
    let mut ends = vec![(first, ONE_LINE)];
    let limit = lines.len().min(first + LINES_BELOW);
    let level = lines[first].prefix.len();
    let block = (first + 1..limit).find(|line| lines[*line].prefix.len() < level).unwrap_or(limit) - 1;
    let same = (first + 1..limit).find(|line| lines[*line].prefix.len() != level).unwrap_or(limit) - 1;
    let apart = (first + 1..=block).find(|line| lines[*line].is_apart).unwrap_or(block + 1) - 1;
    let definition = (first + 1..=same)
        .find(|line| matches!(lines[*line].word, "def" | "class" | "@" | "async"))
        .unwrap_or(same + 1)
        - 1;
    let leaves = (first..=block)
        .find(|line| matches!(lines[*line].word, "return" | "raise" | "break" | "continue"))
        .unwrap_or(block);
    let unit = (first + 1..limit)
        .find(|line| {
            lines[*line].prefix.len() < level
                || lines[*line].prefix.len() == level && matches!(lines[*line].word, "def" | "class" | "@" | "async")
        })
        .unwrap_or(limit)
        - 1;
    let own = (first + 1..limit).find(|line| lines[*line].prefix.len() <= level).unwrap_or(limit) - 1;
    for (end, slip) in [
        (block, BLOCK),
        (apart, BLOCK),
        (leaves, BLOCK + 0.5),
        (same, BLOCK + 0.5),
        (own, BLOCK),
        (definition, BLOCK),
        (unit, BLOCK),
    ] {
        ends.push((end, slip));
    }
    if fault > first {
        ends.push((fault - 1, BLOCK));
    }
    for end in first + 1..=block.min(first + 6) {
        ends.push((end, PART));
    }
    ends.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    ends.dedup_by_key(|end| end.0);
    ends
}

/// The lines with their common indentation replaced.
fn moved(text: &str, lines: &[Line<'_>], target: &str) -> Option<Vec<Edit>> {
    let old = lines.first()?.prefix;
    let mut edits = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if !line.prefix.starts_with(old) {
            return None;
        }
        let comments = line.comments.iter().filter(|start| index > 0 && text[**start..].starts_with(old));
        edits.extend(comments.map(|start| Edit::replace(*start..start + old.len(), target)));
        edits.push(Edit::replace(line.start..line.start + old.len(), target));
        // What goes on inside a string or brackets moves along when it is indented at least as far.
        let along = line.continued.iter().all(|start| {
            let rest = &text[*start..];
            rest.starts_with(old) || rest.trim_start_matches([' ', '\t']).starts_with(['\n', '\r'])
        });
        if along {
            let starts = line.continued.iter().filter(|start| text[**start..].starts_with(old));
            edits.extend(starts.map(|start| Edit::replace(*start..start + old.len(), target)));
        }
    }
    Some(edits)
}

/// Tabs in the indentation of all lines become spaces.
fn without_tabs(lines: &[Line<'_>], _text: &str) -> Vec<Proposal> {
    [4_usize, 8, 2]
        .into_iter()
        .filter_map(|width| {
            let edits: Vec<Edit> = lines
                .iter()
                .filter(|line| line.prefix.contains('\t'))
                .map(|line| {
                    let spaces = line.prefix.replace('\t', &" ".repeat(width));
                    Edit::replace(line.start..line.start + line.prefix.len(), spaces)
                })
                .collect();
            let description = format!("replace tabs by {width} spaces in the indentation");
            (!edits.is_empty()).then(|| Proposal::new(edits, BLOCK, description))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::syntax::SyntaxRepair;
    use crate::fix_example::{check_fix, pytest};

    #[test]
    fn indents_body_of_block() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 4
    count += price
    ^
IndentationError: expected an indented block after 'for' statement on line 3"#,
            ),
            r"
 def total(prices):
     count = 0
     for price in prices:
-    count += price
+        count += price
     return count


 def most(prices):
     count = 0
     for price in prices:
         count = max(count, price)
     return count
",
        );
    }

    #[test]
    fn dedents_line_to_level_around_it() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 5
    return count
                ^
IndentationError: unindent does not match any outer indentation level"#,
            ),
            r"
 def total(prices):
     count = 0
     for price in prices:
         count += price
-      return count
+    return count


 def most(prices):
     count = 0
     for price in prices:
         count = max(count, price)
     return count
",
        );
    }
}
