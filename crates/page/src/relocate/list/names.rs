//! Common names of the items of a list.

use std::collections::{BTreeMap, HashMap};

use crate::document::NodeId;
use crate::relocate::number::float;
use crate::relocate::view::View;
use crate::relocate::words::{Word, Words, word};

/// Names that most items have, and those of what is around them.
pub(super) struct Names {
    pub(super) own: Words,
    pub(super) around: Words,
    pub(super) container: Words,
    pub(super) all: Words,
    pub(super) marks: Words,
    pub(super) tags: BTreeMap<Word, f32>,
}

impl Names {
    pub(super) fn of(view: &View<'_>, nodes: &[NodeId], container: NodeId) -> Self {
        // The ends of a long list tell enough.
        let sample: Vec<NodeId> = if nodes.len() <= 40 {
            nodes.to_vec()
        } else {
            nodes[..20].iter().chain(&nodes[nodes.len() - 20..]).copied().collect()
        };
        let count = sample.len();
        let common = |of: &mut dyn FnMut(NodeId, &mut Vec<Word>)| -> Words {
            let mut counts: HashMap<Word, usize> = HashMap::new();
            let mut buffer = Vec::new();
            for node in &sample {
                buffer.clear();
                of(*node, &mut buffer);
                buffer.sort_unstable();
                buffer.dedup();
                for name in &buffer {
                    *counts.entry(*name).or_default() += 1;
                }
            }
            counts.into_iter().filter(|(_, times)| 5 * times >= 3 * count).map(|(name, _)| name).collect()
        };
        let own = common(&mut |node, names| names.extend_from_slice(view.names[node.index()].as_slice()));
        let marks = common(&mut |node, names| names.extend_from_slice(view.marks[node.index()].as_slice()));
        let around = common(&mut |node, names| {
            for above in view.page.ancestors(node).take(2) {
                names.extend_from_slice(view.names[above.index()].as_slice());
            }
        });
        let mut container_names = view.names[container.index()].clone();
        if let Some(above) = view.page.parent(container) {
            container_names = container_names.union(&view.names[above.index()]);
        }
        let mut tags = BTreeMap::new();
        for node in &sample {
            *tags.entry(word(view.page.tag(*node))).or_insert(0.0) += 1.0 / float(count);
        }
        Self { all: own.union(&around).union(&container_names), own, around, container: container_names, marks, tags }
    }

    pub(super) fn tag(&self, tags: &[&str]) -> f32 {
        tags.iter().map(|tag| self.tags.get(&word(tag)).copied().unwrap_or(0.0)).sum()
    }
}
