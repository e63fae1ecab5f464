//! Repairs of files that do not parse.
//!
//! Small edits near the fault are generated in great number and ranked by how likely such a slip is and how
//! natural the result reads in its project; those after which the file parses are kept: a noisy channel, with
//! the parser as the judge. If a file has several faults, the edits that let the parser get further are carried
//! over to the next fault ([`in_turn`]).

use std::collections::{BTreeSet, HashSet};

use autoheal_engine::diagnostics::Category;

use crate::edit::{Candidate, Edit, applied, moved};
use crate::fix::{FixContext, Fixer};
use crate::python::EXTENSIONS;
use crate::python::grammar::GRAMMAR;
use crate::python::index::Index;
use crate::python::{parse, tokens};
use crate::repair::in_turn::{self, Broken, Effort, Repair};
use crate::repair::learning::learn;
use crate::repair::ngram::Model;
use crate::repair::region::{LONGEST_WINDOW, floor};
use crate::sources::Sources;

use super::proposal::Proposal;
use super::site::Site;
use super::token_edits::TokenEdits;
use super::{indentation, merge_markers, plausibility, python2, quote_edits};

/// Repairs files that do not parse, whatever the cause.
#[derive(Debug, Clone, Copy)]
pub struct SyntaxRepair;

/// Effort for the first fault: a bound on the time of a call.
const EFFORT: Effort = Effort::new(1200, 24 << 20);
/// Repairs of indentation and quotes that are tried whatever the model thinks of them.
const MAX_SURE_LINES: usize = 80;
/// Names that others import which are tried.
const MAX_WANTED: usize = 12;
/// Weight of the model's opinion.
const NATURALNESS: f64 = 0.6;
/// Lines below the window that are read when judging how natural the result is.
const LINES_BELOW: usize = 4;

impl Fixer for SyntaxRepair {
    fn name(&self) -> &'static str {
        "syntax"
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        if !matches!(finding.category, Category::Syntax | Category::Indentation) {
            return Vec::new();
        }
        let Some(file) = finding.file.as_deref().filter(|file| context.sources.is_editable(file)) else {
            return Vec::new();
        };
        let Some(text) = context.sources.text(file).filter(|text| parse::is_parsed(text)) else { return Vec::new() };
        let version = Some(context.environment.of(crate::python::ID).version).filter(|version| version.0 > 0);
        let line = finding.location.map(|location| location.line);
        let Some(site) = Site::find(text, version, &parse::faults(text, version), line) else { return Vec::new() };
        let model = learn(&GRAMMAR, EXTENSIONS, context.sources, file, text, std::slice::from_ref(&site.window));
        let wanted = wanted(context.sources, file, text);
        let of_first = |broken: &str, effort: Effort| {
            let line = line.filter(|_| broken == text);
            let site = Site::find(broken, version, &parse::faults(broken, version), line);
            site.map_or_else(Vec::new, |site| of_first_fault(&site, &model, &wanted, effort))
        };
        let removes_faults = |after: &str, edits: &[Edit]| parse::removes_faults(text, after, edits);
        let broken = Broken { file, text, category: finding.category };
        broken.candidates(self.name(), &GRAMMAR, EFFORT, &of_first, &removes_faults)
    }
}

/// Names that other files import from this one and that do not occur in it: one of them may be what is missing.
fn wanted<'a>(sources: &'a Sources, file: &str, text: &str) -> Vec<&'a str> {
    let index = Index::of(sources);
    let Some(own) = index.name_of(file) else { return Vec::new() };
    let imported: BTreeSet<&str> = index
        .modules()
        .flat_map(|(other, module)| module.imports.iter().map(move |import| (other, import)))
        .filter(|(other, import)| index.resolve(other, import).as_deref() == Some(own))
        .flat_map(|(_, import)| &import.names)
        .map(|imported| imported.name.as_str())
        .filter(|name| *name != "*" && index.file_of(&format!("{own}.{name}")).is_none())
        .collect();
    let present: HashSet<&str> = tokens::scan(text).iter().map(|token| token.text(text)).collect();
    imported.into_iter().filter(|name| !present.contains(name)).take(MAX_WANTED).collect()
}

/// Repairs of the fault of the site: those after which the file parses, or of which the parser gets further.
fn of_first_fault(site: &Site<'_>, model: &Model, wanted: &[&str], effort: Effort) -> Vec<Repair> {
    let region = region(site);
    let before = site_bits(site, model, &region, &[]);
    let reading = |edits: &[Edit]| site_bits(site, model, &region, edits) - before;
    let mut survivors = whole_file(site, &reading);
    let estimate = |proposal: &Proposal| NATURALNESS.mul_add(proposal.reading, proposal.slip);
    let order = |one: &Proposal, other: &Proposal| {
        estimate(one).total_cmp(&estimate(other)).then_with(|| one.edits.cmp(&other.edits))
    };
    let lines = indentation::proposals(site).into_iter().chain(quote_edits::proposals(site));
    let mut lines: Vec<Proposal> = lines
        .map(|proposal| {
            let bits = reading(&proposal.edits);
            proposal.reading(bits)
        })
        .collect();
    lines.sort_by(order);
    let mut proposals = TokenEdits::new(site, model).proposals(wanted);
    // In a small project the model knows little, and takes whatever makes a line shorter for natural: a few of these are always tried.
    proposals.extend(lines.split_off(lines.len().min(MAX_SURE_LINES)));
    proposals.extend(indentation::lost_bodies(site));
    proposals.sort_by(order);

    let known: HashSet<String> = survivors.iter().filter_map(|repair| site.edited(&repair.proposal.edits)).collect();
    let found = in_turn::survivors(
        lines.into_iter().chain(proposals),
        effort,
        |edits| site.edited(edits),
        |proposal, edited| {
            if known.contains(edited) || plausibility::is_still_broken(site, edited, &proposal.edits, effort.most_left)
            {
                return None;
            }
            let (oddity, left) = plausibility::of(site, edited, &proposal.edits)?;
            Some((NATURALNESS.mul_add(reading(&proposal.edits), proposal.slip) + oddity, left))
        },
    );
    survivors.extend(found);
    survivors
}

