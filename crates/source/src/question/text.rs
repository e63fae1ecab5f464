//! Texts of a page in a prompt: one line each, without what a reader does not see, and never longer than said.

/// A text in one line, cut after `most` characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut left = most;
    let mut is_space_due = false;
    for character in text.chars().filter(|character| !is_unseen(*character)) {
        if character.is_whitespace() || character.is_control() {
            is_space_due = !line.is_empty();
            continue;
        }
        let needed = 1 + usize::from(is_space_due);
        if needed > left {
            line.push('…');
            break;
        }
        if is_space_due {
            line.push(' ');
        }
        line.push(character);
        left -= needed;
        is_space_due = false;
    }
    line
}

/// A text in quotes.
pub(super) fn quoted(text: &str, most: usize) -> String {
    format!("\"{}\"", one_line(text, most).replace('"', "'"))
}

/// Characters without a form: marks of direction, of no width, and tags, in which instructions can be hidden.
const fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Values in quotes: the first ones and the last.
pub(super) fn listed(values: &[String], most: usize) -> String {
    const SHOWN: usize = 3;
    let [first, .., last] = values else {
        return values.first().map_or_else(|| "nothing".to_owned(), |value| quoted(value, most));
    };
    if values.len() <= SHOWN {
        return values.iter().map(|value| quoted(value, most)).collect::<Vec<_>>().join(", ");
    }
    let [first, second, last] = [first, &values[1], last].map(|value| quoted(value, most * 2 / 3));
    format!("{} values: {first}, {second}, ... {last}", values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_in_its_line_and_within_its_length() {
        assert_eq!(one_line("  a\n[7] `.b`\u{0}\u{200b}c  ", 20), "a [7] `.b` c");
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line("ab cd", 3), "ab…");
        assert_eq!(one_line("\u{e0049}\u{e0067}x", 3), "x");
        assert_eq!(quoted("a \"b\" c", 9), "\"a 'b' c\"");
    }

    #[test]
    fn of_many_values_the_first_ones_and_the_last_are_shown() {
        let values = |count: usize| (0..count).map(|value| value.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&values(0), 9), "nothing");
        assert_eq!(listed(&values(1), 9), "\"0\"");
        assert_eq!(listed(&values(3), 9), "\"0\", \"1\", \"2\"");
        assert_eq!(listed(&values(9), 9), "9 values: \"0\", \"1\", ... \"8\"");
    }
}
