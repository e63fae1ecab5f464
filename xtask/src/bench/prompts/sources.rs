//! Questions to a language model about fields that the relocation does not find with certainty: is the wanted value in the prompt, and how
//! long is the prompt?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use autoheal_llm::{ChatAnswer, Finish, TokenUsage};
use autoheal_page::diff::Outline;
use autoheal_page::recipe::FieldName;
use autoheal_page::relocate::{Relocation, Relocator, Status};
use autoheal_source::PromptLimits;
use autoheal_source::question::{Question, Subject};

use super::{Options, tokens_line};
use crate::bench::drift::corpus::{self, Case, Field, Side};
use crate::bench::drift::{each, print, score};

/// Cases of a smoke run.
const SMOKE: usize = 12;

/// Length of the beginning of a page's outline with which the prompt is compared, in characters.
const OUTLINE: usize = 12_000;

/// Position of the wanted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    First,
    Listed,
    /// In the second question, if the model asks for more.
    Further,
    Nowhere,
}

/// A field of a question.
struct Judged {
    id: String,
    status: &'static str,
    is_list: bool,
    found: Found,
    is_in_outline: bool,
}

#[derive(Default)]
struct Outcome {
    fields: Vec<Judged>,
    /// Tokens of the first question, and of both together.
    tokens: Option<(u64, u64)>,
    outline_tokens: usize,
    prompt: String,
}

/// Runs the bench.
pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let mut cases = corpus::load(&options.corpus)?;
    cases.retain(|case| options.case.as_ref().is_none_or(|text| case.id.contains(text.as_str())));
    if options.smoke {
        cases.retain(|case| !case.is_control);
        cases.truncate(SMOKE);
    }
    let relocator = Relocator::new()?;
    let mut outcomes = Vec::new();
    each(
        &cases,
        |case| measure(&relocator, case),
        |outcome| {
            outcomes.push(outcome);
            Ok(())
        },
    )?;
    for outcome in &outcomes {
        if options.show {
            print(&outcome.prompt);
        }
        for field in outcome.fields.iter().filter(|field| options.missing && field.found > Found::Listed) {
            print(&format!("{:?} {} {}", field.found, field.status, field.id));
        }
    }
    print(&table(&outcomes));
    let longest = outcomes.iter().filter_map(|outcome| outcome.tokens).map(|(_, both)| both).max().unwrap_or(0);
    let shown =
        outcomes.iter().flat_map(|outcome| &outcome.fields).filter(|field| field.found <= Found::Listed).count();
    anyhow::ensure!(
        !options.smoke || (longest > 0 && longest <= 6000 && shown > 0),
        "the prompts are not as they should be"
    );
    Ok(())
}

