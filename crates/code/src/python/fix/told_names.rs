//! Names whose error says what to use in their place: `np.float` of numpy, an argument of pydantic, whatever a release has renamed and still
//! answers for. The words are those of the release that dropped the name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::blame::{Blame, Place};
use super::moved_names::{missing_import, under_old_name};
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer, TOLD_NAMES};
use crate::python::index::last_name;
use crate::python::module::{Module, Role, Shape, Span, Word};

/// Puts the name that an error tells in the place of the one that is gone.
pub(super) struct ToldNames;

impl Fixer for ToldNames {
    fn name(&self) -> &'static str {
        TOLD_NAMES
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        for told in Told::all(&blame.message) {
            for (depth, place) in blame.places.iter().take(2).enumerate() {
                let bits = 0.5 + f64::from(u32::try_from(depth).unwrap_or(9));
                for edits in told.edits(&blame, place) {
                    list.add(
                        bits,
                        format!("use '{}' instead of '{}', as the error says", told.new, told.old),
                        &place.file,
                        edits,
                    );
                }
            }
        }
        list.finish(TOLD_NAMES, 4)
    }
}

/// A name with dots.
const DOTTED: &str = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*";

/// Advice: `Use 'np.float64' instead`, ``use `float` by itself``, `has been renamed to 'b'`.
static INSTEAD: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        format!(r#"(?i)\b(?:use|call|import)\s+(?:the\s+)?[`'"](?P<new>{DOTTED})(?:\(\))?[`'"](?:\s+\w+)?\s+(?:instead|by\s+itself)\b"#),
        format!(r"(?i)\b(?:use|call|import)\s+(?P<new>{DOTTED})(?:\(\))?\s+instead\b"),
        format!(r#"(?i)\b(?:removed|deprecated|gone)\b[^.\n]*?[,.;]\s*(?:please\s+)?use\s+[`'"](?P<new>{DOTTED})(?:\(\))?[`'"]"#),
        format!(r#"(?i)\b(?:renamed|changed)\s+to\s+[`'"](?P<new>{DOTTED})(?:\(\))?[`'"]"#),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// A name that is marked as one: in quotes, with a dot, called, or said to be deprecated.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = format!(
        r#"[`'"](?P<quoted>{DOTTED})(?:\(\))?[`'"]|\b(?P<called>{DOTTED})\(\)|\b(?P<said>{DOTTED})\s+(?:is|was|has\s+been)\s+(?:deprecated|removed|renamed)"#
    );
    Regex::new(&pattern).ok()
});

/// Words that name nothing: `use it instead`.
const PRONOUNS: &[&str] = &["it", "one", "that", "them", "these", "this", "those"];

/// Types of Python itself that releases have had other names for.
const BUILTINS: &[&str] =
    &["bool", "bytes", "complex", "dict", "float", "int", "list", "object", "set", "str", "tuple", "type"];

/// A name and what to use in its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Told<'m> {
    old: &'m str,
    new: &'m str,
}

impl<'m> Told<'m> {
    /// Everything that a message tells, what is nearest to the advice first.
    fn all(message: &'m str) -> Vec<Self> {
        let Some(named) = NAMED.as_ref() else { return Vec::new() };
        let mut found = Vec::new();
        for advice in INSTEAD.iter().filter_map(|pattern| pattern.captures(message)) {
            let Some(new) = advice.name("new").filter(|new| !PRONOUNS.contains(&new.as_str())) else { continue };
            let before = message.get(..new.start()).unwrap_or_default();
            let mut seen = BTreeSet::new();
            let names = named.captures_iter(before).filter_map(|name| name.iter().skip(1).flatten().next());
            let mut names: Vec<&str> = names.map(|name| name.as_str()).filter(|old| *old != new.as_str()).collect();
            names.reverse();
            names.retain(|old| seen.insert(*old));
            found.extend(names.into_iter().map(|old| Self { old, new: new.as_str() }));
        }
        found
    }

