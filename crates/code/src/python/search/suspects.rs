//! Where the fault may be: lines of editable files with how suspicious they are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::evidence::Evidence;
use crate::python::fix::blame::Blame;
use crate::python::fix::excerpt::{MOST_NAMESAKES, definitions, names_in};
use crate::python::module::{Module, Span};

/// Weights of lines, by file; only their ratios count.
pub(super) type Suspects<'a> = BTreeMap<&'a str, BTreeMap<u32, f64>>;

/// What the error went through is likelier at fault than what merely ran: the deepest frame by this factor, each frame above
/// it by half of the one below.
const DEEPEST_FRAME: f64 = 8.0;

/// A failure that was not there before the last commit most often comes from what that commit changed.
const CHANGED: f64 = 8.0;

/// Without coverage: how much less suspicious each further step from the failing test is, from a use to its definition.
const STEP: f64 = 0.5;

/// Definitions further from the test are not looked at.
const MOST_STEPS: i32 = 5;

/// Lines that run when a module is loaded are in no test's coverage: as suspicious as a line that many passing tests run.
const LOADED: f64 = 0.05;

/// The suspicious lines. With coverage those that failing tests ran, by the square of their Ochiai score (so that ten lines of
/// score 0.3 weigh as much as one that only the failing test ran); without, those of functions on the stack and of definitions
/// that the failing test uses, directly or not.
pub(super) fn suspects<'a>(blame: &Blame<'a>, evidence: &Evidence) -> Suspects<'a> {
    let mut suspects = covered(blame, evidence);
    if suspects.is_empty() {
        suspects = reached(blame);
    }
    let mut factor = DEEPEST_FRAME;
    for place in &blame.places {
        let Some((file, _)) = file_of(blame, &place.file) else { continue };
        let weight = suspects.entry(file).or_default().entry(place.line).or_insert(STEP);
        *weight *= factor.max(1.0);
        factor /= 2.0;
    }
    for (file, lines) in &mut suspects {
        for line in evidence.changed.get(*file).into_iter().flatten() {
            lines.entry(*line).and_modify(|weight| *weight *= CHANGED);
        }
    }
    suspects
}

fn file_of<'a>(blame: &Blame<'a>, file: &str) -> Option<(&'a str, &'a Module)> {
    let sources = blame.sources();
    let (name, _) = sources.python().find(|(name, _)| *name == file && sources.is_editable(name))?;
    Some((name, sources.index().module(name)?))
}

fn covered<'a>(blame: &Blame<'a>, evidence: &Evidence) -> Suspects<'a> {
    let mut suspects = Suspects::new();
    for (file, scores) in evidence.ochiai() {
        let Some((file, module)) = file_of(blame, file) else { continue };
        let mut lines: BTreeMap<u32, f64> = scores.into_iter().map(|(line, score)| (line, score * score)).collect();
        for statement in &module.statements {
            let line = module.line_of(statement.span.start);
            if module.function_at(statement.span.start).is_none() {
                lines.entry(line).or_insert(LOADED);
            }
        }
        suspects.insert(file, lines);
    }
    suspects
}

/// What can be reached from the failing place by names.
fn reached<'a>(blame: &Blame<'a>) -> Suspects<'a> {
    let sources = blame.sources();
    let index = sources.index();
    let mut suspects = Suspects::new();
    let mut queue: VecDeque<(&str, Span, i32)> = VecDeque::new();
    for place in blame.all_places() {
        let Some((file, module)) =
            sources.python().find_map(|(name, _)| (name == place.file).then_some((name, index.module(name)?)))
        else {
            continue;
        };
        let around = module.function_at(place.span.start).map_or(place.span, |function| function.span);
        queue.push_back((file, around, 0));
    }
    if queue.is_empty()
        && let Some(file) = &blame.context.finding.file
        && let Some((file, text)) = sources.python().find(|(name, _)| name == file)
    {
        queue.push_back((file, Span { start: 0, end: text.len() }, 0));
    }
    let mut seen = BTreeSet::new();
    while let Some((file, span, steps)) = queue.pop_front() {
        let Some(module) = index.module(file) else { continue };
        if sources.is_editable(file) {
            let weight = STEP.powi(steps);
            let lines = suspects.entry(file).or_default();
            for line in module.line_of(span.start)..=module.line_of(span.end.saturating_sub(1)) {
                let known = lines.entry(line).or_insert(0.0);
                *known = known.max(weight);
            }
        }
        if steps >= MOST_STEPS {
            continue;
        }
        for name in names_in(index, file, span) {
            let found = if seen.insert(name) { definitions(index, sources, name) } else { Vec::new() };
            if found.len() <= MOST_NAMESAKES {
                queue.extend(found.into_iter().map(|(file, span)| (file, span, steps + 1)));
            }
        }
    }
    suspects
}
