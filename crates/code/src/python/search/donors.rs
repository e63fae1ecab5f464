//! Pieces of a file, adapted to a place in it that may lack them.

use super::site::Site;
use crate::search::donors::{Donated, Donor, Ground, donated};

impl<'a> Site<'a> {
    /// Returns the code that donors yield at this place, likeliest first, each once.
    pub(super) fn donated<'d>(&self, donors: impl Iterator<Item = &'d Donor> + Clone) -> Vec<Donated<'d>> {
        let (module, at) = (self.file.module, self.head.start);
        let names: Vec<(&'a str, f64)> = self.names().iter().map(|name| (*name, 1.0)).collect();
        let scope = module.scope_at(at);
        let own = self.function.map(|function| function.definition);
        let is_known = |name: &str| match module.binding_scope(name, scope) {
            None => false,
            Some(found) if found != scope => true,
            Some(found) => {
                let places = module.scopes.get(found).and_then(|scope| scope.bindings.get(name));
                places.into_iter().flatten().any(|place| place.start < at)
            }
        };
        let fit = |name: &str, other: &str| self.file.uses(name).fit(self.file.uses(other));
        let ground = Ground { names: &names, is_known: &is_known, fit: &fit };
        donated(self.file.text, donors, at, own, &ground)
    }
}
