//! Candidates and features of a relocation, for training and error analysis.

use super::certainty::Certainty;
use super::list::List;
use super::ranking::Row;
use super::single::Single;
use super::verdict::Pages;
use super::{Relocator, verdict};
use crate::document::{Document, NodeId};
use crate::recipe::{NodeTake, Recipe, Source};

/// The candidates of one field.
#[derive(Debug, Clone)]
pub struct Samples {
    /// Index of the field in the recipe, from 0.
    pub field: usize,
    /// True if the candidates are lists.
    pub is_list: bool,
    /// The candidates, the best first.
    pub candidates: Vec<Sample>,
    /// Kind of field that was recognized.
    pub kind: String,
    /// Features from which the certainty of the best candidate is computed, named by [`certainty_names`];
    /// empty if there are no candidates.
    pub certainty: Vec<f32>,
}

/// A candidate as the tables see it.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Values that the candidate would yield.
    pub values: Vec<String>,
    /// Elements of the candidate.
    pub nodes: Vec<NodeId>,
    /// Candidates with the same key have the same text.
    pub key: u64,
    /// Score by the manual weights, in log odds.
    pub hand: f32,
    /// Features, in the order of [`feature_names`].
    pub features: Vec<f32>,
}

/// Returns the names of the features of single values, and of those of lists.
pub fn feature_names() -> (&'static [&'static str], &'static [&'static str]) {
    (Single::NAMES, List::NAMES)
}

/// Returns the names of the features of the certainty.
pub const fn certainty_names() -> &'static [&'static str] {
    Certainty::NAMES
}

impl Relocator {
    /// Returns the candidates of every field that reads elements and is known on the old page, including fields whose
    /// selector still works.
    pub fn samples(&self, old: &Document, recipe: &Recipe, new: &Document) -> Vec<Samples> {
        let pages = Pages::new(&[old], recipe, new);
        let mut all = Vec::new();
        for (number, asked) in recipe.fields().iter().enumerate() {
            let Source::Nodes { take, .. } = &asked.source else { continue };
            let Some((ranking, kind)) = pages.ranking(&self.tables, number, asked) else { continue };
            let is_list = asked.many && !matches!(take, NodeTake::Attribute(_));
            let certainty = Certainty::of(&ranking, kind).map(|certainty| certainty.row()).unwrap_or_default();
            let candidates = ranking
                .candidates
                .iter()
                .map(|ranked| {
                    let take = match &ranked.attribute {
                        Some(name) => &NodeTake::Attribute(name.clone()),
                        None => take,
                    };
                    Sample {
                        values: verdict::texts(new, &ranked.nodes, take),
                        nodes: ranked.nodes.clone(),
                        key: ranked.key,
                        hand: ranked.hand,
                        features: match &ranked.row {
                            Row::Single(_) | Row::List(_) => ranked.row.features(),
                        },
                    }
                })
                .collect();
            all.push(Samples { field: number, is_list, candidates, kind: format!("{kind:?}"), certainty });
        }
        all
    }
}
