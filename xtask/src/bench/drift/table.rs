//! Tables of the results.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::measure::{Judged, Test};

/// Right, wrong and abstained at a threshold.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    right: u32,
    wrong: u32,
    abstained: u32,
}

impl Counts {
    fn of<'a>(judged: impl Iterator<Item = &'a Judged>, threshold: f32) -> Self {
        let mut counts = Self::default();
        for one in judged {
            let accepted = matches!(one.status, "kept" | "moved") && one.confidence >= threshold;
            match (accepted, one.is_right) {
                (true, true) => counts.right += 1,
                (true, false) => counts.wrong += 1,
                (false, _) => counts.abstained += 1,
            }
        }
        counts
    }

    const fn total(self) -> u32 {
        self.right + self.wrong + self.abstained
    }

    fn cells(self) -> String {
        let share = |part: u32| 100.0 * f64::from(part) / f64::from(self.total().max(1));
        format!(
            "{:>5}  {:>4} {:>5.1} %  {:>4} {:>5.1} %  {:>4} {:>5.1} %",
            self.total(),
            self.right,
            share(self.right),
            self.wrong,
            share(self.wrong),
            self.abstained,
            share(self.abstained)
        )
    }
}

/// Thresholds of the curve.
const CURVE: &[f32] = &[0.0, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

/// All tables at a threshold.
pub(super) fn tables(judged: &[Judged], threshold: f32, milliseconds: &mut [f64]) -> String {
    let mut text = String::new();
    let of = |test: Test| judged.iter().filter(move |one| one.test == test);
    let _ =
        writeln!(text, "broken fields at threshold {threshold:.2}        total  right         wrong         abstained");
    for (name, counts) in by(judged, Test::Broken, threshold, |one| one.kind.clone()) {
        let _ = writeln!(text, "  {name:<38} {}", counts.cells());
    }
    for (name, is_list) in [("single values", false), ("lists", true)] {
        let counts = Counts::of(of(Test::Broken).filter(|one| one.is_list == is_list), threshold);
        let _ = writeln!(text, "  {name:<38} {}", counts.cells());
    }
    let _ = writeln!(text, "  {:<38} {}", "all", Counts::of(of(Test::Broken), threshold).cells());
    let _ = writeln!(text, "\nby field");
    for (name, counts) in by(judged, Test::Broken, threshold, |one| one.field.clone()) {
        let _ = writeln!(text, "  {name:<38} {}", counts.cells());
    }
    let _ = writeln!(text, "\nfields that still work                  total  right (kept)  wrong         abstained");
    for (name, test) in [("controls", Test::Control), ("next to broken fields", Test::Unbroken)] {
        let _ = writeln!(text, "  {name:<38} {}", Counts::of(of(test), threshold).cells());
    }
    let deleted = Counts::of(of(Test::Deleted), threshold);
    let accepted = deleted.right + deleted.wrong;
    let share = 100.0 * f64::from(accepted) / f64::from(deleted.total().max(1));
    let _ = writeln!(text, "\ndeleted targets: {} of {} accepted ({share:.1} %)", accepted, deleted.total());
    let _ = writeln!(text, "  of these {} give the truth all the same: it is elsewhere, too", deleted.right);
    let _ = writeln!(text, "\nthreshold  right    wrong    deleted accepted");
    for threshold in CURVE {
        let broken = Counts::of(of(Test::Broken), *threshold);
        let deleted = Counts::of(of(Test::Deleted), *threshold);
        let share = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all.max(1));
        let _ = writeln!(
            text,
            "  {threshold:.2}     {:>5.1} %  {:>5.1} %  {:>5.1} %",
            share(broken.right, broken.total()),
            share(broken.wrong, broken.total()),
            share(deleted.right + deleted.wrong, deleted.total())
        );
    }
    milliseconds.sort_by(f64::total_cmp);
    let at = |percent: usize| milliseconds.get(milliseconds.len() * percent / 100).copied().unwrap_or(0.0);
    let _ = writeln!(
        text,
        "\nms per pair of pages, all fields, parsing included: p50 {:.1}  p95 {:.1}  max {:.1}",
        at(50),
        at(95),
        milliseconds.last().copied().unwrap_or(0.0)
    );
    text
}

fn by(judged: &[Judged], test: Test, threshold: f32, name: impl Fn(&Judged) -> String) -> Vec<(String, Counts)> {
    let mut groups: BTreeMap<String, Vec<&Judged>> = BTreeMap::new();
    for one in judged.iter().filter(|one| one.test == test) {
        groups.entry(name(one)).or_default().push(one);
    }
    let mut rows: Vec<_> =
        groups.into_iter().map(|(name, group)| (name, Counts::of(group.into_iter(), threshold))).collect();
    rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.total()));
    rows
}
