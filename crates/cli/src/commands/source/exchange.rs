//! Sources as files: out for review and git, in from there or from a list of addresses.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use autoheal_engine::counted;
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_page::recipe::Recipe;
use autoheal_source::decide;
use autoheal_source::import::recipe_of;
use autoheal_source::{AddRequest, Definition, SourceFile, SourceName};
use autoheal_store::{RecipeRow, SourceRow, Store};
use serde::Deserialize as _;
use serde_json::json;
use url::Url;

use super::decide::blame;
use super::run::{Runner, perform};
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::person::person;
use crate::printer::Printer;

/// The extension of the files.
const EXTENSION: &str = "toml";

/// Writes every source, or the named ones, into a folder: a file each. Files of other sources are left alone.
pub(super) async fn export(
    folder: &Path,
    names: &[SourceName],
    json: bool,
    store: &Store,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let mut rows = Vec::new();
    for name in names {
        rows.push(super::find(store, name).await?);
    }
    if names.is_empty() {
        rows = store.sources().await?;
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))
        .bad_input()?;
    let mut written = Vec::new();
    for row in rows {
        let Some(file) = current(&row, store).await? else { continue };
        let path = folder.join(format!("{}.{EXTENSION}", row.source));
        std::fs::write(&path, file.to_toml()?)
            .with_context(|| format!("cannot write {}", path.display()))
            .bad_input()?;
        written.push(path);
    }
    if json {
        printer.json(&json!({ "files": written }))?;
    } else {
        printer.say(&format!("exported {} to {}", counted(written.len(), "source"), folder.display()));
    }
    Ok(Exit::Fine)
}

/// A source as a file.
async fn current(row: &SourceRow, store: &Store) -> Result<Option<SourceFile>, Failure> {
    let definition: Definition = serde_json::from_value(row.definition.clone())?;
    let versions = store.recipes(&row.source).await?;
    let Some(active) = RecipeRow::active(&versions) else { return Ok(None) };
    let recipe = Recipe::deserialize(&active.recipe)?;
    Ok(Some(SourceFile::of(&definition, &recipe)))
}

/// A source to be added or changed.
struct Entry {
    name: SourceName,
    file: SourceFile,
    /// True if the file cannot express which fields are required.
    required_as_found: bool,
    /// True if the file describes the source completely, as the files written by `export` do.
    is_whole: bool,
}

/// Adds or changes the sources of a folder of files, of one file, or of a list of addresses. Reports those that fail, and continues.
pub(super) async fn import(
    path: &Path,
    json: bool,
    store: &Store,
    config: &Config,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let wanted = read(path, printer)?;
    let runner = Runner::new(store, config, printer)?;
    let (mut results, mut all_good) = (Vec::new(), true);
    for entry in wanted {
        let name = entry.name.clone();
        let done = match store.source(name.as_str()).await? {
            Some(row) => change(&row, &entry, store).await,
            None => match add(entry, &runner).await? {
                Some(done) => done,
                None => return Ok(Exit::Cancelled),
            },
        };
        let (is_good, told) = match done {
            Ok(done) => (true, done.to_owned()),
            Err(failure) => (false, format!("{:#}", failure.error)),
        };
        all_good &= is_good;
        printer.say(&format!("{name}: {told}"));
        results.push(json!({ "source": name, "imported": is_good, "message": told }));
    }
    if json {
        printer.json(&results)?;
    }
    Ok(if all_good { Exit::Fine } else { Exit::NotHealed })
}

