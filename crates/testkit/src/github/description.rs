//! GitHub's own description of its API (`OpenAPI`), and whether a request and its answer are as it says.
//!
//! The description is not part of this repository: `./test` fetches it into the cache, and names it by [`VARIABLE`].

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::state::Exchange;

/// The environment variable that names the description's file.
pub const VARIABLE: &str = "AUTOHEAL_TEST_GITHUB_DESCRIPTION";

/// GitHub's description of its API.
#[derive(Debug)]
pub struct Description {
    document: Value,
}

impl Description {
    /// Returns the description, which is read once; `None` if this machine does not have it.
    pub fn find() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<Description>> = OnceLock::new();
        let read = || {
            let path = std::env::var_os(VARIABLE).map(PathBuf::from)?;
            let text = std::fs::read(path).ok()?;
            Some(Self { document: serde_json::from_slice(&text).ok()? })
        };
        FOUND.get_or_init(read).as_ref()
    }

    /// Lists the differences between an exchange and the description.
    pub fn faults(&self, exchange: &Exchange) -> Vec<String> {
        let named = format!("{} {} -> {}", exchange.method, exchange.path, exchange.status);
        let Some(operation) = self.operation(exchange) else {
            return vec![format!("{named}: there is no such operation")];
        };
        let mut faults = self.request_faults(operation, exchange);
        faults.extend(self.answer_faults(operation, exchange));
        faults.into_iter().map(|fault| format!("{named}: {fault}")).collect()
    }

    /// The operation whose path fits; of several the one with the fewest places to fill in.
    fn operation(&self, exchange: &Exchange) -> Option<&Value> {
        let asked: Vec<&str> = exchange.path.split('/').collect();
        let method = exchange.method.to_ascii_lowercase();
        let fits = |template: &str| {
            let parts: Vec<&str> = template.split('/').collect();
            let is_same = |(part, given): (&&str, &&str)| part == given || (part.starts_with('{') && !given.is_empty());
            parts.len() == asked.len() && parts.iter().zip(&asked).all(is_same)
        };
        let paths = self.document["paths"].as_object()?.iter().filter(|(path, _)| fits(path));
        let (_, item) = paths.min_by_key(|(path, _)| path.matches('{').count())?;
        item.get(&method)
    }

    fn request_faults(&self, operation: &Value, exchange: &Exchange) -> Vec<String> {
        let mut faults = Vec::new();
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters: Vec<&Value> = parameters.map(|parameter| self.resolved(parameter)).collect();
        let of_query = |parameter: &&&Value| parameter["in"] == "query";
        for (name, value) in &exchange.query {
            match parameters.iter().filter(of_query).find(|parameter| parameter["name"] == **name) {
                None => faults.push(format!("the parameter {name} is not described")),
                Some(parameter) => {
                    let is_number = matches!(self.resolved(&parameter["schema"])["type"].as_str(), Some("integer"));
                    let value = match value.parse::<i64>() {
                        Ok(number) if is_number => Value::from(number),
                        Ok(_) | Err(_) => Value::from(value.as_str()),
                    };
                    faults.extend(self.against(&parameter["schema"], &value, &format!("parameter {name}")));
                }
            }
        }
        for parameter in parameters.iter().filter(of_query).filter(|parameter| parameter["required"] == true) {
            if !exchange.query.iter().any(|(name, _)| parameter["name"] == **name) {
                faults.push(format!("the parameter {} is missing", parameter["name"]));
            }
        }
        let described = self.resolved(&operation["requestBody"]);
        let schema = &described["content"]["application/json"]["schema"];
        match &exchange.body {
            Some(_) if schema.is_null() => faults.push("no body is described".to_owned()),
            Some(body) => faults.extend(self.against(schema, body, "body")),
            None if described["required"] == true => faults.push("the body is missing".to_owned()),
            None => {}
        }
        for (name, wanted) in
            [("user-agent", "autoheal/"), ("x-github-api-version", "20"), ("accept", "application/vnd.github")]
        {
            if !exchange.headers.get(name).is_some_and(|value| value.starts_with(wanted)) {
                faults.push(format!("the header {name} is missing or wrong"));
            }
        }
        faults
    }

    fn answer_faults(&self, operation: &Value, exchange: &Exchange) -> Vec<String> {
        let described = &operation["responses"][exchange.status.to_string()];
        if described.is_null() {
            // Errors of every path, which the description lists for few: it has one form for them all.
            let is_general = matches!(exchange.status, 401 | 403 | 404 | 422 | 429 | 500..);
            let asked_again = exchange.status == 304 && exchange.headers.contains_key("if-none-match");
            return match &exchange.answer {
                None if asked_again => Vec::new(),
                Some(answer) if is_general => {
                    self.against(&json!({ "$ref": "#/components/schemas/basic-error" }), answer, "answer")
                }
                _ => vec!["there is no such answer".to_owned()],
            };
        }
        let schema = &self.resolved(described)["content"]["application/json"]["schema"];
        match &exchange.answer {
            Some(_) if schema.is_null() => vec!["no body is described for the answer".to_owned()],
            Some(answer) => self.against(schema, answer, "answer"),
            None if schema.is_null() => Vec::new(),
            None => vec!["the answer has no body".to_owned()],
        }
    }

    /// Follows a reference within the description.
    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str().and_then(|reference| self.document.pointer(reference.strip_prefix('#')?)) {
            Some(target) => self.resolved(target),
            None => value,
        }
    }

    fn against(&self, schema: &Value, value: &Value, what: &str) -> Vec<String> {
        let mut document = as_json_schema(schema);
        document["components"] = json!({ "schemas": self.schemas_below(schema) });
        let options = jsonschema::options().should_validate_formats(true);
        match options.build(&document) {
            Ok(validator) => validator
                .iter_errors(value)
                .map(|error| format!("{what} at `{}`: {}", error.instance_path(), cut(&error.to_string())))
                .collect(),
            Err(error) => vec![format!("{what}: the description cannot be used: {error}")],
        }
    }

    /// The schemas that a schema refers to, directly or not.
    fn schemas_below(&self, schema: &Value) -> Map<String, Value> {
        let mut found = Map::new();
        let mut waiting = references(schema);
        while let Some(name) = waiting.pop_first() {
            if found.contains_key(&name) {
                continue;
            }
            let schema = &self.document["components"]["schemas"][&name];
            waiting.extend(references(schema));
            found.insert(name, as_json_schema(schema));
        }
        found
    }
}

