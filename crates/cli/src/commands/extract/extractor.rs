//! What pages are extracted with: a mode, a form, and what these need.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use autoheal_extract::{ExtractError, Extracted, Extraction, Form, Mode, ModelSettings, Strictness, Way};
use autoheal_fetch::Fetcher;
use autoheal_llm::Session;
use autoheal_store::Store;
use url::Url;

use super::input::Input;
use super::pictures::Pictures;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::extract_args::Extract;
use crate::models::models;
use crate::wiring;

/// A schema that is longer than this many bytes is none.
const LONGEST_SCHEMA: u64 = 1 << 20;

/// What pages are extracted with. One of them is one run: its models' budget holds over all pages.
pub(super) struct Extractor {
    way: Way,
    form: Form,
    fetcher: Fetcher,
    pictures: Option<Pictures>,
    /// The address of pages that are not asked for by their own.
    url: Option<Url>,
}

impl Extractor {
    /// As the arguments and the settings say. Everything that can be wrong with them is found before any page is asked for.
    ///
    /// # Errors
    ///
    /// For a schema that cannot be used, a mode that asks a model when none is named, a folder that cannot be made.
    pub(super) async fn new(arguments: &Extract, config: &Config) -> Result<Self, Failure> {
        let form = match &arguments.schema {
            Some(path) => own_form(path)?,
            None => Form::item()?,
        };
        // Rules need no database.
        let store = if arguments.mode == Mode::RuleBased { None } else { Some(wiring::open_store(config).await?) };
        let way = Way::of(arguments.mode, || asking(arguments, config, store.as_ref()))?;
        let pictures = arguments.screenshot.as_deref().map(Pictures::in_folder).transpose()?;
        Ok(Self { way, form, fetcher: wiring::fetcher(config)?, pictures, url: arguments.url.clone() })
    }

    /// What a page holds, and what is to be said about it. `number` is its place among all pages, from 1.
    ///
    /// # Errors
    ///
    /// When the page cannot be had, or nothing can be had from it.
    pub(super) async fn extract(&self, input: &Input, number: usize) -> Result<(Extraction, Vec<String>), Failure> {
        let page = input.page(self.url.as_ref(), &self.fetcher).await?;
        let mut extraction = self
            .way
            .read(&page.content, page.url.as_ref(), &self.form)
            .await
            .map_err(|error| Failure { exit: blame(&error), error: error.into() })?;
        let mut notes = notes_of(&extraction);
        if let Some(pictures) = &self.pictures {
            match pictures.take(&self.fetcher, input, page.url.as_ref(), number).await {
                Ok(path) => set_picture(&mut extraction, path),
                // Optional: what was extracted is not lost for it.
                Err(reason) => notes.push(format!("no screenshot was taken: {reason}")),
            }
        }
        Ok((extraction, notes))
    }
}

/// Whom a mode asks that asks a model, and how.
///
/// # Errors
///
/// When no model is named, or one that cannot be asked.
fn asking(arguments: &Extract, config: &Config, store: Option<&Store>) -> Result<(Session, ModelSettings), Failure> {
    let models = store.map(|store| models(config, store)).transpose()?.flatten();
    let none = || {
        Failure::bad_input(format!(
            "the mode {} asks a language model, and none is named: add --model PROVIDER/NAME, answer from a file with \
             --replay FILE, or use --mode rule_based, which needs none",
            arguments.mode
        ))
    };
    let target = match arguments.inputs.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let session = models.ok_or_else(none)?.session(target, None, None);
    Ok((session, settings(arguments, config)))
}

fn settings(arguments: &Extract, config: &Config) -> ModelSettings {
    let set = wiring::extraction(config);
    ModelSettings {
        schema_retries: arguments.schema_retries.unwrap_or(set.schema_retries),
        strictness: if arguments.strict { Strictness::Drop } else { Strictness::Mark },
        ..set
    }
}

fn own_form(path: &Path) -> Result<Form, Failure> {
    let named = || format!("the schema {} cannot be used", path.display());
    let mut text = String::new();
    let file = File::open(path).with_context(named).bad_input()?;
    file.take(LONGEST_SCHEMA + 1).read_to_string(&mut text).with_context(named).bad_input()?;
    if u64::try_from(text.len()).is_ok_and(|length| length > LONGEST_SCHEMA) {
        return Err(Failure::bad_input(format!("{}: it is longer than 1 MiB", named())));
    }
    Form::own(&text).with_context(named).bad_input()
}

/// What is to be said about an extraction beside what it holds.
fn notes_of(extraction: &Extraction) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Some(error) = &extraction.cut_short {
        notes.push(format!("what was found before is given: {error}"));
    }
    if !extraction.missing.is_empty() {
        notes.push(format!(
            "not found, though pages of this type nearly always say it: {}",
            extraction.missing.join(", ")
        ));
    }
    notes.extend(extraction.left_out.iter().map(|left_out| format!("left out: {left_out}")));
    notes
}

fn set_picture(extraction: &mut Extraction, path: String) {
    match &mut extraction.extracted {
        Extracted::Item(item) => item.screenshot_path = Some(path),
        Extracted::Own(own) => own.screenshot_path = Some(path),
    }
}

/// Whose fault it is that nothing is given.
fn blame(error: &ExtractError) -> Exit {
    match error {
        ExtractError::Chat(_)
        | ExtractError::Answer(_)
        | ExtractError::Nothing
        | ExtractError::DoesNotFit(_)
        | ExtractError::RequiredMissing(_) => Exit::NotHealed,
        ExtractError::Prompt(_) => Exit::InternalFault,
    }
}
