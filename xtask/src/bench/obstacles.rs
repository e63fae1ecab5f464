//! False alarms of the classifier of pages that are not the page, on real pages that are.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use autoheal_page::Document;
use autoheal_page::document::decode;
use autoheal_page::obstacle::{Language, Response, language};

/// Pages to classify.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folders with pages somewhere below them, as `*.html.gz`
    #[arg(required = true, value_name = "FOLDER")]
    pages: Vec<PathBuf>,
}

/// Classifies every page, and lists those that are called something else.
#[expect(clippy::print_stdout, reason = "the figures are the output of the command")]
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let files: Vec<PathBuf> =
        options.pages.iter().map(|folder| pages_below(folder)).collect::<Result<Vec<_>, _>>()?.concat();
    let url = "https://page.example/".parse()?;
    let mut counts: BTreeMap<_, u32> = BTreeMap::new();
    let mut languages: BTreeMap<&Path, Option<Language>> = BTreeMap::new();
    for file in &files {
        let packed = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut body = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut body)?;
        let html = decode(&body);
        let page = Document::parse(&html);
        languages.insert(file, language(&page));
        let response = Response { html: &html, page: &page, content_type: None, asked: &url, url: &url };
        if let Some(obstacle) = response.obstacle() {
            println!("{}: {obstacle}", file.display());
            *counts.entry(obstacle.kind).or_default() += 1;
        }
    }
    let called: u32 = counts.values().sum();
    println!("{} pages, {called} called something else: {counts:?}", files.len());
    let of = |file: &Path| languages.get(file)?.as_ref();
    let new = files.iter().filter(|file| file.ends_with("new.html.gz"));
    let pairs: Vec<_> = new.filter_map(|new| Some((new, of(&new.with_file_name("old.html.gz"))?, of(new)?))).collect();
    let others: Vec<_> = pairs.iter().filter(|(_, old, new)| !new.may_be(old)).collect();
    for (file, old, new) in &others {
        println!("{}: in `{}`, and in `{}` before", file.display(), new.detected, old.detected);
    }
    println!("{} pages with a language, and one of an earlier page; {} are in another one", pairs.len(), others.len());
    Ok(())
}

fn pages_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if entry.file_name().to_string_lossy().ends_with(".html.gz") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}
