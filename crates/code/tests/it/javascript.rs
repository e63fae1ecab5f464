//! The JavaScript fixers on small projects: the text that stood there before is among the first candidates.

use autoheal_code::environment::{Environment, Runtime};
use autoheal_code::javascript::parse::compiles;
use autoheal_code::languages::fixers;
use autoheal_code::{Candidate, FixContext, Sources, languages};
use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use proptest::prelude::*;

const CART: &str = r"'use strict';

const { round, TAX } = require('./money');
const path = require('path');

class Cart {
  constructor(owner) {
    this.owner = owner;
    this.items = [];
  }

  add(name, price) {
    this.items.push({ name, price });
    return this;
  }

  total() {
    const sum = this.items.reduce((all, item) => all + item.price, 0);
    return round(sum * (1 + TAX));
  }
}

function describe(cart, width) {
  const lines = cart.items.map((item) => `${item.name}: ${item.price}`);
  if (lines.length === 0) {
    return 'empty';
  }
  return lines.join('\n').slice(0, width);
}

async function load(file, read) {
  const text = await read(path.resolve(file));
  return JSON.parse(text);
}

async function open(file, read) {
  const data = await load(file, read);
  const cart = new Cart(data.owner);
  for (const item of data.items) {
    cart.add(item.name, item.price);
  }
  return cart;
}

module.exports = { Cart, describe, load, open };
";

const MONEY: &str = "const TAX = 0.2;\n\nfunction round(value) {\n  return Math.round(value * 100) / 100;\n}\n\nmodule.exports = { round, TAX };\n";

const MODULE: &str = "import { round } from './round.js';\nimport total from './total.js';\n\nexport function bill(prices, discount) {\n  return round(total(prices) - discount);\n}\n";
const ROUND: &str = "export function round(value) {\n  return Math.round(value);\n}\n\nexport const DIGITS = 2;\n";
const TOTAL: &str =
    "export default function total(prices) {\n  return prices.reduce((all, price) => all + price, 0);\n}\n";
const MANIFEST: &str = "{\n  \"name\": \"shop\",\n  \"dependencies\": {\n    \"chalk\": \"^5.0.0\"\n  },\n  \"devDependencies\": {\n    \"mocha\": \"^10.0.0\"\n  }\n}\n";
const OTHER_MANIFEST: &str = "{ \"name\": \"part\", \"dependencies\": { \"semver\": \"^7.1.0\" } }";
const TEST: &str =
    "const { Cart } = require('../lib/cart');\ntest('total', () => {\n  new Cart('a').add('b', 1).total();\n});\n";

fn project() -> Sources {
    let mut sources = Sources::new(Vec::new());
    for (file, text) in [
        ("lib/cart.js", CART),
        ("lib/money.js", MONEY),
        ("src/bill.mjs", MODULE),
        ("src/round.js", ROUND),
        ("src/total.js", TOTAL),
        ("package.json", MANIFEST),
        ("part/package.json", OTHER_MANIFEST),
    ] {
        sources.insert(file, text, false);
    }
    sources.insert("test/cart.test.js", TEST, true);
    sources
}

/// Every candidate for a finding at a place, cheapest first.
fn candidates(sources: &Sources, file: &str, line: u32, error: &str) -> Vec<Candidate> {
    candidates_of(Source::Test, sources, file, line, error)
}

