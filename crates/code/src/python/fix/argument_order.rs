//! Arguments or operands in the wrong order.

use super::blame::Blame;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::Call;

/// Swaps two arguments of a call at the failing place.
pub(super) struct ArgumentOrder;

const NAME: &str = "argument_order";

impl Fixer for ArgumentOrder {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if !matches!(blame.error.as_str(), "TypeError" | "AttributeError" | "ValueError") {
            return Vec::new();
        }
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().take(4).enumerate() {
            let depth = f64::from(u32::try_from(depth).unwrap_or(9));
            let Some(module) = blame.module(&place.file) else { continue };
            for call in module.calls.iter().filter(|call| call.span.overlaps(place.span)) {
                let here = module.line_of(call.span.start) <= place.line && place.line <= module.line_of(call.span.end);
                if here {
                    swaps(&mut list, &blame, &place.file, call, 4.0 + depth);
                }
            }
        }
        list.finish(NAME, 10)
    }
}

fn swaps(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, call: &Call, bits: f64) {
    let text = blame.text(file);
    let plain: Vec<_> =
        call.arguments.iter().filter(|argument| argument.keyword.is_none() && !argument.is_starred).collect();
    let parameters = blame
        .index
        .modules()
        .flat_map(|(_, module)| &module.functions)
        .find(|function| function.name == call.name)
        .map(|function| {
            let skip = usize::from(function.class.is_some());
            function.parameters.iter().skip(skip).map(|parameter| parameter.name.as_str()).collect::<Vec<_>>()
        })
        .unwrap_or_default();
    for (number, left) in plain.iter().enumerate() {
        for (distance, right) in plain.iter().skip(number + 1).enumerate() {
            let (left_text, right_text) = (left.span.text(text), right.span.text(text));
            // Arguments named like each other's parameters were swapped.
            let other = number + 1 + distance;
            let crossed = parameters.get(number) == Some(&right_text) || parameters.get(other) == Some(&left_text);
            let straight = parameters.get(number) == Some(&left_text) || parameters.get(other) == Some(&right_text);
            let fit = f64::from(i8::from(straight) - i8::from(crossed)) * 3.0;
            let far = f64::from(u32::try_from(distance).unwrap_or(9)) * 1.5;
            let edits =
                vec![Edit::replace(left.span.range(), right_text), Edit::replace(right.span.range(), left_text)];
            list.add(bits + far + fit, format!("swap '{left_text}' and '{right_text}'"), file, edits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ArgumentOrder;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn swaps_arguments_named_like_each_others_parameters() {
        check_fix(
            &ArgumentOrder,
            pytest(
                r#"File "/repo/a.py", line 6, in headline
  File "/repo/a.py", line 2, in repeat
TypeError: can't multiply sequence by non-int of type 'str'"#,
            ),
            r"
 def repeat(text, count):
     return [text] * count


 def headline(text, count):
-    return repeat(count, text)
+    return repeat(text, count)
",
        );
    }

    #[test]
    fn keeps_single_and_named_arguments() {
        check_no_fix(
            &ArgumentOrder,
            pytest(
                r#"File "/repo/a.py", line 6, in headline
TypeError: repeat() got an unexpected keyword argument 'number'"#,
            ),
            r"
 def repeat(text, count):
     return [text] * count


 def headline(text, count):
     return repeat(text, number=count)
",
        );
    }
}
