//! Lists that are written as one text.

use std::sync::LazyLock;

use regex::Regex;

use crate::mode::rule_based::stated::unescaped;

/// The lines of a text, which may hold markup: each without it, those without a letter or digit left out.
pub(super) fn lines(text: &str) -> Vec<String> {
    static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)<br\s*/?>|</?(?:p|li|div|ol|ul|h[1-6]|tr)(?:\s[^>]*)?>|&lt;br\s*/?&gt;").ok()
    });
    static INLINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\s*\n\s*(<(?:a|b|i|em|strong|span)[\s>])|(</(?:a|b|i|em|strong|span)>)\s*\n\s*").ok()
    });
    let is_marked = text.contains('<') || text.contains("&lt;");
    // The line breaks of markup mean nothing, except where it has no other.
    let text = if is_marked && ENDS.as_ref().is_some_and(|ends| ends.is_match(text)) {
        let broken = text.replace(['\n', '\r'], " ");
        ENDS.as_ref().map_or(broken.clone(), |ends| ends.replace_all(&broken, "\n").into_owned())
    } else {
        // A line break next to a link comes from the markup.
        INLINE.as_ref().map_or_else(|| text.to_owned(), |inline| inline.replace_all(text, "$2 $1").into_owned())
    };
    text.split(['\n', '\r']).map(unescaped).filter(|line| line.chars().any(char::is_alphanumeric)).collect()
}

/// Returns whether a line is only the number of a step: `Step 1`.
pub(super) fn is_only_number(line: &str) -> bool {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{L}{0,12}\W*\d{1,2}\W*$").ok());
    NUMBER.as_ref().is_some_and(|number| number.is_match(line.trim()))
}

/// Steps without their numbers, where each has its own; a line before the first that announces them is left out as well.
pub(super) fn without_numbers(mut steps: Vec<String>) -> Vec<String> {
    static LEADING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(\d{1,2})[.):]\s*(\S.*)$").ok());
    let Some(leading) = LEADING.as_ref() else { return steps };
    let announces = steps.len() > 2 && steps[0].ends_with(':') && !leading.is_match(&steps[0]);
    let numbered = if announces { &steps[1..] } else { &steps[..] };
    let bare: Option<Vec<String>> = numbered
        .iter()
        .zip(1_u32..)
        .map(|(step, number)| {
            let parts = leading.captures(step)?;
            (parts.get(1)?.as_str().parse() == Ok(number)).then(|| parts.get(2).map(|rest| rest.as_str().to_owned()))?
        })
        .collect();
    if let Some(bare) = bare {
        steps = bare;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_the_text_or_its_markup_says() {
        for text in [
            "Cut the leeks.\nBoil them.",
            "<p>Cut the\nleeks.</p><p>Boil <b>them</b>.</p>",
            "Cut the leeks.<br />Boil them.",
            "Cut the\n<a href=x>leeks</a>.\nBoil them.",
            "<ol><li>Cut the leeks.</li><li class='x'>Boil them.</li></ol>",
            " Cut the leeks.\r\n\r\nBoil them.\n",
        ] {
            assert_eq!(lines(text), ["Cut the leeks.", "Boil them."], "{text}");
        }
        assert_eq!(lines("A &amp; B"), ["A & B"]);
        assert!(lines(" \n").is_empty());
    }

    #[test]
    fn numbers_of_steps_are_left_out_where_every_step_has_one() {
        let steps = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(without_numbers(steps(&["1. Cut.", "2. Boil."])), ["Cut.", "Boil."]);
        assert_eq!(without_numbers(steps(&["This is how:", "1. Cut.", "2. Boil."])), ["Cut.", "Boil."]);
        assert_eq!(without_numbers(steps(&["The soup:", "Cut.", "Boil."])), ["The soup:", "Cut.", "Boil."]);
        assert_eq!(without_numbers(steps(&["1 leek is cut.", "2 are not."])), ["1 leek is cut.", "2 are not."]);
        assert_eq!(without_numbers(steps(&["1. Cut.", "Boil."])), ["1. Cut.", "Boil."]);
        assert!(is_only_number("Step 1:") && is_only_number("2") && !is_only_number("Cut 2 leeks"));
    }
}
