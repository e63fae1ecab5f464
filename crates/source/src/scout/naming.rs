//! Names of fields, made of what pages call them, and the classes that name anything.

use autoheal_page::recipe::FieldName;
use autoheal_page::robust_selector::{is_layout, is_volatile};
use unicode_normalization::UnicodeNormalization as _;

/// The longest name that is made, in characters: longer ones are sentences.
const LONGEST: usize = 40;

/// The name of a field that a page labels so: `Release date:` is `release_date`. None when nothing of it can be in a name.
pub(crate) fn field_name(label: &str) -> Option<FieldName> {
    let mut name = String::new();
    let folded = label.replace('ß', "ss");
    for character in folded.nfd() {
        if character.is_ascii_alphanumeric() {
            name.push(character.to_ascii_lowercase());
        } else if !is_mark(character) && !name.is_empty() && !name.ends_with('_') {
            // Letters that no name may have would leave a torso.
            if character.is_alphabetic() {
                return None;
            }
            name.push('_');
        } else if character.is_alphabetic() && !is_mark(character) {
            return None;
        }
    }
    let name = name.trim_end_matches('_');
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let begins_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    FieldName::parse(&if begins_with_digit { format!("_{name}") } else { name.to_owned() }).ok()
}

/// Returns whether a character is an accent that follows its letter.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Returns whether a class name describes what an element is, and not its appearance.
pub(super) fn is_telling(class: &str) -> bool {
    !is_volatile(class) && !is_layout(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_names() {
        let name = |label: &str| field_name(label).map(String::from);
        assert_eq!(name("Release date:").as_deref(), Some("release_date"));
        assert_eq!(name(" Größe (cm) ").as_deref(), Some("grosse_cm"));
        assert_eq!(name("Café & Bar").as_deref(), Some("cafe_bar"));
        assert_eq!(name("2nd owner").as_deref(), Some("_2nd_owner"));
        for label in ["", ":", "Цена", "大きさ", &"word ".repeat(20)] {
            assert_eq!(name(label), None, "{label}");
        }
    }
}
