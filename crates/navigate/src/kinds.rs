//! Kinds of questions, and the kinds of sections that answer them: `size` under types and storage, `40P01` under codes and
//! errors. They guide the search and are never evidence for an answer.

/// Words of questions, and words in the titles of sections that hold the answers.
const KINDS: &[(&str, &str)] = &[
    ("size byte bytes length width offset storage", "types storage layout"),
    ("field fields header", "layout structure"),
    ("maximum minimum max min limit largest smallest", "limits restrictions"),
    ("default parameter option setting variable", "configuration settings options parameters variables"),
    ("abbreviation abbreviated acronym acl", "privileges acronyms abbreviations keywords"),
    ("capacity torque fluid pressure volume gap", "specifications capacities"),
    ("function functions argument arguments returns", "functions"),
    ("column columns view catalog", "catalogs views"),
    ("purpose", "overview"),
    ("directory subdirectory folder", "layout files"),
    ("keyword reserved", "keywords"),
    ("precedence associativity escape literal", "syntax lexical"),
    ("error sqlstate errno exception exit status", "errors codes"),
    ("event events wait counter metric", "monitoring statistics"),
    ("encoding charset", "character encodings localization"),
    ("pattern template example specifier", "formatting format"),
];

/// Sections for words that mix letters and digits, such as `40P01`.
const OF_CODES: &str = "codes errors";

/// Sections for options such as `-N`.
const OF_FLAGS: &str = "short options";

/// Further words that name a column of a table more often than a section.
const COLUMNS: &str = "description name meaning result alias equivalent condition language letter content file short mean object note \
    number defined corresponding";

/// The words of sections that answer a goal with these words, a text for each kind of question.
pub(crate) fn sections(tokens: &[String]) -> Vec<&'static str> {
    let asks =
        |words: &str| words.split_whitespace().any(|word| tokens.iter().any(|token| token.eq_ignore_ascii_case(word)));
    let kinds = KINDS.iter().filter(|(words, _)| asks(words)).map(|(_, sections)| *sections);
    let codes = tokens.iter().any(|token| is_code(token)).then_some(OF_CODES);
    let flags = tokens.iter().any(|token| token.starts_with('-')).then_some(OF_FLAGS);
    kinds.chain(codes).chain(flags).collect()
}

/// Returns whether a word names a column of a table more often than a section.
pub(crate) fn names_a_column(word: &str) -> bool {
    let has = |words: &str| words.split_whitespace().any(|one| one == word);
    has(COLUMNS) || KINDS.iter().any(|(words, _)| has(words))
}

/// Five to eight capitals and digits, two of them digits at least.
fn is_code(token: &str) -> bool {
    let digits = token.chars().filter(char::is_ascii_digit).count();
    let small = token.chars().filter(|character| character.is_lowercase()).count();
    token.chars().all(char::is_alphanumeric) && digits >= 2 && small == 0 && (5..=8).contains(&token.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(goal: &str) -> Vec<&'static str> {
        sections(&goal.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn questions_lead_to_sections_of_their_kind() {
        assert_eq!(of("size of tiny"), ["types storage layout"]);
        assert_eq!(of("meaning of 40P01"), [OF_CODES]);
        assert_eq!(of("equivalent of -N"), [OF_FLAGS]);
        assert_eq!(of("Torque of the drain plug"), ["specifications capacities"]);
        for goal in ["a drain plug", "the year 2012", "UTF8", "md5"] {
            assert!(!of(goal).contains(&OF_FLAGS) && !of(goal).contains(&"functions"), "{goal}");
        }
        assert!(of("UTF8").is_empty() && of("sha256sum").is_empty());
    }

    #[test]
    fn words_of_columns_are_known() {
        assert!(names_a_column("length") && names_a_column("description"));
        assert!(!names_a_column("layout") && !names_a_column("money"));
    }
}
