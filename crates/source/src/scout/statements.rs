//! Proposing by what the page states about itself: JSON-LD, microdata, RDFa, `meta`, and its only first-level heading.

use std::collections::BTreeSet;

use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, FieldName, NodeTake, Source, Take};
use autoheal_page::robust_selector::robust_selector;
use autoheal_page::structured::{Datum, Origin};
use autoheal_page::transform::{Capture, Conversion, TextStep};
use autoheal_page::value::ValueType;
use autoheal_page::{Document, NodeId, Selector};
use url::Url;

use super::label_rule::label_of;
use super::labels::is_by_position;
use super::places::places_of;

/// Statements of pages about themselves: the name of the field, the type of its values, whether there may be several, and the
/// properties that state it, the best first.
const STATED: &[(&str, ValueType, bool, &[&str])] = &[
    ("title", ValueType::Text, false, &["headline", "name", "title", "og:title"]),
    (
        "author",
        ValueType::Text,
        true,
        &[
            "author.name",
            "author",
            "creator.name",
            "creator",
            "article:author",
            "parsely-author",
            "dc.creator",
            "citation_author",
        ],
    ),
    (
        "published",
        ValueType::Date,
        false,
        &[
            "datePublished",
            "datePosted",
            "dateCreated",
            "uploadDate",
            "article:published_time",
            "article:published",
            "date",
            "pubdate",
            "parsely-pub-date",
            "dc.date",
            "citation_publication_date",
        ],
    ),
    ("modified", ValueType::Date, false, &["dateModified", "article:modified_time"]),
    ("description", ValueType::Text, false, &["description", "og:description"]),
    (
        "price",
        ValueType::Text,
        false,
        &[
            "offers.price",
            "offers.lowPrice",
            "offers.priceSpecification.price",
            "hasVariant.offers.price",
            "product:price:amount",
            "og:price:amount",
        ],
    ),
    (
        "currency",
        ValueType::Text,
        false,
        &[
            "offers.priceCurrency",
            "offers.priceSpecification.priceCurrency",
            "hasVariant.offers.priceCurrency",
            "product:price:currency",
            "og:price:currency",
        ],
    ),
    (
        "availability",
        ValueType::Text,
        false,
        &["offers.availability", "hasVariant.offers.availability", "product:availability", "og:availability"],
    ),
    (
        "brand",
        ValueType::Text,
        false,
        &["brand.name", "brand", "manufacturer.name", "manufacturer", "product:brand", "og:brand"],
    ),
    (
        "sku",
        ValueType::Text,
        false,
        &["sku", "offers.sku", "productID", "mpn", "gtin13", "gtin", "product:retailer_item_id"],
    ),
    ("rating", ValueType::Number, false, &["aggregateRating.ratingValue"]),
    ("ratings", ValueType::Number, false, &["aggregateRating.ratingCount", "aggregateRating.reviewCount"]),
    ("company", ValueType::Text, false, &["hiringOrganization.name", "hiringOrganization"]),
    (
        "location",
        ValueType::Text,
        false,
        &[
            "jobLocation.address.addressLocality",
            "jobLocation.address",
            "location.address.addressLocality",
            "location.address",
        ],
    ),
    ("region", ValueType::Text, false, &["jobLocation.address.addressRegion", "location.address.addressRegion"]),
    ("country", ValueType::Text, false, &["jobLocation.address.addressCountry", "location.address.addressCountry"]),
    ("salary", ValueType::Number, false, &["baseSalary.value.value", "baseSalary.value"]),
    ("salary_minimum", ValueType::Number, false, &["baseSalary.value.minValue", "baseSalary.minValue"]),
    ("salary_maximum", ValueType::Number, false, &["baseSalary.value.maxValue", "baseSalary.maxValue"]),
    ("salary_currency", ValueType::Text, false, &["baseSalary.currency", "baseSalary.value.currency"]),
    ("salary_per", ValueType::Text, false, &["baseSalary.value.unitText", "baseSalary.unitText"]),
    ("employment_type", ValueType::Text, true, &["employmentType"]),
    ("start", ValueType::Date, false, &["startDate"]),
    ("end", ValueType::Date, false, &["endDate"]),
    ("venue", ValueType::Text, false, &["location.name"]),
    ("ingredients", ValueType::Text, true, &["recipeIngredient", "ingredients"]),
    (
        "instructions",
        ValueType::Text,
        true,
        &[
            "recipeInstructions.text",
            "recipeInstructions.itemListElement.text",
            "recipeInstructions.itemListElement",
            "recipeInstructions",
        ],
    ),
    ("yields", ValueType::Text, false, &["recipeYield"]),
    ("prep_time", ValueType::Minutes, false, &["prepTime"]),
    ("cook_time", ValueType::Minutes, false, &["cookTime"]),
    ("total_time", ValueType::Minutes, false, &["totalTime"]),
    ("image", ValueType::Url, false, &["image.url", "image", "og:image"]),
];

