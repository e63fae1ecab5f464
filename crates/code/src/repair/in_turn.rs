//! Several faults of one file: each is repaired in its turn, in the order in which the parser meets them.
//!
//! A repair of the first fault is judged by whether the parser gets further with it. The likeliest repairs are
//! carried over to the next fault, until no fault is left: a candidate that repairs all faults of a file beats
//! candidates that repair only one.

use std::collections::HashSet;

use autoheal_engine::diagnostics::Category;

use super::grammar::Grammar;
use super::proposal::Proposal;
use super::ranking::costs;
use super::region::line_of;
use super::tokens::Kind;
use crate::edit::{Candidate, Edit, FileEdit, applied, composed};

/// A repair of the first fault of a text.
pub(crate) struct Repair {
    /// Cost in bits: how unlikely the repair is.
    pub(crate) bits: f64,
    pub(crate) proposal: Proposal,
    /// Number of faults that the parser still finds after the repair, all of them further on.
    pub(crate) left: usize,
}

/// Bounds on the time that repairs of one fault take.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Proposals that are tried.
    pub(crate) tries: usize,
    /// Bytes that are parsed for that.
    pub(crate) bytes: usize,
    /// Faults that a repair may leave: one that leaves more is worth nothing.
    pub(crate) most_left: usize,
}

impl Effort {
    /// For the first fault of any text.
    pub(crate) const fn new(tries: usize, bytes: usize) -> Self {
        Self { tries, bytes, most_left: usize::MAX }
    }
}

/// A file that does not parse.
#[derive(Clone, Copy)]
pub(crate) struct Broken<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
    /// Category of what was reported of it.
    pub(crate) category: Category,
}

/// Proposals that parse before the search ends: more than are returned, since the ranking is refined afterwards.
const MAX_SURVIVORS: usize = 120;
/// Effort for each fault after the first: there are several repairs of the first to choose from.
const LATER: Effort = Effort::new(500, 2 << 20);
/// A longer text is repaired in one place only, and one that is left with more faults: each fault costs as much as the text is long, several times.
const LONGEST: usize = 32 << 10;
const MOST_LEFT: usize = 24;
/// Maximum number of repairs that are carried over to the next fault.
const WIDTH: usize = 3;
/// Maximum number of faults of one file that are repaired together.
const MAX_FAULTS: usize = 6;
/// Maximum number of returned repairs that fix only some of the faults.
const MAX_PARTIAL: usize = 6;
/// Maximum number of tokens that may disappear without having been removed.
const SWALLOWED: usize = 3;
/// Cost of each fault that is left, in bits: of two repairs of the first fault, the one that leaves fewer is more likely right.
const FAULT_LEFT: f64 = 6.0;

/// Some faults of the text repaired, the first ones.
struct Stage {
    bits: f64,
    edits: Vec<Edit>,
    text: String,
    descriptions: Vec<String>,
    left: usize,
}

impl Broken<'_> {
    /// Candidates of the fixer of that name. `removes_faults`: whether edits that lead to a text remove faults and add none; else as
    /// [`repairs`].
    pub(crate) fn candidates(
        &self,
        fixer: &str,
        grammar: &Grammar,
        effort: Effort,
        repairs_of_first: &dyn Fn(&str, Effort) -> Vec<Repair>,
        removes_faults: &dyn Fn(&str, &[Edit]) -> bool,
    ) -> Vec<Candidate> {
        let is_safe = |edits: &[Edit]| applied(self.text, edits).is_ok_and(|after| removes_faults(&after, edits));
        let found = costs(repairs(grammar, self.text, effort, repairs_of_first, &is_safe)).into_iter();
        found
            .map(|(cost, proposal)| Candidate {
                fixer: fixer.to_owned(),
                category: self.category,
                line: proposal.edits.first().map_or(1, |edit| line_of(self.text, edit.start)),
                description: proposal.description,
                cost,
                files: vec![FileEdit { file: self.file.to_owned(), edits: proposal.edits }],
            })
            .collect()
    }
}

/// Repairs of the first fault of a text among proposals, which are tried in their order. `edited` makes the text that is judged: the whole
/// file, or as much of it as tells. `judge` returns the bits of a proposal, and the number of faults in the text that it leads to; `None`: the
/// parser gets no further.
pub(crate) fn survivors(
    proposals: impl IntoIterator<Item = Proposal>,
    effort: Effort,
    edited: impl Fn(&[Edit]) -> Option<String>,
    mut judge: impl FnMut(&Proposal, &str) -> Option<(f64, usize)>,
) -> Vec<Repair> {
    let mut survivors = Vec::new();
    let mut seen = HashSet::new();
    let (mut budget, mut whole) = (effort.bytes, 0);
    for proposal in proposals {
        let Some(edited) = edited(&proposal.edits).filter(|edited| !seen.contains(edited)) else { continue };
        if whole >= MAX_SURVIVORS || seen.len() >= effort.tries || budget < edited.len() {
            break;
        }
        budget -= edited.len();
        if let Some((bits, left)) = judge(&proposal, &edited) {
            whole += usize::from(left == 0);
            survivors.push(Repair { bits, proposal, left });
        }
        seen.insert(edited);
    }
    survivors
}

