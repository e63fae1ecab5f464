//! The search for faults of LOGIC in JavaScript and TypeScript files: what [`crate::search`] needs to know of the language.
//!
//! # Layout
//!
//! - `reader`: a file's tree; `tables`: its scopes, functions and classes; `idioms`: how the language writes what is proposed
//! - `piece`: the part of a file that is parsed for a change of it; `idle`: variables that nothing reads
//! - `operators`: what may be changed in no other language

use autoheal_engine::diagnostics::Finding;

use super::fix::blame::Blame;
use super::fix::member_spelling::COMMON_MEMBERS;
use super::module::Role;
use crate::edit::Candidate;
use crate::environment::Environment;
use crate::fix::FixContext;
use crate::javascript::index::Index;
use crate::search::strangers::{Mention, Strangers};
use crate::search::{self, Dialect, Evidence, Reading, Weighing, candidates_in, suspects};
use crate::sources::Sources;

mod idioms;
mod idle;
mod operators;
mod piece;
mod reader;
mod tables;

use tables::ModuleTables;

const DIALECT: Dialect =
    Dialect { idioms: &idioms::IDIOMS, operators: operators::OPERATORS, weighing: Weighing::ByKind };

/// The likeliest `most` changes of JavaScript and TypeScript files, likeliest first.
pub(crate) fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    let suspects = suspects(&blame.terrain(), evidence);
    let index = Index::of(sources);
    let read = |name| {
        let (text, module) = (sources.text(name)?, index.module(name)?);
        let tree = reader::tree(name, text)?;
        Some(Reading { name, text, tables: ModuleTables::new(name, text, module, &tree), tree })
    };
    let readings: Vec<Reading<'_, ModuleTables<'_>>> = suspects.keys().copied().filter_map(read).collect();
    candidates_in(&readings, DIALECT, &suspects, &strangers(sources), index.model(), finding.category, most)
}

fn strangers(sources: &Sources) -> Strangers<'_> {
    let mentions = Index::of(sources).modules().flat_map(|(file, module)| {
        let words = module.words.iter();
        words.map(move |word| Mention { file, span: word.span, name: &word.text, is_member: word.role == Role::Member })
    });
    Strangers::new(sources, mentions, COMMON_MEMBERS)
}

/// The files that the failure may come from, with how suspicious they are.
pub(crate) fn files(finding: &Finding, sources: &Sources) -> Vec<(f64, String)> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    search::files(&blame.terrain())
}
