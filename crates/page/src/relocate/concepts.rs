//! Things that pages state about themselves under many names: a title is a `headline`, a `name`, an `og:title`.
//!
//! To teach a concept another name, add it to its row in [`ROWS`].

use std::collections::HashMap;

use super::phrase::{Phrase, Sense};
use super::words::{Word, word};
use crate::document::Document;
use crate::structured::{Datum, Origin, structured_data};

/// A thing that pages state about themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Concept {
    Title,
    Author,
    Published,
    Modified,
    Description,
    Ingredients,
    Instructions,
    Yield,
    TotalTime,
    PreparationTime,
    CookingTime,
    Body,
    Topics,
    Image,
    Rating,
    RatingCount,
    Price,
    Currency,
    Availability,
    Brand,
    Identifier,
    Category,
    Calories,
    Location,
    Salary,
    Employment,
}

/// Number of variants of [`Concept`].
pub(crate) const CONCEPTS: usize = Concept::Employment as usize + 1;

impl Concept {
    /// Returns the kind of comparison for its values.
    pub(crate) const fn sense(self) -> Sense {
        match self {
            Self::Published | Self::Modified => Sense::Date,
            Self::TotalTime | Self::PreparationTime | Self::CookingTime => Sense::Minutes,
            Self::Yield | Self::Rating | Self::RatingCount | Self::Price | Self::Calories => Sense::Number,
            Self::Image => Sense::Address,
            Self::Title
            | Self::Author
            | Self::Description
            | Self::Ingredients
            | Self::Instructions
            | Self::Body
            | Self::Topics
            | Self::Currency
            | Self::Availability
            | Self::Brand
            | Self::Identifier
            | Self::Category
            | Self::Location
            | Self::Salary
            | Self::Employment => Sense::Text,
        }
    }
}

/// Under which names a concept is stated, in lower case, separated by spaces.
struct Row {
    concept: Concept,
    /// Paths of the thing that the page is about, in JSON-LD, microdata and RDFa.
    thing: &'static str,
    /// Paths of the page itself, as `WebPage`.
    page: &'static str,
    meta: &'static str,
}

const fn row(concept: Concept, thing: &'static str, page: &'static str, meta: &'static str) -> Row {
    Row { concept, thing, page, meta }
}

/// schema.org, OpenGraph, Dublin Core and what publishing systems add.
const ROWS: &[Row] = &[
    row(
        Concept::Title,
        "headline name alternativeheadline title",
        "headline name",
        "og:title twitter:title title headline dc.title dcterms.title sailthru.title parsely-title",
    ),
    row(
        Concept::Author,
        "author author.name creator creator.name",
        "author author.name creator creator.name",
        "author article:author parsely-author sailthru.author byl dc.creator article:author_name twitter:data1 \
         cxenseparse:author",
    ),
    row(
        Concept::Published,
        "datepublished datecreated uploaddate dateposted",
        "datepublished datecreated",
        "article:published_time date pubdate publishdate publish-date parsely-pub-date sailthru.date dc.date dc.date.issued \
         dcterms.created datepublished article.published cxenseparse:recs:publishtime og:published_time",
    ),
    row(
        Concept::Modified,
        "datemodified",
        "datemodified",
        "article:modified_time og:updated_time lastmod last-modified dcterms.modified",
    ),
    row(
        Concept::Description,
        "description abstract",
        "description abstract",
        "og:description description twitter:description sailthru.description dc.description",
    ),
    row(Concept::Ingredients, "recipeingredient ingredients ingredient", "", ""),
    row(
        Concept::Instructions,
        "recipeinstructions recipeinstructions.text recipeinstructions.itemlistelement \
         recipeinstructions.itemlistelement.text instructions step.text",
        "",
        "",
    ),
    row(Concept::Yield, "recipeyield yield", "", ""),
    row(Concept::TotalTime, "totaltime", "", ""),
    row(Concept::PreparationTime, "preptime", "", ""),
    row(Concept::CookingTime, "cooktime performtime", "", ""),
    row(Concept::Body, "articlebody text reviewbody", "", ""),
    row(
        Concept::Topics,
        "keywords about.name articlesection recipecategory recipecuisine",
        "keywords",
        "keywords news_keywords article:tag article:section parsely-tags sailthru.tags",
    ),
    row(
        Concept::Image,
        "image image.url image.contenturl thumbnailurl",
        "image image.url thumbnailurl primaryimageofpage.url",
        "og:image og:image:url og:image:secure_url twitter:image twitter:image:src thumbnail",
    ),
    row(Concept::Rating, "aggregaterating.ratingvalue reviewrating.ratingvalue ratingvalue", "", ""),
    row(
        Concept::RatingCount,
        "aggregaterating.ratingcount aggregaterating.reviewcount ratingcount reviewcount interactioncount",
        "",
        "",
    ),
    row(
        Concept::Price,
        "offers.price offers.lowprice price offers.pricespecification.price",
        "",
        "product:price:amount og:price:amount",
    ),
    row(Concept::Currency, "offers.pricecurrency pricecurrency", "", "product:price:currency og:price:currency"),
    row(Concept::Availability, "offers.availability availability", "", "product:availability og:availability"),
    row(
        Concept::Brand,
        "brand brand.name manufacturer manufacturer.name publisher.name",
        "",
        "og:site_name product:brand",
    ),
    row(Concept::Identifier, "sku mpn gtin gtin13 gtin12 gtin8 isbn productid identifier identifier.value", "", ""),
    row(
        Concept::Category,
        "applicationcategory category genre recipecategory articlesection",
        "",
        "article:section product:category",
    ),
    row(Concept::Calories, "nutrition.calories calories", "", ""),
    row(
        Concept::Location,
        "joblocation.address.addresslocality joblocation.name location location.name location.address.addresslocality \
         address.addresslocality",
        "",
        "",
    ),
    row(Concept::Salary, "basesalary basesalary.value basesalary.value.value basesalary.value.minvalue", "", ""),
    row(Concept::Employment, "employmenttype industry", "", ""),
];

