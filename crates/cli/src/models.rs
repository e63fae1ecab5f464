//! The language models of this process, as the settings say.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use autoheal_engine::budget::Limits;
use autoheal_llm::price::Prices;
use autoheal_llm::recording::{Recorder, Replay};
use autoheal_llm::{ChatModel, Connection, ModelName, Models, Settings};
use autoheal_store::Store;

use crate::config::{Config, LlmConfig, provider_key};
use crate::exit::{Blame as _, Failure};
use crate::masking::mask;

/// Returns whether a model or a recording of one is configured.
pub(crate) fn is_model_set(config: &Config) -> bool {
    config.llm.replay.is_some() || !["none", ""].contains(&config.llm.model.as_str())
}

/// Returns the language models that the settings name; `None` if they name none.
///
/// # Errors
///
/// For an unknown model name, or a missing key or recording.
pub(crate) fn models(config: &Config, store: &Store) -> Result<Option<Models>, Failure> {
    let llm = &config.llm;
    let chain = if let Some(path) = &llm.replay {
        vec![Arc::new(Replay::open(path).bad_input()?) as Arc<dyn ChatModel>]
    } else {
        connections(llm)?
    };
    if chain.is_empty() {
        return Ok(None);
    }
    let redact = |text: &str| mask(text).into_owned();
    Ok(Some(Models::new(chain, Arc::new(store.clone()), settings(llm)?, redact)))
}

fn connections(llm: &LlmConfig) -> Result<Vec<Arc<dyn ChatModel>>, Failure> {
    let names = llm.model.split(',').map(str::trim);
    let names = names.filter(|name| !name.is_empty() && *name != "none");
    names
        .map(|name| {
            let name: ModelName = name.parse().bad_input()?;
            let key = provider_key(name.provider, llm).bad_input()?;
            let base = llm.base_url(name.provider);
            let connection = Arc::new(Connection::new(name, base, key).environment()?);
            Ok(match &llm.record {
                Some(path) => Arc::new(Recorder::new(connection, path.clone())) as Arc<dyn ChatModel>,
                None => connection,
            })
        })
        .collect()
}

fn settings(llm: &LlmConfig) -> Result<Settings, Failure> {
    let limits = |calls, tokens, dollars: Option<f64>| {
        let micro_dollars = dollars.map(micro_dollars).transpose()?;
        Ok::<_, Failure>(Limits { calls, tokens, micro_dollars, wall_time: None })
    };
    Ok(Settings {
        per_run: limits(llm.run_calls, llm.run_tokens, llm.run_dollars)?,
        per_day: limits(llm.day_calls, llm.day_tokens, llm.day_dollars)?,
        timeout: llm.timeout_seconds.map(Duration::from_secs),
        kept_text: llm.kept_characters,
        prices: Prices::with(llm.prices.clone()),
        // A recording written by hand answers in the order of the requests.
        at_once: if llm.replay.is_some() { 1 } else { llm.requests_at_once },
        ..Settings::default()
    })
}

fn micro_dollars(dollars: f64) -> Result<u64, Failure> {
    let rounded = (dollars * 1e6).round();
    let is_money = (0.0..=9e15).contains(&rounded);
    let amount = is_money.then(|| format!("{rounded:.0}").parse().ok()).flatten();
    amount.with_context(|| format!("{dollars} is not an amount of dollars")).bad_input()
}
