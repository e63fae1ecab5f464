//! The extractor of pages: a mode, a form, and their dependencies.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use autoheal_extract::{ExtractError, Extracted, Extraction, Form, Mode, ModelSettings, Strictness, Way};
use autoheal_fetch::Fetcher;
use autoheal_llm::{Models, Notice, Session};
use autoheal_store::Store;
use url::Url;

use super::input::Input;
use super::pictures::Pictures;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::extract_args::Extract;
use crate::models::models;
use crate::printer::Printer;
use crate::progress::of_requests;
use crate::wiring;

/// Maximum length of a schema, in bytes.
const LONGEST_SCHEMA: u64 = 1 << 20;

/// Extractor of pages. One extractor is one run: the budget of its models applies to all pages together.
pub(super) struct Extractor {
    way: Way,
    form: Form,
    fetcher: Fetcher,
    pictures: Option<Pictures>,
    /// Address of pages that are not fetched by their own address.
    url: Option<Url>,
}

impl Extractor {
    /// Creates an extractor from the arguments and the settings. All of them are validated before any page is requested.
    ///
    /// # Errors
    ///
    /// For an invalid schema, a mode that needs a model when none is configured, or a folder that cannot be created.
    pub(super) async fn new(arguments: &Extract, config: &Config, printer: &Printer) -> Result<Self, Failure> {
        let form = match &arguments.schema {
            Some(path) => own_form(path)?,
            None => Form::item()?,
        };
        // Rules need no database.
        let store = if arguments.mode == Mode::RuleBased { None } else { Some(wiring::open_store(config).await?) };
        let asking = || asking(arguments, config, store.as_ref(), printer);
        let way = Way::of(arguments.mode, asking, || no_model(arguments.mode))?;
        let pictures = arguments.screenshot.as_deref().map(Pictures::in_folder).transpose()?;
        Ok(Self { way, form, fetcher: wiring::fetcher(config)?, pictures, url: arguments.url.clone() })
    }

    /// Prints the usage of the language model; nothing if it had no requests.
    ///
    /// # Errors
    ///
    /// When the accounts cannot be read.
    pub(super) async fn show_usage(&self, printer: &Printer) -> Result<(), Failure> {
        printer.model_usage(self.way.usage().await?);
        Ok(())
    }

    /// Extracts a page, and returns the extraction with notes about it. `number` is the page's position among all pages, from 1.
    ///
    /// # Errors
    ///
    /// When the page cannot be fetched or read, or nothing can be extracted from it.
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

/// Returns the model session and its settings for a mode that uses a model; `None` if no model is configured.
///
/// # Errors
///
/// When the configured model cannot be used.
fn asking(
    arguments: &Extract,
    config: &Config,
    store: Option<&Store>,
    printer: &Printer,
) -> Result<Option<(Session, ModelSettings)>, Failure> {
    let models = store.map(|store| models(config, store)).transpose()?.flatten();
    let target = match arguments.inputs.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let session = |models: Models| {
        let is_only = target.is_some();
        let session = models.session(target, None, None);
        // Several pages have a progress bar already.
        if is_only {
            session.telling(of_requests(printer))
        } else {
            session.telling(Notice::split(printer.lines(), drop))
        }
    };
    Ok(models.map(|models| (session(models), settings(arguments, config))))
}

fn no_model(mode: Mode) -> Failure {
    Failure::bad_input(format!(
        "the mode {mode} asks a language model, and none is named: add --model PROVIDER/NAME, answer from a file with \
         --replay FILE, or use --mode rule_based, which needs none"
    ))
}

fn settings(arguments: &Extract, config: &Config) -> ModelSettings {
    let strictness = if arguments.strict { Strictness::Drop } else { Strictness::Mark };
    ModelSettings { strictness, ..wiring::extraction(config) }
}

fn own_form(path: &Path) -> Result<Form, Failure> {
    let named = || format!("cannot use the schema {}", path.display());
    let mut text = String::new();
    let file = File::open(path).with_context(named).bad_input()?;
    file.take(LONGEST_SCHEMA + 1).read_to_string(&mut text).with_context(named).bad_input()?;
    if u64::try_from(text.len()).is_ok_and(|length| length > LONGEST_SCHEMA) {
        return Err(Failure::bad_input(format!("{}: longer than 1 MiB", named())));
    }
    Form::own(&text).with_context(named).bad_input()
}

/// Returns notes about an extraction, in addition to its contents.
fn notes_of(extraction: &Extraction) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Some(error) = &extraction.cut_short {
        notes.push(format!("the result is incomplete: {error}"));
    }
    if !extraction.missing.is_empty() {
        notes.push(format!("not found, although most pages of this type have it: {}", extraction.missing.join(", ")));
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

/// Returns the exit code for a failed extraction.
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
