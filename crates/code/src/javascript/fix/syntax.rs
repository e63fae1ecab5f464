//! Repairs of files that do not parse: a noisy channel, with the parser as the judge, as in Python.
//!
//! What a runner, a bundler or Node says of the place is not believed; the file is parsed again here.

use std::collections::{HashMap, HashSet};

use autoheal_engine::diagnostics::Category;

use super::{layout, plausibility, tags};
use crate::edit::{Candidate, Edit, FileEdit, moved};
use crate::fix::{FixContext, Fixer};
use crate::javascript::EXTENSIONS;
use crate::javascript::grammar::GRAMMAR;
use crate::javascript::parse;
use crate::javascript::tokens::{Kind, Token, is_closed, scan};
use crate::repair::in_turn::{self, Effort, Repair};
use crate::repair::merge_markers;
use crate::repair::ngram::Model;
use crate::repair::proposal::Proposal;
use crate::repair::quote_marks::one_line;
use crate::repair::ranking::costs;
use crate::repair::region::{Region, floor, lines};
use crate::repair::token_edits::TokenEdits;
use crate::sources::Sources;

/// Repairs files that do not parse, whatever the cause.
#[derive(Debug, Clone, Copy)]
pub struct SyntaxRepair;

/// Proposals that parse before the search ends: more than are returned, since the ranking is refined afterwards.
const MAX_SURVIVORS: usize = 100;
/// Bounds on the time of a call: the effort for the first fault, and the
/// bytes of other files that the model learns.
const EFFORT: Effort = Effort { tries: 1_000, bytes: 24 << 20 };
const LEARN_BUDGET: usize = 256 << 10;
/// Repairs of quotes that are tried whatever the model thinks of them.
const MAX_SURE_QUOTES: usize = 150;
/// Weight of the model's judgement.
const NATURALNESS: f64 = 0.6;
/// Lines above the fault in which repairs are sought, and around a place that is judged.
const LINES_ABOVE: usize = 6;
const MAX_LINES_ABOVE: usize = 40;
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
    let Some(text) = context.sources.text(file) else { return Vec::new() };
    let faults = parse::faults(file, text);
    let Some(fault) = faults.first() else { return Vec::new() };
    let model = learn(context.sources, file, &regions(text, &scan(text), fault));
    let of_first = |broken: &str, effort: Effort| {
        let faults = parse::faults(file, broken);
        faults.first().map_or_else(Vec::new, |fault| of_first_fault(file, broken, fault, &model, effort))
    };
    let is_safe = |edits: &[Edit]| {
        let edit = FileEdit { file: String::new(), edits: edits.to_vec() };
        edit.apply(text).is_ok_and(|after| parse::removes_fault(file, text, &after, edits))
    };
    let category = context.finding.category;
    costs(in_turn::repairs(&GRAMMAR, text, EFFORT, &of_first, &is_safe))
        .into_iter()
        .map(|(cost, proposal)| Candidate {
            fixer: fixer.to_owned(),
            category,
            line: proposal.edits.first().map_or(1, |edit| crate::repair::region::line_of(text, edit.start)),
            description: proposal.description,
            cost,
            files: vec![FileEdit { file: file.to_owned(), edits: proposal.edits }],
        })
        .collect()
}

/// Returns the regions in which repairs are searched: around what the parser noticed and, if that is
/// elsewhere, around the first place where the brackets and the indentation disagree.
fn regions<'text>(text: &'text str, tokens: &[Token], fault: &parse::Fault) -> Vec<Region<'text>> {
    let focus = floor(text, fault.end.max(fault.start + 1));
    let near = region(text, tokens, fault.start, focus);
    let disagreement = layout::disagreements(text, tokens).first().copied();
    let place = match disagreement {
        Some(layout::Disagreement::Unclosed(_, line)) => tokens.get(line).copied(),
        Some(layout::Disagreement::Unopened(at) | layout::Disagreement::Askew(at)) => tokens.get(at).copied(),
        None => None,
    };
    let is_before = |token: &Token| near.as_ref().is_none_or(|near| token.end < near.window.start);
    let far = place.filter(is_before).and_then(|token| region(text, tokens, token.start, token.end));
    near.into_iter().chain(far).collect()
}

