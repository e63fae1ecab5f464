//! A page of each kind.

use autoheal_extract::{Field, PageType, ScrapedItem, Source, rule_based};
use autoheal_page::Document;

fn item(html: &str) -> ScrapedItem {
    rule_based(&Document::parse(html), "https://www.site.example/a".parse().ok().as_ref())
}

fn ld(json: &str, body: &str) -> ScrapedItem {
    item(&format!("<script type='application/ld+json'>{json}</script>{body}"))
}

#[test]
fn a_product_has_the_least_price_of_its_offers() {
    let item = ld(
        r#"{"@type": "Product", "name": "Pot", "sku": "P-1", "brand": {"name": "Acme"}, "offers": [
            {"price": 19.9, "priceCurrency": "EUR"}, {"price": "12.50", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}],
            "aggregateRating": {"ratingValue": "4.5", "reviewCount": 12}}"#,
        "<h1>Pot</h1>",
    );
    assert_eq!(item.page_type, PageType::Product);
    assert_eq!(item.price.unwrap().to_string(), "12.50 EUR");
    assert_eq!(item.availability.as_deref(), Some("InStock"));
    assert_eq!((item.brand.as_deref(), item.sku.as_deref()), (Some("Acme"), Some("P-1")));
    assert_eq!(item.rating.unwrap().count, Some(12));
}

#[test]
fn a_product_that_states_nothing_is_known_by_its_price_and_its_button() {
    let html = "<title>Pot | Shop</title><h1>Pot</h1><del>€ 19.90</del> <span class=price>€ 12.50</span>
        <button>Add to cart</button><table><tr><th>Brand<td>Acme<tr><th>SKU<td>P-1</table>";
    let item = item(html);
    assert_eq!(item.page_type, PageType::Product);
    assert_eq!(item.price.unwrap().to_string(), "12.50 EUR");
    assert_eq!((item.brand.as_deref(), item.sku.as_deref()), (Some("Acme"), Some("P-1")));
    assert_eq!(item.provenance[&Field::Price].source, Source::Heuristic);
}

#[test]
fn a_job_has_company_place_and_pay() {
    let item = ld(
        r#"{"@type": "JobPosting", "title": "Cook", "hiringOrganization": {"name": "Acme"}, "employmentType": ["FULL_TIME"],
            "datePosted": "2024-10-05", "jobLocation": {"address": {"addressLocality": "Ulm", "addressCountry": "DE"}},
            "baseSalary": {"currency": "EUR", "value": {"minValue": 30000, "maxValue": 40000, "unitText": "YEAR"}}}"#,
        "<h1>Cook</h1>",
    );
    assert_eq!(item.page_type, PageType::Job);
    assert_eq!(item.title.as_deref(), Some("Cook"));
    assert_eq!((item.company.as_deref(), item.location.as_deref()), (Some("Acme"), Some("Ulm, DE")));
    let salary = item.salary.unwrap();
    assert_eq!((salary.minimum.unwrap().to_string(), salary.per.as_deref()), ("30000".to_owned(), Some("YEAR")));
    assert_eq!(item.published_at.unwrap().to_string(), "2024-10-05");
}

#[test]
fn an_event_in_microdata_has_its_days_and_its_venue() {
    let html = "<div itemscope itemtype='https://schema.org/MusicEvent'><h1 itemprop=name>Concert</h1>
        <time itemprop=startDate datetime='2024-10-05T20:00'>5 Oct</time>
        <div itemprop=location itemscope itemtype=Place><b itemprop=name>Town hall</b>
        <span itemprop=address>Main street 1</span></div></div>";
    let item = item(html);
    assert_eq!(item.page_type, PageType::Event);
    assert_eq!(item.start.unwrap().to_string(), "2024-10-05T20:00");
    assert_eq!((item.venue.as_deref(), item.location.as_deref()), (Some("Town hall"), Some("Main street 1")));
    assert_eq!(item.provenance[&Field::Start].source, Source::Microdata);
}

