//! Promotions that sites insert between the items of a list: links to other pages, newsletters,
//! advertisements.
//!
//! To teach another phrase or language, add it to [`PHRASES`].

/// Phrases in lower case. An item that is short and holds one of them is not content.
const PHRASES: &[&str] = &[
    // English
    "read more",
    "read also",
    "also read",
    "read next",
    "related:",
    "related article",
    "see also",
    "more on this",
    "more:",
    "newsletter",
    "sign up",
    "subscribe",
    "follow us",
    "share this",
    "advertisement",
    "sponsored",
    "click here",
    "join us",
    "you may also like",
    "recommended",
    "watch:",
    "listen:",
    // German
    "auch interessant",
    "lesen sie auch",
    "lesen sie hier",
    "mehr zum thema",
    "weiterlesen",
    "zum artikel",
    "anzeige",
    "werbung",
    "abonnieren",
    "topstorys",
    "für sie recherchiert",
    "weitere news",
    "lesen sie mehr",
    "mehr dazu",
    "jetzt melden",
    "folgen sie",
    // French, Spanish, Portuguese, Italian
    "lire aussi",
    "à lire",
    "publicité",
    "abonnez-vous",
    "lee también",
    "te puede interesar",
    "más información",
    "publicidad",
    "suscríbete",
    "leia também",
    "leia mais",
    "publicidade",
    "leggi anche",
    "iscriviti",
    "pubblicità",
    // Dutch, Scandinavian, Polish, Turkish, Indonesian
    "lees ook",
    "lees meer",
    "advertentie",
    "läs också",
    "läs även",
    "läs mer",
    "annons",
    "les også",
    "les mer",
    "læs også",
    "læs mere",
    "annonse",
    "czytaj też",
    "czytaj także",
    "zobacz też",
    "reklama",
    "ilgili haber",
    "reklam",
    "baca juga",
    // Greek, Russian, Japanese
    "διαβάστε",
    "читайте также",
    "реклама",
    "関連記事",
    "あわせて読みたい",
    "広告",
];

/// Longer texts may hold such a phrase and be content all the same, in characters.
const SHORT: usize = 160;

/// Returns whether a text promotes something else instead of being content.
pub(crate) fn is_promotion(text: &str) -> bool {
    if text.chars().nth(SHORT).is_some() {
        return false;
    }
    let text = text.to_lowercase();
    PHRASES.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::is_promotion;

    #[test]
    fn pointers_elsewhere_are_told_from_content() {
        assert!(is_promotion("Lesen Sie auch: Noch ein Artikel"));
        assert!(is_promotion("Advertisement"));
        assert!(!is_promotion("Mix the flour and the eggs."));
        assert!(!is_promotion(&format!("Read more carefully. {}", "A long paragraph. ".repeat(20))));
    }
}
