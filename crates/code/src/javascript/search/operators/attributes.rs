//! A wrong property or method: one that objects of that name have, or that the file knows; a wrong name in a pattern.

use std::collections::BTreeMap;

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Place, Shape};
use crate::search::change::Changes;

/// Maximum number of names of the file that are tried at one place.
const MOST_NAMES: usize = 40;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Member { object, name, .. } => {
                let own = site.text(*name);
                let mut others: BTreeMap<&str, f64> = BTreeMap::new();
                if node.place == Place::Callee {
                    others.extend(site.file.methods.iter().map(|method| (*method, 0.4)));
                } else {
                    others.extend(site.file.keys.iter().take(MOST_NAMES).map(|key| (*key, 0.3)));
                    others.extend(site.file.fields.keys().take(MOST_NAMES).map(|field| (*field, 0.5)));
                    others.insert("length", 1.0);
                }
                let object = site.text(*object);
                let is_of_kind = |other: &str| site.file.methods.contains(other) == (node.place == Place::Callee);
                let same = site.file.members_of(object).filter(|other| is_of_kind(other));
                others.extend(same.map(|other| (other, 3.0)));
                if object == "this" {
                    others.extend(site.own_members().filter(|other| is_of_kind(other)).map(|other| (other, 3.0)));
                }
                // A target is seldom wrong.
                let rarity = if node.place == Place::Target { 0.3 } else { 1.0 };
                for (other, weight) in others.into_iter().filter(|(other, _)| *other != own && !other.starts_with('#'))
                {
                    changes.replace(rarity * weight, name, other);
                }
            }
            Shape::Key { is_shorthand } => {
                let own = site.text(node.span);
                for (other, count) in site.file.fields.iter().filter(|(other, _)| **other != own).take(MOST_NAMES) {
                    let weight = 0.3 * f64::from(*count).sqrt();
                    let code = if *is_shorthand { format!("{other}: {own}") } else { (*other).to_owned() };
                    changes.replace(weight, &node.span, code);
                }
            }
            _ => {}
        }
    }
}
