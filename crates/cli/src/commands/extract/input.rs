//! Origin of pages: addresses, files, folders, standard input.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use autoheal_fetch::{FetchRequest, Fetcher};
use url::Url;

use crate::commands::relocate::read_page;
use crate::exit::{Blame as _, Exit, Failure};

/// Longer pages from standard input are refused, in bytes.
const LARGEST: u64 = 64 << 20;

/// A page and where it is from.
pub(super) struct Page {
    pub(super) content: Vec<u8>,
    pub(super) url: Option<Url>,
}

/// Origin of one page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Address(Url),
    File(PathBuf),
    Standard,
}

/// Everything that was named, folders as the files in them, sorted, and a list as what its lines name; and whether that may be
/// several pages.
///
/// # Errors
///
/// When a folder or the list cannot be read.
pub(super) fn all(named: &[String], list: Option<&Path>) -> Result<(Vec<Input>, bool), Failure> {
    let mut inputs = Vec::new();
    let mut are_several = named.len() > 1 || list.is_some();
    let listed = list.map(lines_of).transpose()?.unwrap_or_default();
    for text in named.iter().chain(&listed) {
        if text == "-" {
            inputs.push(Input::Standard);
        } else if let Some(url) = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https")) {
            inputs.push(Input::Address(url));
        } else if Path::new(text).is_dir() {
            are_several = true;
            inputs.extend(pages_of(Path::new(text))?.into_iter().map(Input::File));
        } else {
            inputs.push(Input::File(PathBuf::from(text)));
        }
    }
    Ok((inputs, are_several))
}

/// The lines of a list that name something; those that begin with `#` are for its readers.
fn lines_of(list: &Path) -> Result<Vec<String>, Failure> {
    let cannot = || format!("cannot read the list {}", list.display());
    let text = std::fs::read_to_string(list).with_context(cannot).bad_input()?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

fn pages_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display())).bad_input()?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display())).bad_input()?.path();
        let is = |path: &Path, wanted: &[&str]| {
            path.extension().is_some_and(|extension| wanted.iter().any(|one| extension.eq_ignore_ascii_case(one)))
        };
        let unpacked = if is(&path, &["gz"]) { path.with_extension("") } else { path.clone() };
        if path.is_file() && is(&unpacked, &["html", "htm"]) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

impl Input {
    /// As it was named.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Address(url) => url.to_string(),
            Self::File(path) => path.display().to_string(),
            Self::Standard => "-".to_owned(),
        }
    }

    /// Returns the page. `url` is its address if it is not fetched by one.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or a site does not answer with a page.
    pub(super) async fn page(&self, url: Option<&Url>, fetcher: &Fetcher) -> Result<Page, Failure> {
        match self {
            Self::Address(address) => fetched(address, fetcher).await,
            Self::File(path) => Ok(Page { content: read_page(path).bad_input()?, url: url.cloned() }),
            Self::Standard => {
                let mut content = Vec::new();
                let read = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut content);
                read.context("cannot read standard input").bad_input()?;
                if u64::try_from(content.len()).is_ok_and(|length| length > LARGEST) {
                    return Err(Failure::bad_input("the page on standard input is longer than 64 MiB"));
                }
                Ok(Page { content, url: url.cloned() })
            }
        }
    }
}

async fn fetched(address: &Url, fetcher: &Fetcher) -> Result<Page, Failure> {
    let failed = |error: anyhow::Error| Failure { exit: Exit::NotHealed, error };
    let answer = fetcher.fetch(&FetchRequest::new(address.clone())).await.map_err(|error| failed(error.into()))?;
    if !answer.is_success() {
        return Err(failed(anyhow::anyhow!(
            "{address} responds with status {}; there is no page to extract",
            answer.status
        )));
    }
    if !answer.is_html() {
        let kind = answer.headers.content_type.as_deref().unwrap_or("something without a type");
        return Err(failed(anyhow::anyhow!("{address} is {kind}, not HTML; name a page")));
    }
    Ok(Page { content: answer.body.to_vec(), url: Some(answer.url) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_what_they_look_like() {
        let named = |text: &str| all(&[text.to_owned()], None).unwrap();
        assert_eq!(named("-"), (vec![Input::Standard], false));
        assert_eq!(named("a.html"), (vec![Input::File("a.html".into())], false));
        assert!(matches!(named("https://site.example/a").0.as_slice(), [Input::Address(_)]));
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.html", "a.HTM", "c.html.gz", "d.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let (files, are_several) = named(&folder.path().display().to_string());
        let names: Vec<String> = files.iter().map(|file| file.name().rsplit('/').next().unwrap().to_owned()).collect();
        assert_eq!(names, ["a.HTM", "b.html", "c.html.gz"]);
        assert!(are_several);
        let list = folder.path().join("list.txt");
        std::fs::write(&list, "# pages\nhttps://site.example/a\n\n  b.html \n").unwrap();
        let (listed, are_several) = all(&[], Some(&list)).unwrap();
        assert!(are_several && matches!(listed.as_slice(), [Input::Address(_), Input::File(_)]), "{listed:?}");
    }
}
