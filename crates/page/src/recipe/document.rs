//! The form of recipes that JSON and TOML share. Everything is checked while it is read, so that the parsers know the place.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{Position, RecipeError};
use super::{Field, FieldName, NextPage, NodeTake, Recipe, RecipeProblem, Request, Source, Take};
use crate::select::Selector;
use crate::transform::{Conversion, TextStep, Transform};
use crate::value::ValueType;

/// The version of the form.
const VERSION: u64 = 1;
/// The longest recipe, in bytes: most of it would be examples.
const LONGEST_RECIPE: usize = 1 << 20;
const MOST_TRANSFORMS: usize = 32;
const MOST_PAGES: u32 = 1000;

impl Recipe {
    /// Reads a recipe: TOML when the name ends in `.toml`, JSON otherwise.
    ///
    /// # Errors
    ///
    /// When it is not understood; the error says where, by `name`.
    pub fn parse(text: &str, name: &str) -> Result<Self, RecipeError> {
        let is_toml = name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("toml"));
        if is_toml { Self::from_toml(text, name) } else { Self::from_json(text, name) }
    }

    /// Reads a recipe in JSON. `name` is for messages.
    ///
    /// # Errors
    ///
    /// When it is not understood.
    pub fn from_json(text: &str, name: &str) -> Result<Self, RecipeError> {
        refuse_long(text, name)?;
        let at = |path: String, error: &serde_json::Error| {
            let position = (error.line() > 0).then(|| Position { line: error.line(), column: error.column().max(1) });
            let message = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
            RecipeError { name: name.to_owned(), position, path, message }
        };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let recipe = serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| at(key_of(error.path()), error.inner()))?;
        deserializer.end().map_err(|error| at(String::new(), &error))?;
        Ok(recipe)
    }

    /// Reads a recipe in TOML. `name` is for messages.
    ///
    /// # Errors
    ///
    /// When it is not understood.
    pub fn from_toml(text: &str, name: &str) -> Result<Self, RecipeError> {
        refuse_long(text, name)?;
        let at = |path: String, error: &toml::de::Error| RecipeError {
            name: name.to_owned(),
            position: error.span().map(|span| Position::of(text, span.start)),
            path,
            message: error.message().trim_end().to_owned(),
        };
        let deserializer = toml::Deserializer::parse(text).map_err(|error| at(String::new(), &error))?;
        serde_path_to_error::deserialize(deserializer).map_err(|error| at(key_of(error.path()), error.inner()))
    }

    /// The recipe as JSON: the same recipe is always the same text, and what is as by default is left out.
    ///
    /// # Errors
    ///
    /// Never for a recipe that was parsed.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|mut text| {
            text.push('\n');
            text
        })
    }

    /// The recipe as TOML, in the same way.
    ///
    /// # Errors
    ///
    /// Never for a recipe that was parsed.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

fn refuse_long(text: &str, name: &str) -> Result<(), RecipeError> {
    if text.len() <= LONGEST_RECIPE {
        return Ok(());
    }
    let message = format!("a recipe of {} bytes is longer than {LONGEST_RECIPE}: shorten its examples", text.len());
    Err(RecipeError { name: name.to_owned(), position: None, path: String::new(), message })
}

/// Returns the path of an error; empty if the error concerns the whole document, which the library writes as `.` or `?`.
fn key_of(path: &serde_path_to_error::Path) -> String {
    let path = path.to_string();
    if path == "." || path == "?" { String::new() } else { path }
}

/// A recipe as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecipeDocument {
    #[serde(deserialize_with = "version")]
    version: u64,
    #[serde(default, skip_serializing_if = "Request::is_default")]
    request: Request,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<ItemsDocument>,
    fields: FieldsDocument,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<NextDocument>,
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let version = u64::deserialize(deserializer)?;
    if version == VERSION {
        Ok(version)
    } else {
        Err(de::Error::custom(format!("version {version} is not known: this program reads version {VERSION}")))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemsDocument {
    select: SelectorText,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NextDocument {
    select: SelectorText,
    #[serde(default = "link_address", skip_serializing_if = "is_link_address")]
    take: Take,
    #[serde(default = "ten", skip_serializing_if = "is_ten", deserialize_with = "page_limit")]
    limit: u32,
}

fn link_address() -> Take {
    Take::Node(NodeTake::Attribute("href".to_owned()))
}

fn is_link_address(take: &Take) -> bool {
    *take == link_address()
}

fn ten() -> u32 {
    10
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
fn is_ten(limit: &u32) -> bool {
    *limit == ten()
}

fn page_limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let limit = u32::deserialize(deserializer)?;
    if (1..=MOST_PAGES).contains(&limit) {
        Ok(limit)
    } else {
        Err(de::Error::custom(format!("a limit of {limit} pages is not between 1 and {MOST_PAGES}")))
    }
}

/// A selector as text, checked when read.
struct SelectorText(Selector);

impl Serialize for SelectorText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.source())
    }
}

impl<'de> Deserialize<'de> for SelectorText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Selector::parse(&text).map(Self).map_err(de::Error::custom)
    }
}

/// The fields by name, in the order of the text, none twice.
struct FieldsDocument(Vec<Field>);

