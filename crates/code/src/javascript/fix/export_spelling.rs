//! A name that a module does not offer: misspelled where it is imported, or where it is exported; or default and named mixed up.

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::index::relative;
use crate::javascript::module::{Import, ImportKind, ImportedName, Role};
use crate::repair::shortlist::{Shortlist, Suspect};
use crate::repair::spelling::slip;

/// Repairs imports of names that the module does not offer, also where that shows as a call of `undefined`.
pub(super) struct ExportSpelling;

const NAME: &str = "export_spelling";

impl Fixer for ExportSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        match &blame.complaint {
            Complaint::UnknownExport { name, specifier } => {
                // Runners name the test; the wrong import may stand in any file.
                let is_it = |import: &Import, one: &ImportedName| {
                    (one.name == *name || name == "default" && one.kind == ImportKind::Default)
                        && specifier.as_deref().is_none_or(|said| names(&import.specifier, said))
                };
                each_import(&mut list, &blame, &is_it, 0.0);
            }
            Complaint::NotCallable { expression, .. } => {
                // `(0 , module.name)` is how compiled modules call an imported name; `module.name` a whole module's.
                let last = expression.trim_matches(['(', ')', ' ']).rsplit(['.', ' ']).next().unwrap_or_default();
                let first = expression.trim_matches(['(', ')', ' ']).split('.').next().unwrap_or_default();
                let is_it =
                    |_: &Import, one: &ImportedName| one.name == last || one.local == last || one.local == first;
                each_import(&mut list, &blame, &is_it, 1.0);
            }
            Complaint::MemberOfNothing { .. } => {
                let used: Vec<&str> = blame
                    .places
                    .iter()
                    .take(2)
                    .filter_map(|place| Some((blame.module(&place.file)?, place.span)))
                    .flat_map(|(module, span)| module.words.iter().filter(move |word| span.contains(word.span)))
                    .map(|word| word.text.as_str())
                    .collect();
                let is_it = |_: &Import, one: &ImportedName| used.contains(&one.local.as_str());
                each_import(&mut list, &blame, &is_it, 3.0);
            }
            Complaint::UnknownName { .. }
            | Complaint::UnknownMember { .. }
            | Complaint::UnknownModule { .. }
            | Complaint::WrongKindOfModule { .. }
            | Complaint::ConstantAssigned { .. }
            | Complaint::Arguments
            | Complaint::Other => {}
        }
        list.finish(NAME, 16)
    }
}

/// Returns whether the specifier in a message, which may be a path, names the same module.
fn names(specifier: &str, said: &str) -> bool {
    let tail = |path: &str| path.trim_start_matches(['.', '/']).split('.').next().unwrap_or_default().to_owned();
    specifier == said || tail(said).ends_with(&tail(specifier)) || tail(specifier).ends_with(&tail(said))
}

fn each_import(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    is_it: &dyn Fn(&Import, &ImportedName) -> bool,
    extra: f64,
) {
    let named = blame.files();
    for (file, module) in blame.index.modules() {
        let far = if named.contains(&file) { 0.0 } else { 2.0 };
        for import in &module.imports {
            for one in import.names.iter().filter(|one| is_it(import, one)) {
                one_name(list, blame, file, import, one, extra + far);
            }
        }
    }
}

fn one_name(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    import: &Import,
    one: &ImportedName,
    bits: f64,
) {
    let home = blame.index.resolve(file, &import.specifier);
    let offered = match home {
        Some(home) => blame.index.exports(home),
        None => blame.runtime().exports.get(&import.specifier).cloned().unwrap_or_default(),
    };
    let has_default = home.and_then(|home| blame.module(home)).is_some_and(|module| module.exports.default.is_some());
    let name = one.name.as_str();
    if one.kind == ImportKind::Named && !offered.contains(name) {
        at_import(list, file, import, one, &offered, bits);
        elsewhere(list, blame, file, import, one, bits);
        if let Some(home) = home {
            at_export(list, blame, home, name, bits);
        }
    }
    if let Some(home) = home.filter(|_| offered.is_empty() && !has_default) {
        lost_exports(list, blame, home, bits);
    }
    kinds(list, blame, file, import, one, (&offered, has_default), bits);
}

