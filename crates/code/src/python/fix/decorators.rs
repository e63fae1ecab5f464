//! A decorator that was lost: a property that is read as a method, a class method without its class.

use std::collections::BTreeMap;

use super::blame::Blame;
use super::import_statement::line_start;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};

/// Puts back a decorator of a function that the failing lines mention.
pub(super) struct Decorators;

const NAME: &str = "decorators";

impl Fixer for Decorators {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if !matches!(blame.error.as_str(), "TypeError" | "AttributeError") {
            return Vec::new();
        }
        let is_method =
            ["'method'", "'function'", "bound method", "<function"].iter().any(|word| blame.message.contains(word));
        let mut mentioned: BTreeMap<&str, f64> = BTreeMap::new();
        for (depth, place) in blame.all_places().take(6).enumerate() {
            let Some(module) = blame.module(&place.file) else { continue };
            for word in module.words.iter().filter(|word| place.span.contains(word.span)) {
                mentioned.entry(&word.text).or_insert(f64::from(u32::try_from(depth).unwrap_or(9)));
            }
        }
        for name in blame.quoted().into_iter().chain(blame.message.split("()").next()) {
            mentioned.insert(name.rsplit('.').next().unwrap_or_default(), 0.0);
        }
        let used = decorators_in_use(&blame);
        let mut list = Shortlist::new(&blame);
        for (file, module) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
            let text = blame.text(file);
            for function in &module.functions {
                let Some(depth) = mentioned.get(function.name.as_str()) else { continue };
                let start = line_start(text, function.definition.start);
                let indent = text.get(start..function.definition.start).unwrap_or_default();
                if !indent.trim().is_empty() {
                    continue;
                }
                let only_self = function.parameters.len() == 1 && function.class.is_some();
                let mut decorate = |decorator: &str, bits: f64| {
                    list.edit(
                        bits + depth,
                        format!("decorate '{}' with '{decorator}'", function.name),
                        file,
                        Edit::insert(start, format!("{indent}@{decorator}\n")),
                    );
                };
                if only_self {
                    decorate("property", if is_method { 1.5 } else { 6.0 });
                }
                if function.class.is_some() {
                    let first = function.parameters.first().map(|parameter| parameter.name.as_str());
                    decorate("classmethod", if matches!(first, Some("cls" | "klass")) { 2.0 } else { 9.0 });
                    decorate("staticmethod", if first == Some("self") { 10.0 } else { 4.0 });
                }
                for (decorator, count) in &used {
                    let rare = if *count > 1 { 0.0 } else { 1.5 };
                    decorate(decorator, 7.0 + rare);
                }
            }
        }
        list.finish(NAME, 10)
    }
}

/// The decorators that the project's own code uses, with how often.
fn decorators_in_use<'a>(blame: &Blame<'a>) -> BTreeMap<&'a str, usize> {
    let mut used = BTreeMap::new();
    for (file, module) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
        for decorator in module.functions.iter().flat_map(|function| &function.decorators) {
            let code = decorator.text(blame.text(file));
            if code.len() < 40 && !code.contains(".setter") {
                *used.entry(code).or_insert(0) += 1;
            }
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::Decorators;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn decorates_method_that_is_read_as_property() {
        check_fix(
            &Decorators,
            pytest(
                r#"File "/repo/a.py", line 12, in sum_of
TypeError: unsupported operand type(s) for +: 'int' and 'method'"#,
            ),
            r"
 class Square:
     def __init__(self, side):
         self.side = side

+    @property
     def area(self):
         return self.side * self.side


 def sum_of(squares):
     total = 0
     for square in squares:
         total = total + square.area
     return total
",
        );
    }

    #[test]
    fn decorates_class_method() {
        check_fix(
            &Decorators,
            pytest(
                r#"File "/repo/a.py", line 11, in unit
TypeError: Square.of_text() missing 1 required positional argument: 'text'"#,
            ),
            r"
 class Square:
     def __init__(self, side):
         self.side = side

+    @classmethod
     def of_text(cls, text):
         return cls(int(text))


 def unit():
     # A square of one.
     return Square.of_text('1')
",
        );
    }

    #[test]
    fn leaves_functions_outside_of_classes_alone() {
        check_no_fix(
            &Decorators,
            pytest(
                r#"File "/repo/a.py", line 6, in sum_of
TypeError: unsupported operand type(s) for +: 'int' and 'function'"#,
            ),
            r"
 def area():
     return 4


 def sum_of():
     return 1 + area
",
        );
    }
}
