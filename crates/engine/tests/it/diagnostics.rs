use std::collections::BTreeSet;

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{
    Category, DiagnosticsEntry, DiagnosticsLog, Finding, Importers, Key, Location, Source, by_priority, delta,
    normalize, primary_failure, summarize,
};
use proptest::prelude::*;

const SOURCES: [Source; 5] = [Source::Test, Source::Build, Source::Lint, Source::Lsp, Source::Runtime];
const FILES: [&str; 3] = ["app/a.py", "app/b.py", "app/c.py"];

/// Findings from a small world, so that the same one comes up again.
fn finding() -> impl Strategy<Value = Finding> {
    let message = prop_oneof![
        (0..99_u32, 0..9999_u32).prop_map(|(line, address)| format!("line {line}: object at 0x{address:x} failed")),
        (0..4_u32).prop_map(|name| format!("name '{}' is not defined", char::from(b'a' + u8::try_from(name).unwrap()))),
        Just("first line\nsecond line".to_owned()),
    ];
    let location = (1..50_u32, proptest::option::of(1..80_u32)).prop_map(|(line, column)| Location { line, column });
    (0..2_usize, 0..6_usize, proptest::option::of(0..3_usize), proptest::option::of(location), message).prop_map(
        |(source, category, file, location, message)| Finding {
            source: SOURCES[source],
            category: Category::ALL[category],
            file: file.map(|file| FILES[file].to_owned()),
            location,
            message,
            stack: None,
        },
    )
}

fn look() -> impl Strategy<Value = Vec<Finding>> {
    proptest::collection::vec(finding(), 0..8)
}

fn looks() -> impl Strategy<Value = Vec<Vec<Finding>>> {
    proptest::collection::vec(look(), 1..8)
}

fn importers() -> impl Strategy<Value = Importers> {
    proptest::collection::btree_map((0..3_usize).prop_map(|file| FILES[file].to_owned()), 0..5_usize, 0..3)
}

fn time(look: usize) -> Timestamp {
    Timestamp::from_millis(i64::try_from(look).unwrap() * 1000)
}

fn keys(findings: &[Finding]) -> BTreeSet<Key> {
    findings.iter().map(Finding::key).collect()
}

fn log_of(looks: &[Vec<Finding>], capacity: usize) -> DiagnosticsLog {
    let mut log = DiagnosticsLog::with_capacity(capacity);
    for (number, findings) in looks.iter().enumerate() {
        log.observe(findings, time(number));
    }
    log
}