/// Repairs that concern more than one place.
fn whole_file(site: &Site<'_>, reading: &dyn Fn(&[Edit]) -> f64) -> Vec<Repair> {
    let proposals = merge_markers::proposals(site.text).into_iter().chain(python2::proposals(site.text));
    proposals
        .filter_map(|proposal| {
            let edited = applied(site.text, &proposal.edits).ok()?;
            let left = parse::faults(&edited, site.version);
            let is_past = left.first().is_none_or(|fault| fault.start > moved(site.focus, &proposal.edits));
            let bits = NATURALNESS.mul_add(reading(&proposal.edits), proposal.slip);
            is_past.then_some(Repair { bits, proposal, left: left.len() })
        })
        .collect()
}

/// The lines by which results are compared.
fn region(site: &Site<'_>) -> std::ops::Range<usize> {
    let mut end = site.window.end;
    for _ in 0..LINES_BELOW {
        end = site.text[end..].find('\n').map_or(site.text.len(), |newline| end + newline + 1);
    }
    let end = end.min(site.chunk.end).min(floor(site.text, site.window.end + LONGEST_WINDOW));
    site.window.start..end.max(site.window.end)
}

/// Returns the cost of the region's text after the edits, in bits: the lower, the more natural it reads.
fn site_bits(site: &Site<'_>, model: &Model, region: &std::ops::Range<usize>, edits: &[Edit]) -> f64 {
    let mut text = String::with_capacity(region.len() + 16);
    let mut position = region.start;
    for edit in edits.iter().filter(|edit| edit.start >= region.start && edit.end <= region.end) {
        text.push_str(site.text.get(position..edit.start).unwrap_or_default());
        text.push_str(&edit.replacement);
        position = edit.end;
    }
    text.push_str(site.text.get(position..region.end).unwrap_or_default());
    model.bits_of_text(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn inserts_colon() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/a.py", line 1
    def area(width, height)
                           ^
SyntaxError: expected ':'"#,
            ),
            r"
-def area(width, height)
+def area(width, height):
     return width * height
",
        );
    }

    #[test]
    fn puts_name_back_that_others_import() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/sizes.py", line 2
    = 4
    ^
SyntaxError: invalid syntax"#,
            ),
            r"
//- /sizes.py
 WIDTH = 3
-= 4
+HEIGHT = 4
 DEPTH = 5
//- /box.py
 from sizes import DEPTH, HEIGHT, WIDTH
",
        );
    }

    #[test]
    fn a_broken_method_far_below_the_first_line_is_judged_like_one_at_the_top() {
        check_fix(
            &SyntaxRepair,
            pytest(
                r#"File "/repo/bill.py", line 8
    def add(self, price)
                        ^
SyntaxError: expected ':'"#,
            ),
            r"
//- /bill.py
 from rates import RATE


 class Bill:
     def __init__(self):
         self.lines = []

-    def add(self, price)
+    def add(self, price):
         self.lines.append(price)
         return self

-    def total(self)
+    def total(self):
         return sum(self.lines) * RATE
//- /rates.py
 RATE = 3
//- /test_bill.py
 from bill import Bill


 def test_total():
     assert Bill().add(2).total() == 6
",
        );
    }

    #[test]
    fn leaves_protected_and_sound_files_alone() {
        let broken = pytest("File \"/repo/test_a.py\", line 1\nSyntaxError: expected ':'");
        check_no_fix(&SyntaxRepair, broken, "//- /test_a.py protected\n def test_area()\n     assert True\n");
        let sound = pytest("File \"/repo/a.py\", line 1\nSyntaxError: invalid syntax");
        check_no_fix(&SyntaxRepair, sound, " WIDTH = 3\n");
    }

    #[test]
    fn a_bracket_before_blank_lines_is_closed_on_its_own_line() {
        let text = "def fee(due, back):\n    late = days(due, back)\n    if late <= GRACE:\n        return 0\n    \
                    return min(late * DAILY, CAP\n\n\ndef display(cents):\n    return format(cents)\n";
        let site = Site::find(text, None, &parse::faults(text, None), Some(5)).unwrap();
        let mut model = Model::new(&GRAMMAR);
        model.learn(
            "def cost(goods):\n    return max(goods * PRICE, BASE)\n\n\ndef name(member):\n    return member.name\n",
        );
        let first = |proposals: Vec<Proposal>| {
            let estimate = |one: &Proposal| NATURALNESS.mul_add(one.reading, one.slip);
            proposals.into_iter().min_by(|one, other| estimate(one).total_cmp(&estimate(other))).unwrap()
        };
        let mut proposals = TokenEdits::new(&site, &model).proposals(&[]);
        let end = text.find("\n\n").unwrap();
        proposals.retain(|proposal| {
            proposal.edits.iter().all(|edit| (end..end + 3).contains(&edit.start) && edit.replacement == ")")
        });
        assert_eq!(proposals.len(), 3);
        let bits: Vec<f64> = proposals.iter().map(|proposal| proposal.reading).collect();
        assert!((bits[0] - bits[1]).abs() < 1e-9, "the same lines for the model: {bits:?}");
        assert_eq!(first(proposals[..2].to_vec()).edits, [Edit::insert(end, ")")]);
    }
}
