//! Amounts of money. A sign that several currencies share (`$`, `kr`, `¥`) stays a sign: which dollar it is, the page alone does
//! not say.

use std::fmt;
use std::ops::Range;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::number::{self, DecimalMark};
use super::{Pattern, ValueError, ValueType, pattern, quote};

/// An amount in a currency.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    /// Amount, with the digits as written.
    pub amount: Decimal,
    /// Currency of the amount.
    pub currency: Currency,
}

impl Money {
    /// Reads a text that is an amount, as far as it can be read in one way. The currency is `None` if the text has no sign of one.
    pub fn amount_in(text: &str) -> Option<(Decimal, Option<Currency>)> {
        if let Ok(money) = parse(text, DecimalMark::default(), None) {
            return Some((money.amount, Some(money.currency)));
        }
        number::parse(text, DecimalMark::default()).ok().map(|amount| (amount, None))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency)
    }
}

/// A currency: an ISO 4217 code where it is known, otherwise the sign on the page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Currency {
    /// Three capital letters, such as `EUR`.
    Code(String),
    /// A sign that more than one currency has, such as `$`.
    Sign(String),
}

impl Currency {
    /// The currency that a code or a sign names.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((_, code)) = SIGNS.iter().find(|(sign, _)| *sign == text) {
            return Some(code.map_or_else(|| Self::Sign(text.to_owned()), |code| Self::Code(code.to_owned())));
        }
        CODES.contains(&text).then(|| Self::Code(text.to_owned()))
    }

    /// Returns whether two currencies can be the same: `$` is any dollar, and never the euro.
    pub fn may_be(&self, other: &Self) -> bool {
        let has = |sign: &str, code: &str| {
            let last = sign.chars().next_back();
            SHARED.iter().any(|(shared, codes)| shared.chars().next_back() == last && codes.contains(&code))
        };
        match (self, other) {
            (Self::Code(one), Self::Code(other)) => one == other,
            (Self::Sign(sign), Self::Code(code)) | (Self::Code(code), Self::Sign(sign)) => has(sign, code),
            (Self::Sign(one), Self::Sign(other)) => one.chars().next_back() == other.chars().next_back(),
        }
    }

    /// As it is written: `EUR`, `$`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Code(text) | Self::Sign(text) => text,
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for Currency {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
            .ok_or_else(|| format!("`{}` is no currency: write an ISO 4217 code such as `EUR`", quote(&text)))
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        match currency {
            Currency::Code(text) | Currency::Sign(text) => text,
        }
    }
}

/// ISO 4217 codes of currencies in use.
const CODES: &[&str] = &[
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN", "BHD", "BIF",
    "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF", "CHF", "CLP", "CNY", "COP", "CRC",
    "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS",
    "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD",
    "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL",
    "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MYR", "MZN", "NAD",
    "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD",
    "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SYP", "SZL",
    "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS", "VES", "VND",
    "VUV", "WST", "XAF", "XCD", "XOF", "XPF", "YER", "ZAR", "ZMW", "ZWL",
];

/// Signs, longest first where one holds another, with the code where only one currency has the sign.
const SIGNS: &[(&str, Option<&str>)] = &[
    ("US$", Some("USD")),
    ("CA$", Some("CAD")),
    ("AU$", Some("AUD")),
    ("NZ$", Some("NZD")),
    ("HK$", Some("HKD")),
    ("MX$", Some("MXN")),
    ("NT$", Some("TWD")),
    ("R$", Some("BRL")),
    ("A$", Some("AUD")),
    ("C$", None),
    ("S$", None),
    ("$", None),
    ("€", Some("EUR")),
    ("£", None),
    ("¥", None),
    ("￥", None),
    ("円", Some("JPY")),
    ("元", Some("CNY")),
    ("₹", Some("INR")),
    ("₽", Some("RUB")),
    ("руб", Some("RUB")),
    ("₩", None),
    ("₺", Some("TRY")),
    ("₴", Some("UAH")),
    ("₸", Some("KZT")),
    ("₫", Some("VND")),
    ("₪", Some("ILS")),
    ("₱", None),
    ("฿", Some("THB")),
    ("zł", Some("PLN")),
    ("Kč", Some("CZK")),
    ("Ft", Some("HUF")),
    ("лв", Some("BGN")),
    ("lei", None),
    ("kr", None),
    ("Euro", Some("EUR")),
    ("euro", Some("EUR")),
    ("euros", Some("EUR")),
    ("EURO", Some("EUR")),
];