/// `module.expotrs`: a module that offers nothing since what it assigns to is misspelled.
fn lost_exports(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, home: &str, bits: f64) {
    let words = blame.module(home).map(|module| module.words.as_slice()).unwrap_or_default();
    for word in words.iter().filter(|word| matches!(word.role, Role::Key | Role::Member | Role::Use)) {
        let suspect = Suspect { file: home, text: &word.text, span: word.span };
        list.respell(suspect, [("exports", bits)], |name| format!("replace '{}' by '{name}'", word.text));
    }
}

/// The name as the module spells it.
fn at_import(
    list: &mut Shortlist<'_, '_>,
    file: &str,
    import: &Import,
    one: &ImportedName,
    offered: &std::collections::BTreeSet<String>,
    bits: f64,
) {
    for candidate in offered {
        let Some(slip) = slip(&one.name, candidate) else { continue };
        let is_shorthand = one.whole == one.span;
        let keep = match (is_shorthand, import.is_require) {
            (false, _) => candidate.clone(),
            // The file goes on calling it as it does; when it calls it by the right name, the whole was misspelled.
            (true, false) => format!("{candidate} as {}", one.local),
            (true, true) => format!("{candidate}: {}", one.local),
        };
        let description = format!("import '{candidate}' instead of '{}'", one.name);
        list.edit(
            slip + bits + if is_shorthand { 1.5 } else { 0.0 },
            description.clone(),
            file,
            Edit::replace(one.span.range(), keep),
        );
        if is_shorthand {
            list.edit(slip + bits + 0.5, description, file, Edit::replace(one.span.range(), candidate.as_str()));
        }
    }
}

/// The name as others look for it, where it is exported; or exported at all.
fn at_export(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, home: &str, wanted: &str, bits: f64) {
    let Some(module) = blame.module(home) else { return };
    let text = blame.text(home);
    for (name, span) in &module.exports.names {
        let Some(slip) = slip(name, wanted) else { continue };
        let is_declared = module.declaration(name, 0) == Some(*span);
        let uses = if is_declared { 1.0 } else { 0.0 };
        let description = format!("export '{name}' as '{wanted}'");
        list.edit(slip + bits + 1.0 + uses, description, home, Edit::replace(span.range(), wanted));
    }
    // Declared and not exported: `export` was lost.
    let Some(declared) = module.declaration(wanted, 0) else { return };
    let Some(statement) = module.statements.iter().find(|statement| statement.contains(declared)) else { return };
    let is_declaration = ["function", "class", "const", "let", "var", "async", "enum", "type", "interface", "abstract"]
        .iter()
        .any(|word| statement.text(text).starts_with(word));
    if module.is_module && is_declaration {
        list.edit(0.5 + bits, format!("export '{wanted}'"), home, Edit::insert(statement.start, "export "));
    }
    if let Some(whole) = module.exports.whole.filter(|whole| whole.text(text).starts_with('{')) {
        let inner = text.get(whole.start + 1..whole.end.saturating_sub(1)).unwrap_or_default();
        let indent: String = inner.chars().take_while(|character| character.is_whitespace()).collect();
        let edit = Edit::insert(
            whole.start + 1 + indent.len(),
            format!("{wanted},{}", if indent.is_empty() { " " } else { &indent }),
        );
        list.edit(1.0 + bits, format!("export '{wanted}'"), home, edit);
    } else if !module.is_module {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let edit = Edit::insert(text.len(), format!("{newline}module.exports.{wanted} = {wanted};\n"));
        list.edit(4.0 + bits, format!("export '{wanted}'"), home, edit);
    }
}

/// Another module of the repository that offers the name.
fn elsewhere(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    import: &Import,
    one: &ImportedName,
    bits: f64,
) {
    if import.names.len() != 1 {
        return;
    }
    for home in blame.index.definers(&one.name).filter(|home| *home != file) {
        let full = relative(file, home);
        let has_extension = import.specifier.rsplit('/').next().is_some_and(|name| name.contains('.'));
        let stem = full.rfind('.').map_or(full.as_str(), |dot| full.get(..dot).unwrap_or_default());
        let spelled = if has_extension { full.as_str() } else { stem };
        let edit = Edit::replace(import.specifier_span.range(), spelled);
        list.edit(bits + 2.0, format!("import '{}' from '{spelled}'", one.name), file, edit);
    }
}

