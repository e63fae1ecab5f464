//! A script that is read as a module, or a module that is read as a script.

use super::blame::Blame;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::module::{Import, ImportKind, Module};
use crate::repair::shortlist::Shortlist;

/// Rewrites the imports and exports of a file for the kind of module that its project is made of.
pub(super) struct ModuleKind;

const NAME: &str = "module_kind";

impl Fixer for ModuleKind {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let (to_module, certain) = match &blame.complaint {
            Complaint::WrongKindOfModule { read_as_module } => (*read_as_module, true),
            Complaint::UnknownName { name } if matches!(name.as_str(), "require" | "module" | "exports") => {
                (true, false)
            }
            _ => return Vec::new(),
        };
        let mut list = Shortlist::new(&blame);
        for (depth, file) in blame.files().into_iter().enumerate() {
            let Some(module) = blame.module(file).filter(|_| blame.context.sources.is_editable(file)) else { continue };
            let text = blame.text(file);
            let edits = if to_module { to_imports(module, text) } else { to_requires(module, text) };
            let Some(edits) = edits.filter(|edits| !edits.is_empty()) else { continue };
            let bits = 1.0 + f64::from(u32::try_from(depth).unwrap_or(9)) + if certain { 0.0 } else { 1.0 };
            let kind = if to_module { "a module" } else { "a CommonJS module" };
            // A single statement may be the odd one.
            if edits.len() > 1 {
                for edit in edits.iter().take(8) {
                    list.edit(bits + 2.0, format!("write the statement as in {kind}"), file, edit.clone());
                }
            }
            list.add(bits, format!("write the imports and exports as in {kind}"), file, edits);
        }
        list.finish(NAME, 12)
    }
}

/// `import` instead of `require`, `export` instead of `module.exports`.
fn to_imports(module: &Module, text: &str) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for import in module.imports.iter().filter(|import| import.is_require) {
        if !import.is_statement {
            return None;
        }
        let quoted = text.get(import.specifier_span.start - 1..import.specifier_span.end + 1)?;
        let named: Vec<String> = import
            .names
            .iter()
            .filter(|one| one.kind == ImportKind::Named)
            .map(|one| if one.name == one.local { one.name.clone() } else { format!("{} as {}", one.name, one.local) })
            .collect();
        let clause = match (named.is_empty(), import.names.first()) {
            (false, _) => format!("{{ {} }} from ", named.join(", ")),
            (true, Some(one)) => format!("{} from ", one.local),
            (true, None) => String::new(),
        };
        let end = if import.span.text(text).ends_with(';') { ";" } else { "" };
        edits.push(Edit::replace(import.span.range(), format!("import {clause}{quoted}{end}")));
    }
    if let Some(whole) = module.exports.whole {
        let statement = module.statements.iter().find(|statement| statement.contains(whole))?;
        let assigned = whole.text(text);
        let names = module.exports.names.keys().cloned().collect::<Vec<_>>().join(", ");
        let is_list = assigned.starts_with('{') && !assigned.contains([':', '(']);
        let head = statement.start..whole.start;
        if is_list {
            edits.push(Edit::replace(statement.range(), format!("export {{ {names} }};")));
        } else {
            edits.push(Edit::replace(head, "export default "));
        }
    }
    for (name, span) in &module.exports.names {
        let Some(statement) = module.statements.iter().find(|statement| statement.contains(*span)) else { continue };
        let shown = statement.text(text);
        let before = text.get(statement.start..span.start).unwrap_or_default();
        if !matches!(before, "exports." | "module.exports.") {
            continue;
        }
        let rest = shown.get(before.len() + name.len()..).unwrap_or_default();
        let value = rest.trim_start().strip_prefix('=').map(str::trim_start).unwrap_or_default();
        let edit = if value.trim_end_matches(';').trim() == name {
            Edit::replace(statement.range(), format!("export {{ {name} }};"))
        } else {
            Edit::replace(statement.start..span.start, "export const ")
        };
        edits.push(edit);
    }
    edits.sort();
    Some(edits)
}

