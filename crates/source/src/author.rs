//! Authors that changed although the page is about what it was about: the name of another article's author.

use std::collections::BTreeSet;

use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::same_kind;

use crate::drift::quoted;
use crate::facts::PageFacts;

/// Returns the names of such fields and a description of each. A title has one author, unless an earlier page shows otherwise: the title of a
/// page of quotations stays, and the authors change.
pub(crate) fn other_authors(recipe: &Recipe, now: &PageFacts, history: &[PageFacts]) -> Vec<(String, String)> {
    if recipe.items().is_some() {
        return Vec::new();
    }
    let of_kind = |kind: &'static str| {
        let fields = recipe.fields().iter().filter(|field| !field.many).map(|field| field.name.as_str());
        fields.filter(move |name| same_kind(name, kind))
    };
    let has_title = |page: &&PageFacts| {
        of_kind("title").any(|title| now.texts.get(title).is_some_and(|text| page.texts.get(title) == Some(text)))
    };
    let same: Vec<&PageFacts> = history.iter().filter(has_title).collect();
    let changes = of_kind("author").filter_map(|name| {
        let mut earlier = same.iter().filter_map(|page| page.texts.get(name));
        let before = earlier.next()?;
        let (was, is) = (words(before), words(now.texts.get(name)?));
        let is_another =
            !was.is_empty() && !is.is_empty() && was.is_disjoint(&is) && earlier.all(|other| other == before);
        let [before, author] = [before, now.texts.get(name)?].map(|texts| quoted(&texts.join(", ")));
        is_another.then(|| {
            (name.to_owned(), format!("Changed field: {name} is {author}, and was {before} under the same title"))
        })
    });
    changes.collect()
}

fn words(texts: &[String]) -> BTreeSet<String> {
    let words = texts.iter().flat_map(|text| text.split(|char: char| !char.is_alphabetic()));
    words.filter(|word| word.chars().count() > 1).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_another(history: &[(&str, &str)], now: (&str, &str)) -> bool {
        let recipe = r#"{"version": 1, "fields": {"headline": {"select": "h1"}, "author": {"select": ".by"}}}"#;
        let facts = |(title, author): &(&str, &str)| PageFacts {
            texts: [("headline", title), ("author", author)]
                .map(|(name, text)| (name.to_owned(), vec![(*text).to_owned()]))
                .into(),
            ..PageFacts::default()
        };
        let history: Vec<PageFacts> = history.iter().map(facts).collect();
        !other_authors(&Recipe::parse(recipe, "test").unwrap(), &facts(&now), &history).is_empty()
    }

    #[test]
    fn another_person_under_the_same_title_is_noticed() {
        assert!(is_another(&[("On boats", "Ada Moreau")], ("On boats", "Marta Feldmann")));
        assert!(is_another(&[("On boats", "Ada Moreau"), ("On ships", "Jo Li")], ("On boats", "Jo Li")));
    }

    #[test]
    fn honest_changes_are_not() {
        for (now, why) in [
            (("On ships", "Marta Feldmann"), "another article"),
            (("On boats", "By Ada Moreau"), "the same name, written in another way"),
            (("On boats", "Ada Moreau and Marta Feldmann"), "one more"),
            (("On boats", "A. Moreau"), "a part of the name"),
        ] {
            assert!(!is_another(&[("On boats", "Ada Moreau")], now), "{why}");
        }
        let quotations = [("A quotation", "Ada Moreau"), ("A quotation", "Jo Li")];
        assert!(!is_another(&quotations, ("A quotation", "Marta Feldmann")), "it has changed before");
    }
}
