//! Tests of a Rust project that are built once with many changes ([`autoheal_code::schemata`]).
//!
//! Cargo starts each test program through a runner of ours, which starts it once for each change.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use autoheal_code::rust::compiler;
use autoheal_code::rust::libtest::DOC;
use regex::Regex;

use super::{programs, suite};
use crate::session::read_report;
use crate::test_scope::Scope;
use crate::toolchain::{Place, RunEnd, SchemataResult};

/// Status of a program that was ended because it took too long.
const KILLED: u8 = 137;

static ENDED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^change (?P<change>\d+) ended with (?P<status>\d+)$").ok());

/// The command. Examples in documentation are left out if there are other tests: each of them is a separate program that is built alone.
pub(super) fn words(
    place: &Place<'_>,
    selectors: &[String],
    changes: &[usize],
    limit: Duration,
) -> Option<Vec<String>> {
    let is_example = |selector: &&String| selector.split(suite::SEPARATOR).nth(1) == Some(DOC);
    let (examples, others): (Vec<&String>, Vec<&String>) = selectors.iter().partition(is_example);
    let chosen = if others.is_empty() { examples } else { others };
    let changes: Vec<String> = changes.iter().map(usize::to_string).collect();
    let (script, report) = (place.tool(programs::CHANGES), place.report_path().display().to_string());
    let runner = ["sh", &script, &report, &limit.as_secs().to_string(), &changes.join(" ")];
    let runner = serde_json::to_string(&runner).ok()?;
    // An array of texts is the same in JSON and in TOML.
    let runner = format!("target.'cfg(all())'.runner={runner}");
    // Copies of a body have nothing in common with the last build: looking for it takes longer than building.
    let options = ["--config".to_owned(), "build.incremental=false".to_owned(), "--config".to_owned(), runner];
    Some(suite::words_with(place, &Scope::Only(chosen.into_iter().cloned().collect()), &options))
}

pub(super) fn result(place: &Place<'_>) -> SchemataResult {
    let Ok(report) = read_report(place.folders) else { return SchemataResult::Unknown };
    let prefixes = place.prefixes();
    let errors = compiler::error_places(&report, &place.look(&prefixes));
    if !errors.is_empty() {
        return SchemataResult::Refused(errors);
    }
    let mut ends: BTreeMap<usize, Vec<RunEnd>> = BTreeMap::new();
    for found in ENDED.iter().flat_map(|ended| ended.captures_iter(&report)) {
        if let (Ok(change), Ok(status)) = (found["change"].parse(), found["status"].parse()) {
            let end = match status {
                0 => RunEnd::Passed,
                KILLED => RunEnd::Late,
                1.. => RunEnd::Failed,
            };
            ends.entry(change).or_default().push(end);
        }
    }
    if ends.is_empty() { SchemataResult::Unknown } else { SchemataResult::Ran(ends) }
}