    fn old_name(&self) -> &'m str {
        last_name(self.old)
    }

    /// The ways to follow it at a place of the program: each a list of edits of its file.
    fn edits(&self, blame: &Blame<'_>, place: &Place) -> Vec<Vec<Edit>> {
        let Some(module) = blame.module(&place.file) else { return Vec::new() };
        let text = blame.text(&place.file);
        let statement = module.statement_at(text, place.line).unwrap_or(place.span);
        let is_it = |word: &&Word| word.text == self.old_name() && statement.contains(word.span);
        let mut ways = Vec::new();
        for word in module.words.iter().filter(is_it) {
            let way = match word.role {
                Role::Attribute => self.member(blame, place, module, word),
                Role::Keyword if !self.new.contains('.') => Some(vec![Edit::replace(word.span.range(), self.new)]),
                Role::Imported => self.imported(module, word),
                _ => None,
            };
            ways.extend(way.filter(|way| !ways.contains(way)));
        }
        ways
    }

    /// The name that takes the old one's place after the same owner; `None`: it is found elsewhere.
    fn renamed(&self) -> Option<&'m str> {
        let owner = |name: &'m str| name.rsplit_once('.').map_or("", |(owner, _)| owner);
        let new = last_name(self.new);
        let is_same = owner(self.new).is_empty() || owner(self.old).is_empty() || owner(self.new) == owner(self.old);
        let is_builtin = owner(self.new).is_empty() && BUILTINS.contains(&self.new);
        (is_same && !is_builtin && new != self.old_name()).then_some(new)
    }

    /// `owner.old`, throughout the file if the owner is a module.
    fn member(&self, blame: &Blame<'_>, place: &Place, module: &Module, word: &Word) -> Option<Vec<Edit>> {
        let text = blame.text(&place.file);
        let attributes = module.expressions.iter().filter_map(|expression| match expression.shape {
            Shape::Attribute { value, name } => Some((name.start, (expression.span, value.text(text)))),
            _ => None,
        });
        // The whole expression and its owner, by the start of the name.
        let attributes: BTreeMap<usize, (Span, &str)> = attributes.collect();
        let (_, owner) = *attributes.get(&word.span.start)?;
        let is_module = module.imports.iter().any(|import| import.names.iter().any(|one| one.bound() == owner));
        if !is_module {
            return self.renamed().map(|new| vec![Edit::replace(word.span.range(), new)]);
        }
        let alike = module.words.iter().filter(|other| other.text == word.text && other.role == Role::Attribute);
        let uses = alike.filter_map(|other| {
            let (whole, own) = attributes.get(&other.span.start)?;
            (*own == owner).then_some((*whole, other.span))
        });
        let uses: Vec<(Span, Span)> = uses.collect();
        if let Some(new) = self.renamed() {
            return Some(uses.iter().map(|(_, name)| Edit::replace(name.range(), new)).collect());
        }
        let mut edits: Vec<Edit> = uses.iter().map(|(whole, _)| Edit::replace(whole.range(), self.new)).collect();
        if let Some((from, _)) = self.new.rsplit_once('.') {
            edits.extend(missing_import(blame, &place.file, from));
        } else if !BUILTINS.contains(&self.new)
            || module.scopes.iter().any(|scope| scope.bindings.contains_key(self.new))
        {
            // The file may mean something else by it.
            return None;
        }
        Some(edits)
    }

    /// `from module import old`: the new name under the old one, which the rest of the file uses.
    fn imported(&self, module: &Module, word: &Word) -> Option<Vec<Edit>> {
        let new = self.renamed()?;
        let names = module.imports.iter().flat_map(|import| &import.names);
        let one = names.into_iter().find(|one| one.span == word.span)?;
        Some(vec![under_old_name(one, new)])
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[rstest]
    #[case("module 'numpy' has no attribute 'float'.\n`np.float` was a deprecated alias for the builtin `float`. To avoid this error in existing code, use `float` by itself. Doing this will not modify any behavior.", &["np.float"], "float")]
    #[case("`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.", &["np.float_"], "np.float64")]
    #[case("DataFrame.applymap has been deprecated. Use DataFrame.map instead.", &["DataFrame.applymap"], "DataFrame.map")]
    #[case("getName() is deprecated, use get_name() instead", &["getName"], "get_name")]
    #[case("`regex` is removed. use `pattern` instead", &["regex"], "pattern")]
    #[case("'orm_mode' has been renamed to 'from_attributes'", &["orm_mode"], "from_attributes")]
    fn an_error_tells_what_to_use(#[case] message: &str, #[case] old: &[&str], #[case] new: &str) {
        let told = Told::all(message);
        assert!(told.iter().all(|one| one.new == new), "{told:?}");
        let found: Vec<&str> = told.iter().map(|one| one.old).take(old.len()).collect();
        assert_eq!(found, old, "{message}");
    }

    #[rstest]
    #[case("module 'numpy' has no attribute 'flaot'. Did you mean: 'float'?")]
    #[case("cannot use a string instead of a list")]
    #[case("'x' is not what you want; read the manual")]
    #[case("'x' is slow; use it instead")]
    #[case("'x' is slow; use a list instead")]
    fn other_errors_tell_nothing(#[case] message: &str) {
        assert_eq!(Told::all(message), []);
    }

    #[test]
    fn uses_builtin_that_alias_meant() {
        check_fix(
            &ToldNames,
            pytest(
                r#"File "/repo/a.py", line 3, in f
AttributeError: module 'numpy' has no attribute 'float'.
`np.float` was a deprecated alias for the builtin `float`. To avoid this error in existing code, use `float` by itself."#,
            ),
            r"
 import numpy as num
 def f(x):
-    return num.asarray(x, dtype=num.float)
+    return num.asarray(x, dtype=float)
 def g(x):
-    return num.zeros(3, num.float) + num.float64(x)
+    return num.zeros(3, float) + num.float64(x)
",
        );
    }

    #[test]
    fn uses_new_name_of_same_module() {
        check_fix(
            &ToldNames,
            pytest(
                r#"File "/repo/a.py", line 2, in <module>
AttributeError: `np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead."#,
            ),
            r"
 import numpy
-LIMIT = -numpy.Inf
+LIMIT = -numpy.inf
",
        );
    }

    #[test]
    fn uses_new_name_of_argument() {
        check_fix(
            &ToldNames,
            pytest(
                r#"File "/repo/a.py", line 2, in <module>
pydantic.errors.PydanticUserError: `regex` is removed. use `pattern` instead"#,
            ),
            r"
 from pydantic import constr
-NAME = constr(regex='[a-z]+', strict=True)
+NAME = constr(pattern='[a-z]+', strict=True)
",
        );
    }

    #[test]
    fn imports_module_that_has_the_name() {
        check_fix(
            &ToldNames,
            pytest(
                r#"File "/repo/a.py", line 2, in <module>
DeprecationWarning: 'jinja2.Markup' is deprecated. Import 'markupsafe.Markup' instead."#,
            ),
            r"
 import jinja2
+import markupsafe
-TITLE = jinja2.Markup('a')
+TITLE = markupsafe.Markup('a')
",
        );
    }

    #[test]
    fn leaves_own_name_of_a_builtin_alone() {
        check_no_fix(
            &ToldNames,
            pytest(
                r#"File "/repo/a.py", line 3, in <module>
AttributeError: module 'numpy' has no attribute 'float'.
`np.float` was a deprecated alias for the builtin `float`. To avoid this error in existing code, use `float` by itself."#,
            ),
            r"
 import numpy as np
 float = np.float32
 KIND = np.float
",
        );
    }

    #[test]
    fn leaves_what_the_failing_line_does_not_name_alone() {
        check_no_fix(
            &ToldNames,
            pytest(
                r#"File "/repo/a.py", line 2, in <module>
DeprecationWarning: 'a.old' is deprecated. Use 'a.new' instead."#,
            ),
            r"
 import a
 a.other()
 a.old()
",
        );
    }
}
