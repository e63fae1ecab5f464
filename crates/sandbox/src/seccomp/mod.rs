//! The system-call filter of sandboxed commands; worker processes have one that allows more.
//!
//! The [`policy`] is a set of tables; here they become programs for the kernel, and a Docker profile. Each program can return
//! only one error, so there is one for the allowed calls (all others get `ENOSYS`) and one for each error of a refusal. The
//! kernel runs all of them; of two that refuse, the one installed last counts. A program of another architecture (32-bit
//! on 64-bit hardware) is killed at its first call; numbers of x32 are on no list.

mod policy;

use std::collections::BTreeMap;

use nix::errno::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use serde_json::{Value, json};

use self::policy::{ALLOWED, BUILDING, Call, Check, REFUSED, Refusal, Rule, UNCOUNTED};
use crate::limits::Limiter;

/// Programs for the kernel, in the order in which they are to be put in place, as `bwrap --add-seccomp-fd` reads them.
#[derive(Debug, Clone)]
pub(crate) struct Filters(Vec<Vec<u8>>);

impl Filters {
    /// Compiles the filters for this machine's architecture; an error when the policy does not support it.
    pub(crate) fn new(limiter: &Limiter) -> Result<Self, String> {
        let refused = REFUSED.iter().chain(match limiter {
            Limiter::ResourceLimits => UNCOUNTED,
            Limiter::Version1 { .. } | Limiter::Version2 { .. } => &[],
        });
        let programs =
            compile(refused, &[]).map_err(|error| format!("no filter of system calls can be made: {error}"))?;
        Ok(Self(programs.into_iter().map(bytes).collect()))
    }

    /// No filter, to see what happens without.
    #[cfg(test)]
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the compiled filter programs.
    pub(crate) fn programs(&self) -> &[Vec<u8>] {
        &self.0
    }
}

/// The number of system calls that are allowed, some of them with some arguments only.
pub(crate) fn allowed() -> usize {
    ALLOWED.iter().map(|rule| rule.calls.len()).sum()
}

/// Installs the filter for this thread and everything it starts, programs included: the policy, and the calls that build
/// sandboxes.
///
/// # Errors
///
/// The kernel does not support such filters, or the policy does not support this machine's architecture.
pub(crate) fn confine() -> Result<(), String> {
    let programs = compile(REFUSED.iter(), BUILDING).map_err(|error| error.to_string())?;
    programs.iter().try_for_each(|program| seccompiler::apply_filter(program)).map_err(|error| error.to_string())
}

/// Compiles the programs. `first` is allowed even where the policy refuses the same calls.
fn compile<'a>(
    refused: impl Iterator<Item = &'a Refusal>,
    first: &'a [Rule],
) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut by_error = BTreeMap::<i32, Vec<&Rule>>::new();
    for refusal in refused {
        by_error.entry(refusal.errno as i32).or_default().push(&refusal.rule);
    }
    let answer = |errno: i32| SeccompAction::Errno(errno.unsigned_abs());
    let allowed = rows(first.iter(), &[]).chain(rows(ALLOWED.iter(), first));
    let allowed = program(allowed, answer(Errno::ENOSYS as i32), SeccompAction::Allow, machine)?;
    let refused = by_error
        .into_iter()
        .map(|(errno, rules)| program(rows(rules.into_iter(), first), SeccompAction::Allow, answer(errno), machine));
    std::iter::once(Ok(allowed)).chain(refused).collect()
}

/// Returns the calls of rules, except those that `others` cover, each with its alternatives.
fn rows<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    others: &'a [Rule],
) -> impl Iterator<Item = (i64, &'static [&'static [Check]])> {
    rules
        .flat_map(|rule| rule.calls.iter().map(move |call| (call, rule.when)))
        .filter(move |(call, _)| others.iter().all(|other| !other.calls.contains(call)))
        .map(|((number, _), when)| (*number, when))
}

/// One program: `matching` for these calls, `otherwise` for others.
fn program(
    rows: impl Iterator<Item = (i64, &'static [&'static [Check]])>,
    otherwise: SeccompAction,
    matching: SeccompAction,
    machine: TargetArch,
) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut chains = BTreeMap::<i64, Vec<SeccompRule>>::new();
    for (number, when) in rows {
        let chain = chains.entry(number).or_default();
        for checks in when {
            chain.push(SeccompRule::new(checks.iter().copied().map(condition).collect::<Result<_, _>>()?)?);
        }
    }
    SeccompFilter::new(chains, otherwise, matching, machine)?.try_into()
}

/// Returns the program in the format that `bwrap --add-seccomp-fd` reads.
fn bytes(program: BpfProgram) -> Vec<u8> {
    program
        .into_iter()
        .flat_map(|step| {
            let mut bytes = [0; 8];
            bytes[..2].copy_from_slice(&step.code.to_ne_bytes());
            bytes[2] = step.jt;
            bytes[3] = step.jf;
            bytes[4..].copy_from_slice(&step.k.to_ne_bytes());
            bytes
        })
        .collect()
}

/// Returns the same policy in Docker's own format, for the option `seccomp=`.
///
/// That format supports one condition per argument, and an allowed call must not be refused as well: a call that is refused
/// for some values of an argument is allowed for all ranges between them.
pub(crate) fn docker_profile() -> Result<String, serde_json::Error> {
    serde_json::to_string(&profile(&[]))
}

