//! Repairs of files that do not parse: a noisy channel, with the parser as the judge, as in the other languages.

use autoheal_engine::diagnostics::Category;

use crate::edit::{Candidate, Edit, applied, moved};
use crate::fix::{FixContext, Fixer};
use crate::repair::in_turn::{self, Broken, Effort, Repair};
use crate::repair::layout::{self, disagreements};
use crate::repair::learning::learn;
use crate::repair::merge_markers;
use crate::repair::ngram::Model;
use crate::repair::proposal::Proposal;
use crate::repair::quote_marks::one_line;
use crate::repair::region::{Region, lines, regions};
use crate::repair::shortlist::oddity;
use crate::repair::token_edits::TokenEdits;
use crate::rust::EXTENSIONS;
use crate::rust::grammar::GRAMMAR;
use crate::rust::syntax::{self, Fault};
use crate::rust::tokens::scan;

/// Repairs files that do not parse, whatever the cause.
pub(super) struct SyntaxRepair;

/// Effort for the first fault: a bound on the time of a call.
const EFFORT: Effort = Effort::new(1_000, 24 << 20);
/// Bits for each place where the indentation disagrees with the brackets, for most files are formatted.
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
        let model = learn(&GRAMMAR, EXTENSIONS, context.sources, file, text, &[]);
        let of_first = |broken: &str, effort: Effort| {
            let faults = syntax::faults(broken);
            faults.first().map_or_else(Vec::new, |fault| of_first_fault(broken, fault, &model, effort))
        };
        let removes_faults = |after: &str, edits: &[Edit]| syntax::removes_faults(text, after, edits);
        let broken = Broken { file, text, category: finding.category };
        broken.candidates(self.name(), &GRAMMAR, EFFORT, &of_first, &removes_faults)
    }
}

/// Repairs of a fault: those after which the file parses, or of which the parser gets further.
fn of_first_fault(text: &str, fault: &Fault, model: &Model, effort: Effort) -> Vec<Repair> {
    let tokens = scan(text);
    let regions = regions(&GRAMMAR, text, &tokens, fault.start.min(text.len())..fault.end);
    let mut readings = std::collections::HashMap::new();
    let mut proposals: Vec<Proposal> =
        regions.iter().flat_map(|region| TokenEdits::new(region, model).proposals(&[])).collect();
    proposals.extend(quotes(&regions));
    proposals.sort_by(|one, other| {
        let estimate = |proposal: &Proposal| proposal.slip + proposal.reading;
        estimate(one).total_cmp(&estimate(other)).then_with(|| one.edits.cmp(&other.edits))
    });
    let sure = merge_markers::proposals(text).into_iter().chain(layout::proposals(text, &tokens, &[");", ";"]));
    in_turn::survivors(
        sure.chain(proposals),
        effort,
        |edits| applied(text, edits).ok(),
        |proposal, edited| {
            let faults = syntax::faults(edited);
            // The parser has to get further.
            if faults.first().is_some_and(|next| next.start <= moved(fault.end.max(fault.start + 1), &proposal.edits)) {
                return None;
            }
            let reading = oddity(model, "", text, &proposal.edits, &mut readings);
            let askew = u32::try_from(disagreements(edited, &scan(edited)).len()).unwrap_or(u32::MAX);
            let bits = proposal.slip + reading + (ASKEW * f64::from(askew)).min(MOST_ASKEW);
            Some((bits, faults.len()))
        },
    )
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
