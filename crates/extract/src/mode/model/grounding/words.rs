//! Texts as words that are equal when the texts say the same: letter case, white space, punctuation, and how numbers are grouped do not
//! count.

use unicode_normalization::UnicodeNormalization as _;

/// Interpretation of a space between digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spaces {
    /// It ends a number: `1 250 g` is one and 250 grams.
    Divide,
    /// It groups the digits of one: `1 250 g` is 1250 grams.
    Group,
}

/// Number format of a page, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// Decimal point: `1,299.50`.
    Point,
    /// Decimal comma: `1.299,50`.
    Comma,
    /// A number that can be read in two ways is neither: `1.299` stays as it is written.
    Undecided,
}

/// Returns whether a number, without its fraction's trailing zeros, could also have a thousands separator. If
/// the number format of the page is unknown, the reading is undecided.
pub(super) fn has_two_readings(number: &str) -> bool {
    number.trim_start_matches('-').split_once('.').is_some_and(|(whole, fraction)| could_group(whole, fraction))
}

fn could_group(whole: &str, tail: &str) -> bool {
    tail.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
}

/// The words of a text, each with a space before and one after the last; numbers as `1299.5`.
pub(super) fn words(text: &str, spaces: Spaces, notation: Notation) -> String {
    let letters: Vec<char> = text.nfkc().flat_map(char::to_lowercase).collect();
    let mut words = String::from(" ");
    let mut place = 0;
    while let Some(&letter) = letters.get(place) {
        if letter.is_ascii_digit() {
            // A minus sign, and not the dash of a range.
            let is_negative = place > 0
                && matches!(letters[place - 1], '-' | '−')
                && (place == 1 || letters[place - 2].is_whitespace() || "($€£¥".contains(letters[place - 2]));
            if is_negative {
                words.push('-');
            }
            place = number(&letters, place, (spaces, notation), &mut words);
        } else if letter.is_alphanumeric() {
            let is_word = |next: char| next.is_alphanumeric() && !next.is_ascii_digit() && !stands_alone(next);
            let length = if stands_alone(letter) {
                1
            } else {
                letters[place..].iter().take_while(|next| is_word(**next)).count().max(1)
            };
            words.extend(&letters[place..place + length]);
            words.push(' ');
            place += length;
        } else {
            // An apostrophe within a word is often another one elsewhere, or none.
            let is_of_word = |of: &char| of.is_alphabetic() && !stands_alone(*of);
            let joins = matches!(letter, '\'' | '’')
                && place > 0
                && is_of_word(&letters[place - 1])
                && letters.get(place + 1).is_some_and(is_of_word);
            if joins {
                words.pop();
            }
            place += 1;
        }
    }
    words
}

