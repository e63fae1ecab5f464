//! The search for faults of LOGIC in JavaScript and TypeScript files.
//!
//! # Layout
//!
//! - `tree`, `reader`: expressions and statements as flat tables, and how they are read
//! - `file`, `site`: a file and its statements as operators see them; `piece`: the part of a file that is parsed for a change of it
//! - `stock`: pieces that another place may lack; `donors`: how they fit there; `idle`: variables that nothing reads
//! - `operators`: what may be changed, one kind of fault a file

use autoheal_engine::diagnostics::Finding;

use super::fix::blame::Blame;
use super::fix::member_spelling::COMMON_MEMBERS;
use super::module::Role;
use crate::edit::Candidate;
use crate::environment::Environment;
use crate::fix::FixContext;
use crate::javascript::index::Index;
use crate::search::strangers::{Mention, Strangers};
use crate::search::{self, Evidence, Weighing, candidates_at, suspects};
use crate::sources::Sources;

mod donors;
mod file;
mod idle;
mod operators;
mod piece;
mod reader;
mod site;
mod stock;
mod tree;

use file::File;
use site::Site;

/// The likeliest `most` changes of JavaScript and TypeScript files, likeliest first.
pub(crate) fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    let suspects = suspects(&blame.terrain(), evidence);
    let index = Index::of(sources);
    let texts = suspects.keys().filter_map(|name| Some((*name, sources.text(name)?)));
    let files: Vec<File<'_>> = texts
        .filter_map(|(name, text)| Some(File::new(name, text, index.module(name)?, reader::tree(name, text)?)))
        .collect();
    let sites = files.iter().flat_map(Site::all);
    candidates_at(sites, &suspects, &strangers(sources), Weighing::ByKind, index.model(), finding.category, most)
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