fn references(schema: &Value) -> BTreeSet<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|reference| reference.strip_prefix("#/components/schemas/")).map(str::to_owned);
            own.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(values) => values.iter().flat_map(references).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => BTreeSet::new(),
    }
}

/// A schema of `OpenAPI` 3.0 as JSON Schema: `nullable` becomes a choice, and examples, which may hold anything, go.
fn as_json_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let is_nullable = fields.get("nullable") == Some(&Value::Bool(true));
            let kept = fields.iter().filter(|(name, value)| {
                let is_example = matches!(name.as_str(), "example" | "examples") && !value.is_object();
                !is_example && !matches!(name.as_str(), "nullable" | "externalDocs") && !name.starts_with("x-")
            });
            let plain: Map<String, Value> = kept.map(|(name, value)| (name.clone(), as_json_schema(value))).collect();
            if is_nullable { json!({ "anyOf": [plain, { "type": "null" }] }) } else { plain.into() }
        }
        Value::Array(values) => values.iter().map(as_json_schema).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> Description {
        let schema = json!({
            "type": "object", "required": ["name"],
            "properties": { "name": { "type": "string", "nullable": true }, "of": { "$ref": "#/components/schemas/thing" } },
        });
        let operation = json!({
            "parameters": [{ "name": "page", "in": "query", "schema": { "type": "integer" } }],
            "responses": { "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/thing" } } } } },
        });
        Description {
            document: json!({
                "paths": { "/things/{id}": { "get": operation } }, "components": { "schemas": { "thing": schema } },
            }),
        }
    }

    fn faults(path: &str, query: &[(&str, &str)], answer: &Value) -> String {
        let headers = [
            ("user-agent", "autoheal/1"),
            ("x-github-api-version", "2022-11-28"),
            ("accept", "application/vnd.github+json"),
        ];
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let exchange = Exchange {
            method: "GET".to_owned(),
            path: path.to_owned(),
            query: query.iter().map(owned).collect(),
            headers: headers.iter().map(owned).collect(),
            body: None,
            status: 200,
            answer: Some(answer.clone()),
        };
        description().faults(&exchange).join("; ")
    }

    #[test]
    fn what_is_as_described_has_no_fault() {
        assert_eq!(faults("/things/7", &[("page", "2")], &json!({ "name": null, "of": { "name": "x" } })), "");
    }

    #[test]
    fn what_is_not_described_is_told() {
        let good = json!({ "name": "x" });
        assert!(faults("/nothing", &[], &good).contains("no such operation"));
        assert!(faults("/things/7", &[("pages", "2")], &good).contains("pages is not described"));
        assert!(faults("/things/7", &[("page", "two")], &good).contains("parameter page"));
        assert!(faults("/things/7", &[], &json!({ "name": 7 })).contains("answer at `/name`"));
        assert!(faults("/things/7", &[], &json!({ "name": "x", "of": {} })).contains("answer at `/of`"));
    }
}