#[test]
fn a_recipe_with_sections_in_an_article_is_a_recipe() {
    let item = ld(
        r##"{"@graph": [{"@type": "Article", "headline": "The soup of my youth", "author": {"@id": "#ada"}},
            {"@type": "Person", "@id": "#ada", "name": "Ada Byron", "url": "/ada"},
            {"@type": "Recipe", "name": "Soup", "author": {"@id": "#ada"}, "recipeIngredient": ["500 g leeks", "salt"], "recipeYield": ["4", "4 bowls"],
             "prepTime": "PT10M", "recipeInstructions": [{"@type": "HowToSection", "name": "Broth", "itemListElement": [
                {"@type": "HowToStep", "name": "Step 1", "text": "Cut."}, {"@type": "HowToStep", "text": "Boil &amp; wait."}]}]}]}"##,
        "<h1>The soup of my youth</h1>",
    );
    assert_eq!(item.page_type, PageType::Recipe);
    assert_eq!(item.title.as_deref(), Some("Soup"));
    assert_eq!(item.author.as_deref(), Some("Ada Byron"));
    assert_eq!(item.ingredients, ["500 g leeks", "salt"]);
    assert_eq!(item.instructions, ["Broth", "Cut.", "Boil & wait."]);
    assert_eq!((item.yields.as_deref(), item.prep_minutes), (Some("4 bowls"), Some(10)));
}

#[test]
fn an_article_that_shows_a_recipe_is_a_recipe() {
    let item = ld(
        r#"{"@type": "NewsArticle", "headline": "The soup of my youth", "author": "Ada Byron", "datePublished": "2024-10-05"}"#,
        "<h1>The soup of my youth</h1><h2>Ingredients</h2><ul><li>500 g leeks<li>salt</ul><h2>Method</h2><ol><li>Cut.<li>Boil.</ol>",
    );
    assert_eq!(item.page_type, PageType::Recipe);
    assert_eq!(item.title.as_deref(), Some("The soup of my youth"));
    assert_eq!(item.author.as_deref(), Some("Ada Byron"));
    assert_eq!(item.ingredients, ["500 g leeks", "salt"]);
    assert_eq!(item.instructions, ["Cut.", "Boil."]);
}

#[test]
fn an_article_has_its_text_without_what_surrounds_it() {
    let paragraph =
        "The leeks were cut, and the water boiled, and everybody waited for the soup, which took its time. ";
    let html = format!(
        "<title>Soup of leeks | Site</title><nav><a href=/>Home</a> <a href=/b>Blog</a></nav><article><h1>Soup of leeks</h1>
         <p class=byline>By Ada Byron</p><time datetime=2024-10-05>5 Oct</time><p>{0}</p><p>{0}{0}</p><ul><li>leeks, two<li>salt, some</ul>
         <p>{0}{0}</p></article><footer>All rights reserved</footer>",
        paragraph.repeat(3)
    );
    let item = item(&html);
    assert_eq!(item.page_type, PageType::Article);
    assert_eq!((item.title.as_deref(), item.author.as_deref()), (Some("Soup of leeks"), Some("Ada Byron")));
    let text = item.text.unwrap();
    assert!(text.contains("everybody waited") && text.contains("- salt, some"), "{text}");
    assert!(!text.contains("All rights") && !text.contains("Blog"), "{text}");
    assert_eq!(item.lists[0].items, ["leeks, two", "salt, some"]);
}

#[test]
fn text_for_those_without_scripts_is_text() {
    let words = "A question about leeks that nobody has answered in all these years. ".repeat(20);
    let html =
        format!("<title>Leeks</title><noscript><main><h1>Leeks</h1><p>{words}</p></main></noscript><div id=app></div>");
    assert!(item(&html).text.unwrap().contains("nobody has answered"));
}

#[test]
fn a_list_of_questions_and_a_list_of_products_are_not_what_a_page_is_about() {
    let questions = r#"{"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "Why leeks?"}]}"#;
    assert_eq!(ld(questions, "<title>Leeks | Site</title>").title.as_deref(), Some("Leeks"));
    let products = r#"[{"@type": "Product", "name": "Pot"}, {"@type": "Product", "name": "Pan"}]"#;
    let item = ld(products, "<title>Kitchen | Site</title><h1>Kitchen</h1>");
    assert_eq!((item.page_type, item.title.as_deref()), (PageType::Generic, Some("Kitchen")));
}
