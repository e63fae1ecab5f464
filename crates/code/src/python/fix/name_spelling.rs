//! A name that is not bound here: misspelled where it is used, or where it is defined.

use super::blame::Blame;
use super::shortlist::{Shortlist, Suspect};
use super::spelling::{number, slip};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Module, Role, ScopeKind, Word};
use crate::python::tokens::scan;
use crate::span::Span;

/// Repairs `NameError` and `UnboundLocalError` by the nearest name in scope, at the use or at the definition.
pub(super) struct NameSpelling;

const NAME: &str = "name_spelling";

impl Fixer for NameSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let is_unbound_local = blame.error == "UnboundLocalError" || blame.message.contains("free variable");
        if !matches!(blame.error.as_str(), "NameError" | "UnboundLocalError") {
            return Vec::new();
        }
        let Some(name) = blame.quoted().first().copied() else { return Vec::new() };
        let mut list = Shortlist::new(&blame);
        for place in &blame.places {
            let Some(module) = blame.module(&place.file) else { continue };
            for word in uses(module, name, place.span.start, place.span.end) {
                at_use(&mut list, &blame, &place.file, module, word);
                at_definition(&mut list, &place.file, module, word);
                as_attribute(&mut list, &place.file, module, word);
                unread_binding(&mut list, &place.file, module, word);
                joined(&mut list, &blame, &place.file, module, word);
                if is_unbound_local {
                    as_outer_name(&mut list, &place.file, module, word);
                }
            }
        }
        list.finish(NAME, 20)
    }
}

/// The uses of a name in a stretch of text; anywhere in the file's function bodies when it is not there.
pub(super) fn uses<'m>(module: &'m Module, name: &str, start: usize, end: usize) -> Vec<&'m Word> {
    let named = |word: &&Word| word.text == name && matches!(word.role, Role::Load | Role::Store);
    let here: Vec<&Word> =
        module.words.iter().filter(named).filter(|word| start <= word.span.start && word.span.end <= end).collect();
    if here.is_empty() { module.words.iter().filter(named).take(4).collect() } else { here }
}

fn at_use(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, word: &Word) {
    let suggested = |name: &str| if blame.suggestion() == Some(name) { -1.0 } else { 0.0 };
    let builtins = blame.runtime().builtins.iter().map(|name| (name.as_str(), 4));
    let names = module.visible(word.scope).into_iter().chain(builtins);
    let names = names.map(|(name, distance)| (name, 0.3 * number(distance) + suggested(name)));
    list.respell_by_use(Suspect { file, text: &word.text, span: word.span }, "name", 1.0, names, |name| {
        blame.index.count(name)
    });
}

/// Bits against another name for a parameter that is read once: callers may pass it by its name.
const OF_CALLERS: f64 = 4.0;

/// The binding that is spelled almost like the name, when the name is what everybody uses.
fn at_definition(list: &mut Shortlist<'_, '_>, file: &str, module: &Module, word: &Word) {
    let name = word.text.as_str();
    let uses_of_name = module.words.iter().filter(|other| other.text == name).count();
    for (candidate, _) in module.visible(word.scope) {
        let Some(bits) = slip(candidate, name) else { continue };
        let Some(scope) = module.binding_scope(candidate, word.scope).and_then(|index| module.scopes.get(index)) else {
            continue;
        };
        let uses = module.words.iter().filter(|other| other.text == candidate).count();
        for span in scope.bindings.get(candidate).into_iter().flatten().take(3) {
            let frequent = number(uses.min(12)) - number(uses_of_name.min(12));
            list.edit(
                bits + 1.0 + frequent.max(-2.0) + of_callers(module, *span, name),
                format!("name '{candidate}' '{name}' where it is defined"),
                file,
                Edit::replace(span.range(), name),
            );
        }
    }
}

/// Bits against another name for a binding, by those who may use the one that it has.
fn of_callers(module: &Module, binding: Span, name: &str) -> f64 {
    let is_parameter = module.words.iter().any(|word| word.span == binding && word.role == Role::Parameter);
    let is_read_once = module.words.iter().filter(|word| word.text == name).count() == 1;
    if is_parameter && is_read_once { OF_CALLERS } else { 0.0 }
}

/// A parameter or variable around the use that nothing reads: it is the one that was meant, under another name.
fn unread_binding(list: &mut Shortlist<'_, '_>, file: &str, module: &Module, word: &Word) {
    let mut scope = Some(word.scope);
    while let Some(index) = scope {
        let Some(current) = module.scopes.get(index) else { return };
        if !matches!(current.kind, ScopeKind::Function(_)) {
            return;
        }
        for (name, spans) in &current.bindings {
            let is_variable = module
                .words
                .iter()
                .any(|other| spans.contains(&other.span) && matches!(other.role, Role::Store | Role::Parameter));
            if !is_variable {
                continue;
            }
            let is_read = module
                .words
                .iter()
                .any(|other| other.text == *name && matches!(other.role, Role::Load | Role::Declared));
            let is_kept = name == "self" || name == "cls";
            if !is_read && !is_kept {
                for span in spans.iter().take(2) {
                    // A name that is spelled alike can be put right where it is read.
                    let is_alike = slip(name, &word.text).is_some();
                    let of_callers = if is_alike { of_callers(module, *span, &word.text) } else { 0.0 };
                    list.edit(
                        3.0 + of_callers,
                        format!("name '{name}' '{}' where it is bound", word.text),
                        file,
                        Edit::replace(span.range(), word.text.as_str()),
                    );
                }
            }
        }
        scope = current.parent;
    }
}

