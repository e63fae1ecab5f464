//! A name that a compiler or linter would spell otherwise, and says how: `Did you mean 'count'?`

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint;
use crate::repair::shortlist::Shortlist;

/// Writes the name that is suggested.
pub(super) struct Suggested;

const NAME: &str = "suggested";

/// Cost, in bits: the suggestion was derived from existing names, so nothing is likelier.
const BITS: f64 = -4.0;

impl Fixer for Suggested {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let message = &context.finding.message;
        let (Some(suggestion), Some(place)) = (complaint::suggestion(message), blame.places.first()) else {
            return Vec::new();
        };
        let Some(module) = blame.module(&place.file) else { return Vec::new() };
        let mut list = Shortlist::new(&blame);
        let quoted = |name: &str| ["'", "\""].iter().any(|mark| message.contains(&format!("{mark}{name}{mark}")));
        for word in module.words.iter().filter(|word| place.span.contains(word.span)) {
            if word.text != suggestion && quoted(&word.text) {
                let description = format!("replace '{}' by '{suggestion}', as suggested", word.text);
                list.edit(BITS, description, &place.file, Edit::replace(word.span.range(), suggestion));
            }
        }
        list.finish(NAME, 3)
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::{Category, Finding, Location, Source};

    use super::*;
    use crate::environment::Environment;
    use crate::sources::Sources;

    #[test]
    fn the_compilers_suggestion_is_written() {
        let text =
            "class Cart {\n  add(name: string, count = 1): void {\n    this.lines.push({ name, cout });\n  }\n}\n";
        let mut sources = Sources::new(Vec::new());
        sources.insert("src/cart.ts", text, false);
        for message in [
            "TS2561: Object literal may only specify known properties, but 'cout' does not exist in type 'Line'. Did you mean to write 'count'?",
            "TS2552: Cannot find name 'cout'. Did you mean 'count'?",
        ] {
            let finding = Finding {
                source: Source::Build,
                category: Category::TypeError,
                file: Some("src/cart.ts".to_owned()),
                location: Some(Location { line: 3, column: Some(29) }),
                message: message.to_owned(),
                stack: None,
            };
            let environment = Environment::default();
            let context =
                FixContext { finding: &finding, all_findings: &[], sources: &sources, environment: &environment };
            let candidates = Suggested.candidates(&context);
            assert_eq!(candidates[0].files[0].apply(text).unwrap(), text.replace("cout", "count"), "{message}");
        }
    }
}
