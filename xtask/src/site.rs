//! The documentation as a site, with a search that needs no other host.

use std::path::{Path, PathBuf};

use url::Url;

use crate::process::{command, run as run_command};
use crate::{cache, python};

/// The settings of the site, and the packages that build it.
const FOLDER: &str = "scripts/site";
const REQUIREMENTS: &str = "scripts/site/requirements.txt";

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folder for the site; made when missing
    #[arg(long, value_name = "FOLDER", default_value = "target/site")]
    out: PathBuf,
    /// Address of the sources, such as `https://github.com/OWNER/autoheal/blob/main`, for links to them
    #[arg(long, value_name = "URL")]
    sources: Option<Url>,
}

/// Builds the site; a link that leads nowhere is an error.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let environment = python::environment(root, &cache::folder("site")?, REQUIREMENTS)?;
    run_command(
        command(&root.join(FOLDER), environment.join("bin/mkdocs"))
            .args(["build", "--strict", "--quiet", "--site-dir"])
            .arg(std::path::absolute(&options.out)?)
            .env("AUTOHEAL_SOURCES", options.sources.as_ref().map_or("", Url::as_str))
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    )
}
