//! Repairs of files that do not parse: a noisy channel, with the parser as the judge, as in Python.
//!
//! What a runner, a bundler or Node says of the place is not believed; the file is parsed again here.

use std::collections::{HashMap, HashSet};

use autoheal_engine::diagnostics::Category;

use super::{plausibility, tags};
use crate::edit::{Candidate, Edit, applied, moved};
use crate::fix::{FixContext, Fixer};
use crate::javascript::EXTENSIONS;
use crate::javascript::grammar::GRAMMAR;
use crate::javascript::parse;
use crate::javascript::tokens::{Kind, Token, is_closed, scan};
use crate::repair::in_turn::{self, Broken, Effort, Repair};
use crate::repair::learning::learn;
use crate::repair::ngram::Model;
use crate::repair::proposal::Proposal;
use crate::repair::quote_marks::one_line;
use crate::repair::region::{Region, floor, lines, regions};
use crate::repair::token_edits::TokenEdits;
use crate::repair::{layout, merge_markers};

/// Repairs files that do not parse, whatever the cause.
#[derive(Debug, Clone, Copy)]
pub struct SyntaxRepair;

/// Effort for the first fault: a bound on the time of a call.
const EFFORT: Effort = Effort::new(1_000, 24 << 20);
/// Repairs of quotes that are tried whatever the model thinks of them.
const MAX_SURE_QUOTES: usize = 150;
/// Weight of the model's judgement.
const NATURALNESS: f64 = 0.6;
/// Lines around a place that is judged.
const LINES_AROUND: usize = 3;
/// Lines that are longer are hardly written by people.
const MAX_LINE: usize = 400;

impl Fixer for SyntaxRepair {
    fn name(&self) -> &'static str {
        "syntax"
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        if !matches!(finding.category, Category::Syntax | Category::Indentation) {
            return Vec::new();
        }
        broken_files(context).into_iter().flat_map(|file| repairs(self.name(), context, file)).collect()
    }
}

/// The files that are to be repaired: the finding's own when it is broken; else those that do not parse, for runners tell the test
/// that loads a broken file.
fn broken_files<'a>(context: &FixContext<'a>) -> Vec<&'a str> {
    const MAX_FILES: usize = 3;
    let is_broken = |file: &str| {
        context.sources.is_editable(file) && context.sources.text(file).is_some_and(|text| !parse::compiles(file, text))
    };
    if let Some(file) = context.finding.file.as_deref().filter(|file| is_broken(file)) {
        return vec![file];
    }
    let said = format!("{}\n{}", context.finding.message, context.finding.stack.as_deref().unwrap_or_default());
    let name = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
    let mut broken: Vec<&str> = context
        .sources
        .with_extension(EXTENSIONS)
        .map(|(file, _)| file)
        .filter(|file| is_broken(file))
        .take(3 * MAX_FILES)
        .collect();
    broken.sort_by_key(|file| (!said.contains(*file), !said.contains(&name(file))));
    broken.truncate(MAX_FILES);
    broken
}

fn repairs(fixer: &str, context: &FixContext<'_>, file: &str) -> Vec<Candidate> {
    let Some(text) = context.sources.text(file).filter(|text| parse::is_parsed(file, text)) else { return Vec::new() };
    let faults = parse::faults(file, text);
    let Some(fault) = faults.first() else { return Vec::new() };
    let tokens = scan(text);
    let windows: Vec<_> =
        regions(&GRAMMAR, text, &tokens, fault.start..fault.end).into_iter().map(|one| one.window).collect();
    let model = learn(&GRAMMAR, EXTENSIONS, context.sources, file, text, &windows);
    let of_first = |broken: &str, effort: Effort| {
        let faults = parse::faults(file, broken);
        faults.first().map_or_else(Vec::new, |fault| of_first_fault(file, broken, fault, &model, effort))
    };
    let removes_faults = |after: &str, edits: &[Edit]| parse::removes_fault(file, text, after, edits);
    let broken = Broken { file, text, category: context.finding.category };
    broken.candidates(fixer, &GRAMMAR, EFFORT, &of_first, &removes_faults)
}

