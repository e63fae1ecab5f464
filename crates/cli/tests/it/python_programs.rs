//! Tests of `autoheal scraper fix`: a Python program whose selectors are broken, with the store that it has written.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use autoheal_scraper::{Place, Query, Scraper, Visit};
use autoheal_source::SelectorLanguage;
use autoheal_testkit::github::{Behaviour, CiPlan};
use autoheal_testkit::repository::{self, TestRepository};
use serde_json::Value;

use crate::binary::{Ended, Home};
use crate::github::{TOKEN, World};

const PROGRAM: &str = r#"import autoheal

PRICE = ".price::text"


def parse(html):
    page = autoheal.Page(html)
    title = page.css('h1.title::text').get()
    price = page.css(PRICE).get()
    heading = page.xpath("//h1[@class='title']/text()").get()
    return title, price, heading
"#;

const OLD: &str = r#"<html><body><div id="nav"><a href="/">Home</a></div><div class="item"><h1 class="title">NAME</h1>
<p class="text">NAME is made by hand in a small workshop in the hills, and lasts for many years.</p>
<p>Price <span class="price">COST</span></p></div><div id="foot">Our shop since 1990</div></body></html>"#;
const NEW: &str = r#"<html><body><header><a href="/">Home</a></header><main><section class="detail">
<h2 class="product-name">NAME</h2><p class="about">NAME is made by hand in a small workshop in the hills, and
lasts for many years.</p><div class="box"><span class="label">Price</span> <strong class="cost">COST</strong></div>
</section></main><footer>Our shop since 1990</footer></body></html>"#;

/// Reads a page as the program does by the Python package.
fn read(scraper: &Arc<Scraper>, layout: &str, name: &str, cost: &str) {
    let visit = Visit::new(Arc::clone(scraper), layout.replace("NAME", name).replace("COST", cost).into(), None);
    for (field, line, selector, language) in [
        ("title", 8, "h1.title::text", SelectorLanguage::Css),
        ("price", 9, ".price::text", SelectorLanguage::Css),
        ("heading", 10, "//h1[@class='title']/text()", SelectorLanguage::XPath),
    ] {
        let place = Place { function: "shop.parse".into(), file: "shop.py".into(), line, name: field.into() };
        visit.look(&place, &Query::parse(selector, language).unwrap(), None, true).unwrap();
    }
}

/// A program in a folder, with the store that it has written.
pub(crate) fn learnt(folder: &Path, with_redesign: bool) {
    fs::write(folder.join("shop.py"), PROGRAM).unwrap();
    let scraper = Arc::new(Scraper::open_file(&folder.join("scraper.heal.db")).unwrap());
    for (name, cost) in [("Oak table", "$120.00"), ("Pine chair", "$45.50"), ("Elm shelf", "$80.00")] {
        read(&scraper, OLD, name, cost);
    }
    if with_redesign {
        read(&scraper, NEW, "Beech bed", "$310.00");
    }
    scraper.flush().unwrap();
}