impl Serialize for FieldsDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for field in &self.0 {
            map.serialize_entry(&field.name, &FieldDocument::from(field))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for FieldsDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = FieldsDocument;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fields by their names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FieldsDocument, A::Error> {
        let mut fields: Vec<Field> = Vec::new();
        while let Some(name) = map.next_key::<FieldName>()? {
            if fields.iter().any(|field| field.name == name) {
                return Err(de::Error::custom(RecipeProblem::Duplicate { name }));
            }
            if fields.len() == super::MOST_FIELDS {
                return Err(de::Error::custom(RecipeProblem::TooManyFields { count: fields.len() + 1 }));
            }
            let NamelessField(field) = map.next_value()?;
            fields.push(Field { name, ..field });
        }
        Ok(FieldsDocument(fields))
    }
}

/// A field before it has its name.
#[derive(Deserialize)]
#[serde(try_from = "FieldDocument")]
struct NamelessField(Field);

/// A field as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    select: Option<SelectorText>,
    #[serde(default = "text", skip_serializing_if = "is_text")]
    take: Take,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    many: bool,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    value_type: Option<ValueType>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    transforms: Vec<Transform>,
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    required: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    example: Vec<String>,
}

fn text() -> Take {
    Take::Node(NodeTake::Text)
}

fn is_text(take: &Take) -> bool {
    *take == text()
}

fn yes() -> bool {
    true
}

impl TryFrom<FieldDocument> for NamelessField {
    type Error = String;

    fn try_from(document: FieldDocument) -> Result<Self, Self::Error> {
        let source = match (document.select, document.take) {
            (Some(SelectorText(select)), Take::Node(take)) => Source::Nodes { select, take },
            (None, Take::Structured(path)) => Source::Structured(path),
            (None, Take::Node(_)) => return Err("`select` is missing: which node is it?".to_owned()),
            (Some(_), Take::Structured(path)) => {
                return Err(format!("`{path}` is found without `select`: leave one of the two out"));
            }
        };
        let (steps, conversion) = split(document.transforms, document.value_type)?;
        if !document.many && steps.iter().any(|step| matches!(step, TextStep::Split(_))) {
            return Err("`split` gives several values: write `\"many\": true`".to_owned());
        }
        let name = FieldName::parse("field").map_err(|error| error.to_string())?;
        Ok(Self(Field {
            name,
            source,
            many: document.many,
            steps,
            conversion,
            required: document.required,
            example: document.example,
        }))
    }
}

/// Transforms are steps and then at most one conversion, which agrees with the type.
fn split(transforms: Vec<Transform>, value_type: Option<ValueType>) -> Result<(Vec<TextStep>, Conversion), String> {
    if transforms.len() > MOST_TRANSFORMS {
        return Err(format!("{} transforms are more than {MOST_TRANSFORMS}: one `regex` may do", transforms.len()));
    }
    let mut steps = Vec::new();
    let mut conversion: Option<Conversion> = None;
    for transform in transforms {
        match (transform, &conversion) {
            (Transform::Step(step), None) => steps.push(step),
            (Transform::Conversion(last), None) => conversion = Some(last),
            (Transform::Step(_) | Transform::Conversion(_), Some(earlier)) => {
                return Err(format!("nothing can follow the transform `{}`: put it last", earlier.value_type()));
            }
        }
    }
    let conversion = match (conversion, value_type) {
        (None, None) => Conversion::Text,
        (None, Some(wanted)) => Conversion::to(wanted),
        (Some(conversion), None) => conversion,
        (Some(conversion), Some(wanted)) if conversion.value_type() == wanted => conversion,
        (Some(conversion), Some(wanted)) => {
            return Err(format!("its type is `{wanted}`, and its last transform gives `{}`", conversion.value_type()));
        }
    };
    Ok((steps, conversion))
}

impl From<&Field> for FieldDocument {
    fn from(field: &Field) -> Self {
        let transforms = field.transforms();
        let says_type = transforms.iter().any(|transform| matches!(transform, Transform::Conversion(_)));
        let value_type = Some(field.value_type()).filter(|value_type| !says_type && *value_type != ValueType::Text);
        Self {
            select: field.select().cloned().map(SelectorText),
            take: field.take(),
            many: field.many,
            value_type,
            transforms,
            required: field.required,
            example: field.example.clone(),
        }
    }
}

impl TryFrom<RecipeDocument> for Recipe {
    type Error = String;

    fn try_from(document: RecipeDocument) -> Result<Self, Self::Error> {
        let next = document.next.map(|next| match next.take {
            Take::Node(take) => Ok(NextPage { select: next.select.0, take, limit: next.limit }),
            Take::Structured(path) => Err(format!("`next` takes from a node, not `{path}`")),
        });
        Recipe::new(document.fields.0)
            .and_then(|recipe| recipe.with_items(document.items.map(|items| items.select.0)))
            .map_err(|problem| problem.to_string())
            .and_then(|recipe| Ok(recipe.with_request(document.request).with_next(next.transpose()?)))
    }
}

impl From<Recipe> for RecipeDocument {
    fn from(recipe: Recipe) -> Self {
        let next = recipe.next.map(|next| NextDocument {
            select: SelectorText(next.select),
            take: Take::Node(next.take),
            limit: next.limit,
        });
        Self {
            version: VERSION,
            request: recipe.request,
            items: recipe.items.map(|select| ItemsDocument { select: SelectorText(select) }),
            fields: FieldsDocument(recipe.fields),
            next,
        }
    }
}