fn candidates_of(source: Source, sources: &Sources, file: &str, line: u32, error: &str) -> Vec<Candidate> {
    let category = match error {
        error if error.contains("SyntaxError") => Category::Syntax,
        error if error.contains("Cannot find") || error.contains("export") || error.contains("import") => {
            Category::Import
        }
        _ => Category::TypeError,
    };
    let finding = Finding {
        source,
        category,
        file: Some(file.to_owned()),
        location: Some(Location { line, column: None }),
        message: error.to_owned(),
        stack: Some(format!(
            "{error}\n    at f (/s/{file}:{line}:5)\n    at /s/test/cart.test.js:3:17\n    at node:internal/x:1:1"
        )),
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect();
    let node = Runtime {
        standard_library: words("fs path os util events"),
        builtins: words("Math JSON Object Array console process require module exports"),
        ..Runtime::default()
    };
    let environment = Environment::default().with(autoheal_code::javascript::ID, node);
    let context = FixContext {
        finding: &finding,
        all_findings: std::slice::from_ref(&finding),
        sources,
        environment: &environment,
    };
    let mut found: Vec<Candidate> = fixers(&finding).iter().flat_map(|fixer| fixer.candidates(&context)).collect();
    found.retain(|candidate| sources.allows(candidate));
    found.sort_by_key(|candidate| candidate.cost);
    found
}

/// Breaks a file of the project and gives the place of the text that stood there among the candidates, from 1.
fn rank(file: &str, right: &str, wrong: &str, error: &str) -> Option<usize> {
    let mut sources = project();
    let sound = sources.text(file).unwrap().to_owned();
    assert!(sound.contains(right), "{right:?} is not in {file}");
    let at = sound.find(right).unwrap();
    let line = u32::try_from(sound[..at].matches('\n').count()).unwrap() + 1;
    sources.insert(file, sound.replacen(right, wrong, 1), false);
    position(&sources, file, &sound, &candidates(&sources, file, line, error))
}

fn position(sources: &Sources, file: &str, wanted: &str, found: &[Candidate]) -> Option<usize> {
    let restores = |candidate: &Candidate| match candidate.files.as_slice() {
        [edit] => edit.file == file && edit.apply(sources.text(file).unwrap()).unwrap() == wanted,
        _ => false,
    };
    found.iter().position(restores).map(|position| position + 1)
}

#[track_caller]
fn heals(file: &str, right: &str, wrong: &str, error: &str, within: usize) {
    let rank = rank(file, right, wrong, error);
    assert!(rank.is_some_and(|rank| rank <= within), "{wrong:?} -> {right:?}: rank {rank:?}");
}

#[test]
fn what_does_not_parse() {
    let error = "SyntaxError: missing ) after argument list";
    heals("lib/cart.js", "push({ name, price });", "push({ name, price };", error, 2);
    heals("lib/cart.js", "add(name, price) {", "add(name price) {", error, 1);
    heals("lib/cart.js", "function describe", "fucntion describe", error, 1);
    heals("lib/cart.js", "return 'empty';\n  }", "return 'empty';\n", error, 2);
    heals("lib/cart.js", "'empty'", "'empty", error, 4);
    heals("lib/cart.js", "${item.price}`", "${item.price}", error, 2);
    heals("lib/cart.js", "all + item.price", "all item.price", error, 4);
    heals("src/total.js", "0);\n}", "0);\n}\n}", error, 2);
    heals("src/round.js", "const DIGITS = 2", "const DIGITS 2", error, 1);
    heals("lib/cart.js", "if (lines.length", "if .lines.length", error, 3);
    heals("lib/cart.js", "const sum = this.items", "const sum = ; this.items", error, 2);
    heals("src/total.js", "(all, price) => all", "(all, price) = > all", error, 2);
    heals("lib/cart.js", "lines.length === 0", "lines.length = == 0", error, 4);
    heals("lib/cart.js", "lines.length === 0", "lines.length == = 0", error, 4);
    heals("lib/cart.js", "const lines = cart.items.map((item) =>", "const lines = cart.items.map((item) = >", error, 2);
    let conflict = "<<<<<<< HEAD\n  return this;\n=======\n  return null;\n>>>>>>> other";
    heals("lib/cart.js", "    return this;", &conflict.replace("  return", "    return"), error, 2);
}

#[test]
fn several_faults_of_a_file_are_repaired_together() {
    let faults = [
        ("add(name, price) {", "add(name price) {"),
        ("push({ name, price });", "push({ name, price };"),
        ("path.resolve(file));", "path.resolve(file);"),
    ];
    for faults in [&faults[..2], &faults[1..], &faults] {
        let mut sources = project();
        let sound = sources.text("lib/cart.js").unwrap().to_owned();
        let broken = faults.iter().fold(sound.clone(), |text, (right, wrong)| text.replacen(right, wrong, 1));
        sources.insert("lib/cart.js", broken, false);
        let found = candidates(&sources, "lib/cart.js", 1, "SyntaxError: Unexpected identifier 'price'");
        let rank = position(&sources, "lib/cart.js", &sound, &found);
        assert!(rank.is_some_and(|rank| rank <= 4), "{faults:?}: rank {rank:?} of {}", found.len());
    }
}

#[test]
fn a_broken_file_is_found_from_the_test_that_loads_it() {
    let mut sources = project();
    sources.insert("lib/money.js", MONEY.replace("100)", "100"), false);
    let found = candidates(&sources, "test/cart.test.js", 1, "SyntaxError: missing ) (lib/money.js)");
    assert!(position(&sources, "lib/money.js", MONEY, &found).is_some_and(|rank| rank <= 3));
}

#[test]
fn misspelled_names() {
    heals("lib/cart.js", "lines.join", "lnies.join", "ReferenceError: lnies is not defined", 2);
    heals("lib/cart.js", "const text =", "const txet =", "ReferenceError: text is not defined", 3);
    heals("lib/money.js", "Math.round", "Mtah.round", "ReferenceError: Mtah is not defined", 1);
    heals("lib/cart.js", "this.items.push", "items.push", "ReferenceError: items is not defined", 2);
    // A function that uses a name it is not given has lost a parameter.
    heals(
        "lib/cart.js",
        "load(file, read) {",
        "load(file) {",
        "ReferenceError: read is not defined\n    at load (/s/lib/cart.js:33:16)",
        12,
    );
}

#[test]
fn misspelled_members() {
    heals("lib/cart.js", "items.push", "items.psuh", "TypeError: this.items.psuh is not a function", 2);
    heals(
        "lib/cart.js",
        "lines.length",
        "lines.lenght",
        "TS2551: Property 'lenght' does not exist on type 'string[]'. Did you mean 'length'?",
        1,
    );
    let error = "TypeError: Cannot read properties of undefined (reading 'reduce')";
    heals("lib/cart.js", "this.items.reduce", "this.itmes.reduce", error, 2);
    heals("lib/cart.js", "add(name, price) {", "ad(name, price) {", "TypeError: cart.add is not a function", 3);
}

#[test]
fn modules_that_are_not_there() {
    heals("lib/cart.js", "./money", "./mony", "Error: Cannot find module './mony'", 1);
    heals("lib/cart.js", "./money", "../money", "Error: Cannot find module '../money'", 1);
    heals("lib/cart.js", "'path'", "'paht'", "Error: Cannot find module 'paht'", 1);
    heals(
        "src/bill.mjs",
        "./round.js",
        "./round",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/s/src/round' imported from /s/src/bill.mjs",
        1,
    );
    heals("src/bill.mjs", "./total.js", "./totals.js", "Could not resolve \"./totals.js\"", 1);
}

#[test]
fn names_that_are_not_exported() {
    let error = "TS2724: '\"./round.js\"' has no exported member named 'rond'. Did you mean 'round'?";
    heals("src/bill.mjs", "{ round }", "{ rond }", error, 2);
    heals(
        "src/bill.mjs",
        "import total",
        "import { total }",
        "TS2305: Module './total.js' has no exported member 'total' (import)",
        1,
    );
    heals("src/bill.mjs", "{ round }", "round", "TS1192: Module './round.js' has no default export.", 1);
    heals(
        "src/round.js",
        "export function round",
        "function round",
        "TS2459: Module './round.js' declares 'round' locally, but it is not exported.",
        1,
    );
}

#[test]
fn a_file_of_any_kind_may_be_imported() {
    let whole = "import './styles.css';\nimport data from './data/tides.json';\nexport default data;\n";
    for (right, wrong) in [("./styles.css", "./style.css"), ("./data/tides.json", "./tides.json")] {
        let mut sources = Sources::new(Vec::new());
        for file in ["src/styles.css", "src/data/tides.json", "README.md"] {
            sources.note(file);
        }
        sources.insert("src/main.js", whole.replace(right, wrong), false);
        let error = format!("Error: Failed to resolve import \"{wrong}\" from \"src/main.js\". Does the file exist?");
        let found = candidates(&sources, "src/main.js", 1, &error);
        assert_eq!(position(&sources, "src/main.js", whole, &found), Some(1), "{wrong}");
    }
}

#[test]
fn what_the_markup_of_a_component_uses_is_imported_by_its_name() {
    let whole = "<script>\n  import { clock } from './time.js';\n\n  export let seconds = 0;\n</script>\n\n<b>{clock(seconds)}</b>\n";
    let mut sources = Sources::new(Vec::new());
    sources.insert("src/time.js", "export function clock(seconds) {\n  return `${seconds}`;\n}\n", false);
    sources.insert("src/Timer.svelte", whole.replace("{ clock }", "{ clok }"), false);
    let found = candidates(&sources, "src/Timer.svelte", 7, "ReferenceError: clock is not defined");
    assert_eq!(position(&sources, "src/Timer.svelte", whole, &found), Some(1));
}

#[test]
fn imports_that_are_missing() {
    heals("lib/cart.js", "const path = require('path');\n", "", "ReferenceError: path is not defined", 1);
    heals("lib/cart.js", "{ round, TAX }", "{ round }", "ReferenceError: TAX is not defined", 1);
    // A statement that was lost is missed by all of its names.
    let mut sources = project();
    sources.insert("lib/cart.js", CART.replace("const { round, TAX } = require('./money');\n", ""), false);
    let found = candidates(&sources, "lib/cart.js", 18, "ReferenceError: round is not defined");
    let first = found[0].files[0].apply(sources.text("lib/cart.js").unwrap()).unwrap();
    assert!(first.contains("const { round, TAX } = require('./money.js');"), "{first}");
}

#[test]
fn names_that_are_imported_from_elsewhere() {
    let error = "TypeError: total is not a function\n    at bill (/w/src/bill.mjs:5:16)";
    heals("src/bill.mjs", "'./total.js'", "'./round.js'", error, 12);
    let found = |error: &str| candidates(&project(), "lib/cart.js", 26, error);
    let error = "AssertionError: '1' == 2";
    assert!(
        found(error).iter().all(|candidate| candidate.fixer != "import_source"),
        "nothing says that a value is of the wrong kind"
    );
}

#[test]
fn a_package_says_which_kind_of_module_its_scripts_are() {
    let mut sources = project();
    sources.insert("esm/package.json", "{ \"type\": \"module\" }", false);
    // Nothing in the text says that they are modules.
    sources.insert("esm/part/run.js", "console.log(path.join('a', 'b'));\n", false);
    sources.insert("esm/limit.js", "function limit() {\n  return 3;\n}\n", false);
    sources.insert("esm/use.js", "import { limit } from './limit.js';\n\nlimit();\n", false);
    let texts = |found: Vec<Candidate>| -> Vec<String> {
        let edits = found.into_iter().flat_map(|candidate| candidate.files);
        edits.map(|edit| edit.apply(sources.text(&edit.file).unwrap()).unwrap()).collect()
    };
    let imported = texts(candidates(&sources, "esm/part/run.js", 1, "ReferenceError: path is not defined"));
    assert!(imported.iter().any(|text| text.starts_with("import path from 'path'")), "{imported:?}");
    assert!(imported.iter().all(|text| !text.contains("require(")), "{imported:?}");
    let error = "SyntaxError: The requested module './limit.js' does not provide an export named 'limit'";
    let exported = texts(candidates(&sources, "esm/use.js", 1, error));
    assert!(exported.iter().any(|text| text.starts_with("export function limit")), "{exported:?}");
    assert!(exported.iter().all(|text| !text.contains("module.exports")), "{exported:?}");
    // What is called is no namespace.
    assert!(exported.iter().all(|text| !text.contains("* as limit")), "{exported:?}");
}

#[test]
fn modules_of_the_other_kind() {
    let mut sources = project();
    let error = "SyntaxError: Cannot use import statement outside a module";
    sources.insert("lib/cart.js", CART.replace("const path = require('path');", "import path from 'path';"), false);
    let found = candidates(&sources, "lib/cart.js", 4, &error.replace("SyntaxError: ", ""));
    assert_eq!(position(&sources, "lib/cart.js", CART, &found), Some(1));
}

#[test]
fn arguments_that_do_not_fit() {
    let error = "TypeError: Cannot read properties of undefined (reading 'x')";
    heals("lib/cart.js", "await load(file, read);", "await load(read, file);", error, 2);
    heals("lib/cart.js", "await load(file, read);", "await load(file);", "TS2554: Expected 2 arguments, but got 1.", 1);
    heals(
        "lib/cart.js",
        "new Cart(data.owner)",
        "new Cart(data.owner, data)",
        "TS2554: Expected 1 arguments, but got 2.",
        2,
    );
}

#[test]
fn forgotten_words() {
    let undefined = "TypeError: Cannot read properties of undefined (reading 'owner')";
    heals("lib/cart.js", "await load(file", "load(file", undefined, 2);
    heals(
        "lib/cart.js",
        "new Cart(data",
        "Cart(data",
        "TypeError: Class constructor Cart cannot be invoked without 'new'",
        1,
    );
    heals(
        "lib/cart.js",
        "return this;",
        "this;",
        "TypeError: Cannot read properties of undefined (reading 'total')",
        8,
    );
}

#[test]
fn what_does_not_parse_is_not_hidden_by_a_failure_elsewhere() {
    let mut sources = project();
    sources.insert("lib/money.js", MONEY.replace("100) / 100", "100 / 100"), false);
    let found = candidates(&sources, "lib/cart.js", 3, "SyntaxError: missing ) after argument list");
    assert!(!found.is_empty());
    assert!(found.iter().all(|candidate| candidate.fixer == "syntax"), "{found:?}");
}

#[test]
fn nothing_is_proposed_for_what_may_not_be_changed() {
    let mut sources = project();
    for file in [
        "lib/cart.js",
        "lib/money.js",
        "src/bill.mjs",
        "src/round.js",
        "src/total.js",
        "package.json",
        "part/package.json",
    ] {
        sources.protect(file);
    }
    for error in
        ["ReferenceError: x is not defined", "TypeError: a.b is not a function", "Error: Cannot find module './money'"]
    {
        assert_eq!(candidates(&sources, "lib/cart.js", 3, error), []);
    }
}

#[test]
fn a_linter_is_answered_by_what_is_known() {
    let broken = |right: &str, wrong: &str, line: u32, error: &str| {
        let mut sources = project();
        sources.insert("lib/cart.js", CART.replacen(right, wrong, 1), false);
        let found = candidates_of(Source::Lint, &sources, "lib/cart.js", line, error);
        (position(&sources, "lib/cart.js", CART, &found), found)
    };
    assert_eq!(broken("lines.join", "lnies.join", 27, "no-undef 'lnies' is not defined.").0, Some(1));
    let (lost, _) = broken("this.items.push", "items.push", 13, "no-undef 'items' is not defined.");
    assert!(lost.is_some_and(|rank| rank <= 2), "{lost:?}");
    // No class declares it.
    let (_, found) = broken("this.items.push", "basket.push", 13, "no-undef 'basket' is not defined.");
    assert!(found.iter().all(|candidate| !candidate.description.contains("from 'this'")), "{found:?}");
    assert!(found.iter().all(|candidate| candidate.fixer != "local_repair"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// For any broken text and any error message, every candidate edits an editable file, applies, changes the
    /// file, and adds no fault.
    #[test]
    fn no_candidate_adds_a_fault(
        at in 0..CART.len(),
        length in 0..4_usize,
        put in "[a-z(){}\\[\\];,.'`=> ]{0,2}",
        line in 1..60_u32,
        error in prop::sample::select(vec![
            "SyntaxError: Unexpected token",
            "ReferenceError: item is not defined",
            "TypeError: cart.add is not a function",
            "TypeError: Cannot read properties of undefined (reading 'items')",
            "Error: Cannot find module './money'",
            "SyntaxError: The requested module './money' does not provide an export named 'round'",
            "ReferenceError: require is not defined in ES module scope",
            "TS2554: Expected 1 arguments, but got 2.",
            "RangeError: nonsense",
        ]),
    ) {
        let end = (at + length).min(CART.len());
        let broken = format!("{}{put}{}", &CART[..at], &CART[end..]);
        let mut sources = project();
        sources.insert("lib/cart.js", broken, false);
        let found = candidates(&sources, "lib/cart.js", line, error);
        let again = candidates(&sources, "lib/cart.js", line, error);
        prop_assert_eq!(&found, &again);
        prop_assert!(found.len() <= 300);
        for candidate in found {
            for edit in &candidate.files {
                prop_assert!(sources.is_editable(&edit.file));
                let before = sources.text(&edit.file).unwrap();
                let after = edit.apply(before).unwrap();
                prop_assert_ne!(before, after.as_str());
                let is_manifest = edit.file == "package.json" || edit.file == "part/package.json";
                let adds_no_fault = languages::check_repair(before, edit, &after).is_ok();
                prop_assert!(is_manifest || adds_no_fault, "{}: {}", candidate.fixer, candidate.description);
                prop_assert!(!compiles(&edit.file, before) || is_manifest || compiles(&edit.file, &after));
            }
        }
    }
}
