//! `ADD_SOURCE`: an address in, a working recipe out.

use autoheal_engine::graph::{Graph, GraphError, Node};
use autoheal_engine::source::{Health, Snapshot, SnapshotRole, SourceRecord};
use autoheal_engine::task::{Task, TaskKind};
use autoheal_engine::workflow::{Ending, StepContext, StepError, Workflow};
use autoheal_engine::{StopReason, Timestamp};
use autoheal_page::Document;
use autoheal_page::apply::Extraction;
use autoheal_page::recipe::{FieldName, Recipe};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use crate::cron::CronExpression;
use crate::definition::{Blueprint, Definition, HealPolicy, OnUncertain, PageKind};
use crate::facts::PageFacts;
use crate::failure::Failure;
use crate::loaded::{permanent, record, source_of};
use crate::name::SourceName;
use crate::scout::{Proposal, Schema, ScoutError};
use crate::services::{SourceServices, WebPage, noting_waits, store_error};
use crate::validation::{validate, values};
use crate::{scout, single_node};

/// Request to add a source: the context of an `ADD_SOURCE` task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddRequest {
    /// URL of the page to scrape.
    pub url: Url,
    /// Further pages of the same template.
    #[serde(default)]
    pub more: Vec<Url>,
    /// The recipe, when there is one already.
    #[serde(default)]
    pub recipe: Option<Recipe>,
    /// True if fields of the recipe that only some items of the page have become optional: for recipes from tools that cannot
    /// express it.
    #[serde(default)]
    pub required_as_found: bool,
    /// Wanted values by field, as written on the page.
    #[serde(default)]
    pub examples: Vec<(FieldName, String)>,
    /// Wanted fields, by name and type.
    #[serde(default)]
    pub schema: Option<Schema>,
    /// Kind of the page, one thing or a list, if the user has decided it.
    #[serde(default)]
    pub kind: Option<PageKind>,
    /// Seconds between two runs, where no times are named.
    pub interval_seconds: u64,
    /// The times of its runs.
    #[serde(default)]
    pub schedule: Option<CronExpression>,
    /// Authority that decides about fixes.
    #[serde(default)]
    pub heal_policy: HealPolicy,
    /// Fate of a run in which some fields are uncertain.
    #[serde(default)]
    pub on_uncertain: OnUncertain,
    /// URL to which changes of its values are posted.
    #[serde(default)]
    pub webhook: Option<Url>,
    /// True if a browser runs the page's scripts first, even when the recipe does not require it.
    #[serde(default)]
    pub render: bool,
    /// User who made the request, if a user did.
    #[serde(default)]
    pub asked_by: Option<String>,
}

impl AddRequest {
    /// Returns a request for a page, with default settings.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            more: Vec::new(),
            recipe: None,
            required_as_found: false,
            schema: None,
            kind: None,
            examples: Vec::new(),
            interval_seconds: Definition::DEFAULT_INTERVAL.as_secs(),
            schedule: None,
            heal_policy: HealPolicy::default(),
            on_uncertain: OnUncertain::default(),
            webhook: None,
            render: false,
            asked_by: None,
        }
    }

    /// Returns whether the request leaves it to the page what its fields are.
    const fn names_nothing(&self) -> bool {
        self.recipe.is_none() && self.schema.is_none() && self.examples.is_empty()
    }
}

/// Author of the first version of a recipe.
const SCOUT: &str = "scout";

/// Maximum number of further pages that are checked before a source is added; its first run requests all of them.
const MOST_CHECKED: usize = 3;

/// Nodes of the graph of an `ADD_SOURCE` run: just one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddNode {
    /// Looks at the page and proposes a recipe.
    Scout,
}

impl Node for AddNode {
    const ALL: &'static [Self] = &[Self::Scout];

