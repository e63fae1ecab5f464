use async_trait::async_trait;
use autoheal_extract::{Extracted, Extraction, Form, Mode, Way};
use autoheal_fetch::FetchRequest;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::{Answer, Call, Services, Tool, ToolError, parse, schema_of};

/// Tool that extracts the data of a page.
pub(super) struct Extract;

/// Page to read, and the fields to extract.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The address of the page.
    url: Url,
    /// Mode of extraction: `rule_based` (default, without a language model), `rules_then_llm`, `llm_fixed`, `llm_dynamic` or `llm_dynamic_adaptive`.
    mode: Option<String>,
    /// A JSON Schema of an object: what is wanted of the page, when it is something else than an item of the usual kinds.
    schema: Option<Map<String, Value>>,
}

#[async_trait]
impl Tool for Extract {
    fn name(&self) -> &'static str {
        "extract"
    }

    fn title(&self) -> &'static str {
        "Read a page as typed fields"
    }

    fn description(&self) -> &'static str {
        "Reads a web page and answers with what it holds as typed fields: a product with its price, a job, an article, a recipe, an event, \
         or whatever a JSON Schema asks for. Every field says where on the page it comes from; what is not there is absent."
    }

    fn input(&self) -> Map<String, Value> {
        schema_of::<Input>()
    }

    fn is_read_only(&self) -> bool {
        true
    }

    fn reads_pages(&self) -> bool {
        true
    }

    async fn call(&self, services: &Services, input: Value, call: &Call<'_>) -> Result<Answer, ToolError> {
        let Input { url, mode, schema } = parse(input)?;
        let mode: Mode = mode.map_or(Ok(Mode::default()), |mode| mode.parse()).map_err(ToolError::invalid)?;
        let form = match schema {
            Some(schema) => Form::own(&Value::Object(schema).to_string()).map_err(ToolError::invalid)?,
            None => Form::item().map_err(|error| ToolError::failed(&error))?,
        };
        let asking = || {
            let models = services.models.as_ref();
            let session = models.map(|models| models.session(Some(url.to_string()), call.user.clone(), None));
            Ok(session.map(|session| (session, services.extraction.clone())))
        };
        let none = || ToolError::InvalidInput(format!("the server has no language model for {mode}: use rule_based"));
        let way = Way::of(mode, asking, none)?;
        (call.progress)(format!("asking for {url}"));
        let reading = async {
            let answer = services.fetcher.fetch(&FetchRequest::new(url.clone())).await;
            let answer = answer.map_err(|error| ToolError::failed(&error))?;
            if !answer.is_success() {
                return Err(ToolError::Failed(format!("{url} answers {}", answer.status)));
            }
            if !answer.is_html() {
                return Err(ToolError::Failed(format!("{url} is not HTML")));
            }
            (call.progress)("reading the page".to_owned());
            let read = way.read(&answer.body, Some(&answer.url), &form).await;
            read.map_err(|error| ToolError::failed(&error))
        };
        tokio::select! {
            read = reading => answer_of(&read?),
            () = call.stop.cancelled() => Err(ToolError::Stopped),
        }
    }
}

fn answer_of(extraction: &Extraction) -> Result<Answer, ToolError> {
    let (text, item) = match &extraction.extracted {
        Extracted::Item(item) => (item.to_markdown(), serde_json::to_value(item)),
        Extracted::Own(own) => (serde_json::to_string_pretty(own).unwrap_or_default(), serde_json::to_value(own)),
    };
    let item = item.map_err(|error| ToolError::failed(&error))?;
    let mut data = json!({ "item": item, "missing": extraction.missing });
    if let Some(error) = &extraction.cut_short {
        data["note"] = format!("the result is incomplete: {error}").into();
    }
    Ok(Answer { text, data })
}
