//! An annotation whose type differs from that of the program: the compiler reports both. The tests see the
//! value, so the annotation is changed, but only where every value that the function returns disagrees with it.

use std::sync::LazyLock;

use oxc_ast::ast::{
    ArrowFunctionExpression, Function, PropertyDefinition, ReturnStatement, TSTypeAnnotation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::ScopeFlags;
use oxc_span::GetSpan;
use regex::Regex;

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::index::Index;
use crate::javascript::parse;
use crate::repair::region::line_of;
use crate::repair::shortlist::Shortlist;
use crate::span::Span;

/// Makes an annotation say the type that the compiler found.
pub(super) struct Annotations;

const NAME: &str = "annotations";

static UNFIT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"TS2322: Type '([^']+)' is not assignable to type '[^']+'").ok());

impl Fixer for Annotations {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        let (Some(file), Some(location)) = (&finding.file, finding.location) else { return Vec::new() };
        let Some(text) = context.sources.text(file) else { return Vec::new() };
        let found = UNFIT.as_ref().and_then(|pattern| pattern.captures(&finding.message));
        let Some(kind) = found.map(|found| found[1].to_owned()).filter(|kind| is_spelled(kind, context, file)) else {
            return Vec::new();
        };
        let annotated = parse::read(file, text, |program, _| {
            let mut search = Search { text, line: location.line, around: Vec::new(), found: None };
            search.visit_program(program);
            search.found
        });
        let Some(found) = annotated.ok().flatten() else { return Vec::new() };
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        if found.returned.iter().all(|line| context.is_found_at(*line)) {
            let description = format!("annotate with '{kind}', which the value is");
            list.edit(1.0, description, file, Edit::replace(found.annotation.range(), kind));
        }
        list.finish(NAME, 2)
    }
}

/// Returns whether the type can be written in the file without giving up any check.
fn is_spelled(kind: &str, context: &FixContext<'_>, file: &str) -> bool {
    const BUILT_IN: [&str; 8] = ["number", "string", "boolean", "bigint", "Date", "Map", "Set", "Promise"];
    let module = Index::of(context.sources).module(file);
    let is_bound =
        |name: &str| module.is_some_and(|module| module.scopes.iter().any(|scope| scope.bindings.contains_key(name)));
    let is_plain = kind.chars().all(|one| one.is_alphanumeric() || "_$[]<>, ".contains(one));
    let mut names =
        kind.split(|one: char| !(one.is_alphanumeric() || "_$".contains(one))).filter(|name| !name.is_empty());
    is_plain && names.all(|name| BUILT_IN.contains(&name) || is_bound(name))
}

/// An annotation and, when it is a function's, the lines on which the function returns.
struct Annotated {
    annotation: Span,
    returned: Vec<u32>,
}

/// Looks for what is annotated with the type that the value on a line has not.
struct Search<'t> {
    text: &'t str,
    line: u32,
    /// The functions around, the innermost last: what each returns is annotated with.
    around: Vec<(Option<Span>, Vec<u32>)>,
    found: Option<Annotated>,
}

impl Search<'_> {
    fn line_of(&self, place: oxc_span::Span) -> u32 {
        line_of(self.text, usize::try_from(place.start).unwrap_or_default())
    }

    fn take(&mut self, place: oxc_span::Span, annotation: Option<&TSTypeAnnotation<'_>>) {
        if self.line_of(place) == self.line
            && let Some(annotation) = annotation
        {
            self.found = Some(Annotated { annotation: span_of(annotation), returned: Vec::new() });
        }
    }

    /// After a function was walked.
    fn leave(&mut self) {
        let Some((annotation, returned)) = self.around.pop() else { return };
        if let Some(annotation) = annotation
            && self.found.is_none()
            && returned.contains(&self.line)
        {
            self.found = Some(Annotated { annotation, returned });
        }
    }
}

fn span_of(annotation: &TSTypeAnnotation<'_>) -> Span {
    let span = annotation.type_annotation.span();
    let size = |number: u32| usize::try_from(number).unwrap_or_default();
    Span { start: size(span.start), end: size(span.end) }
}

impl<'a> Visit<'a> for Search<'_> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.around.push((function.return_type.as_deref().map(span_of), Vec::new()));
        walk::walk_function(self, function, flags);
        self.leave();
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        self.around.push((function.return_type.as_deref().map(span_of), Vec::new()));
        walk::walk_arrow_function_expression(self, function);
        self.leave();
    }

    fn visit_return_statement(&mut self, returned: &ReturnStatement<'a>) {
        let line = self.line_of(returned.span);
        if let Some((_, lines)) = self.around.last_mut() {
            lines.push(line);
        }
        walk::walk_return_statement(self, returned);
    }

    fn visit_variable_declarator(&mut self, declared: &VariableDeclarator<'a>) {
        if declared.init.is_some() {
            self.take(declared.span, declared.type_annotation.as_deref());
        }
        walk::walk_variable_declarator(self, declared);
    }

    fn visit_property_definition(&mut self, property: &PropertyDefinition<'a>) {
        if property.value.is_some() {
            self.take(property.span, property.type_annotation.as_deref());
        }
        walk::walk_property_definition(self, property);
    }
}

#[cfg(test)]
mod tests {
    use super::Annotations;
    use crate::fix_example::{check_fix, check_no_fix, tsc};

    #[test]
    fn says_what_method_returns() {
        check_fix(
            &Annotations,
            tsc("a.ts(3,5): error TS2322: Type 'number' is not assignable to type 'string'."),
            r"
 class Cart {
-  subtotal(): string {
+  subtotal(): number {
     return this.lines.reduce((sum, line) => sum + line.price, 0);
   }
 }
",
        );
    }

    #[test]
    fn says_what_variable_is() {
        check_fix(
            &Annotations,
            tsc("a.ts(1,7): error TS2322: Type 'number' is not assignable to type 'string'."),
            r"
-const limit: string = 3;
+const limit: number = 3;
",
        );
    }

    #[test]
    fn says_what_property_is() {
        check_fix(
            &Annotations,
            tsc("a.ts(2,3): error TS2322: Type 'number' is not assignable to type 'string'."),
            r"
 class Cart {
-  limit: string = 3;
+  limit: number = 3;
 }
",
        );
    }

    /// The other one may be wrong.
    #[test]
    fn leaves_function_alone_where_one_return_agrees() {
        check_no_fix(
            &Annotations,
            tsc("a.ts(3,3): error TS2322: Type 'number' is not assignable to type 'string'."),
            r"
 function shown(x: number): string {
   if (x === 0) return 'nothing';
   return x;
 }
",
        );
    }

    #[test]
    fn says_nothing_that_gives_check_up() {
        for kind in ["any", "unknown", "undefined", "number | undefined", "Missing", "{}", "() => number"] {
            check_no_fix(
                &Annotations,
                tsc(&format!("a.ts(1,7): error TS2322: Type '{kind}' is not assignable to type 'string'.")),
                " const limit: string = most;\n",
            );
        }
    }
}
