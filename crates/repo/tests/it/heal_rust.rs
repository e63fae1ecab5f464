//! From red to green in small Rust repositories, end to end: real git, real sandbox, real cargo. None needs a crate from a registry.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use autoheal_engine::StopReason;
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;

use crate::driver::{self, Healed};

const MANIFEST: &str = "[package]\nname = \"the-shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

const LIB: &str = "\
//! A shop.

mod cart;

pub use cart::Cart;

/// Adds.
///
/// ```
/// assert_eq!(the_shop::add(1, 1), 2);
/// ```
pub fn add(a: u64, b: u64) -> u64 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
";

const CART: &str = "\
use std::collections::BTreeMap;

/// A cart.
#[derive(Debug, Default)]
pub struct Cart {
    lines: BTreeMap<String, u64>,
}

impl Cart {
    /// Puts something in.
    pub fn put(&mut self, name: &str, price: u64) {
        let line = self.lines.entry(name.to_owned()).or_default();
        *line += price;
    }

    /// The sum of all prices.
    pub fn total(&self) -> u64 {
        let mut sum = 0;
        for price in self.lines.values() {
            sum = crate::add(sum, *price);
        }
        sum
    }

    /// For the user.
    pub fn shown(&self) -> String {
        self.total().to_string()
    }
}
";

const DIGITS: &str = "\
use std::fmt;

const BASE: u64 = 10;

