//! Words in the form in which they are compared: without endings, in lower case; names of parameters and options unchanged.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::kinds;

/// Words of questions that say nothing about the answer.
const SILENT: &str = "a about an and any are as at be been by can could did do does for from give had has have how i if in into is it \
    its me my of on or per please shall should since tell than that the their there these this those through to under was we were what when \
    where which who whose why will with would you your";

/// Words that request a value and need not be next to it.
const LIGHT: &str = "allow allows amount called contain describe description find get give gives look mean meaning much many name need \
    needs number numeric one provide provides represent represents require requires show say specify specifies stand stands take takes use used \
    value";

/// Units: `in bytes` says how to write the answer.
const UNITS: &str = "bit bits byte bytes day days hour hours kilobyte kilobytes megabyte megabytes millisecond milliseconds minute minutes \
    percent second seconds";

/// Words that only say of which sort the name next to them is: `the option --all`.
const SORTS: &str = "argument attribute class command directive field flag function keyword macro method module option parameter property \
    setting switch variable";

/// Words in the names of manuals that do not tell them apart.
const OF_MANUALS: &str = "book contents documentation guide handbook help home index introduction manual overview page reference service \
    site start table topic user welcome";

/// Words that mean the same where quantities and tables are concerned, a line for each group.
const SAME: &[&str] = &[
    "maximum max maximal most highest largest greatest upper limit",
    "minimum min minimal least lowest smallest lower limit",
    "size length",
    "byte bytes octet octets",
    "abbreviation abbreviated short",
    "equivalent same alias corresponds",
    "capacity volume quantity",
    "specification specifications spec specs",
    "default defaults",
    "option options flag switch",
    "argument arguments parameter parameters",
    "quart quarts qt",
    "gallon gallons gal",
    "pint pints pt",
    "liter liters litre litres l",
    "pound pounds lb lbs",
    "millimeter millimeters millimetre millimetres mm",
    "kilogram kilograms kg",
    "second seconds sec secs",
    "millisecond milliseconds ms",
    "minute minutes mins",
    "hour hours hr hrs",
    "kilobyte kilobytes kb",
    "megabyte megabytes mb",
    "gigabyte gigabytes gb",
];

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

static SILENT_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| SILENT.split_whitespace().collect());

static LIGHT_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| LIGHT.split_whitespace().collect());

/// First character of a stem, which distinguishes it from a word.
const STEM: char = '~';

/// A word without any ending: `configure` and `configuration` are one, and so are `relation` and `relative`. That is good enough for
/// finding a way, and nothing to rest an answer on.
fn stem(word: &str) -> String {
    format!("{STEM}{}", STEMMER.stem(word))
}

/// The singular of a plural that is made by rule; other words stay.
fn singular(word: &str) -> String {
    if word.chars().count() < 4 {
        return word.to_owned();
    }
    if let Some(beginning) = word.strip_suffix("ies") {
        return format!("{beginning}y");
    }
    let stays = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    let word = word.strip_suffix('s').filter(|_| !stays).unwrap_or(word);
    // `boxes` and `caches`: the `e` may or may not belong to the plural, so it is removed from `cache` as well.
    let has_lost_e = ["xe", "che", "she", "sse"].iter().any(|ending| word.ends_with(ending));
    word.strip_suffix('e').filter(|_| has_lost_e).unwrap_or(word).to_owned()
}

/// The words of a text in their order, as they are compared: in lower case and the singular. `max_connections` is one word; `-N` is an
/// option and keeps its case; the commas of `1,000` do not count.
pub(crate) fn words(text: &str) -> Vec<String> {
    tokens(text).iter().map(|token| normal(token)).collect()
}

/// Returns whether two words differ only in an ending of grammar: `raise`, `raised`, `raising`.
pub(crate) fn are_inflections(one: &str, other: &str) -> bool {
    const ENDINGS: &[&str] = &["", "e", "ed", "d", "er", "ing", "s", "es", "y", "ied", "ies"];
    const SHORTEST: usize = 4;
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8());
    let shared = same.sum::<usize>();
    let (Some(one_rest), Some(other_rest)) = (one.get(shared..), other.get(shared..)) else { return false };
    let is_plain = is_plain(one) && is_plain(other);
    is_plain
        && one.len().min(other.len()) >= SHORTEST
        && shared + 1 >= SHORTEST
        && ENDINGS.contains(&one_rest)
        && ENDINGS.contains(&other_rest)
        && STEMMER.stem(one) == STEMMER.stem(other)
}

/// Returns the words of a manual's name that tell it from other manuals.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    words(name).into_iter().filter(|word| !is_silent(word) && !has(OF_MANUALS, word)).collect()
}

/// Returns the words of a goal that are not silent, in their order, as they are compared.
pub(crate) fn goal_words(goal: &str) -> Vec<String> {
    words(goal).into_iter().filter(|word| !is_silent(word)).collect()
}