    fn name(self) -> &'static str {
        "scout"
    }
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddState {
    source: SourceName,
    request: AddRequest,
    /// The recipe and what it yields.
    added: Option<Value>,
    /// Reason the source was not added.
    refused: Option<String>,
    /// True if a user cancelled the run.
    #[serde(default)]
    is_cancelled: bool,
}

/// Workflow of `ADD_SOURCE` tasks.
pub struct AddWorkflow {
    services: SourceServices,
    graph: Graph<AddNode, AddState>,
}

impl AddWorkflow {
    /// The workflow with these services.
    ///
    /// # Errors
    ///
    /// Never, as a test shows: the graph is a constant.
    pub fn new(services: SourceServices) -> Result<Self, GraphError> {
        Ok(Self { services, graph: single_node::graph(AddNode::Scout)? })
    }

    async fn scout(&self, state: &AddState, context: &StepContext) -> Result<Result<Value, String>, StepError> {
        let source = state.source.to_string();
        let store = &self.services.store;
        if store.source(&source).await.map_err(|error| store_error(&error))?.is_some() {
            return Ok(Err(format!("there is a source `{source}` already: choose another --name, or remove it first")));
        }
        let progress = |message: String| context.progress(message);
        let inspection = match inspect(&self.services, &state.request, &progress).await? {
            Ok(inspection) => inspection,
            Err(reason) => return Ok(Err(reason)),
        };
        let Inspection { page: answer, recipe, extraction, facts, notes } = inspection;
        let recipe = facts.as_examples_of(&recipe);
        let url = answer.moved_to.clone().unwrap_or_else(|| state.request.url.clone());
        let definition = Definition {
            url: url.clone(),
            more: state.request.more.clone(),
            blueprint: Blueprint::of(url.clone(), &recipe),
            interval_seconds: state.request.interval_seconds,
            slowdown: 0,
            schedule: state.request.schedule.clone(),
            heal_policy: state.request.heal_policy,
            on_uncertain: state.request.on_uncertain,
            webhook: state.request.webhook.clone(),
            sites: Vec::new(),
        };
        let document = json_of(&recipe)?;
        let place = json_of(&definition)?;
        // Of a source of the same name that was removed, nothing counts.
        let mut health = Health { released_at: Some(context.now()), ..Health::new() };
        health.good_run(context.now());
        let facts = json_of(&facts)?;
        let snapshot = |role| Snapshot {
            role,
            url: url.to_string(),
            taken_at: context.now(),
            content: answer.html.clone().into_bytes(),
            values: Some(facts.clone()),
        };
        let values = values(&recipe, &extraction);
        record(context, SourceRecord::Definition { source: source.clone(), definition: place.clone() });
        record(context, SourceRecord::Health { source: source.clone(), health });
        let staged = SourceRecord::Staged {
            source: source.clone(),
            version: 1,
            recipe: document.clone(),
            definition: place.clone(),
            asked_by: SCOUT.to_owned(),
        };
        record(context, staged);
        let (definition, replaces) = (place, None);
        let asked_by = state.request.asked_by.clone().unwrap_or_else(|| SCOUT.to_owned());
        record(context, SourceRecord::Promoted { source: source.clone(), version: 1, definition, replaces, asked_by });
        for role in [SnapshotRole::Original, SnapshotRole::Good] {
            record(context, SourceRecord::Snapshot { source: source.clone(), snapshot: snapshot(role) });
        }
        record(context, SourceRecord::Values { source, url: url.to_string(), version: 1, values: values.clone() });
        Ok(Ok(json!({ "url": url, "recipe": document, "values": values, "notes": notes })))
    }
}

/// A page with the recipe that it would be added with.
struct Inspection {
    page: WebPage,
    recipe: Recipe,
    extraction: Extraction,
    facts: PageFacts,
    /// Decisions and omissions, one line each.
    notes: Vec<String>,
}

