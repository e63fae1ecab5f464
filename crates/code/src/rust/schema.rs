//! A Rust file with many changes in it ([`crate::schemata`]). Each function that is changed gets a copy for each change next to it, and calls the
//! chosen one. Where a copy cannot be added, as in the implementation of a trait, its body holds the copies; the compiler then
//! reports some errors of one copy only, and more builds are needed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use ra_ap_syntax::ast::{self, AstNode as _, HasAttrs as _, HasGenericParams as _, HasName as _};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, TextRange};

use super::syntax;
use crate::edit::{Edit, applied};
use crate::language::switch::{CHANGE, Change, Switch};

/// Put before a function: items that copies leave unused are allowed.
const ALLOW: &str = "#[allow(warnings)] ";

/// Beginning of the body, which works in crates without the standard library, too, where the tests have it.
const CHOOSE: &str = "extern crate std as autoheal_std; \
    static AUTOHEAL_CHOSEN: autoheal_std::sync::atomic::AtomicUsize = autoheal_std::sync::atomic::AtomicUsize::new(usize::MAX); \
    let autoheal_change = match AUTOHEAL_CHOSEN.load(autoheal_std::sync::atomic::Ordering::Relaxed) { \
    usize::MAX => { let autoheal_change = autoheal_std::env::var(\"VARIABLE\").ok() \
    .and_then(|autoheal_change| autoheal_change.parse::<usize>().ok()).unwrap_or(0); \
    AUTOHEAL_CHOSEN.store(autoheal_change, autoheal_std::sync::atomic::Ordering::Relaxed); autoheal_change } \
    autoheal_change => autoheal_change }; match autoheal_change { ";

/// A function that is called when the program runs.
struct Function {
    /// With attributes and documentation.
    whole: Range<usize>,
    /// Between the braces.
    body: Range<usize>,
    /// Parts of copies next to it; `None`: nothing can be added there.
    copies: Option<Copies>,
}

/// Parts of a copy of a function, and of the call of it.
struct Copies {
    /// Conditions and qualifiers: `#[cfg(unix)] async unsafe `.
    qualifiers: String,
    name: String,
    /// From the name to the body: `<T>(self, left: T) -> T where T: Copy `.
    signature: Range<usize>,
    /// Before the name in a call: `unsafe { Self::`.
    before_call: String,
    /// Behind it: `::<T>(self, left).await }`.
    after_call: String,
}

