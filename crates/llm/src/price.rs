//! Prices of models, by token.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::message::TokenUsage;
use crate::provider::ModelName;

/// Price of a million tokens of a model, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Price of input tokens.
    pub input: f64,
    /// Price of output tokens.
    pub output: f64,
    /// Price of input tokens that came from a cache; `None`: the same as `input`.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Price of input tokens that were written to a cache; `None`: the same as `input`.
    #[serde(default)]
    pub written: Option<f64>,
}

impl Price {
    /// The cost of a call, in millionths of a dollar, rounded up.
    pub fn micro_dollars(self, usage: TokenUsage) -> u64 {
        let tokens = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let cached = usage.cached.min(usage.input);
        let written = usage.written.min(usage.input - cached);
        // A dollar for a million tokens is a millionth of a dollar for one.
        let cost = tokens(usage.input - cached - written) * self.input
            + tokens(cached) * self.cached.unwrap_or(self.input)
            + tokens(written) * self.written.unwrap_or(self.input)
            + tokens(usage.output) * self.output;
        let rounded = cost.ceil().clamp(0.0, 9e15);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between zero and 2 to the 53rd")]
        let cost = rounded as u64;
        cost
    }
}

/// Prices by the beginning of a model's name, such as `openai/gpt-4o-mini`; the longest that fits counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// Returns the list prices of providers that this program knows, overridden by the prices in the settings.
    pub fn with(own: BTreeMap<String, Price>) -> Self {
        let mut prices = Self::known();
        prices.0.extend(own);
        prices
    }

    fn known() -> Self {
        // A file of this crate, which a test reads.
        Self(toml::from_str(include_str!("prices.toml")).unwrap_or_default())
    }

    /// The price of a model, when it is known. One's own machine costs nothing.
    pub fn of(&self, model: &ModelName) -> Option<Price> {
        let name = model.to_string();
        let fitting = self.0.iter().filter(|(prefix, _)| name.starts_with(prefix.as_str()));
        fitting.max_by_key(|(prefix, _)| prefix.len()).map(|(_, price)| *price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_that_fits_counts() {
        let own = BTreeMap::from([(
            "openai/gpt-4o".to_owned(),
            Price { input: 9.0, output: 9.0, cached: None, written: None },
        )]);
        let prices = Prices::with(own);
        let of = |name: &str| prices.of(&name.parse().unwrap());
        assert!(of("openai/gpt-4o-mini").unwrap().input < 1.0);
        assert!((of("openai/gpt-4o-2024-08-06").unwrap().input - 9.0).abs() < f64::EPSILON);
        assert_eq!(of("openai/nobody-knows"), None);
        assert_eq!(
            of("ollama/llama3").unwrap().micro_dollars(TokenUsage { input: 9, output: 9, ..TokenUsage::default() }),
            0
        );
    }

    #[test]
    fn a_call_costs_what_its_tokens_cost() {
        let price = Price { input: 2.0, output: 8.0, cached: Some(0.5), written: Some(2.5) };
        let usage = TokenUsage { input: 1000, output: 100, cached: 400, written: 0 };
        assert_eq!(price.micro_dollars(usage), 1200 + 200 + 800);
        assert_eq!(price.micro_dollars(TokenUsage { written: 200, ..usage }), 800 + 500 + 200 + 800);
    }
}
