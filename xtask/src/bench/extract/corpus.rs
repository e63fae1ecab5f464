//! Pages with their true values.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use autoheal_page::document::decode;
use serde::Deserialize;

use super::score::{Fields, Value};

/// The content of a `case.json`.
#[derive(Deserialize)]
struct Written {
    id: String,
    kind: String,
    url: String,
    fields: BTreeMap<String, Value>,
    publish_date: Option<String>,
    main_content: Option<String>,
}

/// A half of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Half {
    Tune,
    Check,
}

/// A page and what is true of it.
pub(in crate::bench) struct Case {
    folder: PathBuf,
    pub(in crate::bench) id: String,
    pub(super) kind: String,
    url: String,
    pub(super) fields: Fields,
}

impl Case {
    /// Returns the HTML of the page.
    pub(in crate::bench) fn page(&self) -> anyhow::Result<String> {
        let packed = self.folder.join("page.html.gz");
        let bytes = std::fs::read(&packed).with_context(|| format!("cannot read {}", packed.display()))?;
        let mut html = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut html)?;
        Ok(decode(&html).into_owned())
    }

    /// Returns the half that the case belongs to, whatever else is in the corpus.
    pub(super) fn half(&self) -> Half {
        // FNV-1a
        let hash = self
            .id
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        // Its bits are mixed once more: similar ids differ in few of them.
        let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        if (mixed >> 40).is_multiple_of(2) { Half::Tune } else { Half::Check }
    }

    /// The page's address; some cases have only a host.
    pub(super) fn address(&self) -> String {
        if self.url.contains("://") { self.url.clone() } else { format!("https://{}", self.url) }
    }
}

/// Every case of a folder, sorted.
pub(in crate::bench) fn read(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut folders: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    folders.retain(|folder| folder.join("case.json").is_file());
    folders.sort();
    folders.into_iter().map(case).collect()
}

fn case(folder: PathBuf) -> anyhow::Result<Case> {
    let file = folder.join("case.json");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let written: Written = serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))?;
    let mut fields = written.fields;
    fields.extend(written.publish_date.map(|date| ("publish_date".to_owned(), Value::Text(date))));
    fields.extend(written.main_content.map(|text| ("main_content".to_owned(), Value::Text(text))));
    Ok(Case { folder, id: written.id, kind: written.kind, url: written.url, fields })
}
