//! What relocation sees, for training and for looking into errors.

use super::certainty::Certainty;
use super::list::List;
use super::rank::Row;
use super::single::Single;
use super::verdict::Pages;
use super::{Relocator, verdict};
use crate::document::{Document, NodeId};
use crate::recipe::{NodeTake, Recipe, Source};

/// The candidates of one field.
#[derive(Debug, Clone)]
pub struct Samples {
    /// Which field of the recipe, from 0.
    pub field: usize,
    /// Whether the candidates are lists.
    pub is_list: bool,
    /// The candidates, the best first.
    pub candidates: Vec<Sample>,
    /// What kind of field it is taken for.
    pub kind: String,
    /// What the certainty of the best candidate is worked out from, as [`certainty_names`] names it; empty without candidates.
    pub certainty: Vec<f32>,
}

/// A candidate as the tables see it.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The values that it would give.
    pub values: Vec<String>,
    /// Its elements.
    pub nodes: Vec<NodeId>,
    /// Candidates with the same number say the same.
    pub key: u64,
    /// What the weights by hand say: the logarithm of odds.
    pub hand: f32,
    /// Its features, as [`feature_names`] names them.
    pub features: Vec<f32>,
}

/// What the features of single values and of lists are called.
pub fn feature_names() -> (&'static [&'static str], &'static [&'static str]) {
    (Single::NAMES, List::NAMES)
}

/// What the features of the certainty are called.
pub const fn certainty_names() -> &'static [&'static str] {
    Certainty::NAMES
}

impl Relocator {
    /// The candidates of every field that is taken from elements and known on the old page, also of those whose selector
    /// still works.
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