fn current_keys(log: &DiagnosticsLog) -> BTreeSet<Key> {
    log.current().map(|entry| entry.finding.key()).collect()
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn a_log_that_has_room_is_the_history_of_each_key(looks in looks()) {
        let log = log_of(&looks, 1000);
        let logged: Vec<Key> = log.entries().iter().map(|entry| entry.finding.key()).collect();
        let every: BTreeSet<Key> = looks.iter().flat_map(|findings| keys(findings)).collect();
        prop_assert_eq!(logged.len(), every.len(), "each key once");
        prop_assert_eq!(logged.iter().cloned().collect::<BTreeSet<Key>>(), every);
        for entry in log.entries() {
            let key = entry.finding.key();
            let seen: Vec<usize> = (0..looks.len()).filter(|number| keys(&looks[*number]).contains(&key)).collect();
            let (first, last) = (seen[0], seen[seen.len() - 1]);
            prop_assert_eq!(entry.first_seen_at, time(first));
            prop_assert_eq!(entry.last_seen_at, time(last));
            prop_assert_eq!(usize::try_from(entry.occurrence_count).unwrap(), seen.len());
            let missed = (last + 1 < looks.len()).then(|| time(last + 1));
            prop_assert_eq!(entry.resolved_at, missed);
        }
        let first_seen: Vec<Timestamp> = log.entries().iter().map(|entry| entry.first_seen_at).collect();
        prop_assert!(first_seen.is_sorted());
    }

    #[test]
    fn what_is_current_is_what_the_last_look_saw(looks in looks()) {
        prop_assert_eq!(current_keys(&log_of(&looks, 1000)), keys(&looks[looks.len() - 1]));
    }

    #[test]
    fn the_log_is_bounded_and_drops_what_is_resolved_first(looks in looks(), capacity in 0..6_usize) {
        let log = log_of(&looks, capacity);
        prop_assert!(log.entries().len() <= capacity.max(1));
        let last = keys(&looks[looks.len() - 1]);
        prop_assert!(current_keys(&log).is_subset(&last));
        if current_keys(&log) != last {
            prop_assert!(log.entries().iter().all(|entry| entry.resolved_at.is_none()), "a resolved entry should have gone first");
            prop_assert_eq!(log.entries().len(), capacity.max(1), "nothing is dropped while there is room");
        }
    }

    #[test]
    fn when_all_are_current_the_least_urgent_go(findings in look(), capacity in 1..6_usize) {
        let log = log_of(std::slice::from_ref(&findings), capacity);
        let kept = current_keys(&log);
        let worst_kept = kept.iter().map(|key| key.category).max();
        for dropped in keys(&findings).difference(&kept) {
            prop_assert!(Some(dropped.category) >= worst_kept);
        }
    }

    #[test]
    fn the_primary_failure_comes_first(looks in looks(), importers in importers()) {
        let log = log_of(&looks, 1000);
        let urgency = |entry: &DiagnosticsEntry| {
            let needed = entry.finding.file.as_ref().and_then(|file| importers.get(file)).copied().unwrap_or(0);
            (entry.finding.category, std::cmp::Reverse(needed))
        };
        let ordered = by_priority(&log, &importers);
        prop_assert_eq!(ordered.len(), log.current().count());
        prop_assert!(ordered.iter().map(|entry| urgency(entry)).is_sorted());
        match primary_failure(&log, &importers) {
            None => prop_assert_eq!(log.current().count(), 0),
            Some(primary) => {
                prop_assert!(primary.resolved_at.is_none());
                prop_assert!(log.current().all(|entry| urgency(primary) <= urgency(entry)));
            }
        }
    }

    #[test]
    fn the_order_does_not_depend_on_who_reported_first(findings in look(), importers in importers()) {
        let mut unique = findings;
        let mut seen = BTreeSet::new();
        unique.retain(|finding| seen.insert(finding.key()));
        let mut reversed = unique.clone();
        reversed.reverse();
        let order = |findings: &[Finding]| -> Vec<Finding> {
            let log = log_of(&[findings.to_vec()], 1000);
            by_priority(&log, &importers).into_iter().map(|entry| entry.finding.clone()).collect()
        };
        prop_assert_eq!(order(&unique), order(&reversed));
    }

    #[test]
    fn a_summary_has_a_line_per_entry_and_says_what_it_leaves_out(looks in looks(), importers in importers(), count in 0..6_usize) {
        let log = log_of(&looks, 1000);
        let text = summarize(&log, &importers, count);
        let current = log.current().count();
        let lines: Vec<&str> = text.lines().collect();
        if current == 0 {
            prop_assert_eq!(lines, vec!["no current diagnostics"]);
        } else {
            prop_assert_eq!(lines.len(), current.min(count) + usize::from(current > count));
            if current > count {
                let left_out = format!("and {} more", current - count);
                prop_assert_eq!(lines.last().copied(), Some(left_out.as_str()));
            }
            for (line, entry) in lines.iter().zip(by_priority(&log, &importers)).take(count) {
                prop_assert!(line.contains(&entry.finding.headline()));
                prop_assert_eq!(line.contains("seen "), entry.occurrence_count > 1);
            }
        }
    }

    #[test]
    fn a_delta_splits_the_keys(before in look(), after in look()) {
        let change = delta(&before, &after);
        let set = |keys: &[Key]| keys.iter().cloned().collect::<BTreeSet<Key>>();
        let (fixed, new, unchanged) = (set(&change.fixed), set(&change.new), set(&change.unchanged));
        prop_assert_eq!(&fixed | &unchanged, keys(&before));
        prop_assert_eq!(&new | &unchanged, keys(&after));
        prop_assert!(fixed.is_disjoint(&new) && fixed.is_disjoint(&unchanged) && new.is_disjoint(&unchanged));
        prop_assert_eq!(change.is_empty(), keys(&before) == keys(&after));
        let back = delta(&after, &before);
        prop_assert_eq!((back.fixed, back.new, back.unchanged), (change.new, change.fixed, change.unchanged));
        prop_assert!(delta(&before, &before).is_empty());
    }

    #[test]
    fn numbers_addresses_and_folders_do_not_make_a_new_diagnostic(
        numbers in (any::<u32>(), any::<u32>()),
        addresses in (any::<u64>(), any::<u64>()),
        folders in ("(/[a-z]{1,6}){0,4}", "(/[a-z]{1,6}){0,4}"),
        spaces in ("[ \t]{1,3}", "[ \t]{1,3}"),
    ) {
        let message = |number: u32, address: u64, folder: &str, space: &str| {
            format!("File \"{folder}/app.py\", line {number}:{space}<obj at 0x{address:X}> took {number}.5 s")
        };
        prop_assert_eq!(
            normalize(&message(numbers.0, addresses.0, &folders.0, &spaces.0)),
            normalize(&message(numbers.1, addresses.1, &folders.1, &spaces.1))
        );
    }

    #[test]
    fn normalizing_twice_changes_nothing_more(message in prop_oneof!["\\PC{0,40}", "[/a-c'\":,()=0-9x. \n]{0,40}"]) {
        let once = normalize(&message);
        prop_assert_eq!(normalize(&once), once);
    }

    #[test]
    fn words_make_a_new_diagnostic(left in "[a-z]{1,8}", right in "[a-z]{1,8}") {
        let message = |name: &str| normalize(&format!("name '{name}' is not defined"));
        prop_assert_eq!(message(&left) == message(&right), left == right);
    }

    #[test]
    fn a_log_survives_json(looks in looks()) {
        let log = log_of(&looks, 20);
        let json = serde_json::to_string(&log).unwrap();
        prop_assert_eq!(serde_json::from_str::<DiagnosticsLog>(&json).unwrap(), log);
    }
}

