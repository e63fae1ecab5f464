//! Item that is extracted from a page of any type.

mod markdown;
mod parts;
mod schema;

use std::collections::BTreeMap;

use autoheal_page::value::DateValue;
use serde::{Deserialize, Serialize};

pub use parts::{List, Price, Rating, Salary, Table};
pub use schema::{SCHEMA, schema};

/// Type of a page, by its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageType {
    /// A product that can be bought.
    Product,
    /// A job vacancy.
    Job,
    /// News, a post, a question with its answers.
    Article,
    /// A recipe for cooking or baking.
    Recipe,
    /// An event at a certain time.
    Event,
    /// Any other page, or one with several subjects.
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

/// Origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// `script` elements of type `application/ld+json`.
    JsonLd,
    /// `itemprop` attributes, or `property` attributes of RDFa.
    Microdata,
    /// OpenGraph and other `meta` elements.
    OpenGraph,
    /// Rule about the layout of pages.
    Heuristic,
    /// Response of a language model.
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

/// Presence of a language model's value on the page: in its text, its attributes, or its statements about
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounding {
    /// It is on the page, in any spelling.
    Found,
    /// It cannot occur on a page: the page's type, one of the words that a schema offers, yes or no.
    Judgement,
    /// A summary that is not on the page word for word.
    OwnWords,
    /// It is not on the page, or not all of it.
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

    /// Returns the confidence in a model's value, from 0 to 1: a convention, not a measured probability.
    pub const fn confidence(self) -> f32 {
        match self {
            Self::Found => 0.8,
            Self::Judgement => 0.6,
            Self::OwnWords => 0.5,
            Self::NotFound => 0.2,
        }
    }
}

/// Origin of a value, and the confidence in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Origin of the value.
    pub source: Source,
    /// Confidence in the value, from 0 to 1. Its scale is a convention of the rules, not a measured
    /// probability.
    pub confidence: f32,
    /// Presence of the value on the page, if a language model gave it; otherwise `None`.
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

/// Content of a page. A field that the page does not contain is absent: never an empty text, never a
/// placeholder.
///
/// The keys of the JSON form are in this order. Absent fields and empty lists are left out, so the same page
/// gives the same bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScrapedItem {
    /// Type of the page, by its subject.
    pub page_type: PageType,
    /// URL of the page, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Path of the screenshot, if one was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_path: Option<String>,
    /// Its headline, without the site's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A summary in a sentence or a few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Author; several are separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Time of publication, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<DateValue>,
    /// Time of the last change, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<DateValue>,
    /// The address of its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Price; the lowest one of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Availability, in the page's own words: `InStock`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub availability: Option<String>,
    /// Brand or manufacturer of the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// Article number that the seller gives the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// Rating by users, with its scale and their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
    /// Company that offers the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// Location of the job or the event, such as the town and its region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Pay of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salary: Option<Salary>,
    /// Full time, part time, ..., as the page says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub employment_type: Option<String>,
    /// Ingredients, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ingredients: Vec<String>,
    /// Instructions, one step each. The name of a part of the recipe precedes its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<String>,
    /// Yield of the recipe, in the page's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yields: Option<String>,
    /// Preparation time of the recipe, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prep_minutes: Option<u32>,
    /// Cooking time of the recipe, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cook_minutes: Option<u32>,
    /// Total time of the recipe, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_minutes: Option<u32>,
    /// Start time, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<DateValue>,
    /// End time, as ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<DateValue>,
    /// Place of the event, such as a hall or a house.
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
    /// Origin of each present field.
    #[serde(default)]
    pub provenance: BTreeMap<Field, Provenance>,
}
