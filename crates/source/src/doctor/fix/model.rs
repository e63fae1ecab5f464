//! Fixes by a language model, for failures that the rules cannot fix. The model chooses among the candidates of the relocation; the rule
//! for its choice is made as for every field that moved, and its fixes pass through staging and validation like all others.

use autoheal_engine::workflow::StepContext;
use autoheal_llm::prompt::{cut, fenced};
use autoheal_llm::{ChatError, Models, Notice};
use autoheal_page::Document;
use autoheal_page::recipe::{Field, FieldName, Recipe};
use autoheal_page::relocate::Relocator;

use super::relocation::{self, Layout, Optional, whole_page};
use super::{Change, Thought};
use crate::facts::PageFacts;
use crate::loaded::Loaded;
use crate::prompt_limits::PromptLimits;
use crate::question::{Question, Reply, Subject};
use crate::validation::validate_page;

/// The purpose of the questions.
const PURPOSE: &str = "diagnose_source";

/// Maximum length of the error in a response that is reported to the model, in characters.
const LONGEST_REASON: usize = 400;

/// Maximum number of questions about a page and a recipe.
const MOST_QUESTIONS: usize = 2;

/// Services that asking needs.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) models: &'a Models,
    pub(super) limits: &'a PromptLimits,
    pub(super) relocator: &'a Relocator,
    /// An answer that agrees with the relocation needs no review.
    pub(super) confirms: bool,
    pub(super) context: &'a StepContext,
}

/// Asks about the fields that are not sure. A question that was answered before is not sent again.
pub(super) async fn propose(
    asking: Asking<'_>,
    loaded: &Loaded,
    // By value: parsed pages may go to another thread, and not be seen from two.
    mut layout: Layout,
) -> Thought {
    let page = Page::of(loaded, &layout, asking.confirms)?;
    let mut question = page
        .asked(loaded, &layout, |subject| Question::first(asking.relocator, subject, asking.limits))?
        .ok_or("nothing on the page can be shown to a language model as a candidate")?;
    let session = asking.models.session(Some(loaded.row.source.clone()), None, Some(asking.context.run));
    let notes = asking.context.notes_about("language model");
    let session = session.telling(Notice::split(notes, asking.context.progress_lines()));
    let mut settled = Reply::default();
    let mut fault = String::new();
    for _ in 0..MOST_QUESTIONS {
        let asked = session.ask_unless_answered(PURPOSE, &question.request()).await;
        let answer = asked.map_err(|error: ChatError| error.to_string())?;
        let proposed = match question.read(&answer) {
            Ok(mut reply) => {
                let wanted = std::mem::take(&mut reply.more);
                reply = reply.after(&settled);
                if !wanted.is_empty() {
                    let more = |subject: &Subject<'_>| {
                        question.more(asking.relocator, subject, asking.limits, (&answer, &wanted))
                    };
                    if let Some(next) = page.asked(loaded, &layout, more)? {
                        (question, settled) = (next, reply);
                        "the model wants more than two questions".clone_into(&mut fault);
                        continue;
                    }
                }
                // There is nothing else to show.
                reply.gone.extend(wanted);
                if let Some(name) = reply.gone.iter().find(|name| is_required(loaded, name)) {
                    return Err(format!("a language model does not find the field `{name}` either"));
                }
                change(loaded, &mut layout, &reply)
            }
            Err(reason) => Err(reason),
        };
        match proposed {
            Ok(change) => return Ok(change),
            Err(reason) => {
                // It may quote the page.
                let told = fenced(&cut(&reason, LONGEST_REASON), "error message");
                question = question
                    .refused(&answer, format!("That does not work:\n\n{told}\n\nAnswer again, in the same form."));
                fault = reason;
            }
        }
    }
    Err(format!("the model's answer does not work: {fault}"))
}

fn is_required(loaded: &Loaded, name: &FieldName) -> bool {
    loaded.recipe.field(name.as_str()).is_some_and(|field| field.required)
}