/// Repairs of a fault: those after which the file parses, or of which the parser gets further.
fn of_first_fault(file: &str, text: &str, fault: &parse::Fault, model: &Model, effort: Effort) -> Vec<Repair> {
    let tokens = &scan(text);
    let regions = &regions(&GRAMMAR, text, tokens, fault.start..fault.end);
    let focus = fault.end.max(fault.start + 1);
    let mut readings = Readings { text, model, known: HashMap::new() };
    let mut proposals: Vec<Proposal> =
        regions.iter().flat_map(|region| TokenEdits::new(region, model).proposals(&[])).collect();
    let mut read = |proposals: Vec<Proposal>| -> Vec<Proposal> {
        let read = |proposal: Proposal| {
            let bits = readings.change(&proposal.edits);
            proposal.reading(bits)
        };
        proposals.into_iter().map(read).collect()
    };
    let mut quotes = read(quotes(text, tokens, regions));
    proposals.extend(read(strays(regions)));
    let estimate = |proposal: &Proposal| NATURALNESS.mul_add(proposal.reading, proposal.slip);
    let order = |one: &Proposal, other: &Proposal| {
        estimate(one).total_cmp(&estimate(other)).then_with(|| one.edits.cmp(&other.edits))
    };
    quotes.sort_by(order);
    // An open string hides the code behind it, and what is put in there looks natural: a few of the quotes are always tried.
    proposals.extend(quotes.split_off(quotes.len().min(MAX_SURE_QUOTES)));
    proposals.sort_by(order);
    // Those that know what they look for are few, and tried first.
    let comments = comments(text, tokens);
    let about_comments: HashSet<Vec<Edit>> = comments.iter().map(|proposal| proposal.edits.clone()).collect();
    let sure = comments.into_iter().chain(merge_markers::proposals(text)).chain(layout::proposals(text, tokens, &[]));
    let sure = sure.chain(tags::proposals(file, text)).chain(quotes);
    in_turn::survivors(
        sure.chain(proposals),
        effort,
        |edits| applied(text, edits).ok(),
        |proposal, edited| {
            let (oddity, left) = plausibility::of(file, edited, moved(focus, &proposal.edits))?;
            // Lines that are read on their own do not tell where a comment begins.
            let is_comment = about_comments.contains(&proposal.edits);
            let reading = if is_comment { 0.0 } else { readings.change(&proposal.edits) };
            Some((NATURALNESS.mul_add(reading, proposal.slip) + oddity, left))
        },
    )
}

