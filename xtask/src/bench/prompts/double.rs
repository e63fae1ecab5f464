//! A model that answers by a function and keeps the requests to it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use autoheal_engine::budget::Limits;
use autoheal_llm::{
    ChatAnswer, ChatError, ChatModel, ChatRequest, Finish, ModelName, Models, Session, Settings, TokenUsage,
};
use autoheal_testkit::ledger::Accounts;

type Answer = Box<dyn Fn(&ChatRequest) -> String + Send + Sync>;

/// A model without a network.
pub(super) struct Double {
    name: ModelName,
    answer: Answer,
    asked: Mutex<Vec<ChatRequest>>,
}

impl Double {
    pub(super) fn new(answer: impl Fn(&ChatRequest) -> String + Send + Sync + 'static) -> anyhow::Result<Arc<Self>> {
        let name = "openai/double".parse().map_err(anyhow::Error::msg)?;
        Ok(Arc::new(Self { name, answer: Box::new(answer), asked: Mutex::default() }))
    }

    /// A session that asks this model alone.
    pub(super) fn session(self: &Arc<Self>) -> Session {
        let settings = Settings { per_run: Limits::default(), per_day: Limits::default(), ..Settings::default() };
        let model: Arc<dyn ChatModel> = Arc::<Self>::clone(self);
        let models = Models::new(vec![model], Arc::new(Accounts::default()), settings, str::to_owned);
        models.session(None, None, None)
    }

    /// Every question so far.
    pub(super) fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl ChatModel for Double {
    fn name(&self) -> &ModelName {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let text = (self.answer)(request);
        Ok(ChatAnswer {
            text,
            finish: Finish::Complete,
            usage: TokenUsage { input: 1, output: 1, ..TokenUsage::default() },
        })
    }
}

/// The texts of a question, one after the other.
pub(super) fn text_of(request: &ChatRequest) -> String {
    let texts: Vec<&str> = request.messages.iter().map(|message| message.text.as_str()).collect();
    texts.join("\n\n")
}

/// The fenced part of a prompt with this label; empty without one.
pub(super) fn fenced<'t>(prompt: &'t str, label: &str) -> &'t str {
    let opening = format!("<untrusted {label} ");
    let Some(start) = prompt.find(&opening) else { return "" };
    let rest = &prompt[start..];
    let body = rest.find('\n').map_or("", |line| &rest[line + 1..]);
    body.find("\n</untrusted ").map_or(body, |end| &body[..end])
}
