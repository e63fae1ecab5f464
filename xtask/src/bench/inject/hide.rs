//! Tests that are taken out of a repository, so that they can judge a repair that was made without them.

use std::path::Path;

use super::random::number;
use super::source::{files, has_attribute, range};

/// One test of this many is hidden.
const SHARE: u64 = 3;

/// Removes every third test function of the files in `tests/`, chosen by its name and the seed; returns their number.
///
/// Tests in the files of the program are left: those files cannot be restored without losing the repair.
pub(super) fn hide(root: &Path, seed: &str) -> anyhow::Result<usize> {
    let mut hidden = 0;
    for path in files(root, "tests") {
        let mut text = std::fs::read_to_string(root.join(&path))?;
        let Ok(tree) = syn::parse_file(&text) else { continue };
        let is_hidden = |item: &&syn::ItemFn| {
            has_attribute(&item.attrs, "test")
                && number(&format!("{seed}/{path}/{}", item.sig.ident)).is_multiple_of(SHARE)
        };
        let functions = tree.items.iter().filter_map(|item| match item {
            syn::Item::Fn(function) => Some(function),
            _ => None,
        });
        for function in functions.filter(is_hidden).collect::<Vec<_>>().into_iter().rev() {
            let mut place = range(function);
            // With the empty line behind it, so that the formatter agrees.
            place.end += text[place.end..].bytes().take(2).take_while(|byte| *byte == b'\n').count();
            text.replace_range(place, "");
            hidden += 1;
        }
        std::fs::write(root.join(&path), text)?;
    }
    Ok(hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_tests_is_hidden_and_helpers_stay() {
        let work = tempfile::tempdir().unwrap();
        let tests: Vec<String> =
            (0..30).map(|number| format!("#[test]\nfn case_{number}() {{\n    help();\n}}\n")).collect();
        let text = format!("fn help() {{}}\n\n{}", tests.join("\n"));
        for (folder, file) in [("tests", "tests/all.rs"), ("src", "src/lib.rs")] {
            std::fs::create_dir(work.path().join(folder)).unwrap();
            std::fs::write(work.path().join(file), &text).unwrap();
        }

        let hidden = hide(work.path(), "1").unwrap();

        assert!((5..16).contains(&hidden), "{hidden} of 30");
        let left = std::fs::read_to_string(work.path().join("tests/all.rs")).unwrap();
        assert_eq!(left.matches("#[test]").count(), 30 - hidden);
        assert!(left.starts_with("fn help() {}\n\n#[test]"));
        assert!(!left.contains("\n\n\n"), "the formatter agrees");
        assert_eq!(std::fs::read_to_string(work.path().join("src/lib.rs")).unwrap(), text, "the program is left alone");
    }
}