/// Quotation marks in lines that hold an open one, or near the fault.
fn quotes(text: &str, tokens: &[Token], regions: &[Region<'_>]) -> Vec<Proposal> {
    const MARKS: [char; 3] = ['"', '\'', '`'];
    const MAX_LINES: usize = 24;
    const BEHIND: f64 = 4.0;
    let mut starts = Vec::new();
    let line_begin = |at: usize| text[..floor(text, at)].rfind('\n').map_or(0, |newline| newline + 1);
    for token in tokens.iter().filter(|token| token.kind == Kind::String) {
        let string = token.text(text);
        // A template of many lines may end where it should not, or begin where the one before should have ended.
        if !is_closed(string) || string.starts_with('`') && string.contains('\n') {
            starts.push(line_begin(token.start));
            starts.push(line_begin(token.end.saturating_sub(1)));
        }
    }
    for region in regions {
        let focus = line_begin(region.focus.saturating_sub(1));
        starts.extend([focus, line_begin(focus.saturating_sub(1))]);
    }
    starts.sort_unstable();
    starts.dedup();
    let mut proposals = Vec::new();
    for start in starts.into_iter().take(MAX_LINES) {
        if let Some((_, line)) = lines(&text[start..]).next().filter(|(_, line)| line.len() < MAX_LINE) {
            one_line(start, line, &MARKS, &mut proposals);
        }
    }
    // What ends a statement or an item stands outside of its strings.
    for proposal in &mut proposals {
        let is_behind = |edit: &Edit| edit.start == edit.end && text[..edit.start].ends_with([';', ',', '{']);
        if proposal.edits.iter().any(is_behind) {
            proposal.slip += BEHIND;
        }
    }
    proposals
}

/// Signs that are hardly ever meant, taken out wherever they stand.
fn strays(regions: &[Region<'_>]) -> Vec<Proposal> {
    const SLIP: f64 = 4.0;
    const SIGNS: [char; 8] = ['$', '#', '@', '\\', '%', '^', '&', '~'];
    const MAX_PLACES: usize = 60;
    let mut proposals = Vec::new();
    for region in regions {
        let end = region.focus.min(region.window.end);
        let window = region.text.get(region.window.start..end).unwrap_or_default();
        for (at, sign) in window.char_indices().rev().filter(|(_, sign)| SIGNS.contains(sign)).take(MAX_PLACES) {
            let start = region.window.start + at;
            let edit = Edit::delete(start..start + sign.len_utf8());
            proposals.push(Proposal::new(vec![edit], SLIP, format!("remove the stray `{sign}`")));
        }
    }
    proposals
}

/// Comments that do not end, or that lost their beginning.
fn comments(text: &str, tokens: &[Token]) -> Vec<Proposal> {
    const SLIP: f64 = 3.0;
    const MAX_PLACES: usize = 30;
    let mut proposals = Vec::new();
    let mut put = |at: usize, with: &str, description: &str| {
        proposals.push(Proposal::new(vec![Edit::insert(at, with)], SLIP, description.to_owned()));
    };
    for comment in tokens.iter().filter(|token| token.kind == Kind::Comment) {
        let body = comment.text(text);
        let is_open = !body.ends_with("*/") || body[2..].contains("/*");
        if !body.starts_with("/*") || !is_open {
            continue;
        }
        for (start, line) in lines(body).take(MAX_PLACES) {
            let end = comment.start + start + line.trim_end().len();
            let is_last = !body[start + line.len()..].trim_start().starts_with('*');
            if is_last {
                put(end, " */", "end the comment");
                put(end, "*/", "end the comment");
                put(end, "/", "end the comment");
            }
        }
    }
    // `* text` and `*/` of a comment whose beginning was lost.
    for (start, line) in lines(text) {
        let shown = line.trim_start();
        let at = start + line.len() - shown.len();
        let is_inside = tokens.iter().any(|token| token.kind == Kind::Comment && token.start < at && at < token.end);
        if shown.starts_with('*') && !is_inside {
            put(at, "/", "begin the comment");
            put(at, "/*", "begin the comment");
            break;
        }
    }
    proposals
}

/// Naturalness of lines, as the model judges it; each stretch of lines is judged once.
struct Readings<'a> {
    text: &'a str,
    model: &'a Model,
    known: HashMap<(usize, usize), f64>,
}

impl Readings<'_> {
    /// Returns the number of bits that the lines around the edits cost more after the edits.
    fn change(&mut self, edits: &[Edit]) -> f64 {
        let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return 0.0 };
        let start = (0..=LINES_AROUND).fold(first.start, |at, _| self.text[..at].rfind('\n').unwrap_or(0));
        let end = (0..=LINES_AROUND)
            .fold(last.end, |at, _| self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline + 1));
        let (model, text) = (self.model, self.text);
        let before = *self.known.entry((start, end)).or_insert_with(|| model.bits_of_text(&text[start..end]));
        let mut edited = String::with_capacity(end - start + 16);
        let mut position = start;
        for edit in edits {
            edited.push_str(text.get(position..edit.start).unwrap_or_default());
            edited.push_str(&edit.replacement);
            position = edit.end;
        }
        edited.push_str(text.get(position..end).unwrap_or_default());
        model.bits_of_text(&edited) - before
    }
}

#[cfg(test)]
mod tests {
    use super::SyntaxRepair;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn closes_bracket() {
        check_fix(
            &SyntaxRepair,
            node(
                r"/repo/a.js:2
SyntaxError: missing ) after argument list
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
            ),
            r"
 function add(cart, name, price) {
-  cart.items.push({ name, price };
+  cart.items.push({ name, price });
   return cart;
 }
",
        );
    }

    #[test]
    fn corrects_misspelt_keyword() {
        check_fix(
            &SyntaxRepair,
            node(
                r"/repo/a.js:1
SyntaxError: Unexpected identifier 'add'
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
            ),
            r"
-fucntion add(cart, item) {
+function add(cart, item) {
   cart.items.push(item);
   return cart;
 }
",
        );
    }

    /// Runners name the test that loads a broken file.
    #[test]
    fn repairs_file_that_named_test_loads() {
        check_fix(
            &SyntaxRepair,
            node(
                r"SyntaxError: missing ) (lib/money.js)
    at Object.<anonymous> (/repo/test/money.test.js:1:19)",
            ),
            r"
//- /lib/money.js
 exports.round = function (value) {
-  return Math.round(value;
+  return Math.round(value);
 };

 exports.half = function (value) {
   return Math.floor(value / 2);
 };
//- /test/money.test.js protected
 const { round } = require('../lib/money');

 test('round', () => expect(round(1.5)).toBe(2));
",
        );
    }

    #[test]
    fn leaves_protected_file_alone() {
        check_no_fix(
            &SyntaxRepair,
            node(
                r"/repo/test/a.test.js:1
SyntaxError: Unexpected end of input
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
            ),
            r"
//- /test/a.test.js protected
 test('round', () => expect(round(1.5)).toBe(2);
",
        );
    }
}