/// Properties whose value is an address of schema.org, of which the last part says everything: `https://schema.org/InStock`.
const ENUMERATIONS: &[&str] = &["availability", "employment_type"];

/// Kinds of things that pages are about, as schema.org names them.
const MAIN_KINDS: &[&str] = &[
    "Article",
    "NewsArticle",
    "BlogPosting",
    "Recipe",
    "Product",
    "JobPosting",
    "Event",
    "Book",
    "SoftwareApplication",
    "ProductGroup",
    "Vehicle",
    "Car",
    "ReportageNewsArticle",
    "TechArticle",
];

/// Kinds that say of a page that it lists things.
const LIST_KINDS: &[&str] = &["ItemList", "CollectionPage", "SearchResultsPage", "OfferCatalog", "ProductCollection"];

/// Kind of the page, as the page states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StatedKind {
    /// The page is about one thing.
    OneThing,
    /// A list, of things with these names where it names them.
    Many(BTreeSet<String>),
    /// Only its `og:type` says that it is about one thing: publishing systems put `article` on pages of many.
    PerhapsOneThing,
    /// It does not say.
    Nothing,
}

/// Returns the kind that the page states: about one thing, or a list of several. If it states several things and its only
/// first-level heading is the name of one, the page is about that thing; the others accompany it.
pub(super) fn stated_kind(stated: &[Datum], heading: Option<&str>) -> StatedKind {
    let is_thing = |datum: &&Datum| {
        MAIN_KINDS.contains(&datum.kind.as_str()) && matches!(datum.path.as_str(), "headline" | "name")
    };
    let things: BTreeSet<String> = stated.iter().filter(is_thing).map(|datum| normalise(&datum.value)).collect();
    let is_list = stated.iter().any(|datum| LIST_KINDS.contains(&datum.kind.as_str()));
    let is_headed = heading.is_some_and(|heading| things.contains(heading));
    let says_type = |datum: &Datum| {
        datum.path.eq_ignore_ascii_case("og:type")
            && matches!(datum.value.as_str(), "article" | "product" | "og:product")
    };
    match things.len() {
        _ if is_headed => StatedKind::OneThing,
        1 if !is_list => StatedKind::OneThing,
        // A thing and two related things are not yet a list.
        3.. => StatedKind::Many(things),
        0 if is_list => StatedKind::Many(things),
        _ if stated.iter().any(says_type) => StatedKind::PerhapsOneThing,
        _ => StatedKind::Nothing,
    }
}

/// Kinds of texts, which may be about one of the other kinds that the page is for.
const TEXT_KINDS: &[&str] = &["Article", "NewsArticle", "BlogPosting", "ReportageNewsArticle", "TechArticle"];

/// Returns the kind of the thing that the page is about: the one that its heading names (a recipe or a product rather than the article
/// that contains it), or else the first that it states.
pub(super) fn main_kind<'a>(stated: &'a [Datum], heading: Option<&str>) -> Option<&'a str> {
    let may_be_main = |datum: &&Datum| MAIN_KINDS.contains(&datum.kind.as_str());
    let is_named = |datum: &&Datum| {
        matches!(datum.path.as_str(), "headline" | "name")
            && heading.is_some_and(|heading| normalise(&datum.value) == heading)
    };
    let named = stated.iter().filter(may_be_main).filter(is_named);
    let named = named.min_by_key(|datum| TEXT_KINDS.contains(&datum.kind.as_str()));
    named.or_else(|| stated.iter().find(may_be_main)).map(|datum| datum.kind.as_str())
}

