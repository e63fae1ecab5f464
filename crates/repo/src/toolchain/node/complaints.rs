//! Evidence against packages in failures of JavaScript.

use std::sync::LazyLock;

use autoheal_code::Sources;
use autoheal_code::imports::loaded_with;
use autoheal_code::javascript::manifest::package_of;
use regex::Regex;

use crate::toolchain::package_manager::{Complaints, Distribution, captures};

/// Specifiers in quotes.
static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"['"`]((?:@[\w.-]+/)?[A-Za-z0-9][\w.-]*(?:/[\w./-]*)?)['"`]"#).ok());

/// Packages in paths. Of `node_modules/.pnpm/a@1.0.0/node_modules/a` only the last folder is one.
static INSTALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bnode_modules/((?:@[\w.-]+/)?[A-Za-z0-9_][\w.-]*)").ok());

/// The expression that an error complains about: `a.b.c is not a function`.
static CHAIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\)? is not (?:a|iterable)\b").ok());

/// Files on a stack, with the lines in them.
static FRAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([A-Za-z0-9_@./+-]+\.(?:[cm]?[jt]sx?|vue|svelte))\b").ok());

/// The modules that a program loads.
static IMPORTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\b(?:from|import|require)\s*\(?\s*['"`]([^'"`\n]{1,200})['"`]"#).ok());

/// Options of node and of test runners that load a module.
const LOADING: [&str; 4] = ["--require", "-r", "--import", "--loader"];

/// Test runners.
const RUNNERS: [&str; 3] = ["mocha", "jest", "vitest"];

/// Stacks and errors of V8.
pub(super) struct Stacks;

impl Complaints for Stacks {
    fn key(&self, name: &str) -> String {
        name.to_owned()
    }

    fn named(&self, message: &str) -> Vec<String> {
        let quoted = captures(QUOTED.as_ref(), message).map(package_of);
        quoted.chain(captures(INSTALLED.as_ref(), message)).map(str::to_owned).collect()
    }

    /// The names in an expression: libraries for assertions add members to everything.
    fn mentioned(&self, message: &str) -> Vec<String> {
        captures(CHAIN.as_ref(), message).flat_map(|chain| chain.split('.')).map(str::to_owned).collect()
    }

    fn lacks_global(&self, message: &str) -> bool {
        let message = message.lines().next().unwrap_or_default().trim_end();
        message.ends_with(" is not defined")
    }

    /// Calls that led to the outermost one of the repository are those of the runner.
    fn on_traceback(&self, text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let is_own = |line: &&str| {
            line.trim_start().starts_with("at ") && self.files(line).iter().any(|file| !self.is_installed(file))
        };
        let end = lines.iter().rposition(is_own).map_or(lines.len(), |last| last + 1);
        let called = lines.into_iter().take(end);
        called.flat_map(|line| captures(INSTALLED.as_ref(), line)).map(str::to_owned).collect()
    }

    fn files<'t>(&self, text: &'t str) -> Vec<&'t str> {
        captures(FRAME.as_ref(), text).collect()
    }

    fn is_installed(&self, file: &str) -> bool {
        file.contains("node_modules/")
    }

    /// Those of the file itself come before those of the files that it loads: an assertion of a test fails without a call of the program on the
    /// stack.
    fn imported(&self, file: &str, sources: &Sources) -> Vec<String> {
        let files = std::iter::once(file).chain(loaded_with(file, sources));
        let texts: Vec<&str> = files.filter_map(|file| sources.text(file)).collect();
        let specifiers = texts.into_iter().flat_map(|text| captures(IMPORTS.as_ref(), text));
        let packages = specifiers.filter(|specifier| !specifier.starts_with(['.', '/', '#']));
        packages.map(|specifier| package_of(specifier).to_owned()).collect()
    }

    fn preloaded(&self, command: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        let mut words = command.iter();
        while let Some(word) = words.next() {
            let (option, joined) =
                word.split_once('=').map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
            if LOADING.contains(&option) {
                found.extend(
                    joined.or_else(|| words.next().map(String::as_str)).map(|module| package_of(module).to_owned()),
                );
            }
        }
        found
    }

    fn around<'m>(&self, module: &'m str) -> Vec<&'m str> {
        vec![module]
    }

    fn usual_package<'m>(&self, module: &'m str) -> &'m str {
        module
    }

    fn runs_tests(&self, key: &str) -> bool {
        RUNNERS.contains(&key)
    }

    /// A runner has hundreds of packages, and tests call few of them.
    fn answers_for_others(&self, key: &str) -> bool {
        !self.runs_tests(key)
    }

    fn installs(&self, key: &str) -> bool {
        key == "npm"
    }

    fn removed(&self, package: &Distribution, message: &str) -> Option<String> {
        let name = package.name.as_str();
        let quoted: Vec<&str> = message.split(['\'', '"', '`']).skip(1).step_by(2).collect();
        match quoted.as_slice() {
            [module, export, ..]
                if message.contains("does not provide an export named") && package_of(module) == name =>
            {
                Some(format!("`{export}` from `{module}`"))
            }
            [module, ..]
                if message.contains("Cannot find module")
                    && module.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')) =>
            {
                Some(format!("`{module}`"))
            }
            _ => {
                let chain = captures(CHAIN.as_ref(), message).next()?;
                let member = chain.strip_prefix(name)?.strip_prefix('.')?;
                message.contains("is not a function").then(|| format!("`{member}` from `{name}`"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_in_errors_and_stacks() {
        let named = |message: &str| Stacks.named(message);
        assert_eq!(named("Cannot find module '@scope/kit/lib/a'"), ["@scope/kit"]);
        assert_eq!(named("The requested module 'gadget' does not provide an export named 'make'"), ["gadget", "make"]);
        let subpath = "Package subpath './x' is not defined by \"exports\" in /t/node_modules/gadget/package.json";
        assert_eq!(named(subpath), ["exports", "gadget"]);
        assert_eq!(
            Stacks.mentioned("TypeError: err.message.should.include is not a function"),
            ["err", "message", "should", "include"]
        );
        assert_eq!(Stacks.mentioned("(0 , gadget.make) is not a function"), ["gadget", "make"]);
        let stack = "    at f (/t/node_modules/.pnpm/deep@1.0.0/node_modules/deep/a.js:1:2)\n    at g (file:///t/node_modules/@s/kit/b.mjs:3:4)\n    \
                     at Context.<anonymous> (/t/test/a.test.ts:5:6)\n    at node:internal/modules:1:1\n";
        assert_eq!(Stacks.on_traceback(stack), ["deep", "@s/kit"]);
        let run = format!("{stack}    at run (/t/node_modules/mocha/lib/runnable.js:1:1)\n");
        assert_eq!(Stacks.on_traceback(&run), ["deep", "@s/kit"]);
        assert_eq!(Stacks.on_traceback("Error\n    at run (/t/node_modules/mocha/lib/runnable.js:1:1)"), ["mocha"]);
        let own: Vec<&str> = Stacks.files(stack).into_iter().filter(|file| !Stacks.is_installed(file)).collect();
        assert_eq!(own, ["/t/test/a.test.ts"]);
    }

    #[test]
    fn what_a_test_loads_is_found_through_the_program() {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("test/a.js", "const shop = require('../shop');\nimport x from \"@s/kit/x\";\n", true);
        sources.insert("shop.js", "const { make } = require( 'gadget' );\nconst fs = require('node:fs');\n", false);
        assert_eq!(Stacks.imported("test/a.js", &sources), ["@s/kit", "gadget", "node:fs"]);
        let command = ["mocha", "--require", "should/as-function", "-r=@s/kit", "test"].map(str::to_owned);
        assert_eq!(Stacks.preloaded(&command), ["should", "@s/kit"]);
    }

    #[test]
    fn what_a_release_removed_is_told_where_the_error_says_it() {
        let gadget = Distribution { name: "gadget".to_owned(), ..Distribution::default() };
        let removed = |message: &str| Stacks.removed(&gadget, message);
        let export = "The requested module 'gadget' does not provide an export named 'make'";
        assert_eq!(removed(export).as_deref(), Some("`make` from `gadget`"));
        assert_eq!(removed("TypeError: gadget.make is not a function").as_deref(), Some("`make` from `gadget`"));
        assert_eq!(removed("Cannot find module 'gadget/lib/make'").as_deref(), Some("`gadget/lib/make`"));
        assert_eq!(removed("TypeError: gadgets.make is not a function"), None);
        assert_eq!(removed("Cannot find module 'gadget'"), None);
        assert_eq!(removed("Expected values to be strictly equal: 2 !== 3"), None);
    }

    #[test]
    fn an_undeclared_name_is_no_fault_of_what_is_imported() {
        assert!(Stacks.lacks_global("ReferenceError: compued is not defined"));
        assert!(!Stacks.lacks_global(
            "Package subpath './x' is not defined by \"exports\" in /t/node_modules/gadget/package.json"
        ));
    }

    #[test]
    fn what_a_runner_requires_is_not_suspected_with_it() {
        assert!(Stacks.runs_tests("mocha") && !Stacks.answers_for_others("mocha"));
        assert!(!Stacks.runs_tests("gadget") && Stacks.answers_for_others("gadget"));
    }
}