/// Types of things that a page is hardly ever about, though it states them.
const SIDE_KINDS: &[&str] = &[
    "website",
    "organization",
    "newsmediaorganization",
    "corporation",
    "localbusiness",
    "person",
    "breadcrumblist",
    "imageobject",
    "itemlist",
    "searchaction",
    "sitenavigationelement",
    "videoobject",
    "wpheader",
    "wpfooter",
    "wpsidebar",
    "listitem",
    "aggregaterating",
    "offer",
    "rating",
    "review",
    "comment",
    "question",
    "faqpage",
    "speakablespecification",
    "postaladdress",
    "contactpoint",
    "brand",
    "blog",
    "collection",
    "advertisement",
    "wpadblock",
];

/// Maximum number of values that are kept for one concept.
const MOST: usize = 150;

/// Separators between a page's title and the name of the site.
const CUTS: &[&str] = &[" | ", " - ", " – ", " — ", " : ", " · ", ": ", " « ", " » ", " ✮ "];

static TABLE: std::sync::LazyLock<HashMap<(Place, &'static str), Vec<Concept>>> = std::sync::LazyLock::new(|| {
    let mut table: HashMap<_, Vec<Concept>> = HashMap::new();
    for row in ROWS {
        for (place, names) in [(Place::Thing, row.thing), (Place::Page, row.page), (Place::Meta, row.meta)] {
            for name in names.split_ascii_whitespace() {
                table.entry((place, name)).or_default().push(row.concept);
            }
        }
    }
    table
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Thing,
    Page,
    Meta,
}

/// A stated value with its path.
#[derive(Debug)]
pub(crate) struct Statement {
    /// The number of its origin, kind and path: the same place on another page.
    pub(crate) place: Word,
    /// The number of the last name of its path, without case and separators.
    pub(crate) last_name: Word,
    pub(crate) concepts: Vec<Concept>,
    pub(crate) phrase: Phrase,
}

impl Statement {
    /// Returns the kind of comparison for its value.
    pub(crate) fn sense(&self) -> Sense {
        self.concepts.first().map_or(Sense::Text, |concept| concept.sense())
    }
}

/// Statements of a page, sorted by concept.
pub(crate) struct Statements {
    pub(crate) all: Vec<Statement>,
    by_concept: HashMap<Concept, Vec<Phrase>>,
    /// The values in full, for lists whose items stand in one text.
    whole: HashMap<Concept, String>,
}