/// A field for each of the usual things that the page states, read off the visible page where that shows the same.
pub(super) fn by_statements(page: &Document, stated: &[Datum]) -> Vec<Field> {
    let heading = headline(page);
    let about = main_kind(stated, heading.as_ref().and_then(|field| field.example.first()).map(String::as_str));
    let mut fields = Vec::new();
    // Any address will do to find out whether a text is one.
    let Ok(base) = Url::parse("https://localhost/") else { return fields };
    for (field, value_type, may_be_many, paths) in STATED {
        let Ok(name) = FieldName::parse(field) else { continue };
        let is_it = |datum: &&Datum, path: &str| {
            let is_of_page = datum.origin == Origin::Meta && datum.path.eq_ignore_ascii_case(path);
            let is_readable = match value_type {
                // An address in place of a name leads to a profile.
                ValueType::Text => *field != "author" || !datum.value.contains("://"),
                typed => Conversion::to(*typed).apply(&datum.value, Some(&base)).is_ok(),
            };
            let is_of_thing = about.is_some_and(|kind| kind == datum.kind) && datum.path == path;
            is_readable && (is_of_page || is_of_thing)
        };
        let found = paths
            .iter()
            .map(|path| same_place(&stated.iter().filter(|datum| is_it(datum, path)).collect::<Vec<_>>()))
            .find(|found| found.len() == 1 || (*may_be_many && !found.is_empty()))
            .unwrap_or_default();
        let required = *field == "title";
        let conversion = Conversion::to(*value_type);
        let last_part = Capture::parse("([^/#]+)/?$").ok().filter(|_| ENUMERATIONS.contains(field));
        let steps: Vec<TextStep> = last_part.map(TextStep::Regex).into_iter().collect();
        let field = field_of_statement(page, name, conversion, &found);
        fields.extend(field.map(|field| Field { required, steps, ..field }));
    }
    if !fields.iter().any(|field: &Field| field.name.as_str() == "title") {
        fields.splice(0..0, heading);
    }
    fields
}

/// Those of the statements that are written where the first one is, each value once: one thing may be stated in several ways.
pub(super) fn same_place<'a>(found: &[&'a Datum]) -> Vec<&'a Datum> {
    let mut kept: Vec<&Datum> = Vec::new();
    for datum in found {
        let is_there = kept.first().is_none_or(|first| first.origin == datum.origin && first.kind == datum.kind);
        if is_there && kept.iter().all(|other| other.value != datum.value) {
            kept.push(datum);
        }
    }
    kept
}

/// A field of statements with one path: of where the page shows them when they are texts, else of the structured data.
pub(super) fn field_of_statement(
    page: &Document,
    name: FieldName,
    conversion: Conversion,
    found: &[&Datum],
) -> Option<Field> {
    let first = found.first()?;
    let values: Vec<String> = found.iter().map(|datum| datum.value.clone()).collect();
    let shown: Option<Vec<NodeId>> = values
        .iter()
        .map(|value| places_of(page, value).into_iter().find(|(_, take)| *take == NodeTake::Text).map(|(node, _)| node))
        .collect();
    let is_text = conversion.value_type() == ValueType::Text;
    let selected = shown.filter(|_| is_text).and_then(|nodes| selector(page, &nodes));
    let source = match selected {
        Some(select) => Source::Nodes { select, take: NodeTake::Text },
        None => source_of(first)?,
    };
    Some(Field { many: values.len() > 1, example: values, conversion, ..Field::new(name, source) })
}

/// The selector of shown values, by name, by label or by tags. A value that only positions select is read where it is stated.
fn selector(page: &Document, nodes: &[NodeId]) -> Option<Selector> {
    let robust = robust_selector(&[(page, nodes)])?;
    match nodes {
        [only] if is_by_position(robust.source()) => label_of(page, *only).map(|label| label.select),
        _ => None,
    }
    .or_else(|| Some(robust).filter(|robust| !robust.source().contains(":nth-")))
}

/// The page's only first-level heading.
pub(super) fn headline(page: &Document) -> Option<Field> {
    let mut headings = page.nodes().filter(|node| page.tag(*node) == "h1" && !page.text(*node).is_empty());
    let heading = headings.next().filter(|_| headings.next().is_none())?;
    let select = robust_selector(&[(page, &[heading])])?;
    let name = FieldName::parse("title").ok()?;
    let example = vec![page.text(heading).into_owned()];
    Some(Field { example, ..Field::new(name, Source::Nodes { select, take: NodeTake::Text }) })
}