/// Repairs of a text with their bits: of all its faults, if there are any such; behind them those of the first ones, as far as they are
/// `safe` by themselves. `repairs_of_first` gives repairs of a text's first fault.
pub(crate) fn repairs(
    grammar: &Grammar,
    text: &str,
    effort: Effort,
    repairs_of_first: &dyn Fn(&str, Effort) -> Vec<Repair>,
    is_safe: &dyn Fn(&[Edit]) -> bool,
) -> Vec<(f64, Proposal)> {
    let most_left = if text.len() <= LONGEST { MOST_LEFT } else { 0 };
    let mut first = repairs_of_first(text, Effort { most_left, ..effort });
    first.retain(|repair| repair.left <= most_left);
    if first.iter().any(|repair| repair.left == 0) {
        let whole = first.into_iter().filter(|repair| repair.left == 0);
        return whole.map(|repair| (repair.bits, repair.proposal)).collect();
    }
    let whole = Stage { bits: 0.0, edits: Vec::new(), text: text.to_owned(), descriptions: Vec::new(), left: 0 };
    let mut open = likeliest(after(grammar, &whole, first));
    let mut passed: Vec<Stage> = Vec::new();
    let mut healed: Vec<Stage> = Vec::new();
    for _ in 1..MAX_FAULTS {
        let next = open.iter().flat_map(|stage| after(grammar, stage, repairs_of_first(&stage.text, LATER)));
        let (done, still_open): (Vec<Stage>, Vec<Stage>) = next.partition(|stage| stage.left == 0);
        healed = done;
        passed.extend(std::mem::replace(&mut open, likeliest(still_open)));
        if !healed.is_empty() || open.is_empty() {
            break;
        }
    }
    passed.extend(open);
    healed.retain(|stage| !takes_away(grammar, text, stage));
    healed.sort_by(|one, other| one.bits.total_cmp(&other.bits));
    each_once(&mut healed);
    passed.retain(|stage| is_safe(&stage.edits) && !takes_away(grammar, text, stage));
    // A repair that costs more than the fault that it leaves behind does is a guess at nonsense.
    passed.sort_by(|one, other| one.unlikely().total_cmp(&other.unlikely()));
    // Two ways may lead to one text, in one step and in two.
    each_once(&mut passed);
    passed.truncate(MAX_PARTIAL);
    let mut least = healed.iter().map(|stage| stage.bits).fold(0.0, f64::max);
    for stage in &mut passed {
        least += FAULT_LEFT;
        stage.bits = stage.bits.max(least);
    }
    healed.into_iter().chain(passed).map(|stage| (stage.bits, stage.proposal())).collect()
}

/// Returns the stages that result from each repair of the next fault. A repair that makes a string or a comment of the text after
/// it hides faults and repairs none, so it is left out.
fn after(grammar: &Grammar, stage: &Stage, repairs: Vec<Repair>) -> Vec<Stage> {
    let words = |text: &str| {
        let tokens = (grammar.scan)(text);
        tokens.iter().filter(|token| !matches!(token.kind, Kind::Comment | Kind::Newline)).count()
    };
    let before = words(&stage.text);
    let next = |repair: Repair| {
        let made = repair.proposal.edits;
        let text = applied(&stage.text, &made).ok()?;
        let taken: usize =
            made.iter().map(|edit| words(stage.text.get(edit.start..edit.end).unwrap_or_default())).sum();
        if words(&text) + taken + SWALLOWED < before {
            return None;
        }
        let edits = composed(&stage.edits, &made, &text)?;
        let descriptions = stage.descriptions.iter().cloned().chain([repair.proposal.description]).collect();
        Some(Stage { bits: stage.bits + repair.bits, edits, text, descriptions, left: repair.left })
    };
    repairs.into_iter().filter_map(next).collect()
}

/// Returns whether adjacent words are removed one after the other: the repair misses what was meant there, and removing it heals
/// nothing.
fn takes_away(grammar: &Grammar, text: &str, stage: &Stage) -> bool {
    let mut gone = 0..0;
    stage.edits.iter().filter(|edit| edit.replacement.is_empty()).any(|edit| {
        let is_beside = text.get(gone.end..edit.start).is_some_and(|between| between.trim().is_empty());
        gone = if is_beside { gone.start..edit.end } else { edit.start..edit.end };
        let tokens = (grammar.scan)(text.get(gone.clone()).unwrap_or_default());
        let is_sign =
            |kind: Kind| matches!(kind, Kind::Operator | Kind::Open | Kind::Close | Kind::Comment | Kind::Newline);
        stage.descriptions.len() > 1
            && tokens.iter().filter(|token| !matches!(token.kind, Kind::Comment | Kind::Newline)).count() > 1
            && !tokens.iter().all(|token| is_sign(token.kind))
    })
}

