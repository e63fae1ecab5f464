//! What is got from a page, whatever the page is about.

mod markdown;
mod parts;
mod schema;

use std::collections::BTreeMap;

use autoheal_page::value::DateValue;
use serde::{Deserialize, Serialize};

pub use parts::{List, Price, Rating, Salary, Table};
pub use schema::{SCHEMA, schema};

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageType {
    /// Something that can be bought.
    Product,
    /// A vacancy.
    Job,
    /// News, a post, a question with its answers.
    Article,
    /// Something to cook.
    Recipe,
    /// Something that takes place.
    Event,
    /// Anything else, or several things.
    #[default]
    Generic,
}

impl PageType {
    /// Every type there is.
    pub const ALL: [Self; 6] = [Self::Product, Self::Job, Self::Article, Self::Recipe, Self::Event, Self::Generic];

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Job => "job",
            Self::Article => "article",
            Self::Recipe => "recipe",
            Self::Event => "event",
            Self::Generic => "generic",
        }
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// `<script type="application/ld+json">`
    JsonLd,
    /// `itemprop` or RDFa's `property` attributes
    Microdata,
    /// OpenGraph and other `meta` elements
    OpenGraph,
    /// A rule about how pages look
    Heuristic,
    /// A language model
    Model,
}

impl Source {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonLd => "jsonld",
            Self::Microdata => "microdata",
            Self::OpenGraph => "opengraph",
            Self::Heuristic => "heuristic",
            Self::Model => "model",
        }
    }
}

/// Whether what a language model says is on the page: in its text, its attributes, or what it states about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounding {
    /// It is, however it is written there.
    Found,
    /// It is nothing that stands on a page: the page's type, one of the words that a schema offers, yes or no.
    Judgement,
    /// A summary that is not on the page word for word.
    OwnWords,
    /// It is not, or not all of it.
    NotFound,
}

impl Grounding {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Judgement => "judgement",
            Self::OwnWords => "own_words",
            Self::NotFound => "not_found",
        }
    }

    /// How sure a value is that a model gives, from 0 to 1: a convention, not a measured probability.
    pub const fn confidence(self) -> f32 {
        match self {
            Self::Found => 0.8,
            Self::Judgement => 0.6,
            Self::OwnWords => 0.5,
            Self::NotFound => 0.2,
        }
    }
}

/// How a value was got.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Where it comes from.
    pub source: Source,
    /// How sure it is, from 0 to 1. Its scale is a convention of the rules, not a measured probability.
    pub confidence: f32,
    /// Of what a language model says: whether it is on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounding: Option<Grounding>,
}

impl Provenance {
    /// Of a value that a rule found.
    pub const fn by_rule(source: Source, confidence: f32) -> Self {
        Self { source, confidence, grounding: None }
    }

    /// Of a value that a language model gives.
    pub const fn by_model(grounding: Grounding) -> Self {
        Self { source: Source::Model, confidence: grounding.confidence(), grounding: Some(grounding) }
    }
}

/// The fields of an item that have a [`Provenance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the field of the same name of `ScrapedItem`")]
pub enum Field {
    PageType,
    Title,
    Description,
    Author,
    PublishedAt,
    ModifiedAt,
    Image,
    Price,
    Availability,
    Brand,
    Sku,
    Rating,
    Company,
    Location,
    Salary,
    EmploymentType,
    Ingredients,
    Instructions,
    Yields,
    PrepMinutes,
    CookMinutes,
    TotalMinutes,
    Start,
    End,
    Venue,
    Text,
    Tables,
    Lists,
}

/// What a page holds. What it does not hold is absent: never an empty text, never a placeholder.
///
/// As JSON it has its keys in this order; absent fields and empty lists are left out, so the same page gives the same bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScrapedItem {
    /// What the page is about.
    pub page_type: PageType,
    /// The page's address, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The file with a picture of the page, where one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_path: Option<String>,
    /// Its headline, without the site's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A summary in a sentence or a few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who wrote it; several with commas between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was published, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<DateValue>,
    /// When it was changed last, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<DateValue>,
    /// The address of its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// What it costs; of a range the least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Whether it can be had, as the page says it: `InStock`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub availability: Option<String>,
    /// Who makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// The seller's number of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// What people think of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// Who offers the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// Where the job is, or the event takes place: the town and what is around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What the job pays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salary: Option<Salary>,
    /// Full time, part time, ..., as the page says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub employment_type: Option<String>,
    /// What goes in, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ingredients: Vec<String>,
    /// What to do, a step each; the name of a part of the recipe stands before its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<String>,
    /// How much comes out, as the page says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yields: Option<String>,
    /// Minutes of preparation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prep_minutes: Option<u32>,
    /// Minutes of cooking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cook_minutes: Option<u32>,
    /// Minutes altogether.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_minutes: Option<u32>,
    /// When it begins, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<DateValue>,
    /// When it ends, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<DateValue>,
    /// The house it takes place in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// The main text: paragraphs with empty lines between them, without navigation and what surrounds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tables that hold data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// Lists of the main text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<List>,
    /// Where each present field comes from.
    #[serde(default)]
    pub provenance: BTreeMap<Field, Provenance>,
}
