//! Questions about the content of pages: is what the page states about its subject in the prompt as a whole, and are the true
//! values in it?

use autoheal_extract::{Asking, Form, ModelSettings, Reading, llm_fixed};
use autoheal_page::Document;
use autoheal_page::structured::structured_data;
use url::Url;

use super::double::{Double, fenced, text_of};
use super::{Options, Report};
use crate::bench::drift::print;
use crate::bench::drift::score::key;
use crate::bench::extract::corpus::{self, Case};

/// Properties of a stated recipe that a prompt must hold.
const RECIPE: [&str; 8] = [
    "name",
    "author.name",
    "recipeIngredient",
    "recipeYield",
    "prepTime",
    "cookTime",
    "totalTime",
    "aggregateRating.ratingValue",
];

/// Longer values are texts, which the page shows anyway.
const LONGEST: usize = 400;

/// Cases of a smoke run.
const SMOKE: usize = 12;

pub(super) fn measure(options: &Options) -> anyhow::Result<Report> {
    let mut cases = corpus::read(&options.corpus)?;
    cases.retain(|case| options.case.as_ref().is_none_or(|text| case.id.contains(text.as_str())));
    if options.smoke {
        cases.retain(|case| case.kind == "recipe");
        cases.truncate(SMOKE);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    for case in &cases {
        measure_one(case, &runtime, options, &mut report)?;
    }
    Ok(report)
}

fn measure_one(
    case: &Case,
    runtime: &tokio::runtime::Runtime,
    options: &Options,
    report: &mut Report,
) -> anyhow::Result<()> {
    let page = Document::parse(&case.page()?);
    let url = Url::parse(&case.address()).ok();
    let reading = Reading::of(&page, url.as_ref());
    let (form, settings) = (Form::item()?, ModelSettings::default());
    let double = Double::new(|_| String::new())?;
    let session = double.session();
    let asking = Asking { session: &session, form: &form, settings: &settings };
    // The double says nothing, which cannot be read: the question is all that matters.
    drop(runtime.block_on(llm_fixed(&reading, &asking)));
    let Some(request) = double.asked().into_iter().next() else { return Ok(()) };
    let prompt = text_of(&request);
    if options.show {
        print(&format!("=== {}\n{prompt}", case.id));
    }
    let is_recipe = case.kind == "recipe";
    report.add_tokens(if is_recipe { "recipes" } else { "other pages" }, None, request.estimated_tokens());
    if is_recipe && let Some(is_whole) = holds_statement(&page, &prompt) {
        report.count("main statement of a recipe", Some(0.95), is_whole, &case.id);
    }
    let whole = letters(&prompt);
    for (name, value) in case.fields.iter().filter(|(name, _)| name.as_str() != "main_content") {
        let items = value.items();
        if let Some(name) = shown(name).filter(|_| !items.is_empty()) {
            let is_held = items.iter().all(|item| whole.contains(&letters(item)));
            report.count(name, None, is_held, &case.id);
        }
    }
    Ok(())
}

fn shown(name: &str) -> Option<&'static str> {
    Some(match name {
        "title" => "true title",
        "author" => "true author",
        "ingredients" => "true ingredients",
        "instructions_list" => "true instructions",
        _ => return None,
    })
}

/// Returns whether everything that the page states of its recipe is in the part of the prompt for statements; `None` where it
/// states none.
fn holds_statement(page: &Document, prompt: &str) -> Option<bool> {
    let block = key(fenced(prompt, "what the page states about itself"));
    let data = structured_data(page);
    let of_recipe = |path: &str| {
        let values = data.iter().filter(|datum| datum.kind.eq_ignore_ascii_case("recipe") && datum.path == path);
        values.map(|datum| key(&datum.value)).filter(|value| value.len() <= LONGEST).collect::<Vec<_>>()
    };
    let wanted: Vec<String> = RECIPE.iter().flat_map(|path| of_recipe(path)).collect();
    (!of_recipe("recipeIngredient").is_empty()).then(|| wanted.iter().all(|value| block.contains(value.as_str())))
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