/// Returns whether a word is unrelated to the topic of a text.
pub(crate) fn is_silent(word: &str) -> bool {
    SILENT_WORDS.contains(word)
}

/// Stems of words, and of the parts of `max_connections`, which may show the way.
pub(crate) fn stems(words: &[String]) -> impl Iterator<Item = String> + '_ {
    let parts = words.iter().filter(|word| !word.starts_with('-')).flat_map(|word| word.split('_'));
    parts.filter(|part| !part.is_empty() && is_plain(part)).map(|part| stem(&singular(part)))
}

/// One token as it is compared.
fn normal(token: &str) -> String {
    if token.starts_with('-') {
        return token.to_owned();
    }
    let lower = token.to_lowercase();
    if is_plain(&lower) { singular(&lower) } else { lower }
}

fn is_plain(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

/// Returns the pieces of a text that are words, unchanged.
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
    // Rules of dashes are not words, and neither is the `s` of a genitive.
    found.retain(|token| token.chars().any(char::is_alphanumeric) && token != "s");
    found
}

/// Role of a word in a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Word that must be where the answer is.
    Required,
    /// Word that requests a value and need not be next to it.
    Light,
    /// Part of a name, such as `page` of `PageHeaderData`, or the stem of another term: used to choose the next page.
    Part,
    /// Word in the titles of sections that answer such questions: used to choose the next page.
    Kind,
}

/// A word of a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    /// The word, as [`words`] gives it.
    pub(crate) word: String,
    /// Words that mean the same.
    pub(crate) same: Vec<String>,
    /// Role of the word.
    pub(crate) role: Role,
    /// True for the word that says what the goal asks for.
    pub(crate) is_asked: bool,
    /// True for a name of a program, such as `max_connections`, `pageSize` or `-N`.
    pub(crate) is_identifier: bool,
    /// True if it comes right after another required word of the goal.
    pub(crate) follows: bool,
}

impl Term {
    /// A term that does not come from the goal's own words as they are.
    const fn of(word: String, role: Role) -> Self {
        Self { word, same: Vec::new(), role, is_asked: false, is_identifier: false, follows: false }
    }
}

impl Term {
    /// Returns whether a word of a text is this term, or a synonym of it.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.word == word || self.same.iter().any(|same| same == word)
    }

    /// The word without the sign of a stem.
    pub(crate) fn plain(&self) -> &str {
        self.word.trim_start_matches(STEM)
    }
}

/// Returns the words to search for, each once: first those of the goal, then the parts of its names, then stems.
pub(crate) fn terms(goal: &str) -> Vec<Term> {
    let all = tokens(goal);
    let asked = asked(goal);
    let mut found: Vec<Term> = Vec::new();
    let mut add = |term: Term| {
        if !found.iter().any(|other| other.word == term.word) {
            found.push(term);
        }
    };
    let mut follows = false;
    let mut tokens: Vec<&String> = Vec::new();
    for (place, token) in all.iter().enumerate() {
        let lower = token.to_lowercase();
        if SILENT_WORDS.contains(lower.as_str()) {
            follows = false;
            continue;
        }
        let neighbour =
            |place: Option<usize>| place.and_then(|place| all.get(place)).is_some_and(|token| is_identifier(token));
        let is_sort = has(SORTS, &lower) && (neighbour(place.checked_sub(1)) || neighbour(Some(place + 1)));
        let is_unit = has(UNITS, &lower)
            && place.checked_sub(1).and_then(|before| all.get(before)).is_some_and(|before| before == "in");
        let is_light = is_sort || is_unit || LIGHT_WORDS.contains(lower.as_str());
        let role = if is_light { Role::Light } else { Role::Required };
        let is_asked = asked.as_ref() == Some(token);
        let is_identifier = is_identifier(token);
        add(Term { word: normal(token), same: synonyms(&lower), role, is_asked, is_identifier, follows });
        follows = role == Role::Required;
        tokens.push(token);
    }
    for part in tokens.iter().flat_map(|token| parts(token)) {
        add(Term::of(stem(&singular(&part)), Role::Part));
    }
    for token in tokens.iter().map(|token| normal(token)).filter(|token| is_plain(token)) {
        if !LIGHT_WORDS.contains(token.as_str()) {
            add(Term::of(stem(&token), Role::Part));
        }
    }
    found
}

/// Returns the token that says what a goal asks for: the last noun before `of`, a preposition or a verb, which are silent words.
fn asked(goal: &str) -> Option<String> {
    let tokens = tokens(goal);
    let is_light = |token: &String| LIGHT_WORDS.contains(token.to_lowercase().as_str());
    let is_stop = |token: &String| SILENT_WORDS.contains(token.to_lowercase().as_str());
    let nouns = tokens.iter().skip_while(|token| is_stop(token) || is_light(token)).take_while(|token| !is_stop(token));
    nouns.filter(|token| !is_light(token) && token.chars().all(char::is_alphabetic)).last().cloned()
}

