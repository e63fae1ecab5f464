//! Notices that pages show where a value was: an advertisement's label, a request to log in, "sold out".

use super::phrases;

/// Longer texts are content.
const LONGEST: usize = 80;

/// A phrase of at least this many words is a notice also with more text after it.
const WORDS_OF_SENTENCE: usize = 3;

/// Subject of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notice {
    /// "Are you a robot?"
    BotCheck,
    /// "Log in to see the price"
    LogIn,
    /// "We value your privacy"
    Consent,
    /// "Advertisement"
    Advertising,
    /// "Sold out"
    Availability,
    /// "Loading", "n/a"
    NoValue,
    /// "Something went wrong"
    Error,
}

/// The phrases of each subject.
const NOTICES: &[(Notice, &[&[&str]])] = &[
    (Notice::Availability, &[phrases::AVAILABILITY]),
    (Notice::BotCheck, &[phrases::BOT_CHECK]),
    (Notice::LogIn, &[phrases::LOG_IN, phrases::GATES]),
    (Notice::Consent, &[phrases::CONSENT_NOTICES]),
    (Notice::Advertising, &[phrases::ADVERTISING]),
    (Notice::NoValue, &[phrases::NO_VALUE]),
    (Notice::Error, &[phrases::MAINTENANCE, phrases::NOT_FOUND]),
];

impl Notice {
    /// Returns the subject of a text that is a notice and nothing else.
    pub fn of(text: &str) -> Option<Self> {
        if text.len() > 4 * LONGEST || text.chars().count() > LONGEST {
            return None;
        }
        let text = text.to_lowercase();
        let text = text.trim_matches(|char: char| !char.is_alphanumeric());
        let is = |phrase: &str| {
            let is_sentence = phrase.split(' ').count() >= WORDS_OF_SENTENCE;
            let rest = text.strip_prefix(phrase);
            rest.is_some_and(|rest| rest.is_empty() || (is_sentence && !rest.starts_with(char::is_alphanumeric)))
        };
        let subject = NOTICES.iter().find(|(_, lists)| lists.iter().copied().flatten().any(|phrase| is(phrase)));
        subject.map(|(notice, _)| *notice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_told_from_content() {
        for (text, notice) in [
            ("Are you a robot?", Notice::BotCheck),
            ("Log in to see the price", Notice::LogIn),
            ("SIGN IN", Notice::LogIn),
            ("We value your privacy", Notice::Consent),
            ("Advertisement", Notice::Advertising),
            ("- Anzeige -", Notice::Advertising),
            ("Currently unavailable.", Notice::Availability),
            ("In stock", Notice::Availability),
            ("Loading…", Notice::NoValue),
            ("N/A", Notice::NoValue),
            ("Something went wrong", Notice::Error),
        ] {
            assert_eq!(Notice::of(text), Some(notice), "{text}");
        }
        for text in [
            "",
            "Airport security check takes hours",
            "Advertisement costs rise",
            "Cookie jar, blue",
            "Chocolate cookie dough",
            "Are you a robotics engineer",
            "12.50",
            "Ada Moreau",
        ] {
            assert_eq!(Notice::of(text), None, "{text}");
        }
    }
}
