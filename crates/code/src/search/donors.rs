//! Code that a file has elsewhere, written for another place of it: what is missing is most often like something that is there (Barr,
//! Brun, Devanbu, Harman, Sarro: "The plastic surgery hypothesis", 2014).

use std::collections::BTreeMap;

use super::layout::Layout;
use crate::span::Span;

/// A piece of a file that may be put elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Donor {
    pub(crate) span: Span,
    /// Its variables, and members that are called like one of them, in order.
    pub(crate) words: Vec<Span>,
}

/// A branch with one simple statement, that may be put elsewhere.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) donor: Donor,
    /// True if it may only stand in a loop.
    pub(crate) leaves_loop: bool,
}

/// A place that code is put into.
pub(crate) struct Ground<'g, 'a> {
    /// The variables that have a value there, and how likely each is beside the others.
    pub(crate) names: &'g [(&'a str, f64)],
    /// Returns whether a name has a meaning at the place.
    pub(crate) is_known: &'g dyn Fn(&str) -> bool,
    /// Returns how well the second variable can replace the first.
    pub(crate) fit: &'g dyn Fn(&str, &str) -> f64,
}

/// Maximum number of a piece's variables that have no meaning at a place: a piece with more is too foreign there.
const MOST_UNKNOWN: usize = 2;

/// The best stand-ins of a variable that are tried.
const MOST_STAND_INS: usize = 3;

/// Weight of a piece in which a variable of the place replaces one that has no meaning there.
const RENAMED: f64 = 0.4;

/// Total weight of a piece's versions in which another variable replaces one that does exist at the place: a copied line is often
/// changed in one part.
const VARIED: f64 = 0.5;

/// Pieces with more variables are not varied.
const MOST_VARIED: usize = 4;

impl Donor {
    /// Returns the versions of the piece that fit a place, with their likelihood relative to other donors.
    pub(crate) fn versions(&self, text: &str, ground: &Ground<'_, '_>) -> Vec<(String, f64)> {
        let mut names: Vec<&str> = Vec::new();
        for word in self.words.iter().map(|word| word.text(text)) {
            if !names.contains(&word) {
                names.push(word);
            }
        }
        let unknown: Vec<&str> = names.iter().copied().filter(|name| !(ground.is_known)(name)).collect();
        if unknown.len() > MOST_UNKNOWN {
            return Vec::new();
        }
        let mut versions: Vec<(BTreeMap<&str, &str>, f64)> = vec![(BTreeMap::new(), 1.0)];
        for name in &unknown {
            let others = ground.stand_ins(name, &names);
            let mut longer = Vec::new();
            for (renamed, weight) in &versions {
                let free = others.iter().filter(|(other, _)| renamed.values().all(|taken| taken != other));
                longer.extend(free.map(|(other, share)| {
                    let mut renamed = renamed.clone();
                    renamed.insert(name, other);
                    (renamed, weight * share * RENAMED)
                }));
            }
            versions = longer;
        }
        if unknown.is_empty() && names.len() <= MOST_VARIED {
            let count = names.len().max(1);
            let share = VARIED / f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            for name in &names {
                let others = ground.stand_ins(name, &[]);
                let varied = others.into_iter().filter(|(other, _)| other != name);
                versions.extend(varied.map(|(other, weight)| (BTreeMap::from([(*name, other)]), weight * share)));
            }
        }
        versions.into_iter().map(|(renamed, weight)| (self.renamed(text, &renamed), weight)).collect()
    }

    fn renamed(&self, text: &str, renamed: &BTreeMap<&str, &str>) -> String {
        let mut code = String::new();
        let mut at = self.span.start;
        for word in &self.words {
            let name = word.text(text);
            code.push_str(text.get(at..word.start).unwrap_or_default());
            code.push_str(renamed.get(name).copied().unwrap_or(name));
            at = word.end;
        }
        code.push_str(text.get(at..self.span.end).unwrap_or_default());
        code
    }
}

impl<'a> Ground<'_, 'a> {
    /// The variables that stand in best for another, with their shares; none of those that are `taken`.
    fn stand_ins(&self, name: &str, taken: &[&str]) -> Vec<(&'a str, f64)> {
        let free = self.names.iter().filter(|(other, _)| *other != name && !taken.contains(other));
        let mut found: Vec<(&str, f64)> =
            free.map(|(other, likely)| (*other, likely * (self.fit)(name, other))).collect();
        found.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        found.truncate(MOST_STAND_INS);
        let total: f64 = found.iter().map(|(_, weight)| weight).sum();
        found.into_iter().map(|(other, weight)| (other, weight / total)).collect()
    }
}

