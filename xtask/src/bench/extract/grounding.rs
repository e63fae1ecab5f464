//! Reliability of the check that grounds models' answers in the page: values of a page must be found on it, and values of another page
//! must not. The bench makes no requests to a model.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use autoheal_extract::{Form, Grounding, Reading};
use autoheal_page::Document;
use url::Url;

use super::corpus::Case;
use super::processor_seconds;

/// The corpus's names of fields, and the form's. The main text is left out: what surrounds it is a matter of opinion.
const FIELDS: [(&str, &str); 7] = [
    ("title", "title"),
    ("author", "author"),
    ("description", "description"),
    ("image", "image"),
    ("publish_date", "published_at"),
    ("ingredients", "ingredients"),
    ("instructions_list", "instructions"),
];

/// True values that must be found, and values of other pages that may be, as shares.
const LEAST_FOUND: f64 = 0.98;
const MOST_FALSE: f64 = 0.01;

/// Distance to the other page in the corpus: far enough for a page of another kind.
const APART: usize = 37;

/// Count of checked values, and of those that were found.
#[derive(Default, Clone, Copy)]
struct Count {
    found: u32,
    all: u32,
}

impl Count {
    fn add(&mut self, is_found: bool) {
        self.found += u32::from(is_found);
        self.all += 1;
    }

    fn share(self) -> f64 {
        f64::from(self.found) / f64::from(self.all.max(1))
    }
}

/// Measures, prints, and fails where a goal is missed.
#[expect(clippy::print_stdout, reason = "the figures are the output of the command")]
pub(super) fn run(cases: &[Case]) -> anyhow::Result<()> {
    let form = Form::item()?;
    let mut by_field: BTreeMap<&str, (Count, Count)> = BTreeMap::new();
    let mut seconds = 0.0;
    for (place, case) in cases.iter().enumerate() {
        let page = Document::parse(&case.page()?);
        let url = Url::parse(&case.address()).ok();
        let start = processor_seconds();
        let reading = Reading::of(&page, url.as_ref());
        seconds += processor_seconds() - start;
        let other = cases.get((place + APART) % cases.len()).context("the corpus is empty")?;
        for (name, field) in FIELDS {
            let is_found = |of: &Case| -> anyhow::Result<Option<bool>> {
                let Some(value) = of.fields.get(name) else { return Ok(None) };
                let value = serde_json::to_value(value)?;
                Ok(reading.grounding(&form, field, value).map(|grounding| grounding == Grounding::Found))
            };
            let (own, foreign) = by_field.entry(name).or_default();
            is_found(case)?.into_iter().for_each(|is_found| own.add(is_found));
            if case.fields.get(name) != other.fields.get(name) {
                is_found(other)?.into_iter().for_each(|is_found| foreign.add(is_found));
            }
        }
    }
    let (mut own_all, mut foreign_all) = (Count::default(), Count::default());
    println!("{:<18}  {:>14}  {:>18}", "", "on its page", "on another page");
    for (name, (own, foreign)) in by_field {
        println!("{name:<18}  {:>6} of {:>4}  {:>10} of {:>4}", own.found, own.all, foreign.found, foreign.all);
        own_all = Count { found: own_all.found + own.found, all: own_all.all + own.all };
        foreign_all = Count { found: foreign_all.found + foreign.found, all: foreign_all.all + foreign.all };
    }
    let pages = u32::try_from(cases.len())?;
    println!(
        "{:.2} % of the true values found, {:.2} % of those of other pages, {:.0} ms a page",
        own_all.share() * 100.0,
        foreign_all.share() * 100.0,
        seconds * 1000.0 / f64::from(pages)
    );
    ensure!(own_all.share() >= LEAST_FOUND, "fewer than {LEAST_FOUND} of the true values are found");
    ensure!(foreign_all.share() <= MOST_FALSE, "more than {MOST_FALSE} of the values of other pages are found");
    Ok(())
}
