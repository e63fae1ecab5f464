//! Words as they are compared: without endings, in lower case, names of parameters and options as they stand.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Words of questions that say nothing about the answer.
const SILENT: &str = "a about an and any are as at be been by can could did do does for from give had has have how i if in into is it \
    its me my of on or per please shall should tell than that the their there these this those through to under was we were what when \
    where which who whose why will with would you your";

/// Words that ask for a value and need not stand beside it.
const LIGHT: &str = "amount called contain describe description find get look mean meaning much many name need number one show say \
    stand stands take takes use used value";

/// Words that mean the same where quantities and tables are concerned, a line for each group.
const SAME: &[&str] = &[
    "maximum max maximal most highest largest greatest upper limit",
    "minimum min minimal least lowest smallest lower limit",
    "size length long large big width",
    "byte bytes octet octets",
    "abbreviation abbreviated short",
    "equivalent same alias corresponds",
    "capacity volume quantity",
    "specification specifications spec specs",
    "default defaults",
    "option options flag switch",
    "argument arguments parameter parameters",
];

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

static SILENT_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| SILENT.split_whitespace().collect());

static LIGHT_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| LIGHT.split_whitespace().map(stem).collect());

static GROUPS: LazyLock<Vec<Vec<String>>> =
    LazyLock::new(|| SAME.iter().map(|group| group.split_whitespace().map(stem).collect()).collect());

fn stem(word: &str) -> String {
    STEMMER.stem(word).into_owned()
}

/// The words of a text in their order, as they are compared. `max_connections` is itself, `max` and `connections`; `-N` is an option
/// and keeps its case; the commas of `1,000` do not count.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens(text) {
        if token.starts_with('-') {
            found.push(token);
            continue;
        }
        let word = normal(&token);
        if token.contains('_') {
            found.extend(token.split('_').filter(|part| !part.is_empty()).map(normal));
        }
        found.push(word);
    }
    found
}

/// One token as it is compared.
fn normal(token: &str) -> String {
    let lower = token.to_lowercase();
    if lower.chars().all(char::is_alphabetic) { stem(&lower) } else { lower }
}

/// The pieces of a text that are words, as they stand.
fn tokens(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let at = |place: usize| characters.get(place).copied().unwrap_or(' ');
    let mut found = Vec::new();
    let mut token = String::new();
    for (place, &character) in characters.iter().enumerate() {
        let before = place.checked_sub(1).map_or(' ', at);
        let after = at(place + 1);
        let is_option = token.starts_with('-');
        let is_part = match character {
            '_' => true,
            // `-N` and `--help`, but not the dash of `one-letter`.
            '-' => {
                (is_option && (after.is_alphanumeric() || after == '-'))
                    || (token.is_empty()
                        && (before.is_whitespace() || matches!(before, '(' | '[' | '|' | ',' | '/' | '"' | '\''))
                        && (after.is_alphabetic() || after == '-'))
            }
            ',' | '.' if !is_option => before.is_ascii_digit() && after.is_ascii_digit() && !token.is_empty(),
            _ => character.is_alphanumeric(),
        };
        if is_part {
            if character != ',' {
                token.push(character);
            }
        } else if !token.is_empty() {
            found.push(std::mem::take(&mut token));
        }
    }
    if !token.is_empty() {
        found.push(token);
    }
    // Rules of dashes are no words, and neither is the `s` of a genitive.
    found.retain(|token| token.chars().any(char::is_alphanumeric) && token != "s");
    found
}

/// A word of a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The word, as [`words`] gives it.
    pub word: String,
    /// Words that mean the same.
    pub same: Vec<String>,
    /// Whether it looks like the name of one thing: it has digits, underscores or capitals, or is an option.
    pub is_name: bool,
    /// Whether it asks for a value, and need not stand beside it.
    pub is_light: bool,
}

impl Term {
    /// Whether a word of a text is this one.
    pub fn is(&self, word: &str) -> bool {
        self.word == word || self.same.iter().any(|same| same == word)
    }
}

/// The words of a goal that can be looked for, each once.
pub fn terms(goal: &str) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for (place, token) in tokens(goal).into_iter().enumerate() {
        if SILENT_WORDS.contains(token.to_lowercase().as_str()) {
            continue;
        }
        let word = if token.starts_with('-') { token.clone() } else { normal(&token) };
        if found.iter().any(|term| term.word == word) {
            continue;
        }
        let capitals = token.chars().filter(|character| character.is_uppercase()).count();
        let is_name = token.starts_with('-')
            || token.chars().any(|character| character == '_' || character.is_numeric())
            || capitals > 1
            || (capitals == 1 && place > 0);
        let same = if is_name { Vec::new() } else { synonyms(&word) };
        let is_light = !is_name && LIGHT_WORDS.contains(&word);
        found.push(Term { word, same, is_name, is_light });
    }
    found
}

fn synonyms(word: &str) -> Vec<String> {
    let groups = GROUPS.iter().filter(|group| group.iter().any(|same| same == word));
    groups.flatten().filter(|same| *same != word).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_endings_and_names_stay_whole() {
        assert_eq!(words("Storage sizes of max_connections"), ["storag", "size", "of", "max", "connect", "max_connections"]);
        assert_eq!(words("postgres -N x, --no-clean; one-letter"), ["postgr", "-N", "x", "--no-clean", "one", "letter"]);
        assert_eq!(words("1,431,650 and 3.5 quarts."), ["1431650", "and", "3.5", "quart"]);
        assert_eq!(words("--- the car's -- door"), ["the", "car", "door"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn goals_have_names_words_and_light_words() {
        let terms = terms("What is the maximum number of relations per PageHeaderData in Jeep -N x?");
        let told: Vec<(&str, bool, bool)> =
            terms.iter().map(|term| (term.word.as_str(), term.is_name, term.is_light)).collect();
        assert_eq!(
            told,
            [
                ("maximum", false, false),
                ("number", false, true),
                ("relat", false, false),
                ("pageheaderdata", true, false),
                ("jeep", true, false),
                ("-N", true, false),
                ("x", false, false),
            ]
        );
        assert!(terms[0].is("limit") && !terms[0].is("minimum") && !terms[4].is("ford"));
    }
}