/// The text with these changes in it, and where they are; `None`: none of them can be chosen when the program runs.
pub(super) fn schema(text: &str, changes: &[Change<'_>]) -> Option<(String, Vec<Switch>)> {
    let functions = syntax::read(text, |file, _| functions(file.syntax())).ok()?;
    let mut by_function: BTreeMap<usize, Vec<&Change<'_>>> = BTreeMap::new();
    for change in changes {
        let is_in = |function: &Function| {
            change.edits.iter().all(|edit| function.body.start <= edit.start && edit.end <= function.body.end)
        };
        if let Some(at) = functions.iter().position(is_in) {
            by_function.entry(at).or_default().push(change);
        }
    }
    let (mut new, mut copied, mut switches) = (String::with_capacity(2 * text.len()), 0, Vec::new());
    for (at, changes) in by_function {
        let function = functions.get(at)?;
        new.push_str(text.get(copied..function.whole.start)?);
        switches.extend(function.switch(text, &changes, &mut new));
        copied = function.whole.end;
    }
    new.push_str(text.get(copied..)?);
    (!switches.is_empty()).then_some((new, switches))
}

impl Function {
    /// Writes the function with its changes.
    fn switch(&self, text: &str, changes: &[&Change<'_>], new: &mut String) -> Option<Switch> {
        let body = text.get(self.body.clone())?;
        let bodies =
            changes.iter().filter_map(|change| Some((change.number, changed(body, self.body.start, change.edits)?)));
        let bodies: Vec<(usize, String)> = bodies.collect();
        let mut switch = Switch { range: new.len()..new.len(), changes: Vec::new() };
        let put = |(number, body): &(usize, String), new: &mut String, switch: &mut Switch| {
            let start = new.len();
            new.push_str(body);
            switch.changes.push((*number, start..new.len()));
            new.push_str("\n} ");
        };
        new.push_str(ALLOW);
        new.push_str(text.get(self.whole.start..self.body.start)?);
        new.push_str(&CHOOSE.replace("VARIABLE", CHANGE));
        for one in &bodies {
            let _ = write!(new, "{} => {{", one.0);
            match &self.copies {
                Some(Copies { name, before_call, after_call, .. }) => {
                    let _ = write!(new, "{before_call}autoheal_{}_{name}{after_call}}} ", one.0);
                }
                None => put(one, new, &mut switch),
            }
        }
        new.push_str("_ => {");
        new.push_str(body);
        new.push_str("\n} } ");
        new.push_str(text.get(self.body.end..self.whole.end)?);
        if let Some(Copies { qualifiers, name, signature, .. }) = &self.copies {
            for one in &bodies {
                let signature = text.get(signature.clone())?;
                let _ = write!(new, " {ALLOW}{qualifiers}fn autoheal_{}_{name}{signature}{{", one.0);
                put(one, new, &mut switch);
            }
        }
        switch.range.end = new.len();
        Some(switch)
    }
}

/// The body after edits of the file, if it still is one: what does not parse would spoil the other copies.
fn changed(body: &str, start: usize, edits: &[Edit]) -> Option<String> {
    let shifted = |edit: &Edit| Edit::replace(edit.start - start..edit.end - start, edit.replacement.clone());
    let edits: Vec<Edit> = edits.iter().map(shifted).collect();
    let changed = applied(body, &edits).ok()?;
    syntax::parses(&format!("fn copy() {{{changed}\n}}")).then_some(changed)
}

fn bytes(range: TextRange) -> Range<usize> {
    usize::from(range.start())..usize::from(range.end())
}

/// The outermost functions with a body that is run and can be copied, in their order. Those of macros are not among them: their text is not a
/// function's yet. Copies do not return one hidden type, and implement nothing twice.
fn functions(file: &SyntaxNode) -> Vec<Function> {
    let has = |node: &SyntaxNode, kind| node.descendants().any(|part| part.kind() == kind);
    let is_in_function = |node: &SyntaxNode| node.ancestors().skip(1).any(|around| around.kind() == SyntaxKind::FN);
    let function = |function: ast::Fn| {
        let body = function.body()?;
        let list = body.stmt_list()?;
        let is_hidden = function.ret_type().is_some_and(|returned| has(returned.syntax(), SyntaxKind::IMPL_TRAIT_TYPE));
        let is_constant = function.const_token().is_some();
        if is_hidden || is_constant || has(list.syntax(), SyntaxKind::IMPL) {
            return None;
        }
        if is_in_function(function.syntax()) || body.attrs().next().is_some() {
            return None;
        }
        let inside = bytes(list.l_curly_token()?.text_range()).end..bytes(list.r_curly_token()?.text_range()).start;
        Some(Function {
            whole: bytes(function.syntax().text_range()),
            body: inside,
            copies: copies(&function, bytes(body.syntax().text_range()).start),
        })
    };
    file.descendants().filter_map(ast::Fn::cast).filter_map(function).collect()
}

/// Parts of the copies of a function whose body begins at that byte.
fn copies(function: &ast::Fn, body: usize) -> Option<Copies> {
    let around = function.syntax().parent().and_then(|list| list.parent());
    let owner = match around.clone().and_then(ast::Impl::cast) {
        Some(own) if own.trait_().is_none() => "Self::",
        None if around.is_none_or(|around| around.kind() != SyntaxKind::TRAIT) => "",
        Some(_) | None => return None,
    };
    let mut arguments = Vec::new();
    if let Some(parameters) = function.param_list() {
        arguments.extend(parameters.self_param().map(|_| "self".to_owned()));
        for parameter in parameters.params() {
            let Some(ast::Pat::IdentPat(pattern)) = parameter.pat() else { return None };
            if pattern.ref_token().is_some() || pattern.pat().is_some() {
                return None;
            }
            arguments.push(pattern.name()?.text().to_string());
        }
    }
    let parameters = function.generic_param_list();
    let named =
        parameters.iter().flat_map(ast::GenericParamList::type_or_const_params).map(|parameter| match parameter {
            ast::TypeOrConstParam::Type(one) => one.name(),
            ast::TypeOrConstParam::Const(one) => one.name(),
        });
    let named: Vec<String> = named.map(|name| Some(name?.text().to_string())).collect::<Option<_>>()?;
    let has_hidden =
        function.param_list()?.syntax().descendants().any(|part| part.kind() == SyntaxKind::IMPL_TRAIT_TYPE);
    let types = if named.is_empty() || has_hidden { String::new() } else { format!("::<{}>", named.join(", ")) };
    let (is_async, is_unsafe) = (function.async_token().is_some(), function.unsafe_token().is_some());
    let is_condition = |attribute: &ast::Attr| attribute.path().is_some_and(|path| path.syntax().text() == "cfg");
    let mut qualifiers = String::new();
    for condition in function.attrs().filter(is_condition) {
        let _ = write!(qualifiers, "{} ", condition.syntax().text());
    }
    for (is_there, word) in [(is_async, "async "), (is_unsafe, "unsafe ")] {
        qualifiers.push_str(if is_there { word } else { "" });
    }
    qualifiers.extend(function.abi().map(|abi| format!("{} ", abi.syntax().text())));
    let name = function.name()?;
    Some(Copies {
        qualifiers,
        name: name.text().trim_start_matches("r#").to_owned(),
        signature: bytes(name.syntax().text_range()).end..body,
        before_call: format!("{}{owner}", if is_unsafe { "unsafe { " } else { "" }),
        after_call: format!(
            "{types}({}){}{}",
            arguments.join(", "),
            if is_async { ".await" } else { "" },
            if is_unsafe { " }" } else { "" }
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const fn fixed() -> u8 { 1 }\n\n/// Sum.\npub fn sum(left: u8, right: u8) -> u8 {\n    left + right\n}\n\nfn rest() -> u8 {\n    2 // two\n}\n";

    fn at(part: &str) -> Range<usize> {
        let start = TEXT.find(part).unwrap();
        start..start + part.len()
    }

    fn schema_of(changes: &[(&str, &str)]) -> Option<(String, Vec<Switch>)> {
        let edits: Vec<[Edit; 1]> =
            changes.iter().map(|(old, new)| [Edit::replace(at(old), (*new).to_owned())]).collect();
        let changes: Vec<Change<'_>> =
            edits.iter().enumerate().map(|(at, edits)| Change { number: at + 1, edits }).collect();
        schema(TEXT, &changes)
    }

    #[test]
    fn each_change_has_a_copy_of_its_function() {
        let (text, switches) =
            schema_of(&[("left + right", "left - right"), ("2 //", "3 //"), ("+ right", "+ left")]).unwrap();
        assert!(syntax::parses(&text), "{text}");
        let copies = |switch: &Switch| -> Vec<(usize, String)> {
            switch.changes.iter().map(|(number, range)| (*number, text[range.clone()].trim().to_owned())).collect()
        };
        let found: Vec<_> = switches.iter().flat_map(copies).collect();
        let expected = [(1, "left - right"), (3, "left + left"), (2, "3 // two")];
        assert_eq!(found, expected.map(|(number, text)| (number, text.to_owned())));
        for part in [
            "/// Sum.\npub fn sum",
            "1 => {autoheal_1_sum(left, right)}",
            "fn autoheal_3_sum(left: u8, right: u8) -> u8 {",
            "_ => {\n    left + right\n",
            "const fn fixed() -> u8 { 1 }",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn what_is_computed_by_the_compiler_or_does_not_parse_is_left_out() {
        assert_eq!(schema_of(&[("1 }", "2 }"), ("u8, right", "i8, right")]), None);
        let (_, switches) = schema_of(&[("left + right", "left + )"), ("left + right", "right")]).unwrap();
        assert_eq!(switches[0].changes.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_implements_a_trait_holds_its_copies() {
        let text = "impl<T: Copy> Shop<T> {\n    async unsafe fn put<const N: usize>(&mut self, mut one: [T; N]) { one.len(); }\n}\n\
                    impl Ord for Shop { fn cmp(&self, other: &Self) -> Ordering { Ordering::Less } }\n";
        let of = |old: &str, new: &str| {
            let start = text.find(old).unwrap();
            [Edit::replace(start..start + old.len(), new.to_owned())]
        };
        let (method, comparison) = (of("one.len()", "two.len()"), of("Less", "Greater"));
        let changes = [Change { number: 1, edits: &method }, Change { number: 2, edits: &comparison }];
        let (text, _) = schema(text, &changes).unwrap();
        assert!(syntax::parses(&text), "{text}");
        for part in [
            "1 => {unsafe { Self::autoheal_1_put::<N>(self, one).await }}",
            "async unsafe fn autoheal_1_put<const N: usize>(&mut self, mut one: [T; N]) { two.len(); \n}",
            "2 => { Ordering::Greater \n}",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