/// Two words that lost what stood between them: `selfname` for `self.name`, `Listint[` for `List[int`.
fn joined(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, word: &Word) {
    const BETWEEN: [(&str, f64); 12] = [
        (".", 0.0),
        (", ", 0.0),
        ("=", 0.0),
        ("(", 1.0),
        ("[", 1.0),
        (" in ", 1.0),
        (" + ", 1.0),
        (" - ", 1.0),
        (" * ", 1.5),
        (" == ", 1.0),
        (" and ", 2.0),
        (": ", 1.0),
    ];
    let text = blame.text(file);
    let rest = text.get(word.span.end..).unwrap_or_default();
    let gap = rest.len() - rest.trim_start_matches(' ').len();
    let next = scan(rest.get(gap..).and_then(|rest| rest.lines().next()).unwrap_or_default());
    let next = next.first().map(|token| word.span.end + gap + token.start..word.span.end + gap + token.end);
    let visible = module.visible(word.scope);
    for (at, _) in word.text.char_indices().skip(1) {
        let (left, right) = word.text.split_at(at);
        let is_name = |part: &str| visible.contains_key(part) || blame.runtime().builtins.contains(part);
        let is_known = |part: &str| is_name(part) || blame.index.count(part) > 0;
        let bits = match (is_name(left), is_name(right)) {
            (true, true) => 1.5,
            (true, false) if is_known(right) => 3.0,
            (false, true) if is_known(left) => 3.0,
            _ => continue,
        };
        for (between, extra) in BETWEEN {
            list.edit(
                bits + extra,
                format!("put '{between}' between '{left}' and '{right}'"),
                file,
                Edit::insert(word.span.start + at, between),
            );
        }
        if let Some(next) = next.clone()
            && let Some(token) = text.get(next.clone())
        {
            let space = if token == "," { " " } else { "" };
            list.edit(
                bits,
                format!("put '{token}' between '{left}' and '{right}'"),
                file,
                Edit::replace(word.span.start..next.end, format!("{left}{token}{space}{right}")),
            );
        }
    }
}

/// `self.` that was lost.
fn as_attribute(list: &mut Shortlist<'_, '_>, file: &str, module: &Module, word: &Word) {
    let Some(class) = module.class_at(word.span.start) else { return };
    let Some(function) = module.function_at(word.span.start) else { return };
    let Some(first) = function.parameters.first() else { return };
    if function.class.is_some() && class.attributes.contains_key(&word.text) {
        list.edit(
            3.0,
            format!("read '{}' from '{}'", word.text, first.name),
            file,
            Edit::insert(word.span.start, format!("{}.", first.name)),
        );
    }
}

/// A local assignment that shadows an outer name: the assignment was meant for another name, or a declaration is missing.
fn as_outer_name(list: &mut Shortlist<'_, '_>, file: &str, module: &Module, word: &Word) {
    let stores = module.words.iter().filter(|other| {
        other.text == word.text && other.scope == word.scope && matches!(other.role, Role::Store | Role::Alias)
    });
    let visible = module.visible(word.scope);
    for store in stores {
        let names = visible.keys().map(|name| (*name, 1.0));
        let describe = |name: &str| format!("assign to '{name}' instead of '{}'", word.text);
        list.respell(Suspect { file, text: &word.text, span: store.span }, names, describe);
    }
}

#[cfg(test)]
mod tests {
    use super::NameSpelling;
    use crate::fix_example::{check_fix, check_no_fix, mypy, pytest};

    #[test]
    fn corrects_misspelt_name() {
        check_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/a.py", line 3, in area
NameError: name 'shpaes' is not defined. Did you mean: 'shapes'?"#,
            ),
            r"
 def area(shapes):
     total = 0
-    for shape in shpaes:
+    for shape in shapes:
         total += shape.area
     return total
",
        );
    }

    #[test]
    fn renames_misspelt_parameter() {
        check_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/a.py", line 3, in area
NameError: name 'shapes' is not defined"#,
            ),
            r"
-def area(shpaes):
+def area(shapes):
     total = 0
     for shape in shapes:
         total += shape.area
     return total, len(shapes)
",
        );
    }

    #[test]
    fn keeps_name_of_parameter_that_is_read_once() {
        check_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/a.py", line 2, in double
NameError: name 'prise' is not defined"#,
            ),
            r"
 def double(price):
-    return prise * 2
+    return price * 2
",
        );
    }

    #[test]
    fn reads_attribute_that_lost_its_self() {
        check_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/a.py", line 6, in label
NameError: name 'title' is not defined"#,
            ),
            r"
 class Shape:
     def __init__(self, title):
         self.title = title

     def label(self):
-        return title.upper()
+        return self.title.upper()
",
        );
    }

    #[test]
    fn separates_joined_words() {
        check_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/a.py", line 6, in label
NameError: name 'selftitle' is not defined"#,
            ),
            r"
 class Shape:
     def __init__(self, title):
         self.title = title

     def label(self):
-        return selftitle
+        return self.title
",
        );
    }

    #[test]
    fn answers_type_checker() {
        check_fix(
            &NameSpelling,
            mypy("a.py:2:12: error: Name \"widht\" is not defined; did you mean \"width\"?  [name-defined]"),
            r"
 def area(width, height):
-    return widht * height
+    return width * height
",
        );
    }

    #[test]
    fn leaves_name_unlike_all_others() {
        check_no_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/a.py", line 2, in area
NameError: name 'Decimal' is not defined"#,
            ),
            r"
 def area(width, height):
     return Decimal(width * height)
",
        );
    }

    #[test]
    fn leaves_protected_test_alone() {
        check_no_fix(
            &NameSpelling,
            pytest(
                r#"File "/repo/test_a.py", line 3, in test_area
NameError: name 'widht' is not defined"#,
            ),
            r"
//- /test_a.py protected
 def test_area():
     width = 3
     assert area(widht) == 9
",
        );
    }
}