/// Default for named, named for default, or the whole module for one of them.
fn kinds(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    import: &Import,
    one: &ImportedName,
    (offered, has_default): (&std::collections::BTreeSet<String>, bool),
    bits: f64,
) {
    if import.is_export {
        return;
    }
    let text = blame.text(file);
    let local = one.local.as_str();
    let named = || if offered.contains(local) { 0.0 } else { 4.0 };
    if import.names.len() > 1 {
        let (edits, unlikely, how) = match one.kind {
            ImportKind::Default => (into_braces(text, import, one), named(), "by its name"),
            ImportKind::Named if has_default => (out_of_braces(text, import, one), 0.0, "as the default export"),
            ImportKind::Named | ImportKind::Whole => return,
        };
        if let Some(edits) = edits {
            list.add(bits + 1.0 + unlikely, format!("import '{local}' {how}"), file, edits);
        }
        return;
    }
    if import.is_require {
        let call_end = import.specifier_span.end + 2;
        let after = text.get(call_end..).unwrap_or_default();
        match one.kind {
            ImportKind::Named => {
                // `const { x } = require()` of a module that is `x`.
                let head = text.get(import.span.start..import.specifier_span.start).unwrap_or_default();
                if let (Some(open), Some(close)) = (head.find('{'), head.find('}')) {
                    let range = import.span.start + open..import.span.start + close + 1;
                    list.edit(
                        bits + 3.0,
                        format!("import '{local}' as the whole module"),
                        file,
                        Edit::replace(range, local),
                    );
                }
            }
            ImportKind::Whole | ImportKind::Default => {
                let description = format!("import '{local}' by its name");
                list.edit(
                    bits + 2.0 + named(),
                    description,
                    file,
                    Edit::replace(one.span.range(), format!("{{ {local} }}")),
                );
                if has_default && !after.starts_with(".default") {
                    list.edit(bits + 2.0, "import the default export", file, Edit::insert(call_end, ".default"));
                }
            }
        }
        return;
    }
    let head_end = import.specifier_span.start.saturating_sub(1);
    let head = text.get(import.span.start..head_end).unwrap_or_default();
    let Some(start) = head.find("import").map(|at| import.span.start + at + "import".len()) else { return };
    let Some(end) = head.rfind("from").map(|at| import.span.start + at) else { return };
    let mut put = |clause: String, bits: f64, description: String| {
        list.edit(bits, description, file, Edit::replace(start..end, format!(" {clause} ")));
    };
    let is_called = blame.module(file).is_some_and(|module| module.calls_name(text, local));
    let mut whole = |bits: f64| {
        if !is_called {
            put(format!("* as {local}"), bits, format!("import '{local}' as the whole module"));
        }
    };
    let to_default = if has_default { 1.0 } else { 4.0 };
    match one.kind {
        ImportKind::Named => {
            whole(bits + 5.0);
            put(local.to_owned(), bits + to_default, format!("import '{local}' as the default export"));
        }
        ImportKind::Default => {
            whole(bits + 3.0);
            put(format!("{{ {local} }}"), bits + 1.0 + named(), format!("import '{local}' by its name"));
        }
        ImportKind::Whole => {
            put(local.to_owned(), bits + to_default, format!("import '{local}' as the default export"));
            put(format!("{{ {local} }}"), bits + 2.0 + named(), format!("import '{local}' by its name"));
        }
    }
}

/// Moves the default import into the braces beside it: `{ a, b }` for `a, { b }`.
fn into_braces(text: &str, import: &Import, one: &ImportedName) -> Option<Vec<Edit>> {
    let first = import.names.iter().find(|name| name.kind == ImportKind::Named).filter(|_| !import.is_require)?;
    let between = text.get(one.whole.end..first.whole.start)?;
    let open = between.find('{')?;
    if between.get(..open)?.trim() != "," {
        return None;
    }
    let gap = between.get(open + 1..)?;
    let next = if gap.contains('\n') { gap } else { " " };
    let range = one.whole.start..first.whole.start;
    Some(vec![Edit::replace(range, format!("{{{gap}{},{next}", one.local))])
}

/// Moves a name out of the braces, before them: `a, { b }` for `{ a, b }`.
fn out_of_braces(text: &str, import: &Import, one: &ImportedName) -> Option<Vec<Edit>> {
    let is_movable = !import.is_require
        && !one.whole.text(text).starts_with("type ")
        && import.names.iter().all(|name| name.kind == ImportKind::Named);
    let at = import.names.iter().position(|name| name.whole == one.whole).filter(|_| is_movable)?;
    let head = text.get(import.span.start..import.names.first()?.whole.start)?;
    let open = import.span.start + head.rfind('{')?;
    let range = match (import.names.get(at + 1), at.checked_sub(1).and_then(|before| import.names.get(before))) {
        (Some(next), _) => one.whole.start..next.whole.start,
        (None, Some(before)) => before.whole.end..one.whole.end,
        (None, None) => return None,
    };
    Some(vec![Edit::insert(open, format!("{}, ", one.local)), Edit::delete(range)])
}