impl Statements {
    pub(crate) fn of(page: &Document) -> Self {
        let mut all = Vec::new();
        let mut by_concept: HashMap<Concept, Vec<Phrase>> = HashMap::new();
        let mut whole: HashMap<Concept, String> = HashMap::new();
        for datum in structured_data(page) {
            let path = datum.path.to_lowercase();
            let concepts = concepts_of(&datum, &path);
            for &concept in &concepts {
                add_whole(&mut whole, concept, &datum.value);
                for value in spellings(&datum, concept) {
                    let values = by_concept.entry(concept).or_default();
                    let phrase = Phrase::new(value);
                    if !phrase.loose.is_empty()
                        && values.len() < MOST
                        && !values.iter().any(|seen| seen.key == phrase.key)
                    {
                        values.push(phrase);
                    }
                }
            }
            if datum.value.len() < 3000 {
                all.push(Statement {
                    place: word(&format!("{:?} {} {path}", datum.origin, datum.kind)),
                    last_name: plain_name(path.rsplit(['.', ':']).next().unwrap_or(&path)),
                    concepts,
                    phrase: Phrase::new(&datum.value),
                });
            }
        }
        Self { all, by_concept, whole }
    }

    /// The values of a concept, each once.
    pub(crate) fn of_concept(&self, concept: Concept) -> &[Phrase] {
        self.by_concept.get(&concept).map_or(&[], Vec::as_slice)
    }

    /// The concepts that have a value.
    pub(crate) fn concepts(&self) -> impl Iterator<Item = Concept> {
        let mut all: Vec<_> = self.by_concept.keys().copied().collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// All text stated for a concept, without case, spaces and punctuation.
    pub(crate) fn whole(&self, concept: Concept) -> Option<&str> {
        self.whole.get(&concept).map(String::as_str).filter(|text| !text.is_empty())
    }
}

/// The number of a name without case and separators: `cook_time` and `cookTime` are one.
pub(crate) fn plain_name(name: &str) -> Word {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    word(&plain)
}

fn add_whole(whole: &mut HashMap<Concept, String>, concept: Concept, value: &str) {
    let loose = super::words::loose(value);
    let text = whole.entry(concept).or_default();
    if concept == Concept::Body {
        // Bodies that are stated twice are one body: the longest.
        if loose.len() > text.len() {
            *text = loose;
        }
    } else if !text.contains(&loose) {
        text.push_str(&loose);
    }
}

/// Returns the concepts that a statement is about; `path` is its path in lower case.
pub(super) fn concepts_of(datum: &Datum, path: &str) -> Vec<Concept> {
    let kind = datum.kind.to_lowercase();
    let place = match datum.origin {
        Origin::Title => return vec![Concept::Title],
        Origin::Meta => Place::Meta,
        Origin::JsonLd | Origin::Microdata | Origin::Rdfa => {
            if SIDE_KINDS.contains(&kind.as_str()) {
                return Vec::new();
            }
            if kind.ends_with("webpage") { Place::Page } else { Place::Thing }
        }
    };
    TABLE.get(&(place, path)).cloned().unwrap_or_default()
}

/// A value and what else it may be shown as: a title without the site's name, the parts of a list.
fn spellings(datum: &Datum, concept: Concept) -> Vec<&str> {
    let value = datum.value.as_str();
    let mut all = vec![value];
    match (datum.origin, concept) {
        (Origin::Title, _) => {
            for cut in CUTS {
                if let (Some((first, _)), Some((most, _))) = (value.split_once(cut), value.rsplit_once(cut)) {
                    all.extend([most, first]);
                }
            }
        }
        (_, Concept::Topics) if value.len() < 2000 => {
            all.extend(value.split([',', ';', '|']).map(str::trim).filter(|part| !part.is_empty()));
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_concepts() {
        let page = Document::parse(
            r#"<title>Soup - Site</title><meta property="article:published_time" content="2020-01-02">
            <script type="application/ld+json">{"@type":"Recipe","name":"Soup","author":{"name":"Ada"},"recipeYield":"4"}</script>
            <script type="application/ld+json">{"@type":"Organization","name":"Site"}</script>"#,
        );
        let statements = Statements::of(&page);
        let texts = |concept| -> Vec<&str> {
            statements.of_concept(concept).iter().map(|phrase| phrase.text.as_str()).collect()
        };
        assert_eq!(texts(Concept::Title), ["Soup", "Soup - Site"]);
        assert_eq!(texts(Concept::Author), ["Ada"]);
        assert_eq!(texts(Concept::Yield), ["4"]);
        assert_eq!(texts(Concept::Published), ["2020-01-02"]);
        assert_eq!(texts(Concept::Brand), Vec::<&str>::new());
    }
}
