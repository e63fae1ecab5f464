//! What pages are extracted with: a mode, a form, and what these need.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use autoheal_engine::budget::Usage;
use autoheal_extract::{
    Asking, ExtractError, Extracted, Extraction, Form, Mode, ModelSettings, Reading, Strictness, llm_dynamic,
    llm_dynamic_adaptive, llm_fixed, rule_based_in,
};
use autoheal_fetch::Fetcher;
use autoheal_llm::Session;
use autoheal_page::Document;
use url::Url;

use super::input::{Input, Page};
use super::pictures::Pictures;
use crate::config::Config;
use crate::exit::{Blame as _, Exit, Failure};
use crate::extract_args::Extract;
use crate::models::models;
use crate::wiring;

/// A schema that is longer than this many bytes is none.
const LONGEST_SCHEMA: u64 = 1 << 20;

/// How a page is read.
enum Way {
    /// By rules.
    Rules,
    /// By a model that is asked in one of the modes.
    Model { mode: ModelMode, session: Box<Session>, settings: ModelSettings },
}

/// A mode that asks a model.
#[derive(Debug, Clone, Copy)]
enum ModelMode {
    Fixed,
    Dynamic,
    Adaptive,
}

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
        let way = match arguments.mode {
            Mode::RuleBased => Way::Rules,
            Mode::LlmFixed => Way::of(ModelMode::Fixed, arguments, config).await?,
            Mode::LlmDynamic => Way::of(ModelMode::Dynamic, arguments, config).await?,
            Mode::LlmDynamicAdaptive => Way::of(ModelMode::Adaptive, arguments, config).await?,
        };
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
        let mut extraction =
            self.read(&page).await.map_err(|error| Failure { exit: blame(&error), error: error.into() })?;
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

    async fn read(&self, page: &Page) -> Result<Extraction, ExtractError> {
        // In one expression: a parsed page is large, and nothing of it is needed while a model is waited for.
        let document = || Document::parse_bytes(&page.content);
        match &self.way {
            Way::Rules => rule_based_in(&document(), page.url.as_ref(), &self.form),
            Way::Model { mode, session, settings } => {
                let reading = Reading::of(&document(), page.url.as_ref());
                let asking = Asking { session, form: &self.form, settings };
                match mode {
                    ModelMode::Fixed => llm_fixed(&reading, &asking).await,
                    ModelMode::Dynamic => llm_dynamic(&reading, &asking).await,
                    ModelMode::Adaptive => llm_dynamic_adaptive(&reading, &asking).await,
                }
            }
        }
    }
}

impl Way {
    /// # Errors
    ///
    /// When no model is named, or the database with its accounts cannot be opened.
    async fn of(mode: ModelMode, arguments: &Extract, config: &Config) -> Result<Self, Failure> {
        let store = wiring::open_store(config).await?;
        let unnamed = || {
            Failure::bad_input(format!(
                "the mode {} asks a language model, and none is named: add --model PROVIDER/NAME, answer from a file with \
                 --replay FILE, or use --mode rule_based, which needs none",
                arguments.mode
            ))
        };
        let models = models(config, &store)?.ok_or_else(unnamed)?;
        let target = match arguments.inputs.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        let session = Box::new(models.session(target, None, Usage::default()));
        Ok(Self::Model { mode, session, settings: settings(arguments, config) })
    }
}

fn settings(arguments: &Extract, config: &Config) -> ModelSettings {
    let (set, default) = (&config.extract, ModelSettings::default());
    ModelSettings {
        schema_retries: arguments.schema_retries.or(set.schema_retries).unwrap_or(default.schema_retries),
        page_characters: set.page_characters.unwrap_or(default.page_characters),
        stated_characters: set.stated_characters.unwrap_or(default.stated_characters),
        answer_tokens: set.answer_tokens.unwrap_or(default.answer_tokens),
        strictness: if arguments.strict { Strictness::Drop } else { Strictness::Mark },
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
