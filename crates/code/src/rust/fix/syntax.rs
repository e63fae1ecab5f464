//! Repairs of files that do not parse: a noisy channel, with the parser as the judge, as in the other languages.

use autoheal_engine::diagnostics::Category;

use crate::edit::{Candidate, Edit, FileEdit, moved};
use crate::fix::{FixContext, Fixer};
use crate::repair::in_turn::{self, Effort, Repair};
use crate::repair::merge_markers;
use crate::repair::ngram::Model;
use crate::repair::proposal::Proposal;
use crate::repair::quote_marks::one_line;
use crate::repair::ranking::costs;
use crate::repair::region::{Region, floor, line_of, lines};
use crate::repair::shortlist::oddity;
use crate::repair::token_edits::TokenEdits;
use crate::rust::EXTENSIONS;
use crate::rust::grammar::GRAMMAR;
use crate::rust::syntax::{self, Fault};
use crate::rust::tokens::{Kind, Token, scan};
use crate::sources::Sources;

/// Repairs files that do not parse, whatever the cause.
pub(super) struct SyntaxRepair;

/// Proposals that parse before the search ends.
const MAX_SURVIVORS: usize = 100;
/// Bounds on the time of a call: the effort for the first fault, and the bytes of other files that the model learns.
const EFFORT: Effort = Effort { tries: 1_000, bytes: 24 << 20 };
const LEARN_BUDGET: usize = 256 << 10;
/// Lines above the fault in which repairs are sought.
const LINES_ABOVE: usize = 6;
/// Bits for each closing brace with another indentation than the line that it closes, for most files are formatted.
const ASKEW: f64 = 3.0;
const MOST_ASKEW: f64 = 12.0;

impl Fixer for SyntaxRepair {
    fn name(&self) -> &'static str {
        "syntax"
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        let Some(file) = finding.file.as_deref().filter(|_| finding.category == Category::Syntax) else {
            return Vec::new();
        };
        let Some(text) = context.sources.text(file).filter(|_| context.sources.is_editable(file)) else {
            return Vec::new();
        };
        let model = learn(context.sources, file, text);
        let of_first = |broken: &str, effort: Effort| {
            let faults = syntax::faults(broken);
            faults.first().map_or_else(Vec::new, |fault| of_first_fault(broken, fault, &model, effort))
        };
        let is_safe = |edits: &[Edit]| {
            let edit = FileEdit { file: String::new(), edits: edits.to_vec() };
            edit.apply(text).is_ok_and(|after| syntax::removes_faults(text, &after, edits))
        };
        costs(in_turn::repairs(&GRAMMAR, text, EFFORT, &of_first, &is_safe))
            .into_iter()
            .map(|(cost, proposal)| Candidate {
                fixer: self.name().to_owned(),
                category: finding.category,
                line: proposal.edits.first().map_or(1, |edit| line_of(text, edit.start)),
                description: proposal.description,
                cost,
                files: vec![FileEdit { file: file.to_owned(), edits: proposal.edits }],
            })
            .collect()
    }
}

/// The model of the project.
fn learn(sources: &Sources, file: &str, text: &str) -> Model {
    let mut model = Model::new(&GRAMMAR);
    let mut left = LEARN_BUDGET;
    let others = sources.with_extension(EXTENSIONS).filter(|(other, _)| *other != file).map(|(_, text)| text);
    for text in std::iter::once(text).chain(others) {
        let end = floor(text, left.min(text.len()));
        left -= end;
        model.learn(&text[..end]);
    }
    model
}

/// Repairs of a fault: those after which the file parses, or of which the parser gets further.
fn of_first_fault(text: &str, fault: &Fault, model: &Model, effort: Effort) -> Vec<Repair> {
    let tokens = scan(text);
    let regions = regions(text, &tokens, fault);
    let mut readings = std::collections::HashMap::new();
    let mut proposals: Vec<Proposal> =
        regions.iter().flat_map(|region| TokenEdits::new(region, model).proposals(&[])).collect();
    proposals.extend(quotes(&regions));
    proposals.sort_by(|one, other| {
        let estimate = |proposal: &Proposal| proposal.slip + proposal.reading;
        estimate(one).total_cmp(&estimate(other)).then_with(|| one.edits.cmp(&other.edits))
    });
    let sure = merge_markers::proposals(text).into_iter().chain(braces(text, &tokens));
    let mut survivors = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut budget = effort.bytes;
    let mut whole = 0;
    for proposal in sure.chain(proposals) {
        if whole >= MAX_SURVIVORS || seen.len() >= effort.tries || budget < text.len() {
            break;
        }
        if !seen.insert(proposal.edits.clone()) {
            continue;
        }
        let Ok(edited) = (FileEdit { file: String::new(), edits: proposal.edits.clone() }).apply(text) else {
            continue;
        };
        budget -= text.len();
        let faults = syntax::faults(&edited);
        // The parser has to get further.
        if faults.first().is_some_and(|next| next.start <= moved(fault.end.max(fault.start + 1), &proposal.edits)) {
            continue;
        }
        whole += usize::from(faults.is_empty());
        let reading = oddity(model, "", text, &proposal.edits, &mut readings);
        let bits = proposal.slip + reading + askew(&edited);
        survivors.push(Repair { bits, proposal, left: faults.len() });
    }
    survivors
}

/// The places in which repairs are sought: where the parser noticed the fault, and where braces and indentation first disagree.
fn regions<'text>(text: &'text str, tokens: &[Token], fault: &Fault) -> Vec<Region<'text>> {
    let focus = floor(text, fault.end.max(fault.start + 1).min(text.len()));
    let near = region(text, fault.start.min(text.len()), focus);
    let far = disagreement(text, tokens).filter(|at| near.as_ref().is_none_or(|near| *at < near.window.start));
    let far = far.and_then(|at| region(text, at, text[at..].find('\n').map_or(text.len(), |end| at + end)));
    near.into_iter().chain(far).collect()
}

