//! Pieces of a file, adapted to a place in it that may lack them.

use super::site::Site;
use crate::search::donors::{Donated, Donor, Ground, donated};

/// Maximum number of conditions from elsewhere that are tried at one place.
const MOST_CONDITIONS: usize = 30;

/// Maximum number of results of other functions that are tried at one place: each is tried in many ways.
const MOST_RESULTS: usize = 12;

impl<'a> Site<'a> {
    /// Conditions that the function does not test as they are.
    pub(super) fn other_conditions(&self) -> &[Donated<'a>] {
        self.other_conditions.get_or_init(|| {
            let mut found = self.donated(self.file.stock.conditions.iter());
            found.retain(|one| !self.conditions().contains(one.code.as_str()));
            found.truncate(MOST_CONDITIONS);
            found
        })
    }

    /// Values returned by other functions that this function does not return as they are.
    pub(super) fn other_results(&self) -> &[Donated<'a>] {
        self.other_results.get_or_init(|| {
            let returned = self.returned();
            let mut found = self.donated(self.file.stock.results.iter());
            found.retain(|one| !returned.contains(one.code.as_str()));
            found.truncate(MOST_RESULTS);
            found
        })
    }

    /// Adapts donors to this place and returns the results, likeliest first, each once.
    pub(super) fn donated<'d>(&self, donors: impl Iterator<Item = &'d Donor> + Clone) -> Vec<Donated<'d>> {
        let at = self.statement.head.start;
        let names: Vec<(&'a str, f64)> = self.names().iter().map(|name| (name.text, name.nearness)).collect();
        let scope = self.file.module.scope_at(at);
        let own = self.function.map(|function| function.span);
        let is_known = |name: &str| {
            names.iter().any(|(known, _)| *known == name)
                || self.file.module.declaration(name, scope).is_some_and(|place| {
                    own.is_none_or(|own| !own.contains(place))
                        || place.start < at
                        || self.file.definition(name).is_some()
                })
        };
        let fit = |name: &str, other: &str| self.file.uses(name).fit(self.file.uses(other));
        let ground = Ground { names: &names, is_known: &is_known, fit: &fit };
        donated(self.file.text, donors, at, own, &ground)
    }
}
