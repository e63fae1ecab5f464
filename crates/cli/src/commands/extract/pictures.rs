//! Pictures of pages, in a folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use autoheal_fetch::Fetcher;
use url::Url;

use super::input::Input;
use crate::exit::{Blame as _, Failure};

/// Time for which a page's scripts run before the screenshot, in the browser's time.
const SETTLE: Duration = Duration::from_secs(3);

/// The longest part of a file's name that is of its page, in characters.
const LONGEST_NAME: usize = 80;

/// A folder of pictures.
pub(super) struct Pictures {
    folder: PathBuf,
}

impl Pictures {
    /// A folder, which is made when missing.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub(super) fn in_folder(folder: &Path) -> Result<Self, Failure> {
        let cannot = || format!("the folder {} for screenshots cannot be made", folder.display());
        std::fs::create_dir_all(folder).with_context(cannot).bad_input()?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Takes a screenshot of a page. Returns its path, or the reason for the failure.
    pub(super) async fn take(
        &self,
        fetcher: &Fetcher,
        input: &Input,
        url: Option<&Url>,
        number: usize,
    ) -> Result<String, String> {
        let (Input::Address(_), Some(url)) = (input, url) else {
            return Err("only pages that are requested by their address can be displayed in a browser".to_owned());
        };
        let picture = fetcher.picture(url, SETTLE).await.map_err(|error| error.to_string())?;
        let path = self.folder.join(file_name(url, number));
        tokio::fs::write(&path, picture).await.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path.display().to_string())
    }
}

/// `0001-shop.example-pots-17.png`: nothing in it that a file system or a shell could misunderstand.
fn file_name(url: &Url, number: usize) -> String {
    let named = format!("{}{}", url.host_str().unwrap_or_default(), url.path());
    let plain = |character: char| if character.is_ascii_alphanumeric() || character == '.' { character } else { '-' };
    let name: String = named.chars().map(plain).take(LONGEST_NAME).collect();
    format!("{number:04}-{}.png", name.trim_matches(['-', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_whatever_the_address() {
        for (url, name) in [
            ("https://shop.example/pots/17?a=b", "0003-shop.example-pots-17.png"),
            ("https://shop.example/%2e%2e/%2fetc/$(x)/", "0003-shop.example--2fetc---x.png"),
            ("https://shop.example/", "0003-shop.example.png"),
        ] {
            assert_eq!(file_name(&Url::parse(url).unwrap(), 3), name);
        }
        let long = format!("https://shop.example/{}", "x".repeat(500));
        assert!(file_name(&Url::parse(&long).unwrap(), 3).len() <= LONGEST_NAME + 9);
    }
}
