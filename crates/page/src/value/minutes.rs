//! Durations in minutes: `1 h 30 min`, `90 minutes`, `PT1H30M`. `1:30` is an error: it may be hours or minutes.

use regex::Captures;

use super::{Pattern, ValueError, ValueType, pattern};

/// An ISO 8601 duration without years and months, whose length in minutes the calendar would decide.
static ISO: Pattern = Pattern::new(|| {
    pattern(
        r"(?i)^P(?:(?P<days>\d{1,4})D)?(?:T(?:(?P<hours>\d{1,5})H)?(?:(?P<minutes>\d{1,7})M)?(?:(?P<seconds>\d{1,8})(?:\.\d+)?S)?)?$",
    )
});

/// A number and the word after it.
static PART: Pattern = Pattern::new(|| pattern(r"(?P<number>\d{1,6})(?P<fraction>[.,]\d+)?\s*(?P<unit>\p{L}+)"));

/// Units by their first letters, longest first, and their length in minutes. Only whole words of [`UNITS`] count.
const UNITS: &[(&str, u32)] = &[
    ("d", 1440),
    ("day", 1440),
    ("days", 1440),
    ("tag", 1440),
    ("tage", 1440),
    ("jour", 1440),
    ("jours", 1440),
    ("día", 1440),
    ("días", 1440),
    ("giorno", 1440),
    ("giorni", 1440),
    ("dag", 1440),
    ("dagen", 1440),
    ("dagar", 1440),
    ("h", 60),
    ("hr", 60),
    ("hrs", 60),
    ("hour", 60),
    ("hours", 60),
    ("std", 60),
    ("stunde", 60),
    ("stunden", 60),
    ("heure", 60),
    ("heures", 60),
    ("hora", 60),
    ("horas", 60),
    ("ora", 60),
    ("ore", 60),
    ("uur", 60),
    ("uren", 60),
    ("godz", 60),
    ("godzina", 60),
    ("godziny", 60),
    ("godzin", 60),
    ("час", 60),
    ("часа", 60),
    ("часов", 60),
    ("ч", 60),
    ("tim", 60),
    ("timme", 60),
    ("timmar", 60),
    ("time", 60),
    ("timer", 60),
    ("saat", 60),
    ("hod", 60),
    ("hodina", 60),
    ("hodiny", 60),
    ("hodin", 60),
    ("m", 1),
    ("min", 1),
    ("mins", 1),
    ("mn", 1),
    ("minute", 1),
    ("minutes", 1),
    ("minuten", 1),
    ("minuto", 1),
    ("minutos", 1),
    ("minuti", 1),
    ("minuut", 1),
    ("minut", 1),
    ("minuta", 1),
    ("minuty", 1),
    ("minuter", 1),
    ("minutter", 1),
    ("dakika", 1),
    ("dk", 1),
    ("мин", 1),
    ("минута", 1),
    ("минуты", 1),
    ("минут", 1),
    ("minuuttia", 1),
];

/// Parses the duration in a text, in whole minutes; a fraction of a minute is dropped.
///
/// # Errors
///
/// If the text has no duration, several that differ, or one that can be read in several ways.
pub fn parse(text: &str) -> Result<u32, ValueError> {
    let trimmed = text.trim();
    let too_long = || ValueError::invalid(ValueType::Minutes, text, "it is too long");
    if let Some(captures) = ISO.captures(trimmed)
        && trimmed.contains(|character: char| character.is_ascii_digit())
    {
        return iso_minutes(&captures).ok_or_else(too_long);
    }
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for captures in PART.captures_iter(trimmed) {
        let unit = captures["unit"].to_lowercase();
        let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == unit) else { continue };
        if captures.name("fraction").is_some() {
            return Err(ValueError::invalid(ValueType::Minutes, text, "parts of a unit are not read"));
        }
        let Ok(number) = captures["number"].parse::<u32>() else { continue };
        parts.push((number, *length));
    }
    if parts.is_empty() {
        return Err(ValueError::absent(ValueType::Minutes, text));
    }
    // `1 h 30 min` goes from large to small; anything else is two durations, or a range.
    let is_one = parts.windows(2).all(|pair| pair[0].1 > pair[1].1);
    let has_loose_number = number_count(trimmed) != parts.len();
    if !is_one || has_loose_number {
        let readings: Vec<String> =
            parts.iter().map(|(number, length)| format!("{} min", u64::from(*number) * u64::from(*length))).collect();
        let remedy = "select a node with only one duration, or cut the text with `regex`";
        return Err(ValueError::ambiguous(ValueType::Minutes, text, &readings, remedy));
    }
    let total = parts.iter().try_fold(0_u32, |sum, (number, length)| sum.checked_add(number.checked_mul(*length)?));
    total.ok_or_else(too_long)
}

/// The length of an ISO duration, unless it overflows.
fn iso_minutes(captures: &Captures<'_>) -> Option<u32> {
    let part = |name: &str| captures.name(name).map_or(Some(0), |found| found.as_str().parse::<u32>().ok());
    let parts = [(part("days")?, 1440), (part("hours")?, 60), (part("minutes")?, 1)];
    parts.iter().try_fold(part("seconds")? / 60, |sum, (number, length)| sum.checked_add(number.checked_mul(*length)?))
}

fn number_count(text: &str) -> usize {
    static DIGITS: Pattern = Pattern::new(|| pattern(r"\d+(?:[.,]\d+)?"));
    DIGITS.find_iter(text).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_and_iso() {
        for (text, expected) in [
            ("1 h 30 min", 90),
            ("1h30m", 90),
            ("90 minutes", 90),
            ("PT1H30M", 90),
            ("pt45m", 45),
            ("P1DT1H", 1500),
            ("PT90S", 1),
            ("2 Stunden und 5 Minuten", 125),
            ("Total: 1 hour", 60),
            ("45 мин", 45),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_one_duration() {
        for text in ["30 min 45 min", "30 - 45 min", "15 min (1 h)"] {
            assert!(matches!(parse(text), Err(ValueError::Ambiguous { .. })), "{text}: {:?}", parse(text));
        }
        for text in ["", "1:30", "P", "PT", "soon", "30"] {
            assert!(matches!(parse(text), Err(ValueError::Absent { .. })), "{text}: {:?}", parse(text));
        }
        assert!(matches!(parse("1.5 hours"), Err(ValueError::Invalid { .. })));
        assert!(matches!(parse("999999 days 999999 h"), Ok(_) | Err(ValueError::Invalid { .. })));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[0-9hmdPT .,]{0,30}|.{0,40}") {
            let _ = parse(&text);
        }
    }
}
