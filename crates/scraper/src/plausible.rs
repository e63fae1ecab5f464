//! Plausibility of a text as the value of a field, by the values before.

use std::collections::VecDeque;

/// Number of values before, from which what they have in common is expected of the next.
const EXPECTED_FROM: usize = 3;

/// Returns why a text is not like the values of the field before; `None`: it may be the value.
pub(crate) fn doubt(text: &str, before: &VecDeque<String>) -> Option<&'static str> {
    if text.trim().is_empty() {
        let was_filled = before.iter().any(|value| !value.trim().is_empty());
        return was_filled.then_some("it is empty");
    }
    // Amounts and days: where values consist of digits, words alone are another thing.
    let were_digits = before.len() >= EXPECTED_FROM && before.iter().all(|value| is_mostly_digits(value));
    (were_digits && !text.contains(|char: char| char.is_numeric()))
        .then_some("it has no digit, and the values before consist of them")
}

fn is_mostly_digits(value: &str) -> bool {
    let digits = value.chars().filter(|char| char.is_numeric()).count();
    let letters = value.chars().filter(|char| char.is_alphabetic()).count();
    digits > 0 && digits >= letters
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("$14.00", &["$12.00", "$13.50", "$12.00"], true)]
    #[case("14", &["$12.00", "$13.50", "$12.00"], true)]
    #[case("Add to cart", &["$12.00", "$13.50", "$12.00"], false)]
    #[case("Add to cart", &["$12.00", "$13.50"], true)]
    #[case("Add to cart", &["$12.00", "call us", "$12.00"], true)]
    #[case("Tea", &["Soup", "Bread", "Rice"], true)]
    #[case(" ", &["Soup"], false)]
    #[case(" ", &[""], true)]
    fn a_text_of_another_kind_is_doubted(#[case] text: &str, #[case] before: &[&str], #[case] is_plausible: bool) {
        let before: VecDeque<String> = before.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(doubt(text, &before).is_none(), is_plausible);
    }
}