/// A number that is shown by its digits.
pub struct Digits(pub u64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0;
        let mut count = 0;
        while left > 0 {
            count += 1;
            left /= BASE;
        }
        write!(f, \"{} digits\", count.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted() {
        for (number, shown) in [(0, \"1 digits\"), (9, \"1 digits\"), (10, \"2 digits\"), (12_345, \"5 digits\")] {
            assert_eq!(Digits(number).to_string(), shown);
        }
    }
}
";

const TEST: &str = "\
use the_shop::Cart;

#[test]
fn a_cart_has_a_total() {
    let mut cart = Cart::default();
    cart.put(\"a\", 2);
    cart.put(\"b\", 3);
    assert_eq!(cart.total(), 5);
    assert_eq!(cart.shown(), \"5\");
}
";

const WORKFLOW: &str = "\
name: CI
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: dtolnay/rust-toolchain@stable
      - run: cargo fmt --all -- --check
      - run: cargo clippy --all-targets -- -D warnings
      - run: cargo test --verbose
";

/// The shop, with one text replaced by another in a file.
fn shop(file: &str, text: &str, broken: &str) -> Vec<(&'static str, String)> {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIB), ("src/cart.rs", CART), ("tests/it.rs", TEST)];
    let files = files.map(|(name, content)| {
        if name != file {
            return (name, content.to_owned());
        }
        assert!(content.contains(text), "{text} in {name}");
        (name, content.replacen(text, broken, 1))
    });
    files.to_vec()
}

fn repository(files: &[(&'static str, String)]) -> TestRepository {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, content)| (*name, content.as_str())).collect();
    TestRepository::with_files(&files)
}

/// Heals; `None`, loudly, where cargo is missing.
async fn heal(repository: &TestRepository) -> Option<Healed> {
    heal_as_asked(HealRequest::new(repository.path().display().to_string())).await
}

/// The same, as asked.
async fn heal_as_asked(request: HealRequest) -> Option<Healed> {
    let healed = driver::heal(request).await?;
    let error = healed.state.error.as_ref().map(ToString::to_string).unwrap_or_default();
    if error.contains("no cargo was found") {
        autoheal_testkit::skip("healing Rust", &error);
        return None;
    }
    Some(healed)
}

/// A repository that was broken from the start goes from red to green, and is what it was before.
async fn heals(file: &str, text: &str, broken: &str) {
    let repository = repository(&shop(file, text, broken));
    let Some(healed) = heal(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let whole = [("src/lib.rs", LIB), ("src/cart.rs", CART)].into_iter().find(|(name, _)| *name == file).unwrap().1;
    assert_eq!(repository.git(&["show", &format!("AUTOHEAL_BOT_AI_Fix:{file}")]), whole.trim_end());
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), file);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_missing_bracket_goes_from_red_to_green() {
    heals("src/cart.rs", "or_default();", "or_default(;").await;
}

#[tokio::test]
async fn a_missing_brace_goes_from_red_to_green() {
    heals("src/cart.rs", "*price);\n        }\n", "*price);\n").await;
}

#[tokio::test]
async fn a_lost_import_goes_from_red_to_green() {
    heals("src/cart.rs", "use std::collections::BTreeMap;\n\n", "").await;
}

#[tokio::test]
async fn a_method_that_is_misspelt_goes_from_red_to_green() {
    heals("src/cart.rs", "self.total()", "self.totl()").await;
}

#[tokio::test]
async fn a_lost_mut_goes_from_red_to_green() {
    heals("src/cart.rs", "let mut sum", "let sum").await;
}

#[tokio::test]
async fn a_fault_of_logic_is_found_by_search() {
    heals("src/lib.rs", "    a + b\n", "    a - b\n").await;
}

/// Some of the changes loop for ever, some do not compile, and some are in a constant or in the implementation of a trait.
#[tokio::test]
async fn one_build_tries_many_changes() {
    let mut files = shop("src/lib.rs", "mod cart;\n", "mod cart;\nmod digits;\n");
    files.push(("src/digits.rs", DIGITS.replace("left /= BASE", "left -= BASE")));
    let repository = repository(&files);
    let Some(healed) = heal(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/digits.rs"]), DIGITS.trim_end());
    let searches = &healed.state.tried.searches;
    let (tried, alone, builds) = searches.iter().fold((0, 0, 0), |(tried, alone, builds), search| {
        (tried + search.tried, alone + search.loaded_anew, builds + search.builds)
    });
    assert!(builds > 0 && tried > 3 * (builds + alone), "{tried} tried, {alone} alone, {builds} builds");
}

#[tokio::test]
async fn errors_that_hide_each_other_are_healed_in_turn() {
    let mut files = shop("src/cart.rs", "self.total()", "self.totl()");
    files[1].1 = LIB.replace("a + b", "a + c");
    let cart = files[2].1.replace("let mut sum", "let sum").replace("name.to_owned()", "name.to_ownd()");
    files[2].1 = cart;
    let repository = repository(&files);
    let Some(healed) = heal(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/cart.rs"]), CART.trim_end());
}

/// The tree of the commit before is built, too, and cargo must not take one for the other.
#[tokio::test]
async fn a_finding_of_clippy_is_seen_and_healed() {
    let mut files = shop("src/lib.rs", "", "");
    files.push((".github/workflows/ci.yml", WORKFLOW.to_owned()));
    let repository = repository(&files);
    repository.write("src/cart.rs", CART.replace("        sum\n", "        return sum;\n")).commit("return it");
    let Some(healed) = heal(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/cart.rs"]), CART.trim_end());
}

#[tokio::test]
async fn a_file_that_is_not_formatted_is_formatted() {
    let mut files = shop("src/lib.rs", "", "");
    files.push((".github/workflows/ci.yml", WORKFLOW.to_owned()));
    let repository = repository(&files);
    let unformatted = CART
        .replace("use std", "use std::fmt::Debug;\nuse std")
        .replace("#[derive(Debug, Default)]", "#[derive(Debug,Default)]");
    let unformatted = unformatted
        .replace("    pub fn shown(&self)", "    pub fn debug(&self)->&dyn Debug { self }\n\n    pub fn shown(&self)");
    repository.write("src/cart.rs", unformatted).commit("more");
    let Some(healed) = heal(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    let healed = repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/cart.rs"]);
    assert!(healed.starts_with("use std::collections::BTreeMap;\nuse std::fmt::Debug;\n"), "{healed}");
}

/// Wrong tests, and code that could only be silenced, are left to the user.
#[tokio::test]
async fn what_only_a_user_can_know_is_left_alone() {
    for (file, text, broken) in [
        ("tests/it.rs", "cart.total(), 5", "cart.total(), 6"),
        ("src/lib.rs", "the_shop::add(1, 1), 2", "the_shop::add(1, 1), 3"),
        ("src/lib.rs", "    a + b\n", "    todo!()\n"),
        // A test program that ends before its tests did has not passed.
        (
            "tests/it.rs",
            "    let mut cart",
            "    std::process::exit(0);\n    #[allow(unreachable_code)]\n    let mut cart",
        ),
    ] {
        let repository = repository(&shop(file, text, broken));
        let mut request = HealRequest::new(repository.path().display().to_string());
        // A wrong expectation is searched for until the time is over.
        request.limits.search_seconds = 5;
        let Some(healed) = heal_as_asked(request).await else { return };
        assert_eq!(
            healed.results.stop_reason,
            StopReason::NoProgress,
            "{broken}: {}\n{:?}",
            healed.report,
            healed.events
        );
        assert!(healed.results.total_failures > 0, "{broken}");
    }
}

/// A wrong expectation must not become right because nothing is compared with it any more.
#[tokio::test]
async fn a_test_that_compares_nothing_any_more_is_not_healed() {
    const NUMBERS: &str = "\n/// Some numbers.\npub fn numbers() -> std::ops::Range<u64> {\n    1..3\n}\n";
    let compared = "    for one in the_shop::numbers() {\n        assert_eq!(the_shop::add(one, one), 3);\n    }\n";
    let mut files =
        shop("tests/it.rs", "    assert_eq!(cart.shown()", &format!("{compared}    assert_eq!(cart.shown()"));
    files[1].1 = format!("{LIB}{NUMBERS}");
    let repository = repository(&files);
    let mut request = HealRequest::new(repository.path().display().to_string());
    request.limits.search_seconds = 30;
    let Some(healed) = heal_as_asked(request).await else { return };
    let searches = &healed.state.tried.searches;
    assert!(searches.iter().any(|search| search.plausible > 0), "nothing tempts: {searches:?}");
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}\n{:?}", healed.report, healed.events);
    assert!(healed.report.contains("can no longer fail"), "{}", healed.report);
}