fn measure(relocator: &Relocator, case: &Case) -> anyhow::Result<Outcome> {
    let (recipe, _) = case.recipe(Side::Old)?;
    let (old, new) = (case.page(Side::Old)?, case.page(Side::New)?);
    let relocation = relocator.relocate(&[&old], &recipe, &new);
    let truth = |name: &FieldName| case.fields().find(|(other, _)| *other == name.as_str()).map(|(_, field)| field);
    let mut asked: Vec<(FieldName, &'static str, &Field)> = Vec::new();
    for (name, answer) in &relocation.fields {
        let Some(field) = truth(name) else { continue };
        let is_sure = matches!(answer.status, Status::Kept | Status::Moved);
        if is_sure && score::is_right(field, Side::New, &answer.values) {
            continue;
        }
        asked.push((name.clone(), if is_sure { "wrong" } else { answer.status.name() }, field));
    }
    let open: Vec<FieldName> = asked.iter().map(|(name, ..)| name.clone()).collect();
    let certain = certain(&relocation, &open);
    let pages = [&old];
    let subject = Subject {
        source: "news",
        url: "https://news.example/article/1",
        recipe: &recipe,
        old: &pages,
        page: &new,
        open: &open,
        certain: &certain,
        is_neutral: false,
    };
    judge(relocator, case, &subject, &asked)
}

fn certain(relocation: &Relocation, open: &[FieldName]) -> Vec<(FieldName, String)> {
    let sure = relocation.fields.iter().filter(|(name, _)| !open.contains(name));
    sure.map(|(name, answer)| {
        let select = answer.select.as_ref().map_or("structured data", |select| select.source());
        (name.clone(), format!("`{select}` {}", answer.values.first().map_or("", String::as_str)))
    })
    .collect()
}

fn judge(
    relocator: &Relocator,
    case: &Case,
    subject: &Subject<'_>,
    asked: &[(FieldName, &'static str, &Field)],
) -> anyhow::Result<Outcome> {
    let limits = PromptLimits::default();
    let mut outcome = Outcome::default();
    if asked.is_empty() {
        return Ok(outcome);
    }
    let outline: String = Outline::of(subject.page).to_string().chars().take(OUTLINE).collect();
    outcome.outline_tokens = outline.len() / 4;
    let outline = score::key(&outline);
    let first = Question::first(relocator, subject, &limits).map_err(anyhow::Error::msg)?;
    let more = first.as_ref().map(|first| further(relocator, subject, first)).transpose()?.flatten();
    if let Some(first) = &first {
        let both = more.as_ref().map_or(0, Question::tokens).max(first.tokens());
        outcome.tokens = Some((first.tokens(), both));
        for message in &first.request().messages {
            let _ = writeln!(outcome.prompt, "=== {}\n{}", case.id, message.text);
        }
    }
    for (name, status, field) in asked {
        let place = |question: &Option<Question>| {
            let choices = question.as_ref()?.fields().iter().find(|choices| choices.name == *name)?;
            choices.candidates.iter().position(|one| score::is_right(field, Side::New, &one.answer.values))
        };
        let found = match (place(&first), place(&more)) {
            (Some(0), _) => Found::First,
            (Some(_), _) => Found::Listed,
            (None, Some(_)) => Found::Further,
            (None, None) => Found::Nowhere,
        };
        let beginning = |value: &String| score::key(&value.chars().take(50).collect::<String>());
        let is_in_outline = field.truth(Side::New).first().map(beginning).is_some_and(|value| outline.contains(&value));
        outcome.fields.push(Judged {
            id: format!("{} {name}", case.id),
            status,
            is_list: field.multi,
            found,
            is_in_outline,
        });
    }
    Ok(outcome)
}

/// The second question if the model asks for more candidates of every field.
fn further(relocator: &Relocator, subject: &Subject<'_>, first: &Question) -> anyhow::Result<Option<Question>> {
    let names: Vec<FieldName> = first.fields().iter().map(|choices| choices.name.clone()).collect();
    let wants = names.iter().map(|name| (name.to_string(), "more".into())).collect();
    let text = serde_json::Value::Object(wants).to_string();
    let answer = ChatAnswer { text, finish: Finish::Complete, usage: TokenUsage::default() };
    first.more(relocator, subject, &PromptLimits::default(), (&answer, &names)).map_err(anyhow::Error::msg)
}

fn table(outcomes: &[Outcome]) -> String {
    let fields: Vec<&Judged> = outcomes.iter().flat_map(|outcome| &outcome.fields).collect();
    let mut groups: BTreeMap<String, Vec<&Judged>> = BTreeMap::new();
    for field in &fields {
        groups.entry(field.status.to_owned()).or_default().push(field);
        groups.entry(if field.is_list { "lists" } else { "single values" }.to_owned()).or_default().push(field);
    }
    groups.insert(
        "not found with certainty".to_owned(),
        fields.iter().copied().filter(|field| field.status != "wrong").collect(),
    );
    groups.insert("~ all".to_owned(), fields);
    let mut text = format!(
        "wanted values             total  first  in the prompt  with \"more\"  in the outline's first {OUTLINE} characters\n"
    );
    for (name, group) in &groups {
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let share = |count: usize| 100.0 * number(count) / number(group.len().max(1));
        let within = |last: Found| share(group.iter().filter(|field| field.found <= last).count());
        let outlined = share(group.iter().filter(|field| field.is_in_outline).count());
        let _ = writeln!(
            text,
            "  {name:<24} {:>4}  {:>5.1}  {:>11.1} %  {:>9.1} %  {outlined:>5.1} %",
            group.len(),
            within(Found::First),
            within(Found::Listed),
            within(Found::Further)
        );
    }
    let of = |tokens: &dyn Fn(&Outcome) -> Option<u64>| outcomes.iter().filter_map(tokens).collect::<Vec<u64>>();
    for (name, mut tokens) in [
        ("first question", of(&|outcome| outcome.tokens.map(|(first, _)| first))),
        ("second question, all fields", of(&|outcome| outcome.tokens.map(|(_, both)| both))),
        (
            "outline alone, before",
            of(&|outcome| outcome.tokens.and_then(|_| u64::try_from(outcome.outline_tokens).ok())),
        ),
    ] {
        text.push_str(&tokens_line(name, "pages", &mut tokens));
    }
    text
}
