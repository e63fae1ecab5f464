//! A wrong function: a related one was meant.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Place, Shape};
use crate::search::change::Changes;
use crate::span::Span;

/// Functions that people take for each other.
const RELATED: &[&[&str]] = &[
    &["slice", "substring", "substr", "splice"],
    &["indexOf", "lastIndexOf", "search", "findIndex", "includes"],
    &["push", "unshift", "concat"],
    &["pop", "shift"],
    &["push", "pop"],
    &["shift", "unshift"],
    &["toLowerCase", "toUpperCase"],
    &["toLocaleLowerCase", "toLocaleUpperCase"],
    &["toString", "valueOf", "toJSON"],
    &["startsWith", "endsWith", "includes"],
    &["find", "filter", "findIndex", "findLast"],
    &["map", "forEach", "filter", "flatMap"],
    &["some", "every"],
    &["floor", "ceil", "round", "trunc"],
    &["max", "min"],
    &["abs", "sign"],
    &["keys", "values", "entries"],
    &["padStart", "padEnd"],
    &["trim", "trimStart", "trimEnd"],
    &["test", "exec", "match"],
    &["replace", "replaceAll"],
    &["charAt", "charCodeAt", "codePointAt", "at"],
    &["fromCharCode", "fromCodePoint"],
    &["get", "has", "set"],
    &["add", "delete", "has"],
    &["parseInt", "parseFloat", "Number"],
    &["String", "Number", "Boolean"],
    &["isNaN", "isFinite", "isInteger", "isSafeInteger"],
    &["encodeURIComponent", "encodeURI", "escape"],
    &["decodeURIComponent", "decodeURI", "unescape"],
    &["call", "apply", "bind"],
    &["reduce", "reduceRight"],
    &["resolve", "reject"],
    &["all", "allSettled", "race", "any"],
    &["sort", "reverse"],
    &["then", "catch", "finally"],
    &["on", "once", "off"],
    &["getDate", "getDay"],
    &["getUTCDate", "getUTCDay"],
    &["getFullYear", "getMonth", "getDate"],
    &["getHours", "getMinutes", "getSeconds", "getMilliseconds"],
    &["setHours", "setMinutes", "setSeconds", "setMilliseconds"],
    &["setFullYear", "setMonth", "setDate"],
    &["toFixed", "toPrecision", "toString"],
    &["sin", "cos"],
    &["log", "log2", "log10"],
    &["join", "concat", "split"],
    &["flat", "flatMap"],
    &["Map", "Set", "WeakMap"],
    &["Error", "TypeError", "RangeError", "SyntaxError"],
];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place == Place::Callee) {
        let place: Span = match &node.shape {
            Shape::Name => node.span,
            Shape::Member { name, .. } => *name,
            _ => continue,
        };
        let name = site.text(place);
        for line in RELATED.iter().filter(|line| line.contains(&name)) {
            // The shorter the line, the closer its functions.
            let weight = 4.0 / f64::from(u32::try_from(line.len()).unwrap_or(u32::MAX));
            for other in line.iter().filter(|other| **other != name) {
                changes.replace(weight, &place, *other);
            }
        }
        if node.shape == Shape::Name {
            for other in site.file.functions().filter(|other| *other != name) {
                changes.replace(if site.file.unused.contains(&other) { 3.0 } else { 0.7 }, &place, other);
            }
            for other in site.names_at(place.start).iter().filter(|other| other.text != name) {
                if site.file.uses(other.text).is_called() {
                    changes.replace(1.0, &place, other.text);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_related_functions_has_several_and_none_twice() {
        for line in RELATED {
            let names: std::collections::BTreeSet<_> = line.iter().collect();
            assert!(names.len() > 1 && names.len() == line.len(), "{line:?}");
        }
    }
}
