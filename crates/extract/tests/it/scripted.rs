//! Model with scripted responses, which records the requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use autoheal_extract::{Asking, Extracted, Extraction, Form, ModelSettings, Reading, ScrapedItem};
use autoheal_llm::{
    ChatAnswer, ChatError, ChatModel, ChatRequest, Finish, ModelName, Models, Session, Settings, TokenUsage,
};
use autoheal_page::Document;
use autoheal_testkit::ledger::Accounts;
use serde_json::Value;
use url::Url;

/// A page of a shop with everything that the scripts here speak of.
pub(crate) const POT: &str = "<title>Pot, large | Shop</title><meta property=og:type content=product>
    <meta name=description content='A pot for soup.'><h1>Pot, large</h1><p class=price>12,50 &euro;</p>
    <dl><dt>Brand<dd>Acme<dt>Article number<dd>P-17</dl><p>In stock</p>";

pub(crate) const POT_URL: &str = "https://shop.example/products/pot";

pub(crate) fn reading(html: &str, url: &str) -> Reading {
    Reading::of(&Document::parse(html), Some(&url.parse::<Url>().unwrap()))
}

/// A model that gives these answers, one after the other, and then none.
pub(crate) struct Script {
    name: ModelName,
    answers: Mutex<VecDeque<String>>,
    finish: Finish,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Script {
    pub(crate) fn of<T: ToString>(answers: impl IntoIterator<Item = T>) -> Arc<Self> {
        Self::that_ends(Finish::Complete, answers)
    }

    /// The same, and each of them ends so.
    pub(crate) fn that_ends<T: ToString>(finish: Finish, answers: impl IntoIterator<Item = T>) -> Arc<Self> {
        let answers = answers.into_iter().map(|answer| answer.to_string()).collect();
        let name = "openai/scripted".parse().unwrap();
        Arc::new(Self { name, answers: Mutex::new(answers), finish, asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// A run's account with this model alone.
    pub(crate) fn session(self: &Arc<Self>) -> Session {
        session(Arc::<Self>::clone(self), Settings::default())
    }
}

#[async_trait]
impl ChatModel for Script {
    fn name(&self) -> &ModelName {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        self.asked.lock().unwrap().push(request.clone());
        let answer = self.answers.lock().unwrap().pop_front();
        let text = answer.ok_or_else(|| ChatError::Rejected {
            model: self.name.to_string(),
            message: "the script has ended".to_owned(),
        })?;
        Ok(ChatAnswer {
            text,
            finish: self.finish.clone(),
            usage: TokenUsage { input: 10, output: 5, ..TokenUsage::default() },
        })
    }
}

/// A run's account with one model.
pub(crate) fn session(model: Arc<dyn ChatModel>, settings: Settings) -> Session {
    let settings = Settings { waits: vec![Duration::from_millis(1); 3], ..settings };
    let models = Models::new(vec![model], Arc::new(Accounts::default()), settings, str::to_owned);
    models.session(None, None, None)
}

/// Returns a request for an item of the [`POT`] page.
pub(crate) fn asking<'a>(session: &'a Session, form: &'a Form, settings: &'a ModelSettings) -> Asking<'a> {
    Asking { session, form, settings }
}

pub(crate) fn item(extraction: &Extraction) -> &ScrapedItem {
    match &extraction.extracted {
        Extracted::Item(item) => item,
        Extracted::Own(own) => panic!("an item was asked for: {own:?}"),
    }
}

pub(crate) fn own(extraction: &Extraction) -> Value {
    match &extraction.extracted {
        Extracted::Own(own) => Value::Object(own.item.clone()),
        Extracted::Item(item) => panic!("a form of its own was asked for: {item:?}"),
    }
}
