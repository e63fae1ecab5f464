//! `results.json`: complete and valid for every way a run can end.

use autoheal_engine::Timestamp;
use autoheal_engine::time::minutes_and_seconds;
use autoheal_repo::results::{FixStatus, HealingResults, total_time};
use proptest::prelude::*;
use serde_json::json;

use crate::strategies::ended_state;

/// The schema of the specification ("Results JSON Schema").
fn schema() -> serde_json::Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["repository", "team_name", "leader_name", "branch_name", "total_failures", "fixes_applied",
            "iterations", "ci_status", "total_time", "fixes"],
        "properties": {
            "repository": { "type": "string", "format": "uri" },
            "team_name": { "type": "string" },
            "leader_name": { "type": "string" },
            "branch_name": { "type": "string", "pattern": "^[A-Z0-9_]+_AI_Fix$" },
            "total_failures": { "type": "integer", "minimum": 0 },
            "fixes_applied": { "type": "integer", "minimum": 0 },
            "iterations": { "type": "integer", "minimum": 1 },
            "ci_status": { "type": "string", "enum": ["PASSED", "FAILED"] },
            "total_time": { "type": "string", "pattern": "^\\d+m \\d+s$" },
            "fixes": { "type": "array", "items": {
                "type": "object",
                "required": ["file", "bug_type", "line", "commit_message", "status"],
                "properties": {
                    "file": { "type": "string" },
                    "bug_type": { "type": "string",
                        "enum": ["LINTING", "SYNTAX", "LOGIC", "TYPE_ERROR", "IMPORT", "INDENTATION"] },
                    "line": { "type": "integer", "minimum": 1 },
                    "commit_message": { "type": "string", "pattern": "^\\[AI-AGENT\\]" },
                    "status": { "type": "string", "enum": ["Fixed", "Failed"] }
                }
            } }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    // Feature: autoheal-ci-agent, Property 11: Results JSON Validity
    #[test]
    fn results_are_json_that_reads_back_as_what_they_were(
        state in ended_state(), names in (any::<String>(), any::<String>()), remark in any::<String>(), elapsed in any::<u32>()
    ) {
        let mut state = state;
        (state.request.team_name, state.request.leader_name) = names;
        state.request.repository.push_str(&remark);
        state.warnings.push(remark.clone());
        state.fixes.accepted.iter_mut().for_each(|fix| fix.description.push_str(&remark));
        let now = Timestamp::from_millis(state.started_at.as_millis() + i64::from(elapsed));
        let results = HealingResults::of(&state, now);
        let text = serde_json::to_string_pretty(&results).unwrap();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap().is_object());
        prop_assert_eq!(serde_json::from_str::<HealingResults>(&text).unwrap(), results);
    }

    // Feature: autoheal-ci-agent, Property 12: Results JSON Completeness
    #[test]
    fn results_are_complete_and_valid(state in ended_state(), elapsed in 0_i64..100_000_000) {
        let now = Timestamp::from_millis(state.started_at.as_millis() + elapsed);
        let results = HealingResults::of(&state, now);
        let document = serde_json::to_value(&results).unwrap();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        prop_assert_eq!(errors, Vec::<String>::new());
        prop_assert_eq!(results.iterations as usize, results.iteration_history.len());
        let fixed = results.fixes.iter().filter(|fix| fix.status == FixStatus::Fixed).count();
        prop_assert_eq!(results.fixes_applied as usize, fixed);
        // Read back as what it was: the data model and the document agree.
        prop_assert_eq!(serde_json::from_value::<HealingResults>(document).unwrap(), results);
    }

    // Feature: autoheal-ci-agent, Property 13: Time Format Consistency
    #[test]
    fn the_total_time_reads_as_minutes_and_seconds(state in ended_state(), elapsed in 0_i64..100_000_000) {
        let now = Timestamp::from_millis(state.started_at.as_millis() + elapsed);
        let text = HealingResults::of(&state, now).total_time;
        let (minutes, seconds) = text.strip_suffix('s').and_then(|text| text.split_once("m ")).unwrap();
        let total = minutes.parse::<i64>().unwrap() * 60 + seconds.parse::<i64>().unwrap();
        prop_assert!(seconds.parse::<u32>().unwrap() < 60);
        prop_assert_eq!(total, elapsed / 1000);
    }

    // Feature: autoheal-ci-agent, Property 37: Orchestrator Time Tracking
    #[test]
    fn the_time_from_start_to_end_is_recorded(state in ended_state(), elapsed in 0_i64..100_000_000) {
        let now = Timestamp::from_millis(state.started_at.as_millis() + elapsed);
        prop_assert_eq!(i64::try_from(total_time(&state, now).as_millis()).unwrap(), elapsed);
        prop_assert_eq!(HealingResults::of(&state, now).total_time, minutes_and_seconds(total_time(&state, now)));
    }
}
