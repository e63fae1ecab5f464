//! The ranked candidates of a field, for those who decide where the relocation does not.

use super::consensus::alike;
use super::evidence::reasons;
use super::kept::Doubt;
use super::number::probability;
use super::ranking::Ranked;
use super::tables::Tables;
use super::verdict::{Pages, texts};
use super::{Answer, Relocator};
use crate::document::{Document, NodeId};
use crate::recipe::{Field as Asked, FieldName, NodeTake, Recipe, Source};

/// A place on the new page that may hold a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its elements, in document order.
    pub nodes: Vec<NodeId>,
    /// The answer if this is the field: it has a selector. The confidence is the likelihood by the ranking alone.
    pub answer: Answer,
}

impl Relocator {
    /// Returns for each of the `wanted` fields at most `most` candidates with different values, the most likely first. Candidates
    /// that no selector gives exactly are left out, and so are values that the field cannot have. Ranking and rules are those of
    /// [`Relocator::relocate`].
    pub fn candidates(
        &self,
        old: &[&Document],
        recipe: &Recipe,
        new: &Document,
        wanted: &[FieldName],
        most: usize,
    ) -> Vec<(FieldName, Vec<Candidate>)> {
        let pages = Pages::new(old, recipe, new);
        let fields = recipe.fields().iter().enumerate().filter(|(_, asked)| wanted.contains(&asked.name));
        fields
            .map(|(number, asked)| (asked.name.clone(), pages.candidates(&self.tables, (number, asked), new, most)))
            .collect()
    }
}

impl Pages<'_> {
    fn candidates(
        &self,
        tables: &Tables,
        (number, asked): (usize, &Asked),
        new: &Document,
        most: usize,
    ) -> Vec<Candidate> {
        let Source::Nodes { take, .. } = &asked.source else { return Vec::new() };
        if asked.many && matches!(take, NodeTake::Attribute(_)) {
            return Vec::new();
        }
        let Some((ranking, _)) = self.ranking(tables, number, asked) else { return Vec::new() };
        let now = self.now(number, take);
        let is_disproved = matches!(self.doubt(number, asked, take, &now), Some(Doubt::Disproved(_)));
        let is_possible = |ranked: &&Ranked| !is_disproved || texts(new, &ranked.nodes, take) != now;
        let mut found: Vec<(&Ranked, Candidate)> = Vec::new();
        for ranked in ranking.candidates.iter().filter(is_possible) {
            if found.len() == most {
                break;
            }
            if found.iter().any(|(other, _)| other.key != ranked.key && alike(other, ranked)) {
                continue;
            }
            let evidence = reasons(ranked, None);
            let answer = self.moved(ranked, take, probability(ranked.odds), evidence, asked);
            // The same text may be written in several ways.
            if found.iter().any(|(_, other)| other.answer.values == answer.values) {
                continue;
            }
            if answer.select.is_some() {
                found.push((ranked, Candidate { nodes: ranked.nodes.clone(), answer }));
            }
        }
        found.into_iter().map(|(_, candidate)| candidate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(old: &str, new: &str, field: &str, most: usize) -> Vec<Candidate> {
        let recipe = Recipe::parse(&format!("{{\"version\": 1, \"fields\": {{{field}}}}}"), "test.json").unwrap();
        let (old, new) = (Document::parse(old), Document::parse(new));
        let wanted = [recipe.fields()[0].name.clone()];
        let mut found = Relocator::new().unwrap().candidates(&[&old], &recipe, &new, &wanted, most);
        for candidate in &found[0].1 {
            assert_eq!(new.select(candidate.answer.select.as_ref().unwrap()).len(), candidate.nodes.len());
        }
        found.remove(0).1
    }

    const OLD: &str = "<h1>A chair</h1><p class=price>12 EUR</p><p>Made of oak</p>";

    #[test]
    fn candidates_have_different_values_and_a_rule_each() {
        let new = "<h1>A chair</h1><i class=a>15 EUR</i> <i class=b>17 EUR</i> <b class=c>17 EUR</b> <p>Made of oak";
        let found = candidates(OLD, new, r#""price": {"select": ".price"}"#, 5);
        let values: Vec<&str> = found.iter().flat_map(|found| &found.answer.values).map(String::as_str).collect();
        let mut distinct = values.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), values.len(), "{values:?}");
        assert!(values[..2].contains(&"15 EUR") && values[..2].contains(&"17 EUR"), "{values:?}");
        assert_eq!(candidates(OLD, new, r#""price": {"select": ".price"}"#, 1).len(), 1);
    }

    #[test]
    fn lists_are_candidates_as_a_whole() {
        let old = "<ul class=old><li>One egg<li>Two onions<li>Salt</ul><p>Nothing else";
        let new = "<div><p class=x>One egg<p class=x>Three onions<p class=x>Pepper</div><ol><li>Home<li>About</ol>";
        let found = candidates(old, new, r#""ingredients": {"select": ".old li", "many": true}"#, 5);
        assert_eq!(found[0].answer.values, ["One egg", "Three onions", "Pepper"]);
    }

    #[test]
    fn what_has_no_place_on_the_old_page_has_no_candidates() {
        assert_eq!(candidates("<p>x", "<p>y", r#""price": {"select": ".price"}"#, 5), Vec::new());
        assert_eq!(candidates(OLD, "<p>y", r#""price": {"take": "jsonld:Product.name"}"#, 5), Vec::new());
    }
}
