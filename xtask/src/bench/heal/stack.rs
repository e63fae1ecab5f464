//! Stacks of several defects at once: their choice, and the git history before them.

use std::collections::BTreeMap;

use super::case::{Case, Kind};
use super::history::History;
use super::package::Package;
use crate::cache;

/// Returns the stacks of `size` defects for a package: each class with each other and with itself, filled up with further classes, and each
/// defect by itself. The kind that represents a class is chosen by the name of the case, so it is the same each time.
pub(super) fn cases<'a>(
    kinds: &[Kind],
    package: &'a Package,
    seed: u32,
    size: usize,
    history: History,
) -> Vec<Case<'a>> {
    let mut of_class: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for kind in kinds {
        of_class.entry(&kind.class).or_default().push(&kind.kind);
    }
    let classes: Vec<&str> = of_class.keys().copied().collect();
    let mut cases: Vec<Case<'a>> = Vec::new();
    for (index, first) in classes.iter().enumerate() {
        for second in &classes[index..] {
            let chosen = (0..size).map(|number| {
                let name = format!("{}/{first}/{second}/{seed}/{number}", package.name);
                let class = match number {
                    0 => first,
                    1 => second,
                    _ => drawn(&classes, &format!("{name}/class")),
                };
                (*drawn(&of_class[class], &name)).to_owned()
            });
            let kinds: Vec<String> = chosen.collect();
            let parts = kinds.iter().map(|kind| vec![kind.clone()]);
            for kinds in parts.chain([kinds.clone()]) {
                if cases.iter().all(|case| case.kinds != kinds) {
                    cases.push(Case { package, kinds, seed, history });
                }
            }
        }
    }
    cases
}

/// One of them, by the hash of a name.
fn drawn<'a, T>(all: &'a [T], name: &str) -> &'a T {
    let number = cache::digest(name).bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    &all[number % all.len()]
}
