//! Usual names of fields, and names of the places that show them.
//!
//! To teach a kind of field, add a row to [`KINDS`]; to teach another name for one, add it to its row.

use super::concepts::{Concept, plain_name};
use super::words::{Word, Words, name_words, text_words, word};

/// A kind of field that many sources have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FieldKind {
    Title,
    Author,
    Published,
    Updated,
    Summary,
    Description,
    Topics,
    Category,
    Ingredients,
    Instructions,
    Body,
    Subheadlines,
    Yield,
    TotalTime,
    PreparationTime,
    CookingTime,
    Image,
    Caption,
    Price,
    Currency,
    Availability,
    Rating,
    RatingCount,
    Brand,
    Developer,
    Identifier,
    Location,
    Salary,
    Company,
    Version,
    Size,
    /// Unknown kind: only the field's own name describes it.
    Other,
}

struct Row {
    kind: FieldKind,
    /// Names of fields, separated by spaces; `_` and case do not count.
    fields: &'static str,
    concepts: &'static [Concept],
    /// Words in class names, attributes, labels and headings near its value, in several languages.
    words: &'static str,
}

const fn row(kind: FieldKind, fields: &'static str, concepts: &'static [Concept], words: &'static str) -> Row {
    Row { kind, fields, concepts, words }
}

use Concept as C;
use FieldKind as K;

const KINDS: &[Row] = &[
    row(
        K::Title,
        "title headline name h1 heading",
        &[C::Title],
        "title headline heading head name hed titel titulo titulaire",
    ),
    row(
        K::Author,
        "author authors byline writer by creator",
        &[C::Author],
        "author authors byline by autor writer auteur contributor creator chef autore journalist verfasser vcard fn",
    ),
    row(
        K::Published,
        "publishing_date publishing_date_text published published_at pubdate date date_published publish_date posted datetime",
        &[C::Published],
        "date time published publish timestamp datetime fecha datum created pub posted dateline updated",
    ),
    row(
        K::Updated,
        "updated modified date_modified last_updated updated_at",
        &[C::Modified, C::Published],
        "date updated update modified time timestamp aktualisiert",
    ),
    row(
        K::Summary,
        "summary lead teaser standfirst dek subtitle excerpt abstract intro",
        &[C::Description],
        "summary lead lede intro teaser standfirst dek deck abstract subtitle excerpt desc description chapo subhead \
         subheadline kicker perex sub",
    ),
    row(
        K::Description,
        "description desc about",
        &[C::Description],
        "description desc summary intro excerpt about text beschreibung",
    ),
    row(
        K::Topics,
        "topics tags keywords topic",
        &[C::Topics],
        "tag tags topic topics keyword keywords category categories thema themen",
    ),
    row(
        K::Category,
        "category categories genre section cuisine",
        &[C::Category, C::Topics],
        "category categories genre section tag course",
    ),
    row(
        K::Ingredients,
        "ingredients ingredient",
        &[C::Ingredients],
        "ingredient ingredients ingredienti zutaten ingredientes ingr ingredienser składniki",
    ),
    row(
        K::Instructions,
        "instructions steps directions method preparation",
        &[C::Instructions],
        "instruction instructions direction directions method step steps preparation zubereitung preparacion preparazione \
         procedure etapes bereiding",
    ),
    row(
        K::Body,
        "body text content paragraphs article_body full_text",
        &[C::Body],
        "article body content text story paragraph post entry main",
    ),
    row(
        K::Subheadlines,
        "subheadlines subheadings subheadline headings",
        &[],
        "subheadline subhead intertitle heading crosshead headline subtitle h2 h3",
    ),
    row(
        K::Yield,
        "yields yield servings serves portions",
        &[C::Yield],
        "yield yields serving servings serves portion portions makes recipeyield personen porciones persone",
    ),
    row(
        K::TotalTime,
        "total_time duration ready_in",
        &[C::TotalTime],
        "total time duration ready totaltime gesamtzeit",
    ),
    row(
        K::PreparationTime,
        "prep_time preparation_time",
        &[C::PreparationTime],
        "prep preparation time preptime vorbereitungszeit",
    ),
    row(K::CookingTime, "cook_time cooking_time", &[C::CookingTime], "cook cooking time cooktime kochzeit"),
    row(
        K::Image,
        "image photo picture thumbnail img",
        &[C::Image],
        "image img photo picture hero featured thumbnail lead",
    ),
    row(K::Caption, "caption image_caption", &[], "caption figcaption legend credit image figure photo"),
    row(K::Price, "price cost amount sale_price", &[C::Price], "price cost amount offer sale preis prix precio prezzo"),
    row(K::Currency, "currency price_currency", &[C::Currency], "currency"),
    row(
        K::Availability,
        "availability stock in_stock",
        &[C::Availability],
        "availability stock available verfügbarkeit",
    ),
    row(K::Rating, "rating score stars rating_value ratings", &[C::Rating], "rating score stars review value"),
    row(
        K::RatingCount,
        "rating_count review_count reviews votes",
        &[C::RatingCount],
        "rating count reviews review votes",
    ),
    row(K::Brand, "brand manufacturer vendor", &[C::Brand], "brand manufacturer vendor marke"),
    row(
        K::Developer,
        "developer publisher seller",
        &[C::Author, C::Brand],
        "developer author publisher company offered seller",
    ),
    row(
        K::Identifier,
        "sku isbn mpn asin gtin ean id model",
        &[C::Identifier],
        "sku isbn mpn asin gtin ean model number",
    ),
    row(K::Location, "location city place address", &[C::Location], "location city place address ort standort"),
    row(K::Salary, "salary pay wage", &[C::Salary], "salary pay wage compensation gehalt"),
    row(K::Company, "company employer organization", &[C::Brand, C::Author], "company employer organization hiring"),
    row(K::Version, "version current_version", &[], "version"),
    row(K::Size, "size file_size weight dimensions", &[], "size weight dimensions"),
];

/// Knowledge about a field that follows from its name.
#[derive(Debug, Clone)]
pub(crate) struct FieldWords {
    pub(crate) kind: FieldKind,
    pub(crate) concepts: &'static [Concept],
    /// Words near its values, its own name's parts among them.
    pub(crate) words: Words,
    /// The name as it would be the last of a path.
    pub(crate) plain: Word,
}

/// Looks a field up by its whole name, then by the parts of it.
pub(crate) fn field_words(name: &str) -> FieldWords {
    let plain = plain_name(name);
    let found = find(plain).or_else(|| name.split(['_', '-', ' ', '.']).find_map(|part| find(plain_name(part))));
    let own = name_words(name).union(&text_words(&name.replace(['_', '-'], " ")));
    match found {
        Some(row) => FieldWords {
            kind: row.kind,
            concepts: row.concepts,
            words: row.words.split_ascii_whitespace().map(word).collect::<Words>().union(&own),
            plain,
        },
        None => FieldWords { kind: FieldKind::Other, concepts: &[], words: own, plain },
    }
}

fn find(plain: Word) -> Option<&'static Row> {
    KINDS.iter().find(|row| row.fields.split_ascii_whitespace().any(|field| plain_name(field) == plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_known_by_many_names() {
        assert_eq!(field_words("Headline").kind, FieldKind::Title);
        assert_eq!(field_words("cookTime").kind, FieldKind::CookingTime);
        assert_eq!(field_words("product_price").kind, FieldKind::Price);
        assert_eq!(field_words("horsepower").kind, FieldKind::Other);
        assert!(field_words("horse_power").words.len() >= 2);
    }
}
