//! The parser of recipes, and recipes that it lets through applied to a page.

#![no_main]

use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static PAGE: Document = Document::parse(
        "<title>T</title><h1 class=a id=b>Soup for 4</h1><ul><li>1 g salt<li>2 g <a href='/x?y=1'>oil</a></ul>
        <time datetime=2020-05-01>1 May</time><script type='application/ld+json'>{\"@type\":\"Recipe\",\"name\":\"Soup\"}</script>",
    );
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for recipe in [Recipe::from_json(&text, "fuzz.json"), Recipe::from_toml(&text, "fuzz.toml")] {
        match recipe {
            Ok(recipe) => {
                let extraction = PAGE.with(|page| recipe.apply(page, None));
                for (_, outcome) in extraction.records.iter().flat_map(|record| &record.fields) {
                    assert!(!outcome.values.is_empty() || !outcome.misses.is_empty(), "neither a value nor a reason");
                }
            }
            Err(error) => assert!(error.to_string().starts_with("fuzz."), "{error}"),
        }
    }
});
