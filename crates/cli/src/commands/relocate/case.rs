//! One case: pages from files, the recipe, and the answer as JSON and for people.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use autoheal_page::relocate::{Answer as FieldAnswer, Relocator, Status};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Larger pages, unpacked, are refused.
const LARGEST: u64 = 64 << 20;

/// Pages and recipe of a relocation.
pub(super) struct Case {
    pub(super) id: Option<Value>,
    pub(super) old: Vec<PathBuf>,
    pub(super) new: PathBuf,
    pub(super) recipe: Recipe,
}

/// Result of a relocation.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    fields: Map<String, Value>,
    ms: f64,
    #[serde(skip)]
    statuses: Vec<Status>,
}

impl Case {
    pub(super) fn answer(&self, relocator: &Relocator) -> anyhow::Result<Answer> {
        anyhow::ensure!(!self.old.is_empty(), "name at least one old page, on which the recipe worked");
        let old = self.old.iter().map(|file| read(file)).collect::<anyhow::Result<Vec<_>>>()?;
        let new = read(&self.new)?;
        let start = Instant::now();
        let old: Vec<Document> = old.iter().map(|bytes| Document::parse_bytes(bytes)).collect();
        let new = Document::parse_bytes(&new);
        let relocation = relocator.relocate(&old.iter().collect::<Vec<_>>(), &self.recipe, &new);
        let ms = (start.elapsed().as_secs_f64() * 100_000.0).round() / 100.0;
        let statuses = relocation.fields.iter().map(|(_, answer)| answer.status).collect();
        let fields = relocation.fields.iter().map(|(name, answer)| (name.to_string(), field_json(answer))).collect();
        Ok(Answer { id: self.id.clone(), fields, ms, statuses })
    }
}

impl Answer {
    /// Returns whether every field was found.
    pub(super) fn is_healed(&self) -> bool {
        self.statuses.iter().all(|status| match status {
            Status::Kept | Status::Moved => true,
            Status::Gone | Status::Unsure => false,
        })
    }
}

fn field_json(answer: &FieldAnswer) -> Value {
    json!({
        "status": answer.status.name(),
        "select": answer.select.as_ref().map(ToString::to_string),
        "take": answer.take.to_string(),
        "values": answer.values,
        "confidence": (f64::from(answer.confidence) * 1000.0).round() / 1000.0,
        "evidence": answer.evidence,
    })
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for (name, field) in &self.fields {
            let confidence = field["confidence"].as_f64().unwrap_or_default();
            writeln!(formatter, "{name}: {} ({confidence:.2})", text(&field["status"]))?;
            if let Some(select) = field["select"].as_str() {
                writeln!(formatter, "  select  {select}")?;
            }
            for value in field["values"].as_array().into_iter().flatten().take(3) {
                writeln!(formatter, "  value   {}", text(value).chars().take(100).collect::<String>())?;
            }
            let evidence: Vec<String> = field["evidence"].as_array().into_iter().flatten().map(text).collect();
            writeln!(formatter, "  because {}", evidence.join("; "))?;
        }
        Ok(())
    }
}

/// Reads a page, decompressed if its file name ends in `.gz`.
pub(in crate::commands) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let opened = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    let is_packed = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let mut bytes = Vec::new();
    let read = if is_packed {
        flate2::read::MultiGzDecoder::new(opened).take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        opened.take(LARGEST + 1).read_to_end(&mut bytes)
    };
    read.with_context(|| format!("cannot read {}", file.display()))?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    anyhow::ensure!(
        length <= LARGEST,
        "{} is larger than 64 MiB: cut it down to the part that matters",
        file.display()
    );
    Ok(bytes)
}