#[test]
fn relative_paths_and_urls_are_part_of_the_message() {
    assert_eq!(normalize("see src/app/main.py"), "see src/app/main.py");
    assert_eq!(normalize("see https://example.org/a/b"), "see https://example.org/a/b");
    assert_eq!(normalize("('/tmp/x1/app.py', 0xFF)"), "('app.py', #)");
}

#[test]
fn a_flood_of_findings_is_taken_in_without_delay() {
    let findings: Vec<Finding> = (0..50_000_u32)
        .map(|number| Finding {
            source: Source::Lint,
            category: Category::Linting,
            file: Some(format!("generated/{number}.py")),
            location: None,
            message: "unused import".to_owned(),
            stack: None,
        })
        .collect();
    let mut log = DiagnosticsLog::default();
    let started = std::time::Instant::now();
    log.observe(&findings, Timestamp::default());
    assert_eq!(log.entries().len(), DiagnosticsLog::<Finding>::DEFAULT_CAPACITY);
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}

#[test]
fn headlines() {
    let finding = Finding {
        source: Source::Lint,
        category: Category::Linting,
        file: Some("src/utils.py".to_owned()),
        location: Some(Location { line: 15, column: None }),
        message: "`os` imported but unused".to_owned(),
        stack: None,
    };
    assert_eq!(finding.headline(), "LINTING error in src/utils.py line 15");
    let mut log = DiagnosticsLog::default();
    log.observe(std::slice::from_ref(&finding), time(0));
    log.observe(std::slice::from_ref(&finding), time(1));
    assert_eq!(
        summarize(&log, &Importers::new(), 3),
        "1. LINTING error in src/utils.py line 15: `os` imported but unused (seen 2 times)\n"
    );
}
