//! Transforms as recipes write them: a name (`"trim"`), or a name and what it needs (`{"split": ","}`).

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Capture, Conversion, TextStep, Transform};
use crate::value::ValueType;

const NAMES: &[&str] = &[
    "trim",
    "collapse",
    "regex",
    "strip_prefix",
    "strip_suffix",
    "split",
    "number",
    "money",
    "date",
    "boolean",
    "url",
    "minutes",
];

impl Serialize for Transform {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn with<S: Serializer, T: Serialize + ?Sized>(
            serializer: S,
            name: &str,
            argument: &T,
        ) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry(name, argument)?;
            map.end()
        }
        match self {
            Self::Step(step) => match step {
                TextStep::Trim => serializer.serialize_str("trim"),
                TextStep::Collapse => serializer.serialize_str("collapse"),
                TextStep::Regex(capture) => with(serializer, "regex", capture.source()),
                TextStep::StripPrefix(prefix) => with(serializer, "strip_prefix", prefix),
                TextStep::StripSuffix(suffix) => with(serializer, "strip_suffix", suffix),
                TextStep::Split(separator) => with(serializer, "split", separator),
            },
            Self::Conversion(conversion) if *conversion == Conversion::to(conversion.value_type()) => {
                serializer.serialize_str(conversion.value_type().name())
            }
            Self::Conversion(conversion) => match conversion {
                Conversion::Number(options) => with(serializer, "number", options),
                Conversion::Money(options) => with(serializer, "money", options),
                Conversion::Date(options) => with(serializer, "date", options),
                Conversion::Boolean(options) => with(serializer, "boolean", options),
                Conversion::Text | Conversion::Url | Conversion::Minutes => {
                    serializer.serialize_str(conversion.value_type().name())
                }
            },
        }
    }
}

impl<'de> Deserialize<'de> for Transform {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TransformVisitor)
    }
}

struct TransformVisitor;

impl<'de> Visitor<'de> for TransformVisitor {
    type Value = Transform;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a transform such as `\"trim\"` or `{\"split\": \",\"}`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Transform, E> {
        match name {
            "trim" => Ok(Transform::Step(TextStep::Trim)),
            "collapse" => Ok(Transform::Step(TextStep::Collapse)),
            "number" => Ok(Transform::Conversion(Conversion::to(ValueType::Number))),
            "money" => Ok(Transform::Conversion(Conversion::to(ValueType::Money))),
            "date" => Ok(Transform::Conversion(Conversion::to(ValueType::Date))),
            "boolean" => Ok(Transform::Conversion(Conversion::to(ValueType::Boolean))),
            "url" => Ok(Transform::Conversion(Conversion::Url)),
            "minutes" => Ok(Transform::Conversion(Conversion::Minutes)),
            "regex" | "strip_prefix" | "strip_suffix" | "split" => {
                Err(E::custom(format!("`{name}` needs a text: write `{{\"{name}\": \"...\"}}`")))
            }
            other => Err(E::unknown_variant(other, NAMES)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Transform, A::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(de::Error::custom("an empty transform: write `{\"split\": \",\"}`"));
        };
        let transform = match name.as_str() {
            "regex" => {
                let pattern: String = map.next_value()?;
                Transform::Step(TextStep::Regex(Capture::parse(&pattern).map_err(de::Error::custom)?))
            }
            "strip_prefix" => Transform::Step(TextStep::StripPrefix(map.next_value()?)),
            "strip_suffix" => Transform::Step(TextStep::StripSuffix(map.next_value()?)),
            "split" => {
                let separator: String = map.next_value()?;
                if separator.is_empty() {
                    return Err(de::Error::custom("`split` needs a text that is not empty"));
                }
                Transform::Step(TextStep::Split(separator))
            }
            "number" => Transform::Conversion(Conversion::Number(map.next_value()?)),
            "money" => Transform::Conversion(Conversion::Money(map.next_value()?)),
            "date" => Transform::Conversion(Conversion::Date(map.next_value()?)),
            "boolean" => Transform::Conversion(Conversion::Boolean(map.next_value()?)),
            "trim" | "collapse" | "url" | "minutes" => {
                return Err(de::Error::custom(format!("`{name}` needs nothing: write `\"{name}\"`")));
            }
            other => return Err(de::Error::unknown_variant(other, NAMES)),
        };
        if map.next_key::<String>()?.is_some() {
            return Err(de::Error::custom("one transform an entry: write `[{...}, {...}]`"));
        }
        Ok(transform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_written_as_they_are_read() {
        let json = r#"["trim","collapse",{"regex":"a(b)"},{"strip_prefix":"By "},{"strip_suffix":"."},{"split":","},"number",{"number":{"decimal":","}},{"money":{"currency":"EUR"}},{"date":{"order":"day_month_year"}},{"boolean":{"yes":["In stock"]}},"url","minutes"]"#;
        let transforms: Vec<Transform> = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&transforms).unwrap(), json);
    }

    #[test]
    fn what_is_no_transform_is_refused() {
        for json in [
            r#""split""#,
            r#""shout""#,
            r#"{"shout":1}"#,
            "{}",
            r#"{"trim":true}"#,
            r#"{"split":""}"#,
            r#"{"regex":"("}"#,
            r#"{"regex":"\\w{1000}{1000}"}"#,
            r#"{"number":{"decimal":"x"}}"#,
            r#"{"number":{"mark":","}}"#,
            r#"{"money":{"currency":"gold"}}"#,
            r#"{"split":",","regex":"a"}"#,
            "1",
        ] {
            assert!(serde_json::from_str::<Transform>(json).is_err(), "{json}");
        }
    }
}
