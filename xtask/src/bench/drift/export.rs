//! The candidates of every field with their features, for training: `samples.jsonl` says what each is, `single.f32` and
//! `list.f32` hold the rows (little endian, one after another), `names.json` what the columns are called.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use autoheal_page::Document;
use autoheal_page::relocate::{Relocator, certainty_names, feature_names};
use serde_json::{Value, json};

use super::corpus::{Case, Side};
use super::{deletion, score};

/// Number of parts into which the sites are split for cross validation.
pub(super) const FOLDS: u64 = 5;

/// The files of an export.
pub(super) struct Export {
    samples: BufWriter<File>,
    rows: [BufWriter<File>; 2],
    written: [usize; 2],
}

/// Export of a case: a line for each field, and its rows.
pub(super) struct Exported {
    lines: Vec<(Value, bool, Vec<Vec<f32>>)>,
}

impl Export {
    pub(super) fn create(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let (single, list) = feature_names();
        let names = json!({"single": single, "list": list, "certainty": certainty_names(), "folds": FOLDS});
        std::fs::write(folder.join("names.json"), names.to_string())?;
        let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
        Ok(Self { samples: file("samples.jsonl")?, rows: [file("single.f32")?, file("list.f32")?], written: [0, 0] })
    }

    pub(super) fn write(&mut self, exported: Exported) -> anyhow::Result<()> {
        for (mut line, is_list, rows) in exported.lines {
            let place = usize::from(is_list);
            line["first_row"] = json!(self.written[place]);
            self.written[place] += rows.len();
            writeln!(self.samples, "{line}")?;
            for value in rows.iter().flatten() {
                self.rows[place].write_all(&value.to_le_bytes())?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        self.samples.flush()?;
        for rows in &mut self.rows {
            rows.flush()?;
        }
        Ok(())
    }
}

/// The candidates of a case: from the old page to the new, with the target deleted, and from the new page to the old.
pub(super) fn export(relocator: &Relocator, case: &Case) -> anyhow::Result<Exported> {
    let (old, new) = (case.page(Side::Old)?, case.page(Side::New)?);
    let mut exported = Exported { lines: Vec::new() };
    collect(relocator, case, (&old, Side::Old), (&new, Side::New), "forward", None, &mut exported)?;
    for (name, field) in case.fields() {
        if let Some(page) = deletion::without(&new, field, Side::New) {
            collect(relocator, case, (&old, Side::Old), (&page, Side::New), "deleted", Some(name), &mut exported)?;
        }
        if case.is_broken(name) && field.selector(Side::New).is_some() {
            collect(relocator, case, (&new, Side::New), (&old, Side::Old), "reverse", Some(name), &mut exported)?;
            if let Some(page) = deletion::without(&old, field, Side::Old) {
                collect(
                    relocator,
                    case,
                    (&new, Side::New),
                    (&page, Side::Old),
                    "reverse_deleted",
                    Some(name),
                    &mut exported,
                )?;
            }
        }
    }
    Ok(exported)
}

fn collect(
    relocator: &Relocator,
    case: &Case,
    (from, from_side): (&Document, Side),
    (to, to_side): (&Document, Side),
    mode: &str,
    only: Option<&str>,
    exported: &mut Exported,
) -> anyhow::Result<()> {
    let (recipe, _) = case.recipe(from_side)?;
    for samples in relocator.samples(from, &recipe, to) {
        let Some(asked) = recipe.fields().get(samples.field) else { continue };
        let name = asked.name.as_str();
        let Some((_, field)) = case.fields().find(|(other, _)| *other == name) else { continue };
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let labels: Vec<f64> =
            samples.candidates.iter().map(|sample| score::rightness(field, to_side, &sample.values)).collect();
        let matches = asked.select().map_or(0, |selector| to.select(selector).len());
        let line = json!({
            "case": case.id, "site": case.site, "fold": case.fold(FOLDS), "kind": case.kind, "control": case.is_control,
            "field": name, "field_kind": samples.kind, "mode": mode, "broken": case.is_broken(name), "list": samples.is_list,
            "selector_matches": matches, "labels": labels,
            "certainty": samples.certainty,
            "keys": samples.candidates.iter().map(|sample| sample.key.to_string()).collect::<Vec<_>>(),
            "hand": samples.candidates.iter().map(|sample| sample.hand).collect::<Vec<_>>(),
            "shown": samples.candidates.first().and_then(|sample| sample.values.first()).map(|value| value.chars().take(80).collect::<String>()),
        });
        let rows = samples.candidates.into_iter().map(|sample| sample.features).collect();
        exported.lines.push((line, samples.is_list, rows));
    }
    Ok(())
}
