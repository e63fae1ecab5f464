//! Seeded defects for Rust packages.
//!
//! A kind is a way in which people break programs. It lists every place of the sources where it could happen; the seed
//! shuffles the places, and the N-th one is broken. Only edits that change nothing, or that touch a test, are left out
//! here: the caller judges by running the package's own checks before and after.
//!
//! This module shares no code and no table with the program that is measured by it.
//!
//! # Layout
//!
//! - [`source`]: a file, read once; [`random`]: repeatable choices
//! - [`syntax`], [`imports`], [`types`], [`traits`], [`linting`], [`logic`]: the kinds of each class
//! - [`hide`]: tests that are held back

mod hide;
mod imports;
mod linting;
mod logic;
mod random;
mod source;
mod syntax;
mod traits;
mod types;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Map, Value};

use self::random::Random;
pub(in crate::bench) use self::source::tests_of;
use self::source::{Edit, Source};

/// Places where a defect of a kind could be put.
type Places = fn(&Source, &mut Random) -> Vec<Edit>;

/// A way in which people break programs.
struct Kind {
    class: &'static str,
    name: &'static str,
    places: Places,
}

impl Kind {
    const fn new(class: &'static str, name: &'static str, places: Places) -> Self {
        Self { class, name, places }
    }
}

fn kinds() -> impl Iterator<Item = &'static Kind> {
    [syntax::KINDS, imports::KINDS, types::KINDS, traits::KINDS, linting::KINDS, logic::KINDS].into_iter().flatten()
}

/// The defect to put into a package, or another service of the injector.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Root of the package
    root: Option<PathBuf>,
    /// Files and folders that may be broken
    sources: Vec<String>,
    /// Kind of the defect
    #[arg(long)]
    kind: Option<String>,
    /// Text that decides the order of the places
    #[arg(long, default_value = "1")]
    seed: String,
    /// Number of the place to break
    #[arg(long = "try", default_value_t = 0)]
    attempt: usize,
    /// Take a third of the tests out, and print the number of them
    #[arg(long)]
    hide: bool,
    /// Print the kinds of each class
    #[arg(long)]
    kinds: bool,
    /// Print the effect of each kind, and change nothing
    #[arg(long)]
    preview: bool,
}

/// Edit that was made, or would be.
#[derive(Serialize)]
struct Defect {
    class: &'static str,
    kind: &'static str,
    file: String,
    line: usize,
    parses: bool,
    old: String,
    new: String,
    places: usize,
}

/// Puts one defect in and prints it as JSON, or does what the options request.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    print(&result(options)?);
    Ok(())
}

fn result(options: &Options) -> anyhow::Result<Value> {
    if options.kinds {
        let kinds = kinds().map(|kind| serde_json::json!({"class": kind.class, "kind": kind.name}));
        return Ok(kinds.collect());
    }
    let root = options.root.as_deref().context("the root of a package is missing")?;
    if options.hide {
        return Ok(hide::hide(root, &options.seed)?.into());
    }
    let sources = source::read(root, &options.sources)?;
    if options.preview {
        let mut all = Map::new();
        for kind in kinds() {
            let chosen = choose(&sources, kind, &options.seed, options.attempt);
            all.insert(kind.name.to_owned(), serde_json::to_value(chosen.map(|(defect, ..)| defect))?);
        }
        return Ok(Value::Object(all));
    }
    let name = options.kind.as_deref().context("--kind is missing")?;
    let kind =
        kinds().find(|kind| kind.name == name).with_context(|| format!("no kind {name}: `--kinds` lists them"))?;
    let Some((defect, source, edit)) = choose(&sources, kind, &options.seed, options.attempt) else {
        return Ok(Value::Null);
    };
    std::fs::write(root.join(&source.path), source.with(&edit))?;
    if let Some((path, text)) = &edit.added {
        add(&root.join(path), text)?;
    }
    Ok(serde_json::to_value(defect)?)
}

/// Adds an item to a file, before its tests if it ends in them.
fn add(path: &Path, item: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let (program, tests) = text.split_at(text.find("\n#[cfg(test)]\n").unwrap_or(text.len()));
    std::fs::write(path, format!("{}\n\n{item}\n{tests}", program.trim_end()))?;
    Ok(())
}

/// The place that seed and attempt choose; `None` when there are fewer places.
fn choose<'a>(sources: &'a [Source], kind: &Kind, seed: &str, attempt: usize) -> Option<(Defect, &'a Source, Edit)> {
    let mut random = Random::new(&format!("{seed}/{}", kind.name));
    let mut places = Vec::new();
    for source in sources {
        let edits = (kind.places)(source, &mut random);
        places.extend(edits.into_iter().filter(|edit| source.allows(edit)).map(|edit| (source, edit)));
    }
    random.shuffle(&mut places);
    let count = places.len();
    let (source, edit) = places.into_iter().nth(attempt)?;
    let defect = Defect {
        class: kind.class,
        kind: kind.name,
        file: source.path.clone(),
        line: source.text[..edit.range.start].matches('\n').count() + 1,
        parses: syn::parse_file(&source.with(&edit)).is_ok(),
        old: source.text[edit.range.clone()].to_owned(),
        new: edit.new.clone(),
        places: count,
    };
    Some((defect, source, edit))
}

#[expect(clippy::print_stdout, reason = "the bench reads it")]
fn print(value: &Value) {
    println!("{value}");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A program with a place for each kind of defect.
    const PROGRAM: &str = include_str!("example.txt");

    fn preview(sources: &[Source], seed: &str) -> BTreeMap<&'static str, Option<Value>> {
        let chosen = |kind: &'static Kind| {
            let defect = choose(sources, kind, seed, 0).map(|(defect, ..)| serde_json::to_value(defect).unwrap());
            (kind.name, defect)
        };
        kinds().map(chosen).collect()
    }

    #[test]
    fn every_kind_breaks_a_place_and_the_same_one_again() {
        let work = tempfile::tempdir().unwrap();
        std::fs::create_dir(work.path().join("src")).unwrap();
        std::fs::write(work.path().join("src/lib.rs"), PROGRAM).unwrap();
        std::fs::write(work.path().join("src/other.rs"), "pub fn thing() {}\n").unwrap();
        let sources = source::read(work.path(), &["src".to_owned()]).unwrap();
        assert_eq!(sources.len(), 2);

        let seven = preview(&sources, "7");
        for (kind, defect) in &seven {
            let defect = defect.as_ref().unwrap_or_else(|| panic!("{kind} finds no place"));
            assert_ne!(defect["old"], defect["new"], "{kind} changes nothing");
            let line = usize::try_from(defect["line"].as_u64().unwrap()).unwrap();
            let first_of_tests = PROGRAM.lines().position(|line| line == "#[cfg(test)]").unwrap() + 1;
            assert!(line < first_of_tests, "{kind} breaks a test");
        }
        for class in ["SYNTAX", "IMPORT", "TYPE_ERROR", "LINTING", "LOGIC"] {
            let kinds = seven.values().flatten().filter(|defect| defect["class"] == class);
            assert!(kinds.count() >= 5, "{class} has several kinds");
        }
        assert_eq!(preview(&sources, "7"), seven, "a seed is a seed");
        assert_ne!(preview(&sources, "8"), seven, "another seed is another");
    }
}