#[cfg(test)]
mod tests {
    use super::ExportSpelling;
    use crate::fix_example::{check_fix, check_no_fix, node, tsc};

    #[test]
    fn corrects_misspelt_import() {
        check_fix(
            &ExportSpelling,
            tsc(
                "src/bill.ts(1,10): error TS2724: '\"./round\"' has no exported member named 'rond'. Did you mean 'round'?",
            ),
            r"
//- /src/bill.ts
-import { rond } from './round';
+import { round } from './round';

 export const bill = (price: number) => round(price);
//- /src/round.ts
 export function round(value: number) {
   return Math.round(value);
 }
",
        );
    }

    #[test]
    fn exports_what_is_declared() {
        check_fix(
            &ExportSpelling,
            tsc("src/bill.ts(1,10): error TS2459: Module './round' declares 'round' locally, but it is not exported."),
            r"
//- /src/bill.ts
 import { round } from './round';

 export const bill = (price: number) => round(price);
//- /src/round.ts
-function round(value: number) {
+export function round(value: number) {
   return Math.round(value);
 }

 export const DIGITS = 2;
",
        );
    }

    #[test]
    fn imports_default_export_by_its_kind() {
        check_fix(
            &ExportSpelling,
            node(
                r"file:///repo/src/bill.mjs:1
SyntaxError: The requested module './sum.mjs' does not provide an export named 'sum'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)",
            ),
            r"
//- /src/bill.mjs
-import { sum, ZERO } from './sum.mjs';
+import sum, { ZERO } from './sum.mjs';

 export const bill = (prices) => sum(prices) || ZERO;
//- /src/sum.mjs
 export default function sum(prices) {
   return prices.reduce((all, price) => all + price);
 }

 export const ZERO = 0;
",
        );
        check_fix(
            &ExportSpelling,
            node(
                r"file:///repo/bill.mjs:1
SyntaxError: The requested module './sum.mjs' does not provide an export named 'sum'",
            ),
            r"
//- /bill.mjs
-import { ZERO, ONE, sum } from './sum.mjs';
+import sum, { ZERO, ONE } from './sum.mjs';
//- /sum.mjs
 export default function sum() {}
 export const ZERO = 0;
 export const ONE = 1;
",
        );
    }

    #[test]
    fn imports_named_export_by_its_name() {
        check_fix(
            &ExportSpelling,
            node(
                r"file:///repo/src/bill.mjs:1
SyntaxError: The requested module './round.mjs' does not provide an export named 'default'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)",
            ),
            r"
//- /src/bill.mjs
-import round, { DIGITS } from './round.mjs';
+import { round, DIGITS } from './round.mjs';

 export const bill = (price) => round(price, DIGITS);
//- /src/round.mjs
 export function round(value, digits) {
   return value.toFixed(digits);
 }

 export const DIGITS = 2;
",
        );
        check_fix(
            &ExportSpelling,
            node(
                r"file:///repo/bill.mjs:1
SyntaxError: The requested module './round.mjs' does not provide an export named 'default'",
            ),
            r"
//- /bill.mjs
-import round, {
+import {
+  round,
   DIGITS,
 } from './round.mjs';
 round(DIGITS);
//- /round.mjs
 export const round = Math.round;
 export const DIGITS = 2;
",
        );
    }

    /// A package's manifest says that its scripts are modules; what is called is no namespace.
    #[test]
    fn exports_as_modules_do_where_package_says_so() {
        check_fix(
            &ExportSpelling,
            node(
                r"file:///repo/use.js:1
SyntaxError: The requested module './limit.js' does not provide an export named 'limit'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)",
            ),
            r#"
//- /package.json
 { "type": "module" }
//- /limit.js
-function limit() {
+export function limit() {
   return 3;
 }
//- /use.js
 import { limit } from './limit.js';

 limit();
"#,
        );
    }

    #[test]
    fn leaves_name_of_foreign_package_alone() {
        check_no_fix(
            &ExportSpelling,
            node(
                r"file:///repo/a.mjs:1
SyntaxError: The requested module 'chalk' does not provide an export named 'Instance'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)",
            ),
            r"
//- /a.mjs protected
 import { Instance } from 'chalk';
",
        );
    }
}