/// A donor as it would stand at another place.
#[derive(Debug)]
pub(crate) struct Donated<'d> {
    pub(crate) code: String,
    /// Likelihood relative to the others.
    pub(crate) weight: f64,
    pub(crate) donor: &'d Donor,
}

impl Donated<'_> {
    /// Its code for a place with another indentation than its own.
    pub(crate) fn indented(&self, layout: Layout<'_>, indentation: &str) -> String {
        let old = layout.indentation(self.donor.span.start);
        let mut lines = self.code.split_inclusive('\n');
        let first = lines.next().unwrap_or_default().to_owned();
        lines.fold(first, |code, line| match line.strip_prefix(old) {
            Some(rest) => code + indentation + rest,
            None => code + line,
        })
    }
}

/// Maximum number of donors tried on each side of a place: the nearest before it, and the nearest after it.
const NEAREST: usize = 40;

/// Maximum number of versions tried at one place.
const MOST_VERSIONS: usize = 80;

/// Factor by which a piece of another function is less likely to be what is missing.
const OF_ANOTHER_FUNCTION: f64 = 0.4;

/// Returns the code that donors yield at a place, likeliest first, each once. The likelihoods of several donors that yield the
/// same code are added. `donors`: in order of the text; `own`: the function around the place.
pub(crate) fn donated<'d>(
    text: &str,
    donors: impl Iterator<Item = &'d Donor> + Clone,
    at: usize,
    own: Option<Span>,
    ground: &Ground<'_, '_>,
) -> Vec<Donated<'d>> {
    let before = donors.clone().take_while(|donor| donor.span.start < at).count();
    let mut found: BTreeMap<String, (f64, &Donor)> = BTreeMap::new();
    for donor in donors.skip(before.saturating_sub(NEAREST)).take(2 * NEAREST) {
        let is_near = own.is_some_and(|own| own.contains(donor.span));
        let nearness = if is_near { 1.0 } else { OF_ANOTHER_FUNCTION };
        for (code, weight) in donor.versions(text, ground) {
            found.entry(code).or_insert((0.0, donor)).0 += weight * nearness;
        }
    }
    let mut found: Vec<Donated<'_>> =
        found.into_iter().map(|(code, (weight, donor))| Donated { code, weight, donor }).collect();
    // Stable, as what is equally likely keeps its order.
    found.sort_by(|left, right| right.weight.total_cmp(&left.weight));
    found.truncate(MOST_VERSIONS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "rows.push(row); this.size = size;";

    fn donor(start: usize, end: usize, words: &[&str]) -> Donor {
        let code = &TEXT[start..end];
        let places = words.iter().flat_map(|word| code.match_indices(word).map(|(at, word)| (start + at, word.len())));
        let mut words: Vec<Span> = places.map(|(at, length)| Span { start: at, end: at + length }).collect();
        words.retain(|word| !TEXT[word.end..].starts_with(char::is_alphanumeric));
        words.sort();
        Donor { span: Span { start, end }, words }
    }

    fn versions(donor: &Donor, names: &[(&str, f64)]) -> Vec<String> {
        let is_known = |name: &str| names.iter().any(|(known, _)| *known == name);
        let ground = Ground { names, is_known: &is_known, fit: &|_, _| 1.0 };
        donor.versions(TEXT, &ground).into_iter().map(|(code, _)| code).collect()
    }

    #[test]
    fn what_is_known_stays_and_is_varied() {
        let push = donor(0, 15, &["rows", "row"]);
        let found = versions(&push, &[("rows", 1.0), ("row", 1.0), ("cell", 2.0)]);
        assert_eq!(found.first().map(String::as_str), Some("rows.push(row);"));
        assert!(found.contains(&"rows.push(cell);".to_owned()), "{found:?}");
    }

    #[test]
    fn what_is_not_known_gets_a_name_of_the_place() {
        let push = donor(0, 15, &["rows", "row"]);
        let found = versions(&push, &[("rows", 1.0), ("cell", 2.0), ("other", 1.0)]);
        assert_eq!(found, ["rows.push(cell);", "rows.push(other);"]);
        assert_eq!(versions(&push, &[("one", 1.0)]), Vec::<String>::new());
    }

    #[test]
    fn members_that_are_called_like_a_variable_go_with_it() {
        let set = donor(16, 33, &["size"]);
        assert_eq!(versions(&set, &[("depth", 1.0)]), ["this.depth = depth;"]);
    }
}
