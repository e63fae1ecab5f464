//! Restrictions on the schemas that users supply.

use serde_json::Value;

use super::FormError;

/// Keywords that point to a schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Refuses a schema that points out of itself.
pub(super) fn refuse_elsewhere(schema: &Value) -> Result<(), FormError> {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                let reference = value.as_str().filter(|_| REFERENCES.contains(&name.as_str()));
                match reference {
                    Some(target) if !target.starts_with('#') => return Err(FormError::Elsewhere(target.to_owned())),
                    Some(_) => {}
                    None => refuse_elsewhere(value)?,
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(refuse_elsewhere),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