/// Returns the profile, with `first` in place of the policy's rules for the same calls.
fn profile(first: &[Rule]) -> Value {
    let is_other = |call: &Call| first.iter().all(|rule| !rule.calls.contains(call));
    let row = |calls: &[Call], action: &str, args: Value| {
        let names: Vec<_> = calls.iter().map(|(_, name)| name.trim_start_matches("SYS_")).collect();
        json!({"names": names, "action": format!("SCMP_ACT_{action}"), "args": args})
    };
    let mut rows = Vec::new();
    let (always, sometimes): (Vec<&Refusal>, Vec<&Refusal>) =
        REFUSED.iter().partition(|refusal| refusal.rule.when.is_empty());
    for refusal in always {
        let calls: Vec<Call> = refusal.rule.calls.iter().copied().filter(is_other).collect();
        let mut refused = row(&calls, "ERRNO", json!([]));
        refused["errnoRet"] = json!(refusal.errno as i32);
        rows.push(refused);
    }
    for refusal in &sometimes {
        let values = refusal.rule.when.iter().flat_map(|checks| *checks);
        let mut by_argument = BTreeMap::<u8, Vec<u32>>::new();
        for check in values {
            match *check {
                Check::Is(argument, value) => by_argument.entry(argument).or_default().push(value),
                Check::Without(..) => {}
            }
        }
        for (argument, values) in by_argument {
            let between = between(&values, 0, 0).into_iter().map(|(mask, value)| masked(argument, mask, value));
            rows.extend(between.map(|condition| row(refusal.rule.calls, "ALLOW", json!([condition]))));
        }
    }
    let is_whole = |call: &Call| sometimes.iter().all(|refusal| !refusal.rule.calls.contains(call));
    let policy = ALLOWED.iter().map(|rule| (rule, rule.calls.iter().copied().filter(is_other).collect::<Vec<_>>()));
    for (rule, calls) in first.iter().map(|rule| (rule, rule.calls.to_vec())).chain(policy) {
        let calls: Vec<Call> = calls.into_iter().filter(is_whole).collect();
        if rule.when.is_empty() {
            rows.push(row(&calls, "ALLOW", json!([])));
        }
        for checks in rule.when {
            let conditions = checks.iter().map(|check| match *check {
                Check::Is(argument, value) => json!({"index": argument, "value": value, "op": "SCMP_CMP_EQ"}),
                Check::Without(argument, bits) => masked(argument, bits, 0),
            });
            rows.push(row(&calls, "ALLOW", conditions.collect()));
        }
    }
    rows.retain(|row| row["names"] != json!([]));
    json!({
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": Errno::ENOSYS as i32,
        "syscalls": rows,
    })
}

fn masked(argument: u8, mask: u32, value: u32) -> Value {
    json!({"index": argument, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"})
}

/// All numbers but these that begin with the `length` bits of `prefix`, as masks and values under them.
fn between(values: &[u32], prefix: u32, length: u32) -> Vec<(u32, u32)> {
    let mask = |length: u32| u32::MAX.checked_shl(32 - length).unwrap_or(0);
    let within = values.iter().copied().filter(|value| value & mask(length) == prefix).collect::<Vec<_>>();
    match (within.as_slice(), length) {
        ([], _) => vec![(mask(length), prefix)],
        (_, 32) => Vec::new(),
        (within, _) => {
            let one = prefix | 1 << (31 - length);
            [prefix, one].into_iter().flat_map(|prefix| between(within, prefix, length + 1)).collect()
        }
    }
}

fn condition(check: Check) -> Result<SeccompCondition, seccompiler::BackendError> {
    let (argument, operator, value) = match check {
        Check::Is(argument, value) => (argument, SeccompCmpOp::Eq, value),
        Check::Without(argument, bits) => (argument, SeccompCmpOp::MaskedEq(u64::from(bits)), 0),
    };
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, u64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_stands_once_and_each_row_has_a_reason() {
        let refused: Vec<&Rule> = REFUSED.iter().map(|refusal| &refusal.rule).collect();
        for rules in [ALLOWED.iter().collect(), refused.clone()] {
            let mut seen = std::collections::BTreeSet::new();
            for rule in rules {
                assert!(!rule.calls.is_empty() && !rule.why.is_empty(), "{rule:?}");
                for call in rule.calls {
                    assert!(seen.insert(*call), "{call:?} stands in two rows");
                }
            }
        }
        let allowed: Vec<_> = ALLOWED.iter().flat_map(|rule| rule.calls).collect();
        for call in refused.iter().filter(|rule| rule.when.is_empty()).flat_map(|rule| rule.calls) {
            assert!(!allowed.contains(&call), "{call:?} is allowed and refused");
        }
    }

    /// The file is written anew by `UPDATE_SECCOMP=1 cargo nextest run -p autoheal-sandbox the_profile_of_a_container`.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_profile_of_a_container_is_this_policy_and_what_builds_sandboxes() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/seccomp.json");
        let expected = serde_json::to_string_pretty(&profile(BUILDING)).unwrap() + "\n";
        if std::env::var_os("UPDATE_SECCOMP").is_some() {
            std::fs::write(file, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
    }

    #[test]
    fn all_numbers_but_some_are_between_them() {
        let some = [0x5412, 0x541c, 0x5423];
        let ranges = between(&some, 0, 0);
        let is_in = |number: u32| ranges.iter().filter(|(mask, value)| number & mask == *value).count();
        assert!(some.into_iter().all(|number| is_in(number) == 0));
        assert!(
            (0..0x1_0000).chain([u32::MAX]).filter(|number| !some.contains(number)).all(|number| is_in(number) == 1)
        );
    }

    #[test]
    fn memory_of_no_process_is_shut_only_where_nobody_counts_it() {
        let group = Limiter::Version2 { base: "/".into(), cpu: false };
        let counted = Filters::new(&group).unwrap();
        let uncounted = Filters::new(&Limiter::ResourceLimits).unwrap();
        assert_ne!(counted.programs(), uncounted.programs());
        for program in uncounted.programs() {
            assert!(program.len() % 8 == 0 && program.len() / 8 < 4096);
        }
    }
}
