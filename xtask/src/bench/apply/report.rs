//! Times and values of all tools, in sum.

use std::collections::BTreeMap;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

use super::Answer;

/// The tool that the others are compared with.
const REFERENCE: &str = "selectolax";
/// This program, by way of a document.
const DOCUMENT: &str = "document";

/// The tools in the order of the table: first the ways of this program.
const TOOLS: [&str; 7] = ["parse", DOCUMENT, "apply_to_html", "flat", REFERENCE, "parsel", "lxml"];

#[derive(Default)]
pub(super) struct Report {
    pages: Vec<Page>,
    /// Fields with the same values as a document's, and all fields, by tool.
    agreement: BTreeMap<String, (usize, usize)>,
    differences: Vec<String>,
}

struct Page {
    bytes: usize,
    is_flat: bool,
    seconds: BTreeMap<String, f64>,
}

impl Report {
    pub(super) fn add(&mut self, name: &str, bytes: usize, ours: &Answer, theirs: &Answer) {
        for (tool, values) in &theirs.values {
            let Some(expected) = ours.values.get(DOCUMENT) else { continue };
            for (field, texts) in values {
                let is_same = expected.get(field).map(|texts| compared(texts)) == Some(compared(texts));
                let (same, all) = self.agreement.entry(tool.clone()).or_default();
                *same += usize::from(is_same);
                *all += 1;
                if !is_same {
                    self.differences.push(format!("{tool}: {field} of {name}"));
                }
            }
        }
        let seconds = ours.seconds.iter().chain(&theirs.seconds);
        // A page that one tool rejects counts for none.
        let Some(seconds) = seconds.map(|(tool, seconds)| Some((tool.clone(), (*seconds)?))).collect() else { return };
        self.pages.push(Page { bytes, is_flat: ours.is_flat == Some(true), seconds });
    }

    #[expect(clippy::print_stdout, reason = "the figures are the output of the command")]
    pub(super) fn print(&self, corpus: &Path, with_differences: bool) {
        let bytes: usize = self.pages.iter().map(|page| page.bytes).sum();
        let flat = self.pages.iter().filter(|page| page.is_flat).count();
        println!("{}: {} pages, {:.1} MB", corpus.display(), self.pages.len(), megabytes(bytes));
        println!("read without a document: {flat}");
        self.table("all pages", &self.pages.iter().collect::<Vec<_>>());
        let only_flat: Vec<&Page> = self.pages.iter().filter(|page| page.is_flat).collect();
        self.table("pages that are read without a document", &only_flat);
        for (tool, (same, all)) in &self.agreement {
            println!("fields with the same values, {tool:<12} {same} of {all}");
        }
        for difference in self.differences.iter().filter(|_| with_differences) {
            println!("  {difference}");
        }
    }

    #[expect(clippy::print_stdout, reason = "the figures are the output of the command")]
    #[expect(clippy::unused_self, reason = "it is a part of the report")]
    fn table(&self, title: &str, pages: &[&Page]) {
        let sum = |tool: &str| pages.iter().filter_map(|page| page.seconds.get(tool)).sum::<f64>();
        let bytes: usize = pages.iter().map(|page| page.bytes).sum();
        println!("  {title:<42} pages/s      MB/s  as fast as {REFERENCE}: in sum, median page");
        for tool in TOOLS {
            let seconds = sum(tool);
            let count = f64::from(u32::try_from(pages.len()).unwrap_or(u32::MAX));
            let mut ratios: Vec<f64> =
                pages.iter().filter_map(|page| Some(page.seconds.get(REFERENCE)? / page.seconds.get(tool)?)).collect();
            ratios.sort_by(f64::total_cmp);
            let median = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
            println!(
                "    {tool:<40} {:>7.0} {:>9.1} {:>24.2} {median:>12.2}",
                count / seconds,
                megabytes(bytes) / seconds,
                sum(REFERENCE) / seconds
            );
        }
    }
}

fn megabytes(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes / 1000).unwrap_or(u32::MAX)) / 1000.0
}

/// Texts without white space and characters without width, and without those that are empty: tools put spaces between
/// blocks, or do not.
fn compared(texts: &[Option<String>]) -> Vec<String> {
    let is_seen = |letter: &char| {
        !letter.is_whitespace()
            && !matches!(letter, '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
    };
    let plain = |text: &String| text.nfc().filter(is_seen).collect::<String>();
    texts.iter().flatten().map(plain).filter(|text| !text.is_empty()).collect()
}
