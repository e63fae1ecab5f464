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
    use super::Suggested;
    use crate::fix_example::{check_fix, check_no_fix, tsc};

    #[test]
    fn writes_suggestion_of_compiler() {
        for said in [
            "TS2552: Cannot find name 'cout'. Did you mean 'count'?",
            "TS2561: Object literal may only specify known properties, but 'cout' does not exist in type 'Line'. Did you mean to \
             write 'count'?",
        ] {
            check_fix(
                &Suggested,
                tsc(&format!("a.ts(3,29): error {said}")),
                r"
 class Cart {
   add(name: string, count = 1): void {
-    this.lines.push({ name, cout });
+    this.lines.push({ name, count });
   }
 }
",
            );
        }
    }

    #[test]
    fn corrects_member() {
        check_fix(
            &Suggested,
            tsc(
                "a.ts(2,16): error TS2551: Property 'lenght' does not exist on type 'string[]'. Did you mean 'length'?",
            ),
            r"
 function count(lines: string[]) {
-  return lines.lenght;
+  return lines.length;
 }
",
        );
    }

    #[test]
    fn leaves_code_alone_where_nothing_is_suggested() {
        check_no_fix(
            &Suggested,
            tsc("a.ts(2,16): error TS2339: Property 'size' does not exist on type 'string[]'."),
            r"
 function count(lines: string[]) {
   return lines.size;
 }
",
        );
    }
}
