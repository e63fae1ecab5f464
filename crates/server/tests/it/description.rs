//! The description of the API that is committed is the one that the program gives.

use autoheal_server::api;

#[test]
fn the_committed_description_is_current() {
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json")).unwrap();
    let now = serde_json::to_string_pretty(&api::description()).unwrap();
    assert!(
        committed.trim() == now,
        "openapi.json is out of date: cargo run -p autoheal-cli -- openapi > openapi.json"
    );
}

/// Generators and language models rely on these.
#[test]
fn every_operation_has_a_name_a_summary_and_a_heading() {
    let description = serde_json::to_value(api::description()).unwrap();
    let mut names = std::collections::BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_default();
            assert!(!name.is_empty() && names.insert(name.to_owned()), "{method} {path}: {name:?}");
            assert!(operation["summary"].as_str().is_some_and(|summary| !summary.ends_with('.')), "{method} {path}");
            assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{method} {path}");
            assert!(operation["responses"]["default"].is_object() || path.ends_with('z'), "{method} {path}");
        }
    }
    assert!(names.len() > 30);
}
