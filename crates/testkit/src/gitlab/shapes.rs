//! Requests and responses as GitLab documents them (`shapes.json`), and the differences of an exchange from that table.
//!
//! GitLab's own description of its API is in no package of a registry. The table is made from the pages of its documentation, which each
//! operation names, and holds as much as is used here.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::github::Exchange;

#[expect(clippy::expect_used, reason = "the table is part of the program")]
static TABLE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("shapes.json")).expect("a JSON document"));

/// Lists the differences between an exchange and the table.
pub fn faults(exchange: &Exchange) -> Vec<String> {
    let named = format!("{} {} -> {}", exchange.method, exchange.path, exchange.status);
    let Some(operation) = operation(exchange) else {
        return vec![format!("{named}: there is no such operation")];
    };
    let mut faults = request_faults(operation, exchange);
    faults.extend(answer_faults(operation, exchange));
    faults.into_iter().map(|fault| format!("{named} ({}): {fault}", operation["source"])).collect()
}

fn operation(exchange: &Exchange) -> Option<&'static Value> {
    let asked: Vec<&str> = exchange.path.split('/').collect();
    let fits = |operation: &&Value| {
        let template: Vec<&str> = operation["path"].as_str().unwrap_or_default().split('/').collect();
        let is_same = |(part, given): (&&str, &&str)| part == given || (part.starts_with('{') && !given.is_empty());
        operation["method"] == *exchange.method
            && template.len() == asked.len()
            && template.iter().zip(&asked).all(is_same)
    };
    TABLE["operations"].as_array()?.iter().find(fits)
}

fn request_faults(operation: &Value, exchange: &Exchange) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, value) in &exchange.query {
        let is_right = match operation["query"][name].as_str() {
            None => {
                faults.push(format!("the parameter {name} is not documented"));
                continue;
            }
            Some("integer") => value.parse::<u64>().is_ok(),
            Some("boolean") => value.parse::<bool>().is_ok(),
            Some(_) => true,
        };
        if !is_right {
            faults.push(format!("the parameter {name} is `{value}`"));
        }
    }
    match (&exchange.body, operation.get("body")) {
        (Some(body), Some(schema)) => {
            let mut schema = schema.clone();
            schema["type"] = json!("object");
            schema["additionalProperties"] = json!(false);
            faults.extend(against(&schema, body, "body"));
        }
        (Some(_), None) => faults.push("no body is documented".to_owned()),
        (None, Some(_)) => faults.push("the body is missing".to_owned()),
        (None, None) => {}
    }
    let user_agent = exchange.headers.get("user-agent");
    if !user_agent.is_some_and(|value| value.starts_with("autoheal/")) {
        faults.push("the header user-agent is missing or wrong".to_owned());
    }
    faults
}

fn answer_faults(operation: &Value, exchange: &Exchange) -> Vec<String> {
    let documented = &operation["answers"][exchange.status.to_string()];
    match &exchange.answer {
        Some(answer) if !documented.is_null() => against(documented, answer, "answer"),
        Some(answer) if exchange.status >= 400 => against(&json!({ "$ref": "#/$defs/error" }), answer, "answer"),
        Some(_) | None if exchange.status >= 300 && exchange.status < 400 => Vec::new(),
        Some(_) | None => vec!["there is no such answer".to_owned()],
    }
}

fn against(schema: &Value, value: &Value, what: &str) -> Vec<String> {
    let mut document = schema.clone();
    document["$defs"] = TABLE["$defs"].clone();
    match jsonschema::validator_for(&document) {
        Ok(validator) => validator
            .iter_errors(value)
            .map(|error| format!("{what} at `{}`: {error}", error.instance_path()))
            .collect(),
        Err(error) => vec![format!("{what}: the table cannot be used: {error}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(method: &str, path: &str, status: u16, answer: Value) -> Exchange {
        Exchange {
            method: method.to_owned(),
            path: path.to_owned(),
            query: vec![("per_page".to_owned(), "100".to_owned())],
            headers: [("user-agent".to_owned(), "autoheal/1".to_owned())].into(),
            body: None,
            status,
            answer: Some(answer),
        }
    }

    #[test]
    fn what_is_not_documented_is_told() {
        let listed = |answer| exchange("GET", "/projects/a%2Fb/pipelines", 200, answer);
        assert_eq!(faults(&listed(json!([]))), Vec::<String>::new());
        let said = |exchange: &Exchange| faults(exchange).join("; ");
        assert!(said(&listed(json!({}))).contains("answer at"), "{}", said(&listed(json!({}))));
        assert!(said(&listed(json!([{ "id": "1" }]))).contains("answer at `/0"));
        assert!(said(&exchange("GET", "/projects/a%2Fb/nothing", 200, json!([]))).contains("no such operation"));
        let mut wrong = listed(json!([]));
        wrong.query.push(("pages".to_owned(), "2".to_owned()));
        assert!(said(&wrong).contains("pages is not documented"));
        let refused = exchange("GET", "/projects/a%2Fb/pipelines", 404, json!({ "message": "404 Project Not Found" }));
        assert_eq!(said(&refused), "");
    }
}
