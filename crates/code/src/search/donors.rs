//! Code that a file has elsewhere, written for another place of it: what is missing is most often like something that is there (Barr,
//! Brun, Devanbu, Harman, Sarro: "The plastic surgery hypothesis", 2014).

use std::collections::BTreeMap;
use std::rc::Rc;

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

/// Variables that may replace another, the best first, each with how likely it is.
pub(crate) type StandIns<'a> = Rc<[(&'a str, f64)]>;

/// A place that code is put into.
pub(crate) trait Ground<'a> {
    /// Returns whether a name has a meaning at the place.
    fn is_known(&self, name: &'a str) -> bool;

    /// The other variables that have a value there.
    fn stand_ins(&self, name: &'a str) -> StandIns<'a>;
}

/// Puts variables in the order in which they can replace another.
pub(crate) fn ranked<'a>(others: impl Iterator<Item = (&'a str, f64)>) -> StandIns<'a> {
    let mut found: Vec<(&str, f64)> = others.collect();
    found.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    found.into()
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

/// Names of a piece that become others.
type Renamed<'a> = [Option<(&'a str, &'a str)>; MOST_UNKNOWN];

/// A piece as it fits a place.
struct Version<'a> {
    renamed: Renamed<'a>,
    /// Likelihood relative to other donors.
    weight: f64,
}

impl Donor {
    /// Returns the versions of the piece that fit a place.
    fn versions<'a>(&self, text: &'a str, ground: &dyn Ground<'a>) -> Vec<Version<'a>> {
        let mut names: Vec<&'a str> = Vec::new();
        for word in self.words.iter().map(|word| word.text(text)) {
            if !names.contains(&word) {
                names.push(word);
            }
        }
        let unknown: Vec<&'a str> = names.iter().copied().filter(|name| !ground.is_known(name)).collect();
        if unknown.len() > MOST_UNKNOWN {
            return Vec::new();
        }
        let mut versions = vec![Version { renamed: [None; MOST_UNKNOWN], weight: 1.0 }];
        for (number, name) in unknown.iter().enumerate() {
            let others = best(&ground.stand_ins(name), &names);
            let mut longer = Vec::new();
            for Version { renamed, weight } in &versions {
                let is_free = |other: &str| renamed.iter().flatten().all(|(_, taken)| *taken != other);
                for (other, share) in others.iter().filter(|(other, _)| is_free(other)) {
                    let mut renamed = *renamed;
                    renamed.iter_mut().skip(number).take(1).for_each(|slot| *slot = Some((*name, *other)));
                    longer.push(Version { renamed, weight: weight * share * RENAMED });
                }
            }
            versions = longer;
        }
        if unknown.is_empty() && names.len() <= MOST_VARIED {
            let count = names.len().max(1);
            let share = VARIED / f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            for name in &names {
                let mut renamed = [None; MOST_UNKNOWN];
                for (other, weight) in best(&ground.stand_ins(name), &[]) {
                    renamed.iter_mut().take(1).for_each(|slot| *slot = Some((*name, other)));
                    versions.push(Version { renamed, weight: weight * share });
                }
            }
        }
        versions
    }

    fn renamed(&self, text: &str, renamed: &Renamed<'_>) -> String {
        let mut code = String::with_capacity(2 * (self.span.end - self.span.start));
        let mut at = self.span.start;
        for word in &self.words {
            let name = word.text(text);
            code.push_str(text.get(at..word.start).unwrap_or_default());
            code.push_str(renamed.iter().flatten().find(|(old, _)| *old == name).map_or(name, |(_, new)| new));
            at = word.end;
        }
        code.push_str(text.get(at..self.span.end).unwrap_or_default());
        code
    }
}

/// The best stand-ins, with their shares; none of those that are `taken`.
fn best<'a>(stand_ins: &[(&'a str, f64)], taken: &[&str]) -> Vec<(&'a str, f64)> {
    let free = stand_ins.iter().filter(|(other, _)| !taken.contains(other)).take(MOST_STAND_INS);
    let found: Vec<(&str, f64)> = free.copied().collect();
    let total: f64 = found.iter().map(|(_, weight)| weight).sum();
    found.into_iter().map(|(other, weight)| (other, weight / total)).collect()
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

/// Maximum number of versions that are written for that: several may come to the same code.
const MOST_WRITTEN: usize = 2 * MOST_VERSIONS;

/// Factor by which a piece of another function is less likely to be what is missing.
const OF_ANOTHER_FUNCTION: f64 = 0.4;

/// Returns the code that donors yield at a place, likeliest first, each once. The likelihoods of several donors that yield the
/// same code are added. `donors`: in order of the text; `own`: the function around the place.
pub(crate) fn donated<'a, 'd>(
    text: &'a str,
    donors: impl Iterator<Item = &'d Donor> + Clone,
    at: usize,
    own: Option<Span>,
    ground: &dyn Ground<'a>,
) -> Vec<Donated<'d>> {
    let before = donors.clone().take_while(|donor| donor.span.start < at).count();
    let mut versions: Vec<(usize, &Donor, Version<'a>)> = Vec::new();
    for donor in donors.skip(before.saturating_sub(NEAREST)).take(2 * NEAREST) {
        let is_near = own.is_some_and(|own| own.contains(donor.span));
        let nearness = if is_near { 1.0 } else { OF_ANOTHER_FUNCTION };
        for version in donor.versions(text, ground) {
            versions.push((versions.len(), donor, Version { weight: version.weight * nearness, ..version }));
        }
    }
    // Only the likeliest are written: most of the time would be spent on the others.
    if versions.len() > MOST_WRITTEN {
        versions.select_nth_unstable_by(MOST_WRITTEN, |(left, _, one), (right, _, other)| {
            other.weight.total_cmp(&one.weight).then(left.cmp(right))
        });
        versions.truncate(MOST_WRITTEN);
        versions.sort_unstable_by_key(|(number, ..)| *number);
    }
    let mut found: BTreeMap<String, (f64, &Donor)> = BTreeMap::new();
    for (_, donor, version) in versions {
        found.entry(donor.renamed(text, &version.renamed)).or_insert((0.0, donor)).0 += version.weight;
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

    /// The variables of a place.
    struct Names<'n>(&'n [(&'static str, f64)]);

    impl Ground<'static> for Names<'_> {
        fn is_known(&self, name: &'static str) -> bool {
            self.0.iter().any(|(known, _)| *known == name)
        }

        fn stand_ins(&self, name: &'static str) -> StandIns<'static> {
            ranked(self.0.iter().copied().filter(|(other, _)| *other != name))
        }
    }

    fn versions(donor: &Donor, names: &[(&'static str, f64)]) -> Vec<String> {
        let versions = donor.versions(TEXT, &Names(names)).into_iter();
        versions.map(|version| donor.renamed(TEXT, &version.renamed)).collect()
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
