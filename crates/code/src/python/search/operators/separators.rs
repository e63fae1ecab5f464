//! A comma that is missing between two texts: Python makes one of them.

use crate::python::tokens::{Kind, scan};
use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Shape;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        if node.shape != Shape::Text {
            continue;
        }
        for pair in scan(site.text(node.span)).windows(2) {
            let [left, right] = pair else { continue };
            // A long text that goes on in the next line is meant to be one.
            if left.kind == Kind::String && right.kind == Kind::String {
                changes.insert(1.0, node.span.start + left.end, ",");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Category, Finding, Source};

    use crate::logic::candidates;
    use crate::search::{Evidence, TestCoverage};
    use crate::sources::Sources;

    #[test]
    fn a_comma_that_is_missing_between_two_texts_is_found_early() {
        let pairs: Vec<String> = (0..40).map(|number| format!("    ('old{number}', 'new{number}'),\n")).collect();
        let code = format!(
            "PAIRS = [\n{}]\nHELP = ('a text that goes on '\n        'in the next line')\n\n\n\
             def swap(word):\n    for old, new in PAIRS:\n        word = word.replace(old, new)\n    return word\n",
            pairs.concat()
        );
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("words.py", code.replace("'old20', ", "'old20' "), false);
        let lines = [("words.py".to_owned(), (46..=49).collect())].into();
        let coverage = vec![TestCoverage { is_failing: true, lines }];
        let finding = Finding {
            source: Source::Test,
            category: Category::Logic,
            file: Some("words.py".to_owned()),
            location: None,
            message: "ValueError: too many values to unpack (expected 2)".to_owned(),
            stack: None,
        };
        let found = candidates(&finding, &sources, &Evidence { coverage, ..Evidence::default() }, 1_000);
        let heals =
            |text: &str| found.iter().position(|one| one.files[0].apply(text).is_ok_and(|healed| healed == code));
        let rank = sources.text("words.py").and_then(heals);
        assert!(rank.is_some_and(|rank| rank < 20), "{rank:?}");
    }
}