/// Requests the pages of a request and proposes a recipe that works on them, or returns the reason against it.
async fn inspect(
    services: &SourceServices,
    wanted: &AddRequest,
    progress: &(dyn Fn(String) + Send + Sync),
) -> Result<Result<Inspection, String>, StepError> {
    progress(format!("asking for {}", wanted.url));
    let mut request = wanted.recipe.as_ref().map(|recipe| recipe.request().clone()).unwrap_or_default();
    request.render |= wanted.render;
    let page = match services.page(&wanted.url, &request).await? {
        Ok(page) => page,
        Err(failure) => return Ok(Err(failure.message)),
    };
    let document = page.document();
    let obstacle = page.obstacle(&document);
    // A shell may still say for machines what it holds.
    let is_readable = obstacle.as_ref().is_some_and(Failure::needs_scripts) && says_what_it_holds(&document);
    let obstacle = obstacle.map(|failure| failure.message);
    if let Some(told) = obstacle.as_ref().filter(|_| wanted.names_nothing() && !is_readable) {
        return Ok(Err(format!("{told} If it is the page that you want, name its fields with --example or --schema.")));
    }
    let Proposal { recipe, mut notes } = match proposed(wanted, &document, &page.url) {
        Ok(proposal) => proposal,
        Err(error) => return Ok(Err(obstacle.unwrap_or_else(|| error.to_string()))),
    };
    let mut recipe = recipe.with_request(request);
    let (extraction, facts) = PageFacts::look(&recipe, &document, &page.url);
    if wanted.required_as_found {
        (recipe, notes) = required_as_found(recipe, &extraction, notes);
    }
    for note in &notes {
        progress(note.clone());
    }
    let validation = validate(&recipe, &extraction, &[]);
    if !validation.passed {
        let why = format!("the recipe does not work on the page: {}", validation.errors.join("; "));
        return Ok(Err(obstacle.map_or(why.clone(), |told| format!("{told} ({why})"))));
    }
    for other in wanted.more.iter().take(MOST_CHECKED) {
        progress(format!("asking for {other}"));
        if let Some(reason) = refused_by(services, other, &recipe).await? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(Inspection { page, recipe, extraction, facts, notes }))
}

/// Returns the reason the recipe does not work on another page of the template; `None`: it works.
async fn refused_by(services: &SourceServices, url: &Url, recipe: &Recipe) -> Result<Option<String>, StepError> {
    let page = match services.page(url, recipe.request()).await? {
        Ok(page) => page,
        Err(failure) => return Ok(Some(failure.message)),
    };
    let validation = validate(recipe, &recipe.apply(&page.document(), Some(&page.url)), &[]);
    let told = || format!("the recipe does not work on {url}: {}", validation.errors.join("; "));
    Ok((!validation.passed).then(told))
}

/// The recipe that a page would be added with, and the values that it gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// URL of the page, after permanent redirects.
    pub url: Url,
    /// Recipe that would be stored.
    pub recipe: Recipe,
    /// Values that it gives: an object, or for a list page an array of them.
    pub values: Value,
    /// Decisions and omissions, one line each.
    pub notes: Vec<String>,
}

/// Proposes a recipe as adding the page does, and stores nothing; `progress` receives each request. The inner error is the reason
/// for which the page would not be added.
///
/// # Errors
///
/// Returns an error for a fault of this machine, not of the site.
pub async fn preview(
    services: &SourceServices,
    request: &AddRequest,
    progress: &(dyn Fn(String) + Send + Sync),
) -> Result<Result<Preview, String>, StepError> {
    let inspection = inspect(services, request, progress).await?;
    Ok(inspection.map(|Inspection { page, recipe, extraction, facts, notes }| Preview {
        url: page.moved_to.unwrap_or_else(|| request.url.clone()),
        values: values(&recipe, &extraction),
        recipe: facts.as_examples_of(&recipe),
        notes,
    }))
}

fn says_what_it_holds(page: &Document) -> bool {
    page.nodes().any(|node| page.attribute(node, "type") == Some("application/ld+json"))
}

