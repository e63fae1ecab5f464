//! Sets of patterns of paths, from those that languages know.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// The paths that match one of these patterns at any depth.
pub(crate) fn anywhere<'p>(patterns: impl IntoIterator<Item = &'p &'static str>) -> GlobSet {
    set(patterns.into_iter().map(|pattern| Glob::new(&format!("**/{pattern}"))))
}

/// The paths that match one of these patterns, in which `*` stays within one folder.
pub(crate) fn exactly<'p>(patterns: impl IntoIterator<Item = &'p &'static str>) -> GlobSet {
    set(patterns.into_iter().map(|pattern| GlobBuilder::new(pattern).literal_separator(true).build()))
}

/// The patterns are constants, and a test compiles each: none is lost here.
fn set(patterns: impl Iterator<Item = Result<Glob, globset::Error>>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns.flatten() {
        set.add(pattern);
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use autoheal_code::languages;

    #[test]
    fn every_pattern_of_a_language_compiles() {
        for known in languages::known_files() {
            for patterns in [known.tests, known.manifests, known.dependency_lists, known.texts] {
                assert_eq!(super::anywhere(patterns).len(), patterns.len());
                assert_eq!(super::exactly(patterns).len(), patterns.len());
            }
        }
    }
}
