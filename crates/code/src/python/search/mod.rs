//! The search for faults of LOGIC in Python files.
//!
//! # Layout
//!
//! - `file`, `site`: a file and its statements as operators see them
//! - `stock`: pieces that another place may lack; `donors`: how they fit there
//! - `operators`: what may be changed, one kind of fault a file

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::environment::Environment;
use crate::fix::FixContext;
use crate::python::fix::blame::Blame;
use crate::python::index::Index;
use crate::python::module::Role;
use crate::python::parse;
use crate::recursion::{MOST_ROOM, deep};
use crate::search::strangers::{Mention, Strangers};
use crate::search::{self, Evidence, Weighing, candidates_at, suspects};
use crate::sources::Sources;

mod donors;
mod file;
pub(crate) mod operators;
mod site;
mod stock;

use file::File;
use site::Site;

/// The likeliest `most` changes of Python files, likeliest first.
pub(crate) fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    // Of trees of many files at once.
    deep(MOST_ROOM, || candidates_of_trees(finding, sources, evidence, most))
}

fn candidates_of_trees(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    let suspects = suspects(&blame.terrain(), evidence);
    let index = Index::of(sources);
    let texts = suspects.keys().filter_map(|name| Some((*name, sources.text(name)?)));
    let trees: Vec<_> = texts.filter_map(|(name, text)| Some((name, text, parse::compiled(text, None)?))).collect();
    let files: Vec<_> = trees
        .iter()
        .filter_map(|(name, text, tree)| {
            let body = tree.read(|body| body);
            Some((File::new(name, text, index.module(name)?, body), body))
        })
        .collect();
    let sites = files.iter().flat_map(|(file, body)| Site::all(file, body));
    candidates_at(sites, &suspects, &strangers(sources), Weighing::ByPlace, index.model(), finding.category, most)
}

/// Members of Python's built-in types.
const COMMON: &str = "append extend insert remove pop clear index count sort reverse copy keys values items get setdefault update popitem \
fromkeys add discard union intersection difference symmetric_difference issubset issuperset isdisjoint join split rsplit splitlines strip \
lstrip rstrip lower upper title capitalize casefold swapcase startswith endswith find rfind rindex replace format format_map encode decode \
isdigit isalpha isalnum isspace isupper islower isnumeric isdecimal isidentifier partition rpartition zfill center ljust rjust translate \
maketrans expandtabs removeprefix removesuffix read readline readlines write writelines close seek tell flush real imag numerator \
denominator bit_length hex fromhex is_integer group groups groupdict start end span match search fullmatch sub subn findall finditer \
compile path exists isfile isdir basename dirname splitext abspath getcwd environ name args send throw appendleft popleft extendleft \
rotate most_common elements total year month day hour minute second now today isoformat strftime strptime date time timestamp days seconds \
total_seconds sqrt floor ceil log exp pow pi inf dumps loads dump load stdin stdout stderr argv exit parent stem suffix parts open";

fn strangers(sources: &Sources) -> Strangers<'_> {
    let mentions = Index::of(sources).modules().flat_map(|(file, module)| {
        let words = module.words.iter();
        words.map(move |word| Mention {
            file,
            span: word.span,
            name: &word.text,
            is_member: word.role == Role::Attribute,
        })
    });
    Strangers::new(sources, mentions, COMMON)
}

/// The files that the failure may come from, with how suspicious they are.
pub(crate) fn files(finding: &Finding, sources: &Sources) -> Vec<(f64, String)> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    search::files(&blame.terrain())
}
