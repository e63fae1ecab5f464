//! The names of the months, as data: a line per month and language, full forms and those that grammar makes, then what is
//! common as an abbreviation. To teach a language, add its twelve lines.

/// Month, names separated by spaces. A name that two languages give to different months stands at both, and is ambiguous.
const NAMES: &[(i8, &str)] = &[
    // English
    (1, "january jan"),
    (2, "february feb"),
    (3, "march mar"),
    (4, "april apr"),
    (5, "may"),
    (6, "june jun"),
    (7, "july jul"),
    (8, "august aug"),
    (9, "september sep sept"),
    (10, "october oct"),
    (11, "november nov"),
    (12, "december dec"),
    // German, Austrian German
    (1, "januar jänner jan jän"),
    (2, "februar feber feb"),
    (3, "märz mär mrz"),
    (4, "april apr"),
    (5, "mai"),
    (6, "juni jun"),
    (7, "juli jul"),
    (8, "august aug"),
    (9, "september sep sept"),
    (10, "oktober okt"),
    (11, "november nov"),
    (12, "dezember dez"),
    // French
    (1, "janvier janv"),
    (2, "février fevrier févr fév"),
    (3, "mars"),
    (4, "avril avr"),
    (5, "mai"),
    (6, "juin"),
    (7, "juillet juil"),
    (8, "août aout"),
    (9, "septembre sept"),
    (10, "octobre oct"),
    (11, "novembre nov"),
    (12, "décembre decembre déc"),
    // Spanish
    (1, "enero ene"),
    (2, "febrero feb"),
    (3, "marzo mar"),
    (4, "abril abr"),
    (5, "mayo may"),
    (6, "junio jun"),
    (7, "julio jul"),
    (8, "agosto ago"),
    (9, "septiembre setiembre sep sept set"),
    (10, "octubre oct"),
    (11, "noviembre nov"),
    (12, "diciembre dic"),
    // Italian
    (1, "gennaio gen"),
    (2, "febbraio feb"),
    (3, "marzo mar"),
    (4, "aprile apr"),
    (5, "maggio mag"),
    (6, "giugno giu"),
    (7, "luglio lug"),
    (8, "agosto ago"),
    (9, "settembre set"),
    (10, "ottobre ott"),
    (11, "novembre nov"),
    (12, "dicembre dic"),
    // Portuguese
    (1, "janeiro jan"),
    (2, "fevereiro fev"),
    (3, "março mar"),
    (4, "abril abr"),
    (5, "maio mai"),
    (6, "junho jun"),
    (7, "julho jul"),
    (8, "agosto ago"),
    (9, "setembro set"),
    (10, "outubro out"),
    (11, "novembro nov"),
    (12, "dezembro dez"),
    // Dutch
    (1, "januari jan"),
    (2, "februari feb"),
    (3, "maart mrt"),
    (4, "april apr"),
    (5, "mei"),
    (6, "juni jun"),
    (7, "juli jul"),
    (8, "augustus aug"),
    (9, "september sep"),
    (10, "oktober okt"),
    (11, "november nov"),
    (12, "december dec"),
    // Polish
    (1, "styczeń stycznia sty"),
    (2, "luty lutego lut"),
    (3, "marzec marca"),
    (4, "kwiecień kwietnia kwi"),
    (5, "maj maja"),
    (6, "czerwiec czerwca cze"),
    (7, "lipiec lipca lip"),
    (8, "sierpień sierpnia sie"),
    (9, "wrzesień września wrz"),
    (10, "październik października paź"),
    (11, "listopad listopada lis"),
    (12, "grudzień grudnia gru"),
    // Russian
    (1, "январь января янв"),
    (2, "февраль февраля фев февр"),
    (3, "март марта мар"),
    (4, "апрель апреля апр"),
    (5, "май мая"),
    (6, "июнь июня июн"),
    (7, "июль июля июл"),
    (8, "август августа авг"),
    (9, "сентябрь сентября сен сент"),
    (10, "октябрь октября окт"),
    (11, "ноябрь ноября ноя нояб"),
    (12, "декабрь декабря дек"),
    // Ukrainian
    (1, "січень січня"),
    (2, "лютий лютого"),
    (3, "березень березня"),
    (4, "квітень квітня"),
    (5, "травень травня"),
    (6, "червень червня"),
    (7, "липень липня"),
    (8, "серпень серпня"),
    (9, "вересень вересня"),
    (10, "жовтень жовтня"),
    (11, "листопад листопада"),
    (12, "грудень грудня"),
    // Swedish, Danish, Norwegian
    (1, "januari januar jan"),
    (2, "februari februar feb"),
    (3, "mars marts"),
    (4, "april apr"),
    (5, "maj mai"),
    (6, "juni jun"),
    (7, "juli jul"),
    (8, "augusti august aug"),
    (9, "september sep sept"),
    (10, "oktober okt"),
    (11, "november nov"),
    (12, "december desember dec des"),
    // Finnish
    (1, "tammikuu tammikuuta"),
    (2, "helmikuu helmikuuta"),
    (3, "maaliskuu maaliskuuta"),
    (4, "huhtikuu huhtikuuta"),
    (5, "toukokuu toukokuuta"),
    (6, "kesäkuu kesäkuuta"),
    (7, "heinäkuu heinäkuuta"),
    (8, "elokuu elokuuta"),
    (9, "syyskuu syyskuuta"),
    (10, "lokakuu lokakuuta"),
    (11, "marraskuu marraskuuta"),
    (12, "joulukuu joulukuuta"),
    // Czech
    (1, "leden ledna"),
    (2, "únor února"),
    (3, "březen března"),
    (4, "duben dubna"),
    (5, "květen května"),
    (6, "červen června"),
    (7, "červenec července"),
    (8, "srpen srpna"),
    (9, "září"),
    (10, "říjen října"),
    (11, "listopad listopadu"),
    (12, "prosinec prosince"),
    // Croatian
    (1, "siječanj siječnja"),
    (2, "veljača veljače"),
    (3, "ožujak ožujka"),
    (4, "travanj travnja"),
    (5, "svibanj svibnja"),
    (6, "lipanj lipnja"),
    (7, "srpanj srpnja"),
    (8, "kolovoz kolovoza"),
    (9, "rujan rujna"),
    (10, "listopad listopada"),
    (11, "studeni studenoga"),
    (12, "prosinac prosinca"),
    // Turkish
    (1, "ocak oca"),
    (2, "şubat şub"),
    (3, "mart"),
    (4, "nisan nis"),
    (5, "mayıs"),
    (6, "haziran haz"),
    (7, "temmuz tem"),
    (8, "ağustos ağu"),
    (9, "eylül eyl"),
    (10, "ekim eki"),
    (11, "kasım kas"),
    (12, "aralık ara"),
];

