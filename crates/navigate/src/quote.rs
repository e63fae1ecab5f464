//! Quotes of a model: the passages of a page that they are from.

use crate::page_state::{PageState, Passage};

/// Words at the beginning of questions that want yes or no.
const YES_OR_NO: &[&str] = &[
    "am", "are", "can", "could", "did", "do", "does", "has", "have", "is", "may", "must", "shall", "should", "was",
    "were", "will", "would",
];

/// Longest quote, in characters.
const LONGEST: usize = 4000;

/// Returns the passages that a quote is from, as text; otherwise the reason to refuse the quote.
pub(crate) fn passage_of(quote: &str, passages: &[&Passage]) -> Result<String, String> {
    let lines: Vec<String> = quote.lines().map(plain).filter(|line| !line.is_empty() && line != "[...]").collect();
    if lines.is_empty() || quote.chars().count() > LONGEST {
        return Err("\"quote\" must be the row or the passage that answers, word for word".to_owned());
    }
    let mut found: Vec<&str> = Vec::new();
    // A caption is above many rows: it says nothing about which of them is meant.
    for line in &lines {
        let is_exact =
            |passage: &&Passage| plain(&passage.text).lines().any(|text| text == line) || last(passage) == *line;
        let exact: Vec<&Passage> = passages.iter().copied().filter(is_exact).collect();
        let holding: Vec<&Passage> = if exact.is_empty() {
            passages.iter().copied().filter(|passage| holds(&plain(&passage.text), line)).collect()
        } else {
            exact
        };
        match holding.as_slice() {
            [] => return Err(format!("the quote is not on the page: \"{line}\"")),
            several
                if several.len() > 1 && lines.len() == 1 && several.iter().any(|one| one.text != several[0].text) =>
            {
                return Err(format!("the quote is in {} passages: quote the whole row or sentence", several.len()));
            }
            [first, ..] if holding.len() == 1 || lines.len() == 1 => {
                if !found.contains(&first.text.as_str()) {
                    found.push(&first.text);
                }
            }
            [_, ..] => {}
        }
    }
    if found.is_empty() {
        Err("the quote names no single row or passage: quote a whole one".to_owned())
    } else {
        Ok(found.join("\n\n"))
    }
}

/// The same, of a page.
pub(crate) fn on_page(quote: &str, page: &PageState) -> Result<String, String> {
    passage_of(quote, &page.passages.iter().collect::<Vec<_>>())
}

/// Returns whether a text holds a quote, as whole words.
fn holds(text: &str, quote: &str) -> bool {
    text.match_indices(quote).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// The last line of a passage: the row itself, without its caption.
fn last(passage: &Passage) -> String {
    passage.text.lines().last().map(plain).unwrap_or_default()
}

fn plain(text: &str) -> String {
    let text = text.trim().trim_start_matches("- ");
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns whether a goal is a question for yes or no.
pub(crate) fn wants_yes_or_no(goal: &str) -> bool {
    let first = goal.split_whitespace().next().unwrap_or_default().to_lowercase();
    YES_OR_NO.contains(&first.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> PageState {
        let html = "<table><caption>Sizes</caption><tr><th>Name<th>Size<tr><td>int<td>4 bytes<tr><td>real<td>4 bytes</table>\
            <p>A word has 16 bits. It is old.";
        PageState::parse(html.as_bytes(), &"http://manual.example/".parse().unwrap())
    }

    #[test]
    fn a_quote_is_one_passage_of_the_page_word_for_word() {
        let row = "Sizes\nName: int | Size: 4 bytes";
        for (quote, passage) in [
            ("Name: int | Size: 4 bytes", row),
            ("  name: INT | size:  4 bytes ", row),
            ("Sizes\nName: int | Size: 4 bytes", row),
            ("A word has 16 bits", "A word has 16 bits. It is old."),
        ] {
            assert_eq!(on_page(quote, &page()).as_deref(), Ok(passage), "{quote}");
        }
        for (quote, told) in [
            ("Name: int | Size: 8 bytes", "not on the page"),
            ("A word has 16 bit", "not on the page"),
            ("4 bytes", "in 2 passages"),
            ("Sizes", "in 2 passages"),
            (" \n", "word for word"),
            ("A word has 16 bits.\nIt costs 5 EUR.", "not on the page"),
        ] {
            let refused = on_page(quote, &page()).unwrap_err();
            assert!(refused.contains(told), "{quote}: {refused}");
        }
    }

    #[test]
    fn questions_for_yes_or_no_are_known_by_their_first_word() {
        assert!(wants_yes_or_no("Is the plug magnetic?") && wants_yes_or_no("does it leak"));
        assert!(!wants_yes_or_no("Which plug is magnetic?") && !wants_yes_or_no(""));
    }
}