fn region<'text>(text: &'text str, tokens: &[Token], fault: usize, focus: usize) -> Option<Region<'text>> {
    let line_begin = |at: usize| text[..floor(text, at)].rfind('\n').map_or(0, |newline| newline + 1);
    let up =
        |from: usize, count: usize| (0..count).fold(line_begin(from), |start, _| line_begin(start.saturating_sub(1)));
    let farthest = up(fault, MAX_LINES_ABOVE);
    let mut start = up(fault, LINES_ABOVE);
    let mut open = Vec::new();
    for token in tokens.iter().take_while(|token| token.start < focus) {
        match token.text(text) {
            "(" | "[" => open.push(token.start),
            ")" | "]" => {
                open.pop();
            }
            _ => {}
        }
    }
    if let Some(opener) = open.into_iter().find(|opener| *opener >= farthest) {
        start = start.min(line_begin(opener));
    }
    // Never begin inside a string or comment.
    if let Some(token) = tokens.iter().find(|token| token.start < start && start < token.end) {
        start = line_begin(token.start);
    }
    let end = text[focus..].find('\n').map_or(text.len(), |newline| focus + newline + 1);
    Region::new(&GRAMMAR, text, start..end, start..end, focus)
}

/// The model of the project, the lines in question left out.
fn learn(sources: &Sources, file: &str, regions: &[Region<'_>]) -> Model {
    let mut model = Model::new(&GRAMMAR);
    let mut left = LEARN_BUDGET;
    let mut learn = |text: &str| {
        let end = floor(text, left.min(text.len()));
        left -= end;
        model.learn(&text[..end]);
    };
    if let Some(region) = regions.first() {
        learn(&region.text[region.window.end..]);
        learn(&region.text[..region.window.start]);
    }
    let folder = |path: &str| path.rfind('/').map_or(String::new(), |slash| path[..slash].to_owned());
    let own_folder = folder(file);
    let others: Vec<_> = sources.with_extension(EXTENSIONS).filter(|(other, _)| *other != file).collect();
    let (near, far): (Vec<_>, Vec<_>) = others.into_iter().partition(|(other, _)| folder(other) == own_folder);
    near.into_iter().chain(far).for_each(|(_, text)| learn(text));
    for region in regions {
        model.learn_words(&region.text[region.window.clone()]);
    }
    model
}

/// Repairs of a fault: those after which the file parses, or of which the parser gets further.
fn of_first_fault(file: &str, text: &str, fault: &parse::Fault, model: &Model, effort: Effort) -> Vec<Repair> {
    let tokens = &scan(text);
    let regions = &regions(text, tokens, fault);
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
    let first_of_others = comments.len();
    let sure = comments.into_iter().chain(merge_markers::proposals(text)).chain(layout::proposals(text, tokens));
    let sure = sure.chain(tags::proposals(file, text)).chain(quotes);

    let mut survivors = Vec::new();
    let mut seen = HashSet::new();
    let mut budget = effort.bytes;
    let mut whole = 0;
    for (number, proposal) in sure.chain(proposals).enumerate() {
        if whole >= MAX_SURVIVORS || seen.len() >= effort.tries || budget < text.len() {
            break;
        }
        if !seen.insert(proposal.edits.clone()) {
            continue;
        }
        let Ok(edited) = FileEdit { file: String::new(), edits: proposal.edits.clone() }.apply(text) else { continue };
        budget -= text.len();
        let Some((oddity, left)) = plausibility::of(file, &edited, moved(focus, &proposal.edits)) else { continue };
        whole += usize::from(left == 0);
        // Lines that are read on their own do not tell where a comment begins.
        let reading = if number < first_of_others { 0.0 } else { readings.change(&proposal.edits) };
        survivors.push(Repair { bits: NATURALNESS.mul_add(reading, proposal.slip) + oddity, proposal, left });
    }
    survivors
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
