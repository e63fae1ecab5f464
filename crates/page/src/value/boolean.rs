//! Yes and no, in words.

use super::{ValueError, ValueType};

/// Words that mean the same everywhere they are used. `no` is English, Spanish and Italian alike.
const YES: &[&str] =
    &["true", "yes", "on", "1", "ja", "oui", "sí", "si", "sim", "tak", "да", "evet", "ano", "✓", "✔", "instock"];
const NO: &[&str] = &[
    "false",
    "no",
    "off",
    "0",
    "nein",
    "non",
    "não",
    "nie",
    "нет",
    "hayır",
    "ne",
    "nej",
    "✗",
    "✘",
    "outofstock",
    "soldout",
];

/// Yes or no. The recipe's own words come first (compared without case, white space at the ends aside), then common ones; an
/// address of schema.org (`https://schema.org/InStock`) counts by its last word.
///
/// # Errors
///
/// When the text is neither.
pub fn parse(text: &str, yes: &[String], no: &[String]) -> Result<bool, ValueError> {
    let word = text.trim().to_lowercase();
    if word.is_empty() {
        return Err(ValueError::absent(ValueType::Boolean, text));
    }
    let names = |words: &[String]| words.iter().any(|known| known.trim().to_lowercase() == word);
    match (names(yes), names(no)) {
        (true, false) => return Ok(true),
        (false, true) => return Ok(false),
        (true, true) | (false, false) => {}
    }
    let last = word.rsplit('/').next().filter(|_| word.contains("schema.org/")).unwrap_or(&word);
    if YES.contains(&last) {
        Ok(true)
    } else if NO.contains(&last) {
        Ok(false)
    } else {
        let problem = "name its words in the recipe: `{\"boolean\": {\"yes\": [...], \"no\": [...]}}`";
        Err(ValueError::invalid(ValueType::Boolean, text, problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_the_recipes_words() {
        assert!(parse(" Yes ", &[], &[]).unwrap());
        assert!(!parse("NEIN", &[], &[]).unwrap());
        assert!(parse("https://schema.org/InStock", &[], &[]).unwrap());
        assert!(matches!(parse("In stock", &[], &[]), Err(ValueError::Invalid { .. })));
        let (yes, no) = (["In stock".to_owned()], ["Sold out".to_owned()]);
        assert!(parse("in Stock", &yes, &no).unwrap());
        assert!(!parse("sold out", &yes, &no).unwrap());
        assert!(matches!(parse("", &yes, &no), Err(ValueError::Absent { .. })));
    }
}
