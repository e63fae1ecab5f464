//! Repairs of LOGIC by search: where nothing says what is wrong, small changes of suspicious lines are tried in order of
//! likelihood; the caller runs the tests.
//!
//! A candidate's likelihood is that of its line (`suspects`), of the kind of fault (`priors`), and of the one change among
//! all changes of that kind in that line (`operators`); how natural the result reads in its project moves it a little
//! (`ranking`). The cost is its negative logarithm, as with the other fixers.
//!
//! # Layout
//!
//! - `evidence`: what is known about where the fault may be; `suspects`: the lines, weighted by it
//! - `file`, `site`: a file and its statements as operators see them
//! - `operators`: what may be changed, one kind of fault a file; `change`: a change; `priors`: how common each kind is
//! - `ranking`: from changes to candidates

use std::ops::RangeInclusive;

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::environment::Environment;
use crate::fix::FixContext;
use crate::python::fix::blame::Blame;
use crate::sources::Sources;

mod change;
mod evidence;
mod file;
mod operators;
mod priors;
mod ranking;
mod site;
mod suspects;

pub use evidence::{Evidence, Lines, TestCoverage};

use change::Changes;
use file::File;
use operators::operators;
use ranking::{Likeliest, Ranked};
use site::Site;

/// The fixer's name in candidates.
pub const NAME: &str = "logic_search";

/// Less suspicious statements are not changed.
const MOST_SITES: usize = 200;

/// The likeliest `most` changes that may repair the finding, likeliest first. Each changes one editable file, parses, and makes
/// another text than all others.
pub fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    let suspects = suspects::suspects(&blame, evidence);
    let index = sources.index();
    let texts = suspects.iter().filter_map(|(name, lines)| Some((*name, lines, sources.text(name)?)));
    let trees: Vec<_> = texts.filter_map(|(name, lines, text)| Some((name, lines, text, file::tree(text)?))).collect();
    let files: Vec<_> = trees
        .iter()
        .filter_map(|(name, lines, text, tree)| Some((File::new(name, text, index.module(name)?, tree)?, *lines, tree)))
        .collect();
    let mut sites: Vec<(Site<'_>, f64)> = Vec::new();
    for (file, lines, tree) in &files {
        let weighted = file.sites(tree).into_iter().map(|site| {
            let own = file.module.line_of(site.head.start)..=file.module.line_of(site.head.end.saturating_sub(1));
            let weight = lines.range(own).map(|(_, weight)| *weight).fold(0.0, f64::max);
            // A line of many expressions has more to get wrong, and yet is one line: between its size and none.
            let size = u32::try_from(site.nodes().len()).map_or(1.0, f64::from).max(1.0);
            (site, weight * size.sqrt())
        });
        sites.extend(weighted.filter(|(_, weight)| *weight > 0.0));
    }
    sites.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    sites.truncate(MOST_SITES);
    let total: f64 = sites.iter().map(|(_, weight)| weight).sum();
    let mut likeliest = Likeliest::new(most);
    for (site, weight) in &sites {
        add_changes(&mut likeliest, site, (total / weight).log2());
    }
    ranking::best(likeliest, index.model(), finding.category, most)
}

/// The lines of the function that the candidate's one file is changed in. `None`: what is changed runs while modules are loaded, so any
/// test may depend on it.
pub fn region(candidate: &Candidate, sources: &Sources) -> Option<(String, RangeInclusive<u32>)> {
    let [file] = candidate.files.as_slice() else { return None };
    let module = sources.index().module(&file.file)?;
    let first = file.edits.iter().map(|edit| edit.start).min()?;
    let last = file.edits.iter().map(|edit| edit.end).max()?;
    let function = module.function_at(first)?;
    let is_inside = function.parameters_span.end <= first && last <= function.definition.end;
    let lines = module.line_of(function.definition.start)..=module.line_of(function.definition.end);
    is_inside.then(|| (file.file.clone(), lines))
}

/// Adds what every operator proposes at a place that costs so many bits itself.
fn add_changes<'a>(likeliest: &mut Likeliest<'a>, site: &Site<'a>, bits: f64) {
    for operator in operators() {
        let mut changes = Changes::default();
        operator.propose(site, &mut changes);
        let changes = changes.into_list();
        let total: f64 = changes.iter().map(|change| change.weight).sum();
        let family = priors::bits(operator.family());
        for change in changes.into_iter().filter(|change| change.weight > 0.0) {
            let bits = bits + family + (total / change.weight).log2();
            likeliest.add(Ranked { file: site.file, bits, change });
        }
    }
}
