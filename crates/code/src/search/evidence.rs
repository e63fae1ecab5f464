//! Evidence of where a fault may be, in addition to the finding itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Lines of files: relative to the repository's root, with `/`; from 1.
pub type Lines = BTreeMap<String, BTreeSet<u32>>;

/// Lines that one test executed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestCoverage {
    /// True if the test failed.
    pub is_failing: bool,
    /// The lines that ran, of whichever files were watched.
    pub lines: Lines,
}

/// Evidence of where a fault may be. All of it is optional: without any, the search relies on the finding's stack and on what the
/// failing test uses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// The failing tests that are to be repaired together, and passing ones.
    pub coverage: Vec<TestCoverage>,
    /// Lines that the last commit added or changed.
    pub changed: Lines,
    /// Lines that a language server calls wrong, and did not before the last commit.
    pub hinted: Lines,
}

impl Evidence {
    /// Returns the suspicion of each executed line: `failed(line) / sqrt(failed * (failed(line) + passed(line)))`, from above 0 to 1
    /// (Ochiai; Abreu, Zoeteweij, van Gemund: "On the accuracy of spectrum-based fault localization", 2007). Lines that no
    /// failing test ran are not included; the result is empty when no failing test was watched.
    pub(super) fn ochiai(&self) -> BTreeMap<&str, BTreeMap<u32, f64>> {
        let mut counts: BTreeMap<&str, BTreeMap<u32, (u32, u32)>> = BTreeMap::new();
        let mut failing = 0_u32;
        for test in &self.coverage {
            failing += u32::from(test.is_failing);
            for (file, lines) in &test.lines {
                let counts = counts.entry(file).or_default();
                for line in lines {
                    let (failed, passed) = counts.entry(*line).or_default();
                    *(if test.is_failing { failed } else { passed }) += 1;
                }
            }
        }
        let score = |(failed, passed): (u32, u32)| {
            f64::from(failed) / (f64::from(failing) * (f64::from(failed) + f64::from(passed))).sqrt()
        };
        let suspicious = |lines: BTreeMap<u32, (u32, u32)>| {
            let failed = lines.into_iter().filter(|(_, (failed, _))| *failed > 0);
            failed.map(|(line, counts)| (line, score(counts))).collect::<BTreeMap<_, _>>()
        };
        let scored = counts.into_iter().map(|(file, lines)| (file, suspicious(lines)));
        scored.filter(|(_, lines)| !lines.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(is_failing: bool, lines: &[u32]) -> TestCoverage {
        TestCoverage { is_failing, lines: [("a.py".to_owned(), lines.iter().copied().collect())].into() }
    }

    #[test]
    fn what_only_failing_tests_run_is_most_suspicious() {
        let coverage = vec![test(true, &[1, 2]), test(false, &[1, 3]), test(false, &[1])];
        let evidence = Evidence { coverage, ..Evidence::default() };
        let scores = &evidence.ochiai()["a.py"];
        assert!((scores[&2] - 1.0).abs() < 1e-9);
        assert!((scores[&1] - 1.0 / 3_f64.sqrt()).abs() < 1e-9);
        assert_eq!(scores.get(&3), None);
    }

    #[test]
    fn passing_tests_alone_say_nothing() {
        let evidence = Evidence { coverage: vec![test(false, &[1])], ..Evidence::default() };
        assert!(evidence.ochiai().is_empty());
    }
}