/// Returns the recipe of the request, or proposes one from its schema, its examples or the page itself.
fn proposed(request: &AddRequest, page: &Document, page_url: &Url) -> Result<Proposal, ScoutError> {
    let as_given = |recipe: Recipe| Proposal { recipe, notes: Vec::new() };
    match (&request.recipe, &request.schema, request.examples.as_slice()) {
        (Some(recipe), _, _) => Ok(as_given(recipe.clone())),
        (None, Some(schema), _) => scout::by_schema(page, page_url, schema, request.kind),
        (None, None, []) => scout::by_page(page, request.kind),
        (None, None, examples) => scout::by_example(page, examples, request.kind),
    }
}

/// Returns the recipe in which the fields are optional that only some items have, and a note for each. Fields that no item has stay
/// required: a selector that finds nothing does not describe an optional field.
fn required_as_found(recipe: Recipe, extraction: &Extraction, mut notes: Vec<String>) -> (Recipe, Vec<String>) {
    let mut fields = recipe.fields().to_vec();
    for field in fields.iter_mut().filter(|field| field.required) {
        let outcomes = extraction.records.iter().filter_map(|record| record.field(field.name.as_str()));
        let complete = outcomes.filter(|outcome| outcome.is_complete()).count();
        if complete > 0 && complete < extraction.records.len() {
            field.required = false;
            notes.push(format!(
                "`{}` is optional: {complete} of {} items have it",
                field.name,
                extraction.records.len()
            ));
        }
    }
    (recipe.clone().with_fields(fields).unwrap_or(recipe), notes)
}

pub(crate) fn json_of(value: &impl Serialize) -> Result<Value, StepError> {
    serde_json::to_value(value).map_err(|error| permanent(error.to_string()))
}

impl Workflow for AddWorkflow {
    type Node = AddNode;
    type State = AddState;

    fn kind(&self) -> TaskKind {
        TaskKind::AddSource
    }

    fn state_version(&self) -> u32 {
        1
    }

    fn graph(&self) -> &Graph<AddNode, AddState> {
        &self.graph
    }

    fn start(&self, task: &Task, _now: Timestamp) -> Result<AddState, StepError> {
        let source = source_of(task)?;
        let request = serde_json::from_value(task.context.clone())
            .map_err(|error| permanent(format!("the task's context: {error}")))?;
        Ok(AddState { source, request, added: None, refused: None, is_cancelled: false })
    }

    async fn step(&self, node: AddNode, state: &mut AddState, context: &StepContext) -> Result<(), StepError> {
        match node {
            AddNode::Scout => match noting_waits(context, self.scout(state, context)).await? {
                Ok(added) => state.added = Some(added),
                Err(reason) => state.refused = Some(reason),
            },
        }
        Ok(())
    }

    fn on_step_failed(&self, _node: AddNode, state: &mut AddState, error: &StepError, _now: Timestamp) -> bool {
        state.refused = Some(error.to_string());
        true
    }

    fn cancel(&self, state: &mut AddState, _now: Timestamp) {
        (state.is_cancelled, state.refused) = (true, Some("cancelled".to_owned()));
    }

    fn is_stopped(&self, state: &AddState) -> bool {
        state.refused.is_some()
    }

    fn ending(&self, state: &AddState, _now: Timestamp) -> Ending {
        let stop_reason = match state.added {
            _ if state.is_cancelled => StopReason::Cancelled,
            Some(_) => StopReason::Added,
            None => StopReason::NotAdded,
        };
        let report = match (&state.added, &state.refused) {
            (Some(_), _) => format!("# `{}` was added\n", state.source),
            (None, reason) => {
                format!("# `{}` was not added\n\n{}\n", state.source, reason.as_deref().unwrap_or_default())
            }
        };
        let results = json!({ "source": state.source, "added": state.added, "error": state.refused });
        Ending { outcome: stop_reason.outcome(0), stop_reason, results, report }
    }
}
