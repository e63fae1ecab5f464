//! The examples of `docs/recipe.md` are recipes.

use autoheal_page::recipe::Recipe;

const REFERENCE: &str = include_str!("../../../../docs/recipe.md");

/// The blocks of code with a language, and the line each begins at.
fn examples() -> Vec<(usize, &'static str, String)> {
    let mut examples: Vec<(usize, &str, String)> = Vec::new();
    let mut is_inside = false;
    for (number, line) in REFERENCE.lines().enumerate() {
        match line.strip_prefix("```") {
            Some("") => is_inside = false,
            Some(language) => {
                is_inside = true;
                examples.push((number + 1, language, String::new()));
            }
            None if is_inside => {
                let (_, _, text) = examples.last_mut().unwrap();
                text.push_str(line);
                text.push('\n');
            }
            None => {}
        }
    }
    examples
}

#[test]
fn every_example_is_a_recipe() {
    let examples = examples();
    assert!(examples.len() >= 6);
    for (line, language, text) in &examples {
        let name = format!("docs/recipe.md, example at line {line}.{language}");
        let recipe = Recipe::parse(text, &name).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Recipe::from_json(&recipe.to_json().unwrap(), "a").unwrap(), recipe);
        assert_eq!(Recipe::from_toml(&recipe.to_toml().unwrap(), "a").unwrap(), recipe);
    }
}

#[test]
fn the_first_two_examples_say_the_same() {
    let examples = examples();
    let [(_, json, in_json), (_, toml, in_toml), ..] = examples.as_slice() else { panic!("two examples") };
    assert_eq!((*json, *toml), ("json", "toml"));
    assert_eq!(Recipe::from_json(in_json, "a").unwrap(), Recipe::from_toml(in_toml, "a").unwrap());
}

#[test]
fn every_transform_is_in_the_reference() {
    for name in [
        "trim",
        "collapse",
        "regex",
        "strip_prefix",
        "strip_suffix",
        "split",
        "number",
        "money",
        "date",
        "boolean",
        "url",
        "minutes",
    ] {
        assert!(REFERENCE.contains(&format!("\"{name}\"")), "{name}");
    }
}