/// Facts about the page in question that are the same for every question.
struct Page {
    recipe: Recipe,
    old: Vec<Document>,
    url: String,
    open: Vec<FieldName>,
    certain: Vec<(FieldName, String)>,
    is_neutral: bool,
}

impl Page {
    fn of(loaded: &Loaded, layout: &Layout, is_neutral: bool) -> Result<Self, String> {
        let url = layout.url().map_or_else(|| loaded.page.to_string(), ToString::to_string);
        let (open, certain) = layout.open_and_certain();
        Ok(Self { recipe: whole_page(loaded)?, old: loaded.good_pages(), url, open, certain, is_neutral })
    }

    fn asked<T>(&self, loaded: &Loaded, layout: &Layout, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
        ask(&Subject {
            source: &loaded.row.source,
            url: &self.url,
            recipe: &self.recipe,
            old: &self.old.iter().collect::<Vec<_>>(),
            page: layout.page(),
            open: &self.open,
            certain: &self.certain,
            is_neutral: self.is_neutral,
        })
    }
}

/// Returns the change if the chosen places yield valid values on the failing page, similar to the earlier ones. That shows that a rule
/// fits, not that it is the right one: a reviewer decides unless every chosen value equals the value that the page had before, or is that
/// of an element that the relocation prefers as well and that the model chose without knowing so.
fn change(loaded: &Loaded, layout: &mut Layout, reply: &Reply) -> Thought {
    for (name, candidate) in &reply.chosen {
        layout.choose(name, &candidate.answer);
    }
    for name in &reply.gone {
        layout.give_up(name);
    }
    let change = relocation::propose(loaded, layout, Optional::Gone)?;
    let extraction = change.recipe.apply(layout.page(), layout.url());
    let verdict = validate_page(&change.recipe, layout.page(), &extraction, &loaded.history, &change.absent);
    if !verdict.passed {
        return Err(verdict.errors.join("; "));
    }
    let facts = PageFacts::of(&extraction);
    let is_known = |name: &FieldName| {
        let field = loaded.recipe.field(name.as_str());
        field.zip(loaded.last.as_ref()).is_some_and(|(field, last)| same_values(field, last, &facts))
    };
    let names =
        |chosen: &mut dyn Iterator<Item = &FieldName>| chosen.map(FieldName::as_str).collect::<Vec<_>>().join(", ");
    let chosen = names(&mut reply.chosen.iter().map(|(name, _)| name));
    // Without earlier values, nothing says that the value looks as before.
    let is_confirmed = |name: &FieldName| reply.agreed.contains(name) && !loaded.history.is_empty();
    let new = || reply.chosen.iter().map(|(name, _)| name).filter(|name| !is_known(name));
    let confirmed = names(&mut new().filter(|name| is_confirmed(name)));
    let unknown = names(&mut new().filter(|name| !is_confirmed(name)));
    let needs_person = (!unknown.is_empty())
        .then(|| format!("nothing but the model says that {unknown} of the new rules is what it was"));
    let mut evidence = change.evidence;
    if !chosen.is_empty() {
        evidence.push(format!(
            "rules were not sure of {chosen}: a language model chose among their candidates; the values look as they did before"
        ));
    }
    let mut description = change.description;
    if !confirmed.is_empty() {
        description = format!("{description}; {confirmed}: confirmed by a language model");
        evidence.push(format!(
            "{confirmed}: the language model and the relocation chose the same element independently of each other (source.model_confirms)"
        ));
    }
    Ok(Change { description, evidence, needs_person, ..change })
}

/// Returns whether a field has the values that it had, in whatever form they are written.
fn same_values(field: &Field, last: &PageFacts, now: &PageFacts) -> bool {
    let texts = |facts: &PageFacts| facts.texts.get(field.name.as_str()).cloned().unwrap_or_default();
    let typed = |text: &String| field.conversion.apply(text, None).ok();
    let (before, after) = (texts(last), texts(now));
    let same =
        |(one, other): (&String, &String)| one == other || typed(one).is_some_and(|value| Some(value) == typed(other));
    !before.is_empty() && before.len() == after.len() && before.iter().zip(&after).all(same)
}