/// A statement as the place that a recipe names.
pub(super) fn source_of(datum: &Datum) -> Option<Source> {
    let path = match datum.origin {
        Origin::JsonLd => format!("jsonld:{}.{}", datum.kind, datum.path),
        Origin::Microdata => format!("microdata:{}.{}", datum.kind, datum.path),
        Origin::Rdfa => format!("rdfa:{}.{}", datum.kind, datum.path),
        Origin::Meta => format!("meta:{}", datum.path),
        Origin::Title => return None,
    };
    match path.parse::<Take>().ok()? {
        Take::Structured(path) => Some(Source::Structured(path)),
        Take::Node(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use autoheal_page::structured::structured_data;

    use super::*;

    fn kind(html: &str) -> StatedKind {
        let page = Document::parse(html);
        let heading = page.nodes().find(|node| page.tag(*node) == "h1").map(|node| page.text(node));
        stated_kind(&structured_data(&page), heading.as_deref())
    }

    fn fields(html: &str) -> Vec<String> {
        let page = Document::parse(html);
        let told = |field: &Field| {
            let source = field.select().map_or_else(|| field.take().to_string(), ToString::to_string);
            format!("{} {source}{}", field.name, if field.many { " many" } else { "" })
        };
        by_statements(&page, &structured_data(&page)).iter().map(told).collect()
    }

    fn script(json: &str) -> String {
        format!("<script type='application/ld+json'>{json}</script>")
    }

    #[test]
    fn what_a_page_says_it_is() {
        let product = |name: &str| script(&format!(r#"{{"@type":"Product","name":"{name}"}}"#));
        let many = |names: &[&str]| StatedKind::Many(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(kind(&product("Lamp")), StatedKind::OneThing);
        assert_eq!(kind(&[product("Lamp"), product("Lamp")].concat()), StatedKind::OneThing, "stated twice");
        assert_eq!(kind(&[product("A"), product("B")].concat()), StatedKind::Nothing);
        let three = [product("A"), product("B"), product("C")].concat();
        assert_eq!(kind(&three), many(&["A", "B", "C"]));
        assert_eq!(kind(&format!("<h1>B</h1>{three}")), StatedKind::OneThing, "two go with it");
        let list = script(r#"{"@type":"ItemList","numberOfItems":3}"#);
        assert_eq!(kind(&list), many(&[]));
        assert_eq!(kind(&[product("A"), list].concat()), StatedKind::Nothing, "of what goes with it, perhaps");
        assert_eq!(kind("<meta property=og:type content=article><h1>A</h1>"), StatedKind::PerhapsOneThing);
        assert_eq!(kind("<h1>A</h1>"), StatedKind::Nothing);
    }

    #[test]
    fn the_heading_tells_what_the_page_is_about() {
        let article = script(r#"{"@type":"Article","headline":"Soup","author":{"name":"Ada"}}"#);
        let recipe = script(r#"{"@type":"Recipe","name":"Soup","recipeYield":"4"}"#);
        let both = [article.as_str(), &recipe].concat();
        assert_eq!(fields(&format!("{both}<h1>Soup</h1>")), ["title h1", "yields jsonld:Recipe.recipeYield"]);
        assert_eq!(
            fields(&both),
            ["title jsonld:Article.headline", "author jsonld:Article.author.name"],
            "the first then"
        );
    }

    #[test]
    fn what_is_stated_twice_is_one_value_and_what_is_stated_differently_is_none() {
        let json = r#"{"@type":"Product","name":"Lamp","offers":{"price":"24.90"}}"#;
        let twice = format!("{}<div itemscope itemtype=Product><h2 itemprop=name>Lamp</h2></div>", script(json));
        assert_eq!(fields(&twice), ["title [itemprop=\"name\"]", "price jsonld:Product.offers.price"]);
        let other = script(r#"{"@type":"Product","name":"Chair"}"#);
        let two = format!("{}{other}<meta property=og:title content='Two of us'>", script(json));
        assert_eq!(fields(&two), ["title meta:og:title", "price jsonld:Product.offers.price"]);
    }
}