fn likeliest(mut stages: Vec<Stage>) -> Vec<Stage> {
    stages.sort_by(|one, other| one.unlikely().total_cmp(&other.unlikely()));
    each_once(&mut stages);
    stages.truncate(WIDTH);
    stages
}

/// Of the stages that come to one text, keeps the first.
fn each_once(stages: &mut Vec<Stage>) {
    let mut seen = HashSet::new();
    stages.retain(|stage| seen.insert(stage.text.clone()));
}

impl Stage {
    /// Its bits with those of the faults that are left.
    fn unlikely(&self) -> f64 {
        FAULT_LEFT.mul_add(f64::from(u32::try_from(self.left).unwrap_or(99)), self.bits)
    }

    fn proposal(self) -> Proposal {
        let count = self.descriptions.len();
        let mut distinct: Vec<String> = Vec::new();
        for description in self.descriptions {
            if !distinct.contains(&description) {
                distinct.push(description);
            }
        }
        let places = if distinct.len() == 1 && count > 1 { format!(" in {count} places") } else { String::new() };
        Proposal::new(self.edits, self.bits, format!("{}{places}", distinct.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix_example::{check_fix, pytest};
    use crate::javascript::grammar::GRAMMAR;
    use crate::python::fix::syntax::SyntaxRepair;

    const EFFORT: Effort = Effort::new(9, 9);

    /// Repairs of `a(;` and, behind it, of `h(;`: by a bracket, and by a quotation mark that hides all else.
    fn of_first(text: &str, _: Effort) -> Vec<Repair> {
        let repair = |at: usize, put: &str, bits: f64, left: usize| {
            let proposal = Proposal::new(vec![Edit::insert(at, put)], bits, format!("insert `{put}`"));
            Repair { bits, proposal, left }
        };
        match (text.find("a(;"), text.find("h(;")) {
            (Some(at), _) => vec![repair(at, "`", 1.0, 1), repair(at + 2, ")", 5.0, 1)],
            (None, Some(at)) => vec![repair(at + 2, ")", 5.0, 0)],
            (None, None) => Vec::new(),
        }
    }

    fn results(text: &str, is_safe: bool) -> Vec<String> {
        let apply = |edits: Vec<Edit>| applied(text, &edits).unwrap();
        let found = repairs(&GRAMMAR, text, EFFORT, &of_first, &|_| is_safe);
        found.into_iter().map(|(_, proposal)| apply(proposal.edits)).collect()
    }

    /// Removes the first token of the text.
    fn without_first(text: &str, _: Effort) -> Vec<Repair> {
        let token = (GRAMMAR.scan)(text).into_iter().next().unwrap();
        let edit = Edit::delete(token.start..token.end);
        let left = text.split_whitespace().count() - 2;
        vec![Repair { bits: 1.0, proposal: Proposal::new(vec![edit], 1.0, "remove it".to_owned()), left }]
    }

    #[test]
    fn repairs_all_faults_of_file() {
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


 def circumference(width, height):
     return 2 * (width + height)


-def volume(width, height, depth)
+def volume(width, height, depth):
     return area(width, height) * depth
",
        );
    }

    #[test]
    fn what_is_not_understood_is_not_taken_away() {
        assert!(repairs(&GRAMMAR, "function ( {", EFFORT, &without_first, &|_| false).is_empty());
        assert_eq!(repairs(&GRAMMAR, ") } a", EFFORT, &without_first, &|_| false).len(), 1, "stray signs may be");
    }

    #[test]
    fn all_faults_are_repaired_and_none_is_hidden() {
        let text = "a(;\nb(c, d, e, f);\nh(;\n";
        let whole = "a();\nb(c, d, e, f);\nh();\n";
        assert_eq!(results(text, false), [whole]);
        assert_eq!(results(text, true), [whole, "a();\nb(c, d, e, f);\nh(;\n"], "those that repair some come behind");
    }

    #[test]
    fn two_ways_to_one_text_are_one_repair() {
        let of_first = |text: &str, _: Effort| {
            let closed = |at: usize| Edit::insert(at + 2, ")");
            let places: Vec<usize> = text.match_indices("(;").map(|(at, _)| at - 1).collect();
            let repair = |count: usize| {
                let edits = places.iter().take(count).map(|&at| closed(at)).collect();
                let proposal = Proposal::new(edits, 5.0, "insert `)`".to_owned());
                Repair { bits: 5.0, proposal, left: places.len() - count }
            };
            // One pair of brackets at a time, and two: the second way comes to a text that the first comes to in two steps.
            (1..places.len()).map(repair).collect::<Vec<_>>()
        };
        let text = "a(;\nb(;\nc(;\n";
        let found = repairs(&GRAMMAR, text, EFFORT, &of_first, &|_| true);
        let texts: Vec<String> =
            found.into_iter().map(|(_, proposal)| applied(text, &proposal.edits).unwrap()).collect();
        let distinct: HashSet<&String> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len(), "{texts:#?}");
        assert!(texts.contains(&"a();\nb();\nc(;\n".to_owned()), "{texts:#?}");
    }
}