#[test]
fn broken_selectors_are_replaced_where_the_program_has_them() {
    let home = Home::new();
    learnt(home.path(), true);
    let ended = home.run(&["scraper", "fix", "--store", "scraper.heal.db"]);
    assert!(ended.stdout.contains("-PRICE = \".price::text\"\n+PRICE = \".cost::text\"\n"), "{ended:?}");
    assert!(ended.stdout.starts_with("--- a/shop.py\n+++ b/shop.py\n"), "{ended:?}");
    assert!(ended.stderr.contains("(before: \"$80.00\", now: \"$310.00\")"), "{ended:?}");
    assert!(ended.stderr.contains("is not replaced: the program asks with XPath"), "{ended:?}");
    assert_eq!(ended.code, Some(1));
    assert_eq!(fs::read_to_string(home.path().join("shop.py")).unwrap(), PROGRAM, "nothing is written unasked");

    let answer: Value =
        serde_json::from_str(&home.run(&["scraper", "fix", "--store", "scraper.heal.db", "--json"]).stdout).unwrap();
    assert_eq!(answer[1]["new_selector"], ".cost::text", "{answer}");
    assert_eq!(answer[1]["line"], 3, "{answer}");

    let ended = home.run(&["scraper", "fix", "--store", "scraper.heal.db", "--write"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    let program = fs::read_to_string(home.path().join("shop.py")).unwrap();
    assert_eq!(
        program,
        PROGRAM.replace(".price::text", ".cost::text").replace("h1.title::text", ".product-name::text"),
        "{ended:?}"
    );
}

#[test]
fn selectors_that_are_put_together_or_there_twice_are_told() {
    let home = Home::new();
    learnt(home.path(), true);
    let program = PROGRAM
        .replace("'h1.title::text'", "'h1' '.title::text'")
        .replace("PRICE = \".price::text\"", "PRICE = \".price::text\"\nOTHER = \".price::text\"");
    fs::write(home.path().join("shop.py"), program).unwrap();
    let ended = home.run(&["scraper", "fix", "--store", "scraper.heal.db"]);
    assert!(ended.stderr.contains("it may be put together"), "{ended:?}");
    assert!(ended.stderr.contains("is in the file 2 times"), "{ended:?}");
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_program_that_works_is_left_alone() {
    let home = Home::new();
    learnt(home.path(), false);
    let ended = home.run(&["scraper", "fix", "--store", "scraper.heal.db"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    assert!(ended.stderr.contains("no selector is broken"), "{ended:?}");
    let ended = home.run(&["scraper", "fix", "--store", "elsewhere.db"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("name the store that the program writes"), "{ended:?}");
}

/// The working tree is as the user left it; the branch has the selectors, in a commit that does not depend on when it is made.
#[test]
fn a_branch_of_the_programs_repository_has_the_new_selectors() {
    let home = Home::new();
    learnt(home.path(), true);
    let repository = TestRepository::with_files(&[("README.md", "Spiders"), ("spiders/shop.py", PROGRAM)]);
    let program = repository.path().join("spiders");
    fs::write(program.join("shop.py"), format!("{PROGRAM}# not committed\n")).unwrap();
    let program_path = program.display().to_string();
    let fix = || home.run(&["scraper", "fix", &program_path, "--store", "scraper.heal.db", "--branch", "fresh"]);
    let ended = fix();
    assert!(ended.stderr.contains("the branch fresh has the new selectors"), "{ended:?}");
    assert!(ended.stderr.contains("git merge fresh"), "{ended:?}");
    let shown = repository::git(&repository.path(), &["show", "fresh:spiders/shop.py"]);
    assert_eq!(
        shown.trim_end(),
        PROGRAM.replace(".price::text", ".cost::text").replace("h1.title::text", ".product-name::text").trim_end()
    );
    assert!(
        repository::git(&repository.path(), &["log", "-1", "--format=%B", "fresh"]).contains("Replace 2 selectors")
    );
    assert!(fs::read_to_string(program.join("shop.py")).unwrap().ends_with("# not committed\n"));

    let again = fix();
    assert!(again.stderr.contains("already had the new selectors"), "{again:?}");

    repository::git(&repository.path(), &["branch", "taken"]);
    let taken = home.run(&["scraper", "fix", &program_path, "--store", "scraper.heal.db", "--branch", "taken"]);
    assert_eq!(taken.code, Some(2), "a branch that another commit is on is not moved: {taken:?}");
    let main = home.run(&["scraper", "fix", &program_path, "--store", "scraper.heal.db", "--branch", "main"]);
    assert_eq!(main.code, Some(2), "{main:?}");
    let nowhere = home.run(&["scraper", "fix", ".", "--store", "scraper.heal.db", "--branch", "fresh"]);
    assert!(nowhere.code == Some(2) && nowhere.stderr.contains("is not in a git repository"), "{nowhere:?}");
}

#[test]
fn a_pull_request_shows_what_was_replaced() {
    let behaviour = Behaviour::new(TOKEN, |_: &_| CiPlan::green());
    let Some(world) = World::of(&[("shop.py", PROGRAM)], behaviour) else { return };
    learnt(world.home.path(), true);
    let fix = || {
        let url = world.github.url();
        let mut command = world.home.command(&["scraper", "fix", &url, "--store", "scraper.heal.db", "--pull-request"]);
        command.env("GITHUB_TOKEN", TOKEN).env("AUTOHEAL_GITHUB_API", world.github.api());
        Ended::of(&mut command)
    };
    let ended = fix();
    assert!(ended.stderr.contains("opened the pull request"), "{ended:?}");
    assert_eq!(ended.code, Some(1), "one selector, an XPath, is not replaced: {ended:?}");
    let body = world.github.pulls()[0].body.clone();
    for text in [
        "| `price` | `shop.py:3` | `.price::text` | `.cost::text` | `$80.00` | `$310.00` |",
        "```html",
        "not replaced: ",
    ] {
        assert!(body.contains(text), "no {text} in {body}");
    }
    let shown = repository::git(&world.github.repository(), &["show", "autoheal-selectors:shop.py"]);
    assert!(shown.contains(".cost::text") && !shown.contains(".price::text"), "{shown}");

    let again = fix();
    assert!(again.stderr.contains("brought the pull request"), "{again:?}");
    assert_eq!(world.github.pulls().len(), 1);
}