fn region(text: &str, fault: usize, focus: usize) -> Option<Region<'_>> {
    let line_begin = |at: usize| text[..floor(text, at)].rfind('\n').map_or(0, |newline| newline + 1);
    let start = (0..LINES_ABOVE).fold(line_begin(fault), |start, _| line_begin(start.saturating_sub(1)));
    let end = text[focus..].find('\n').map_or(text.len(), |newline| focus + newline + 1);
    Region::new(&GRAMMAR, text, start..end, start..end, focus)
}

/// An opening bracket with the indentation of its line.
struct Open {
    at: usize,
    column: usize,
}

/// Walks the brackets of a text together with the one that each closing one closes: `None` where none is open. Returns the brackets
/// that are still open at the end.
fn walk_brackets(text: &str, tokens: &[Token], mut visit: impl FnMut(&Token, Option<&Open>)) -> Vec<Open> {
    let column = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        text[start..].len() - text[start..].trim_start_matches([' ', '\t']).len()
    };
    let mut open: Vec<Open> = Vec::new();
    for token in tokens {
        match token.kind {
            Kind::Open => open.push(Open { at: token.start, column: column(token.start) }),
            Kind::Close => visit(token, open.pop().as_ref()),
            _ => {}
        }
    }
    open
}

/// The first closing brace, alone at the beginning of its line, that closes a line with another indentation; or a brace that is never closed.
fn disagreement(text: &str, tokens: &[Token]) -> Option<usize> {
    let mut first = None;
    let left = walk_brackets(text, tokens, |token, closed| {
        if first.is_none() && is_first_on_line(text, token) {
            let column = column_of(text, token.start);
            match closed {
                Some(open) if open.column == column => {}
                Some(open) => first = Some(if column < open.column { open.at } else { token.start }),
                None => first = Some(token.start),
            }
        }
    });
    first.or_else(|| left.last().map(|open| open.at))
}

fn column_of(text: &str, at: usize) -> usize {
    at - text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn is_first_on_line(text: &str, token: &Token) -> bool {
    let start = text[..token.start].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..token.start].trim().is_empty()
}

/// Cost of braces that are indented otherwise than the lines that they close.
fn askew(text: &str) -> f64 {
    let mut count = 0_u32;
    let tokens = scan(text);
    walk_brackets(text, &tokens, |token, closed| {
        let is_off = closed.is_some_and(|open| open.column != column_of(text, token.start));
        count += u32::from(is_off && is_first_on_line(text, token));
    });
    (ASKEW * f64::from(count)).min(MOST_ASKEW)
}

/// A closing brace on its own line, where the indentation says that one is missing.
fn braces(text: &str, tokens: &[Token]) -> Vec<Proposal> {
    const SLIP: f64 = 3.0;
    let Some(at) = disagreement(text, tokens) else { return Vec::new() };
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line..line + (text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len())];
    // The block ends before the first line behind it that is not indented further.
    let mut proposals = Vec::new();
    let behind = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    for (start, own) in lines(&text[behind..]) {
        let shown = own.trim_start_matches([' ', '\t']);
        if shown.trim().is_empty() || own.len() - shown.len() > indent.len() {
            continue;
        }
        let place = text[..behind + start].trim_end().len() + 1;
        let place = place.min(text.len());
        for closing in ["}", "});", "};"] {
            let edit = Edit::insert(place, format!("{indent}{closing}\n"));
            proposals.push(Proposal::new(vec![edit], SLIP, format!("add the missing `{closing}`")));
        }
        break;
    }
    if proposals.is_empty() {
        let edit = Edit::insert(text.len(), format!("{indent}}}\n"));
        proposals.push(Proposal::new(vec![edit], SLIP, "add the missing `}`".to_owned()));
    }
    proposals
}

/// Quotation marks in the lines of the regions.
fn quotes(regions: &[Region<'_>]) -> Vec<Proposal> {
    const MAX_LINE: usize = 400;
    let mut proposals = Vec::new();
    for region in regions {
        for (start, line) in lines(&region.text[region.window.clone()]).filter(|(_, line)| line.len() < MAX_LINE) {
            one_line(region.window.start + start, line, &['"', '\''], &mut proposals);
        }
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::SyntaxRepair;
    use crate::fix_example::{check_fix, rustc};

    #[test]
    fn adds_bracket_that_is_missing() {
        check_fix(
            &SyntaxRepair,
            rustc("a.rs:2:22: error: expected one of `)`, `,`, `.`, `?`, or an operator, found `;`"),
            r"
 fn total(lines: &[u64]) -> u64 {
-    let sum = lines.iter().sum(;
+    let sum = lines.iter().sum();
     sum
 }
",
        );
    }

    #[test]
    fn closes_block_where_indentation_says_so() {
        check_fix(
            &SyntaxRepair,
            rustc("a.rs:7:3: error: this file contains an unclosed delimiter"),
            r"
 fn largest(lines: &[u64]) -> u64 {
     let mut most = 0;
     for line in lines {
         if *line > most {
             most = *line;
         }
+    }
     most
 }
",
        );
    }

    #[test]
    fn adds_semicolon() {
        check_fix(
            &SyntaxRepair,
            rustc("a.rs:2:16: error: expected `;`, found `x`"),
            r"
 fn f() -> u8 {
-    let x = 1
+    let x = 1;
     x
 }
",
        );
    }
}