/// The months that a word names, in any of the languages: none, one, or several that disagree.
pub(super) fn months_named(word: &str) -> Vec<i8> {
    let word = word.trim_end_matches('.').to_lowercase();
    let mut months: Vec<i8> =
        NAMES.iter().filter(|(_, names)| names.split(' ').any(|name| name == word)).map(|(month, _)| *month).collect();
    months.sort_unstable();
    months.dedup();
    months
}

/// Every name with its month.
pub(crate) fn all_names() -> impl Iterator<Item = (i8, &'static str)> {
    NAMES.iter().flat_map(|(month, names)| names.split(' ').map(|name| (*month, name)))
}

/// Returns whether a word is one of the English names, the only ones written before the day.
pub(super) fn is_english(word: &str) -> bool {
    let word = word.trim_end_matches('.').to_lowercase();
    NAMES.iter().take(12).any(|(_, names)| names.split(' ').any(|name| name == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_languages() {
        assert_eq!(months_named("Oktober"), [10]);
        assert_eq!(months_named("Sept."), [9]);
        assert_eq!(months_named("октября"), [10]);
        assert_eq!(months_named("Août"), [8]);
        assert_eq!(months_named("listopada"), [10, 11], "October in Croatian, November in Polish");
        assert!(months_named("ago go").is_empty());
        assert!(is_english("Oct.") && !is_english("out"));
    }

    #[test]
    fn every_language_has_twelve() {
        assert_eq!(NAMES.len() % 12, 0);
        for (index, (month, _)) in NAMES.iter().enumerate() {
            assert_eq!(usize::try_from(*month).unwrap(), index % 12 + 1);
        }
    }
}