/// Stems of the names of sections that answer such a goal, each once, without those of the goal itself.
pub(crate) fn kinds(goal: &str) -> Vec<Term> {
    let own = terms(goal);
    let mut found: Vec<Term> = Vec::new();
    for word in kinds::sections(&tokens(goal)).into_iter().flat_map(str::split_whitespace) {
        let word = stem(&singular(word));
        if !own.iter().chain(&found).any(|term| term.word == word) {
            found.push(Term::of(word, Role::Kind));
        }
    }
    found
}

/// The words that a name is made of, in lower case; none of a plain word.
pub(crate) fn parts(name: &str) -> Vec<String> {
    const SHORTEST: usize = 3;
    let mut parts = vec![String::new()];
    let mut follows_small = false;
    for character in name.chars() {
        let begins = character.is_uppercase() && follows_small;
        if begins || !character.is_alphabetic() {
            parts.push(String::new());
        }
        if character.is_alphabetic()
            && let Some(part) = parts.last_mut()
        {
            part.extend(character.to_lowercase());
        }
        follows_small = character.is_lowercase();
    }
    parts.retain(|part| part.chars().count() >= SHORTEST);
    if parts.len() == 1 && parts.first().is_some_and(|part| *part == name.to_lowercase()) { Vec::new() } else { parts }
}

/// Returns whether a goal asks for a number: how many, the number of, in bytes.
pub(crate) fn asks_for_number(goal: &str) -> bool {
    let goal = goal.trim().to_lowercase();
    let tokens = tokens(&goal);
    let has_unit = tokens.windows(2).any(|pair| matches!(pair, [before, unit] if before == "in" && has(UNITS, unit)));
    let begins = ["how many", "how much", "how long", "how large", "how big", "how far", "how fast"];
    has_unit
        || begins.iter().any(|how| goal.starts_with(how))
        || tokens.iter().any(|token| matches!(token.as_str(), "number" | "numeric"))
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}

/// Returns whether a goal is a question such as `what does -x do`.
pub(crate) fn asks_for_purpose(goal: &str) -> bool {
    let words = words(goal);
    let begins = matches!(words.as_slice(), [what, verb, ..] if what == "what" && matches!(verb.as_str(), "do" | "doe" | "does"));
    begins && words.last().is_some_and(|last| last == "do")
}

/// Returns whether a token is a name of a program, and no word of a language.
fn is_identifier(token: &str) -> bool {
    let inner_capital =
        token.chars().zip(token.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    token.starts_with('-') || token.contains('_') || inner_capital
}

fn synonyms(word: &str) -> Vec<String> {
    let groups = SAME.iter().filter(|group| group.split_whitespace().any(|same| same == word));
    let same = groups.flat_map(|group| group.split_whitespace()).filter(|same| *same != word);
    same.map(singular).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_singular_and_names_stay_whole() {
        assert_eq!(words("Storage sizes of max_connections"), ["storage", "size", "of", "max_connections"]);
        assert_eq!(
            words("postgres -N x, --no-clean; one-letter"),
            ["postgre", "-N", "x", "--no-clean", "one", "letter"]
        );
        assert_eq!(words("1,431,650 and 3.5 quarts."), ["1431650", "and", "3.5", "quart"]);
        assert_eq!(words("--- the car's -- door"), ["the", "car", "door"]);
        assert_eq!(words("queries boxes classes status is"), ["query", "box", "class", "status", "is"]);
        assert_eq!(words("cache matches sizes"), words("caches match size"));
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn stems_are_more_alike_than_words() {
        let stems = |text: &str| stems(&words(text)).collect::<Vec<_>>();
        assert_eq!(stems("relative"), stems("relations"));
        assert_ne!(words("relative"), words("relations"));
        assert_eq!(stems("max_connections"), stems("maxes connection"));
        assert!(stems("40P01 -N").is_empty(), "they have none");
    }

    #[test]
    fn goals_have_words_light_words_and_parts_of_names() {
        let terms = terms("What is the maximum number of relations per PageHeaderData with -N and pd_lsn?");
        let told: Vec<(&str, Role)> = terms.iter().map(|term| (term.word.as_str(), term.role)).collect();
        assert_eq!(
            told[..10],
            [
                ("maximum", Role::Required),
                ("number", Role::Light),
                ("relation", Role::Required),
                ("pageheaderdata", Role::Required),
                ("-N", Role::Required),
                ("pd_lsn", Role::Required),
                ("~page", Role::Part),
                ("~header", Role::Part),
                ("~data", Role::Part),
                ("~lsn", Role::Part),
            ]
        );
        assert!(told[10..].iter().all(|(word, role)| word.starts_with(STEM) && *role == Role::Part), "{told:?}");
        assert!(terms[0].is("limit") && !terms[0].is("minimum"));
    }
}