/// Adds a source, as `source add` does. `None` if the user stopped it.
async fn add(entry: Entry, runner: &Runner<'_>) -> Result<Option<Result<&'static str, Failure>>, Failure> {
    let mut task = NewTask::new(TaskKind::AddSource, entry.name.to_string(), runner.now());
    let (required_as_found, asked_by) = (entry.required_as_found, Some(person()));
    let request = AddRequest { required_as_found, asked_by, ..entry.file.into_request() };
    task.context = serde_json::to_value(request)?;
    let Some(row) = perform(runner, task).await? else { return Ok(None) };
    if row.is_well() {
        return Ok(Some(Ok("added")));
    }
    let results = row.results.unwrap_or_default();
    let reason = results["error"].as_str().unwrap_or("the page could not be added").to_owned();
    Ok(Some(Err(Failure::bad_input(reason))))
}

/// Updates an existing source to match the file: as a new version of the recipe, activated by the user.
async fn change(row: &SourceRow, entry: &Entry, store: &Store) -> Result<&'static str, Failure> {
    let Some(known) = current(row, store).await? else {
        return Err(Failure::bad_input("it has no active recipe"));
    };
    let file = &entry.file;
    // An entry without settings does not change them.
    if !entry.is_whole {
        return if known.url == file.url {
            Ok("unchanged: it is there already")
        } else {
            Err(Failure::bad_input("another source has this name; write a different name before the address"))
        };
    }
    let wanted = SourceFile { recipe: file.recipe.clone().or_else(|| known.recipe.clone()), ..file.clone() };
    if wanted == known {
        return Ok("unchanged");
    }
    let recipe = wanted.recipe.context("it has no recipe")?;
    let definition = file.redefine(&serde_json::from_value(row.definition.clone())?);
    decide::replace(store, &entry.name, &recipe, definition, &person(), store.now()).await.map_err(blame)?;
    Ok("changed; its next run shows whether it works")
}

/// Reads the sources at a path.
fn read(path: &Path, printer: &Printer) -> Result<Vec<Entry>, Failure> {
    if path.is_dir() {
        return read_folder(path);
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display())).bad_input()?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        EXTENSION => Ok(vec![source(path, &text)?]),
        "json" => Ok(vec![of_another_tool(path, &text, printer)?]),
        _ => text
            .lines()
            .enumerate()
            .map(|(index, line)| (index, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(index, line)| {
                let place = || format!("{} line {}: {line:?}", path.display(), index + 1);
                address(line).with_context(place).bad_input()
            })
            .collect(),
    }
}

fn read_folder(folder: &Path) -> Result<Vec<Entry>, Failure> {
    let unreadable = || format!("the folder {} cannot be read", folder.display());
    let entries = std::fs::read_dir(folder).with_context(unreadable).bad_input()?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>().with_context(unreadable).bad_input()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    paths.sort();
    if paths.is_empty() {
        return Err(Failure::bad_input(format!(
            "there is no file that ends with .{EXTENSION} in {}",
            folder.display()
        )));
    }
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
        source(path, &text.bad_input()?)
    };
    paths.iter().map(read).collect()
}

/// Parses the file of another tool, which must name its pages.
fn of_another_tool(path: &Path, text: &str, printer: &Printer) -> Result<Entry, Failure> {
    let shown = || path.display().to_string();
    let imported = recipe_of(text).map_err(|error| error.named(&shown())).bad_input()?;
    for note in &imported.notes {
        printer.say(note);
    }
    let Some((url, more)) = imported.urls.split_first() else {
        let shown = shown();
        return Err(Failure::bad_input(format!(
            "{shown} has no page; add it with `autoheal source add URL --recipe {shown}`"
        )));
    };
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let mut names = imported.name.as_deref().into_iter().chain([stem]);
    let name = names.find_map(|name| name.parse().ok()).or_else(|| SourceName::suggested(url));
    let name = name
        .with_context(|| format!("{}: cannot derive a name of a source from the name of the file; rename it", shown()))
        .bad_input()?;
    let required_as_found = !imported.says_required();
    let file = SourceFile { more: more.to_vec(), recipe: Some(imported.recipe), ..SourceFile::at(url.clone()) };
    Ok(Entry { name, file, required_as_found, is_whole: false })
}

/// The source in a file, which has its name.
fn source(path: &Path, text: &str) -> Result<Entry, Failure> {
    let shown = || path.display().to_string();
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let name = stem.parse().with_context(shown).bad_input()?;
    let file = SourceFile::parse(text).with_context(shown).bad_input()?;
    Ok(Entry { name, file, required_as_found: false, is_whole: true })
}

/// A line: an address, or a name and an address.
fn address(line: &str) -> anyhow::Result<Entry> {
    let (name, url) = line.split_once(char::is_whitespace).map_or((None, line), |(name, url)| (Some(name), url.trim()));
    let url = Url::parse(url).context("expected an address, or a name and an address")?;
    let name = match name {
        Some(name) => name.parse()?,
        None => SourceName::suggested(&url).context("cannot derive a name from the address; write one before it")?,
    };
    Ok(Entry { name, file: SourceFile::at(url), required_as_found: false, is_whole: false })
}