/// Characters of scripts that do not put spaces between words.
const fn stands_alone(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Writes the number or numbers that begin at a place; where they end.
fn number(letters: &[char], start: usize, (spaces, notation): (Spaces, Notation), words: &mut String) -> usize {
    let digits = |from: usize| letters[from..].iter().take_while(|next| next.is_ascii_digit()).count();
    let mut groups: Vec<String> = Vec::new();
    let mut marks: Vec<char> = Vec::new();
    let mut place = start;
    loop {
        let length = digits(place);
        groups.push(letters[place..place + length].iter().collect());
        place += length;
        let Some(&mark) = letters.get(place) else { break };
        let following = letters.get(place + 1).map_or(0, |_| digits(place + 1));
        let goes_on = match mark {
            '.' | ',' | '\'' | '’' => following > 0,
            ' ' => spaces == Spaces::Group && following == 3 && groups.iter().all(|group| group.len() <= 3),
            _ => false,
        };
        if !goes_on {
            break;
        }
        marks.push(mark);
        place += 1;
    }
    for number in numbers_of(&groups, &marks, notation) {
        words.push_str(&number);
        words.push(' ');
    }
    place
}

/// Groups of digits with marks between them as one number where that is how numbers are written, as several otherwise.
fn numbers_of(groups: &[String], marks: &[char], notation: Notation) -> Vec<String> {
    let is_grouped = |groups: &[String], marks: &[char]| {
        let (Some((first, others)), Some(mark)) = (groups.split_first(), marks.first()) else { return true };
        (1..=3).contains(&first.len())
            && !first.starts_with('0')
            && others.iter().all(|group| group.len() == 3)
            && marks.iter().all(|other| other == mark)
    };
    let whole = |groups: &[String]| {
        let digits = groups.concat();
        let bare = digits.trim_start_matches('0');
        if bare.is_empty() { "0".to_owned() } else { bare.to_owned() }
    };
    let fraction_of = |fraction: &str| {
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { String::new() } else { format!(".{fraction}") }
    };
    if let ([only], []) = (groups, marks) {
        // `05` is a day or an hour; `0123` is not a number, but a name of digits.
        return vec![if only.len() > 2 { only.clone() } else { whole(groups) }];
    }
    if let ([front, tail], [mark @ ('.' | ',')]) = (groups, marks)
        && could_group(front, tail)
    {
        let is_decimal = match notation {
            Notation::Point => *mark == '.',
            Notation::Comma => *mark == ',',
            Notation::Undecided => return vec![format!("{front}{mark}{tail}")],
        };
        return vec![if is_decimal { format!("{front}{}", fraction_of(tail)) } else { whole(groups) }];
    }
    if is_grouped(groups, marks) {
        return vec![whole(groups)];
    }
    if let (Some((fraction, front)), Some((mark, marks))) = (groups.split_last(), marks.split_last()) {
        let is_decimal = matches!(mark, '.' | ',') && !marks.contains(mark);
        if is_decimal && is_grouped(front, marks) {
            return vec![format!("{}{}", whole(front), fraction_of(fraction))];
        }
    }
    groups.iter().map(|group| whole(std::slice::from_ref(group))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_that_say_the_same_are_the_same_words() {
        for (one, other) in [
            ("Soup of the Day", "  soup\u{a0}of the day! "),
            ("1,299.00 EUR", "1299 eur"),
            ("1.299,50€", "1299.5"),
            ("12.50", "12,5"),
            ("5 October 2024", "05 october, 2024"),
            ("don\u{2019}t", "don't"),
            ("ﬁne", "FINE"),
            ("1'299'000", "1299000"),
        ] {
            assert_eq!(
                words(one, Spaces::Divide, Notation::Point),
                words(other, Spaces::Divide, Notation::Point),
                "{one} / {other}"
            );
        }
        assert_eq!(
            words("1 299,50 zł", Spaces::Group, Notation::Point),
            words("1299.5 zł", Spaces::Group, Notation::Point)
        );
    }

    #[test]
    fn texts_that_say_something_else_are_other_words() {
        for (one, other) in [
            ("12.50", "1250"),
            ("1.2.3", "123"),
            ("05.10.2024", "5.102024"),
            ("one two", "onetwo"),
            ("1 250 g", "1250 g"),
        ] {
            assert_ne!(
                words(one, Spaces::Divide, Notation::Point),
                words(other, Spaces::Divide, Notation::Point),
                "{one} / {other}"
            );
        }
        assert_eq!(words("v1.2.3-rc", Spaces::Divide, Notation::Point), " v 1 2 3 rc ");
        assert_eq!(words("東京2024", Spaces::Divide, Notation::Point), " 東 京 2024 ");
        assert_eq!(words("0,007 05", Spaces::Divide, Notation::Point), " 0.007 5 ");
    }

    #[test]
    fn a_number_with_two_readings_has_the_one_of_its_page() {
        for (text, point, comma, undecided) in [
            ("1.299", " 1.299 ", " 1299 ", " 1.299 "),
            ("1,299", " 1299 ", " 1.299 ", " 1,299 "),
            ("1.500 kg", " 1.5 kg ", " 1500 kg ", " 1.500 kg "),
            ("1.299,50", " 1299.5 ", " 1299.5 ", " 1299.5 "),
            ("0,125", " 0.125 ", " 0.125 ", " 0.125 "),
        ] {
            for (notation, wanted) in
                [(Notation::Point, point), (Notation::Comma, comma), (Notation::Undecided, undecided)]
            {
                assert_eq!(words(text, Spaces::Divide, notation), wanted, "{text} {notation:?}");
            }
        }
        assert!(has_two_readings("1.299") && has_two_readings("-1.299"));
        assert!(!has_two_readings("1299") && !has_two_readings("1.29") && !has_two_readings("0.125"));
    }

    #[test]
    fn signs_and_leading_zeros_count() {
        for (one, other) in [("5", "-5"), ("\u{2212}5 °C", "5 °C"), ("0123", "123"), ("007", "7")] {
            assert_ne!(words(one, Spaces::Divide, Notation::Point), words(other, Spaces::Divide, Notation::Point));
        }
        assert_eq!(words("4-6", Spaces::Divide, Notation::Point), " 4 6 ", "a range");
    }

    proptest! {
        #[test]
        fn words_of_words_are_the_same_words(text in ".{0,60}|[0-9., ']{0,20}") {
            let once = words(&text, Spaces::Divide, Notation::Point);
            prop_assert_eq!(words(&once, Spaces::Divide, Notation::Point), once);
        }
    }
}