/// Currencies that share a sign; longer signs that end with it (`C$`) are narrower.
const SHARED: &[(&str, &[&str])] = &[
    (
        "$",
        &[
            "ARS", "AUD", "BBD", "BMD", "BND", "BRL", "BSD", "CAD", "CLP", "COP", "CUP", "DOP", "FJD", "GYD", "HKD",
            "JMD", "KYD", "LRD", "MXN", "NAD", "NIO", "NZD", "SBD", "SGD", "SRD", "TTD", "TWD", "USD", "UYU", "XCD",
        ],
    ),
    ("£", &["EGP", "FKP", "GBP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"]),
    ("¥", &["CNY", "JPY"]),
    ("￥", &["CNY", "JPY"]),
    ("₩", &["KPW", "KRW"]),
    ("₱", &["CUP", "PHP"]),
    ("lei", &["MDL", "RON"]),
    ("kr", &["DKK", "ISK", "NOK", "SEK"]),
];

/// Every sign and code, in any place; [`markers_in`] sorts out the parts of other words.
static MARKER: Pattern = Pattern::new(|| {
    let signs: Vec<String> = SIGNS.iter().map(|(sign, _)| regex::escape(sign)).collect();
    pattern(&format!("{}|{}", signs.join("|"), CODES.join("|")))
});

fn is_letters(marker: &str) -> bool {
    marker.chars().all(char::is_alphabetic) && !matches!(marker, "円" | "元")
}

/// Parses the amount of money in a text. `currency` is the currency that the recipe gives for ambiguous signs, and for
/// amounts without a sign.
///
/// # Errors
///
/// If the text has no amount, several that differ, or one that can be read in several ways.
pub fn parse(text: &str, mark: DecimalMark, currency: Option<&Currency>) -> Result<Money, ValueError> {
    let markers = markers_in(text);
    let currency = match (currencies_of(&markers).as_slice(), currency) {
        ([], None) => return Err(ValueError::absent(ValueType::Money, text)),
        ([] | [Currency::Sign(_)], Some(known)) => known.clone(),
        ([only], None) => only.clone(),
        ([only @ Currency::Code(_)], Some(known)) if only == known => only.clone(),
        ([Currency::Code(code)], Some(known)) => {
            return Err(ValueError::invalid(
                ValueType::Money,
                text,
                format!("it is in {code}, and the recipe says {known}"),
            ));
        }
        (several, _) => {
            let readings: Vec<String> = several.iter().map(ToString::to_string).collect();
            let remedy = "select a node with only one of them, or cut the text with `regex`";
            return Err(ValueError::ambiguous(ValueType::Money, text, &readings, remedy));
        }
    };
    let amounts = number::numbers_in(&without(text, &markers), mark, ValueType::Money)?;
    Ok(Money { amount: number::one_of(&amounts, text, ValueType::Money)?, currency })
}

/// A currency in a text, and where.
struct Marker {
    range: Range<usize>,
    currency: Currency,
}

/// The signs and codes in a text. A code counts beside digits only, where it is not just a word in capitals; letters count
/// only as a word of their own.
fn markers_in(text: &str) -> Vec<Marker> {
    let mut markers = Vec::new();
    for found in MARKER.find_iter(text) {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        let is_part_of_word = before.ends_with(char::is_alphabetic) || after.starts_with(char::is_alphabetic);
        if is_letters(found.as_str()) && (is_part_of_word || !is_beside_amount(before, after)) {
            continue;
        }
        if let Some(currency) = Currency::parse(found.as_str()) {
            markers.push(Marker { range: found.range(), currency });
        }
    }
    markers
}

