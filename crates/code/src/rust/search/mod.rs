//! The search for faults of LOGIC in Rust files: what [`crate::search`] needs to know of the language.
//!
//! # Layout
//!
//! - `reader`, `words`: a file's tree; `tables`: its functions, variables and members; `idioms`: the notation of proposed code

use autoheal_engine::diagnostics::Finding;

use super::index::Index;
use super::panics::frames;
use crate::edit::Candidate;
use crate::language::outline::Outline as _;
use crate::search::strangers::{Mention, Strangers};
use crate::search::terrain::Terrain;
use crate::search::{self, Dialect, Evidence, Reading, Weighing, candidates_in, suspects};
use crate::sources::Sources;
use crate::span::Span;

mod idioms;
mod reader;
mod tables;
mod words;

use tables::ModuleTables;

/// The compiler refuses most of what has another type: the kinds of fault that fit few places are tried early at those.
const DIALECT: Dialect = Dialect { idioms: &idioms::IDIOMS, operators: &[], weighing: Weighing::ByKind };

/// The likeliest `most` changes of Rust files, likeliest first.
pub(crate) fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let terrain = terrain(finding, sources);
    let suspects = suspects(&terrain, evidence);
    let index = Index::of(sources);
    let read = |name| {
        let (text, module) = (sources.text(name)?, index.module(name)?);
        Some(Reading { name, text, tables: ModuleTables::new(text, module), tree: reader::tree(text)? })
    };
    let readings: Vec<Reading<'_, ModuleTables<'_>>> = suspects.keys().copied().filter_map(read).collect();
    candidates_in(&readings, DIALECT, &suspects, &strangers(sources), index.model(), finding.category, most)
}

/// The files that the failure may come from, with how suspicious they are.
pub(crate) fn files(finding: &Finding, sources: &Sources) -> Vec<(f64, String)> {
    search::files(&terrain(finding, sources))
}

/// A misspelled member does not compile.
fn strangers(sources: &Sources) -> Strangers<'_> {
    Strangers::new(sources, std::iter::empty::<Mention<'_>>(), "")
}

/// The places of the failure: those of its panic, and the test that it is reported in.
fn terrain<'a>(finding: &'a Finding, sources: &'a Sources) -> Terrain<'a> {
    let index = Index::of(sources);
    let all: Vec<(String, u32, Span)> = frames(finding, sources)
        .into_iter()
        .filter_map(|frame| {
            let span = index.module(&frame.file)?.line_span(frame.line)?;
            Some((frame.file, frame.line, span))
        })
        .collect();
    let is_of_program = |(file, _, span): &(String, u32, Span)| {
        sources.is_editable(file) && !sources.test_regions(file).is_some_and(|regions| regions.contain(span.start))
    };
    let (places, witnesses): (Vec<_>, Vec<_>) = all.into_iter().partition(is_of_program);
    Terrain::new(
        sources,
        index,
        finding.file.as_deref().and_then(|file| index.known(file)),
        places.iter().map(|(file, line, span)| (file.as_str(), *line, *span)),
        witnesses.iter().map(|(file, line, span)| (file.as_str(), *line, *span)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::module::Module;

    /// Texts near the maximum depth, each on a thread as small as those of the server.
    #[test]
    fn deep_texts_are_read_on_a_small_stack() {
        const STACK: usize = 2 << 20;
        let chain = |before: &str, one: &str, count: usize, after: &str| {
            format!("fn f() {{ {before}{}{after}; }}\n", one.repeat(count))
        };
        for text in [
            chain("", "!", 1_900, "x"),
            chain("", "-", 1900, "x"),
            chain("", "&", 1900, "x"),
            chain("x", " + 1", 930, ""),
            chain("x", " && x", 930, ""),
            chain("x", ".y", 930, ""),
            chain("x", ".y()", 470, ""),
            chain("x", "[0]", 620, ""),
            chain("x", "?", 1900, ""),
            chain("x", " as u8", 930, ""),
            chain("", "x = ", 930, "x"),
            chain("", "return ", 1900, "x"),
            chain("", "|x| ", 620, "x"),
            chain("", "if x {} else ", 390, "{}"),
            chain("let x: ", "Box<", 930, "u8"),
            chain("let x: ", "&", 1900, "u8"),
            chain("let ", "&", 1900, "x = y"),
            chain("x", "::<T>::x", 270, ""),
            chain("", "(", 190, &")".repeat(190)),
            chain("", "{", 190, &"}".repeat(190)),
            chain("", "match x { _ => ", 180, &format!("x{}", "}".repeat(180))),
        ] {
            let read = move || {
                let module = Module::read(&text);
                let tree = reader::tree(&text);
                (module.functions.len(), tree.is_some())
            };
            std::thread::Builder::new().stack_size(STACK).spawn(read).unwrap().join().unwrap();
        }
        // The crate of the parser drops its trees later, on another thread.
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}
