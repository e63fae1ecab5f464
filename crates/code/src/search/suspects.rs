//! Suspicious lines: lines of editable files, with how likely each contains the fault.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::evidence::Evidence;
use super::terrain::Terrain;
use crate::span::Span;

/// Weights of lines, by file; only their ratios count.
pub(crate) type Suspects<'a> = BTreeMap<&'a str, BTreeMap<u32, f64>>;

/// Factor for the deepest frame of the error, which is more likely at fault than lines that merely ran; each frame above it has
/// half the factor of the one below.
const DEEPEST_FRAME: f64 = 8.0;

/// A failure that was not there before the last commit most often comes from what that commit changed.
const CHANGED: f64 = 8.0;

/// Factor for lines that a language server reports since the last commit. A report weighs as much as a change by that commit: it
/// is more specific, as it concerns one line of those changed, and less reliable, as code that fails a type check often runs well.
const HINTED: f64 = CHANGED;

/// Without coverage: how much less suspicious each further step from the failing test is, from a use to its definition.
const STEP: f64 = 0.5;

/// Maximum distance of a definition from the test, in steps.
const MOST_STEPS: i32 = 5;

/// Lines that run when a module is loaded are in no test's coverage: as suspicious as a line that many passing tests run.
const LOADED: f64 = 0.05;

/// The suspicious lines. With coverage those that failing tests ran, by the square of their Ochiai score (so that ten lines of
/// score 0.3 weigh as much as one that only the failing test ran); without, those of functions on the stack and of definitions
/// that the failing test uses, directly or not.
pub(crate) fn suspects<'a>(terrain: &Terrain<'a>, evidence: &Evidence) -> Suspects<'a> {
    let mut suspects = covered(terrain, evidence);
    if suspects.is_empty() {
        suspects = reached(terrain);
    }
    let mut factor = DEEPEST_FRAME;
    for &(file, line) in &terrain.frames {
        if !terrain.sources.is_editable(file) {
            continue;
        }
        let weight = suspects.entry(file).or_default().entry(line).or_insert(STEP);
        *weight *= factor.max(1.0);
        factor /= 2.0;
    }
    for (known, factor) in [(&evidence.changed, CHANGED), (&evidence.hinted, HINTED)] {
        for (file, lines) in &mut suspects {
            for line in known.get(*file).into_iter().flatten() {
                lines.entry(*line).and_modify(|weight| *weight *= factor);
            }
        }
    }
    suspects
}

/// The files that a failure may come from, with how suspicious their most suspicious line is: those on the way to the error, tests among
/// them, and those that define what is used there.
pub(crate) fn files(terrain: &Terrain<'_>) -> Vec<(f64, String)> {
    let suspects = suspects(terrain, &Evidence::default());
    let weight = |lines: &BTreeMap<u32, f64>| lines.values().copied().fold(0.0, f64::max);
    let mut files: Vec<(f64, String)> =
        suspects.iter().map(|(file, lines)| (weight(lines), (*file).to_owned())).collect();
    let own_file = terrain.own_file.and_then(|file| terrain.outline.known(file));
    let passed = terrain.places.iter().map(|(file, _)| *file).chain(own_file);
    let passed: BTreeSet<&str> = passed.filter(|file| !suspects.contains_key(file)).collect();
    files.extend(passed.into_iter().map(|file| (STEP, file.to_owned())));
    files
}

fn covered<'a>(terrain: &Terrain<'a>, evidence: &Evidence) -> Suspects<'a> {
    let mut suspects = Suspects::new();
    for (file, scores) in evidence.ochiai() {
        let Some(file) = terrain.editable(file) else { continue };
        let mut lines: BTreeMap<u32, f64> = scores.into_iter().map(|(line, score)| (line, score * score)).collect();
        for line in terrain.outline.loaded_lines(file) {
            lines.entry(line).or_insert(LOADED);
        }
        suspects.insert(file, lines);
    }
    suspects
}

/// Returns the lines that can be reached by names from the failing place, and from all of its file if the place names nothing that is defined
/// in the repository: a macro may make the test.
fn reached<'a>(terrain: &Terrain<'a>) -> Suspects<'a> {
    let (suspects, names_something) = reached_from(terrain, terrain.places.iter().copied());
    if names_something {
        return suspects;
    }
    let own = terrain.own_file.and_then(|file| terrain.outline.known(file));
    let whole = own.and_then(|file| Some((file, Span { start: 0, end: terrain.sources.text(file)?.len() })));
    let (around, _) = reached_from(terrain, whole.into_iter());
    if around.is_empty() { suspects } else { around }
}

/// The lines, and whether a definition is among them.
fn reached_from<'a>(terrain: &Terrain<'a>, places: impl Iterator<Item = (&'a str, Span)>) -> (Suspects<'a>, bool) {
    let sources = terrain.sources;
    let mut suspects = Suspects::new();
    let mut queue: VecDeque<(&str, Span, i32)> = places.map(|(file, span)| (file, span, 0)).collect();
    let (mut seen, mut names_something) = (BTreeSet::new(), false);
    while let Some((file, span, steps)) = queue.pop_front() {
        if sources.is_editable(file) {
            let weight = STEP.powi(steps);
            let lines = suspects.entry(file).or_default();
            for line in terrain.lines(file, span) {
                let known = lines.entry(line).or_insert(0.0);
                *known = known.max(weight);
            }
        }
        if steps >= MOST_STEPS {
            continue;
        }
        for name in terrain.outline.names_in(file, span) {
            if seen.insert(name) {
                let found = terrain.outline.definitions(sources, name);
                names_something |= !found.is_empty();
                queue.extend(found.into_iter().map(|(file, span)| (file, span, steps + 1)));
            }
        }
    }
    (suspects, names_something)
}