fn is_beside_amount(before: &str, after: &str) -> bool {
    let is_between = |character: char| character.is_whitespace() || ".,:-–−".contains(character);
    let is_amount = |character: char| character.is_ascii_digit() || "$€£¥".contains(character);
    before.trim_end_matches(is_between).ends_with(is_amount)
        || after.trim_start_matches(is_between).starts_with(is_amount)
}

/// Returns the different currencies, without signs next to a code (`$ 12 USD`).
fn currencies_of(markers: &[Marker]) -> Vec<Currency> {
    let mut found: Vec<Currency> = Vec::new();
    for marker in markers {
        if !found.contains(&marker.currency) {
            found.push(marker.currency.clone());
        }
    }
    let codes = found.iter().filter(|currency| matches!(currency, Currency::Code(_))).count();
    if codes == 1 && found.len() == 2 {
        found.retain(|currency| matches!(currency, Currency::Code(_)));
    }
    found
}

/// The text with its currencies blanked, so that their letters do not make a number part of a word. Between a minus and its
/// number nothing is left (`-$5`).
fn without(text: &str, markers: &[Marker]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for marker in markers {
        rest.push_str(&text[from..marker.range.start]);
        if !rest.ends_with(['-', '−']) {
            rest.push(' ');
        }
        from = marker.range.end;
    }
    rest.push_str(&text[from..]);
    rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn money(text: &str) -> String {
        parse(text, DecimalMark::Detect, None).map_or_else(|error| format!("{error:?}"), |money| money.to_string())
    }

    #[test]
    fn signs_and_codes() {
        for (text, expected) in [
            ("12,50 €", "12.50 EUR"),
            ("€12.50", "12.50 EUR"),
            ("EUR 1.234,56", "1234.56 EUR"),
            ("12EUR", "12 EUR"),
            ("1 299,00 kr", "1299.00 kr"),
            ("1\u{a0}299 Kč", "1299 CZK"),
            ("$1,234.56", "1234.56 $"),
            ("US$ 5", "5 USD"),
            ("$ 12.00 USD", "12.00 USD"),
            ("R$ 39,90", "39.90 BRL"),
            ("CHF 12.-", "12 CHF"),
            ("-$5.00", "-5.00 $"),
            ("Price: £3.50 each", "3.50 £"),
            ("99 руб.", "99 RUB"),
            ("1200円", "1200 JPY"),
        ] {
            assert_eq!(money(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_one_amount() {
        assert!(matches!(parse("12.50", DecimalMark::Detect, None), Err(ValueError::Absent { .. })));
        assert!(matches!(parse("free", DecimalMark::Detect, None), Err(ValueError::Absent { .. })));
        assert!(matches!(parse("$12.50 $15.00", DecimalMark::Detect, None), Err(ValueError::Ambiguous { .. })));
        assert!(matches!(parse("12 € / 14 CHF", DecimalMark::Detect, None), Err(ValueError::Ambiguous { .. })));
        assert!(matches!(parse("1,234 €", DecimalMark::Detect, None), Err(ValueError::Ambiguous { .. })));
        assert!(matches!(parse("€1.2M", DecimalMark::Detect, None), Err(ValueError::Invalid { .. })));
    }

    #[test]
    fn the_recipe_decides() {
        let dollar = Currency::parse("USD");
        assert_eq!(parse("$5", DecimalMark::Detect, dollar.as_ref()).unwrap().to_string(), "5 USD");
        assert_eq!(parse("5", DecimalMark::Detect, dollar.as_ref()).unwrap().to_string(), "5 USD");
        assert!(parse("5 €", DecimalMark::Detect, dollar.as_ref()).is_err());
        assert_eq!(parse("1,234 €", DecimalMark::Point, None).unwrap().to_string(), "1234 EUR");
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[0-9A-Za-z€$., krEUR-]{0,40}|.{0,40}") {
            let _ = parse(&text, DecimalMark::Detect, None);
        }
    }
}
