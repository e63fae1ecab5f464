//! The search for faults of LOGIC in Python files: what [`crate::search`] needs to know of the language.
//!
//! # Layout
//!
//! - `reader`: a file's tree; `tables`: its scopes, functions and classes; `idioms`: how the language writes what is proposed
//! - `operators`: what may be changed in no other language

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::environment::Environment;
use crate::fix::FixContext;
use crate::python::fix::blame::Blame;
use crate::python::index::Index;
use crate::python::module::Role;
use crate::recursion::{MOST_ROOM, deep};
use crate::search::strangers::{Mention, Strangers};
use crate::search::{self, Dialect, Evidence, Reading, Weighing, candidates_in, suspects};
use crate::sources::Sources;

mod idioms;
mod operators;
mod reader;
mod tables;

use tables::ModuleTables;

const DIALECT: Dialect =
    Dialect { idioms: &idioms::IDIOMS, operators: operators::OPERATORS, weighing: Weighing::ByPlace };

/// The likeliest `most` changes of Python files, likeliest first.
pub(crate) fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let environment = Environment::default();
    let blame = Blame::new(&FixContext { finding, all_findings: &[], sources, environment: &environment });
    let suspects = suspects(&blame.terrain(), evidence);
    let index = Index::of(sources);
    let read = |name| {
        let (text, module) = (sources.text(name)?, index.module(name)?);
        Some(Reading { name, text, tables: ModuleTables::new(text, module), tree: reader::tree(text)? })
    };
    // Of trees of many files at once.
    deep(MOST_ROOM, || {
        let readings: Vec<Reading<'_, ModuleTables<'_>>> = suspects.keys().copied().filter_map(read).collect();
        candidates_in(&readings, DIALECT, &suspects, &strangers(sources), index.model(), finding.category, most)
    })
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
