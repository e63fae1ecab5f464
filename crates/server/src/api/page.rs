//! `docs/api.md`, made from the description of the API.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

const HEAD: &str = "# HTTP API\n\nA server returns this description at `/api/openapi.json`, the dashboard shows it under *API*, and \
                    `autoheal\nopenapi` prints it. Every request but the probes and webhooks needs `Authorization: Bearer TOKEN`. \
                    Times are\nRFC 3339 in UTC, with three decimals. How to use the API: [server.md](server.md).\n\n\
                    <!-- Generated: UPDATE_DOCS=1 cargo nextest run -p autoheal-server api_page -->\n";

/// The name of a schema that is referred to.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|path| path.rsplit('/').next())
}

/// A type in few words, with a link where it is described.
fn kind(schema: &Value) -> String {
    if let Some(name) = referred(schema) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(values) = schema["enum"].as_array() {
        let words: Vec<String> = values.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    let choices = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array());
    if let Some(choices) = choices {
        let kinds: Vec<String> = choices.iter().map(kind).filter(|kind| kind != "null").collect();
        return kinds.join(" or ");
    }
    let types = match &schema["type"] {
        Value::String(one) => one.clone(),
        Value::Array(several) => {
            several.iter().filter_map(Value::as_str).find(|one| *one != "null").unwrap_or_default().to_owned()
        }
        _ => "any".to_owned(),
    };
    match types.as_str() {
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object of {}", kind(&schema["additionalProperties"]))
        }
        "string" => match schema["format"].as_str() {
            Some("date-time") => "time".to_owned(),
            Some("uri") => "URL".to_owned(),
            _ => types,
        },
        _ => types,
    }
}

/// Returns a paragraph in lines of at most 110 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + word.chars().count() < 110 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// A text for a cell of a table.
fn cell(text: &Value) -> String {
    text.as_str().unwrap_or_default().replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|all| all.iter().any(|required| required == name))
}

/// The properties of an object, as a table.
fn properties(text: &mut String, schema: &Value) {
    let Some(all) = schema["properties"].as_object().filter(|all| !all.is_empty()) else { return };
    text.push_str("\n| property | type | description |\n| --- | --- | --- |\n");
    for (name, property) in all {
        let optional = if is_required(schema, name) { "" } else { " (optional)" };
        let _ = writeln!(text, "| `{name}`{optional} | {} | {} |", kind(property), cell(&property["description"]));
    }
}

fn operation(text: &mut String, method: &str, path: &str, operation: &Value) {
    let summary = cell(&operation["summary"]);
    let about = format!("{}. {}", summary.trim_end_matches('.'), operation["description"].as_str().unwrap_or_default());
    let _ = writeln!(text, "\n### {} {path}\n\n{}", method.to_uppercase(), wrapped(&about));
    let parameters = operation["parameters"].as_array().filter(|all| !all.is_empty());
    if let Some(parameters) = parameters {
        text.push_str("\n| parameter | in | type | description |\n| --- | --- | --- | --- |\n");
        for parameter in parameters {
            let (name, place) = (cell(&parameter["name"]), cell(&parameter["in"]));
            let described = cell(&parameter["description"]);
            let _ = writeln!(text, "| `{name}` | {place} | {} | {described} |", kind(&parameter["schema"]));
        }
    }
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    if !body.is_null() {
        let _ = writeln!(text, "\nBody: {}", kind(body));
    }
    text.push('\n');
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        if status == "default" {
            continue;
        }
        let content = response["content"].as_object().and_then(|all| all.iter().next());
        let content = content.map(|(media, content)| match media.as_str() {
            "application/json" => format!(": {}", kind(&content["schema"])),
            media => format!(": `{media}`"),
        });
        let description = cell(&response["description"]);
        let _ = writeln!(text, "- `{status}` {description}{}", content.unwrap_or_default());
    }
}

fn page() -> String {
    let description = serde_json::to_value(super::description()).unwrap();
    let mut by_tag: BTreeMap<&str, Vec<(&str, &str, &Value)>> = BTreeMap::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let tag = operation["tags"][0].as_str().expect("every operation has a tag");
            by_tag.entry(tag).or_default().push((method, path, operation));
        }
    }
    let mut text = HEAD.to_owned();
    for tag in description["tags"].as_array().unwrap() {
        let name = tag["name"].as_str().unwrap();
        let _ = write!(text, "\n## {name}\n\n{}\n", wrapped(&cell(&tag["description"])));
        for (method, path, described) in by_tag.remove(name).unwrap_or_default() {
            operation(&mut text, method, path, described);
        }
    }
    assert!(by_tag.is_empty(), "operations with tags that the description does not list: {by_tag:?}");
    text.push_str("\n## Types\n");
    for (name, schema) in description["components"]["schemas"].as_object().unwrap() {
        let _ = write!(text, "\n### {name}\n\n{}\n", wrapped(&cell(&schema["description"])));
        properties(&mut text, schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            properties(&mut text, part);
            if let Some(name) = referred(part) {
                let _ = writeln!(text, "\nWith the properties of [{name}](#{}).", name.to_lowercase());
            }
        }
        if schema["properties"].is_null() && schema["allOf"].is_null() {
            let _ = writeln!(text, "\n{}", wrapped(&kind(schema)));
        }
    }
    text
}

#[test]
fn api_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let current = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, current).unwrap();
    } else {
        let stale = "docs/api.md is stale: UPDATE_DOCS=1 cargo nextest run -p autoheal-server api_page";
        assert!(std::fs::read_to_string(&path).unwrap_or_default() == current, "{stale}");
    }
}

/// Every list has a limit: what grows is never returned as a whole.
#[test]
fn every_list_that_grows_has_a_limit() {
    // These sum up a few groups or list parts of the program.
    const BOUNDED: [&str; 3] = ["/api/needs", "/api/tools", "/api/usage"];
    let description = serde_json::to_value(super::description()).unwrap();
    let schemas = &description["components"]["schemas"];
    for (path, methods) in description["paths"].as_object().unwrap() {
        let get = &methods["get"];
        let body = &get["responses"]["200"]["content"]["application/json"]["schema"];
        let Some(schema) = referred(body).map(|name| &schemas[name]) else { continue };
        let lists =
            schema["properties"].as_object().into_iter().flatten().filter(|(_, property)| property["type"] == "array");
        let has_limit =
            get["parameters"].as_array().into_iter().flatten().any(|parameter| parameter["name"] == "limit");
        let is_list = path.split('/').next_back().is_some_and(|last| lists.clone().any(|(name, _)| name == last));
        assert!(!is_list || has_limit || BOUNDED.contains(&path.as_str()), "{path} returns a list without a limit");
    }
}