/// `require` instead of `import`, `module.exports` instead of `export`.
fn to_requires(module: &Module, text: &str) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut exported = Vec::new();
    for import in module.imports.iter().filter(|import| !import.is_require && import.is_statement) {
        if import.is_export {
            return None;
        }
        edits.push(Edit::replace(import.span.range(), as_require(import, text)?));
    }
    for statement in &module.statements {
        let shown = statement.text(text);
        let Some(rest) = shown.strip_prefix("export") else { continue };
        let gap = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        if let Some(value) = rest.strip_prefix("default") {
            let start = statement.start + shown.len() - value.trim_start().len();
            edits.push(Edit::replace(statement.start..start, "module.exports = "));
        } else if rest.starts_with('{') {
            let names: Vec<String> = module
                .exports
                .names
                .iter()
                .filter(|(_, span)| statement.contains(**span))
                .map(|(name, _)| name.clone())
                .collect();
            edits.push(Edit::replace(statement.range(), format!("module.exports = {{ {} }};", names.join(", "))));
        } else {
            edits.push(Edit::delete(statement.start..statement.start + "export".len() + gap));
            exported.extend(
                module
                    .exports
                    .names
                    .iter()
                    .filter(|(_, span)| statement.contains(**span))
                    .map(|(name, _)| name.clone()),
            );
        }
    }
    if !exported.is_empty() {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        edits.push(Edit::insert(text.len(), format!("{newline}\nmodule.exports = {{ {} }};\n", exported.join(", "))));
    }
    edits.sort();
    Some(edits)
}

fn as_require(import: &Import, text: &str) -> Option<String> {
    let quoted = text.get(import.specifier_span.start - 1..import.specifier_span.end + 1)?;
    let end = if import.span.text(text).ends_with(';') { ";" } else { "" };
    let named: Vec<String> = import
        .names
        .iter()
        .filter(|one| one.kind == ImportKind::Named)
        .map(|one| if one.name == one.local { one.name.clone() } else { format!("{}: {}", one.name, one.local) })
        .collect();
    let whole = import.names.iter().find(|one| one.kind != ImportKind::Named);
    Some(match (whole, named.is_empty()) {
        (None, true) => format!("require({quoted}){end}"),
        (None, false) => format!("const {{ {} }} = require({quoted}){end}", named.join(", ")),
        (Some(whole), true) => format!("const {} = require({quoted}){end}", whole.local),
        (Some(whole), false) => {
            format!("const {0} = require({quoted}){end}\nconst {{ {1} }} = {0}{end}", whole.local, named.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::ModuleKind;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn requires_in_script() {
        check_fix(
            &ModuleKind,
            node(
                r"/repo/a.js:1
SyntaxError: Cannot use import statement outside a module
    at wrapSafe (node:internal/modules/cjs/loader:1378:20)",
            ),
            r"
-import path from 'path';
+const path = require('path');

 module.exports = (file) => path.resolve(file);
",
        );
    }

    #[test]
    fn imports_in_module() {
        check_fix(
            &ModuleKind,
            node(
                r"ReferenceError: require is not defined in ES module scope, you can use import instead
    at file:///repo/a.mjs:1:14",
            ),
            r"
//- /a.mjs
-const path = require('path');
+import path from 'path';

-module.exports.load = (file) => path.resolve(file);
+export const load = (file) => path.resolve(file);
",
        );
    }

    /// A module that is required in the middle of code may be loaded late on purpose.
    #[test]
    fn leaves_require_inside_of_code_alone() {
        check_no_fix(
            &ModuleKind,
            node(
                r"ReferenceError: require is not defined in ES module scope, you can use import instead
    at load (file:///repo/a.mjs:2:10)",
            ),
            r"
//- /a.mjs
 export function load(file) {
   return require('path').resolve(file);
 }
",
        );
    }
}
