//! Each kind of fault of LOGIC once or more in one JavaScript file: within how many candidates it is repaired.

use autoheal_code::languages;

use crate::logic_programs::Program;
use crate::logic_search_node::{ran, rank};

const FILE: &str = "warehouse.js";

const WAREHOUSE: &str = r"
class Warehouse {
  constructor(capacity, owner = null) {
    this.capacity = capacity;
    this.owner = owner;
    this.items = {};
    this.moves = [];
  }

  add(name, amount) {
    if (amount <= 0 || this.count() + amount > this.capacity) {
      return false;
    }
    this.items[name] = (this.items[name] || 0) + amount;
    this.moves.push([name, amount]);
    return true;
  }

  take(name, amount) {
    if (!(name in this.items)) throw new Error('unknown: ' + name);
    const taken = Math.min(amount, this.items[name]);
    this.items[name] -= taken;
    if (!this.items[name]) delete this.items[name];
    this.moves.push([name, -taken]);
    return taken;
  }

  lastMoves(number) {
    return this.moves.slice(-number);
  }

  busiest() {
    const totals = {};
    for (const [name, amount] of this.moves) {
      totals[name] = (totals[name] || 0) + Math.abs(amount);
    }
    let best = null;
    let most = 0;
    for (const name in totals) {
      if (totals[name] > most) {
        best = name;
        most = totals[name];
      }
    }
    return best;
  }

  shelves(width) {
    const names = Object.keys(this.items).sort();
    const rows = [];
    for (let start = 0; start < names.length; start += width) {
      const row = names.slice(start, start + width);
      while (row.length < width) row.push(null);
      rows.push(row);
    }
    return rows;
  }

  label(name, options) {
    const text = name.trim().toLowerCase();
    for (const char of text) {
      if (!/^[a-z0-9]$/.test(char)) {
        continue;
      }
      return options?.prefix ? `${options.prefix}-${text}` : char.toUpperCase() + text.slice(1);
    }
    return '?';
  }
}

function transfer(source, target, name, amount) {
  const taken = source.take(name, amount);
  if (!target.add(name, taken)) {
    source.add(name, taken);
    return 0;
  }
  return taken;
}

module.exports = { Warehouse, transfer };
";

/// Breaks the warehouse and returns the rank, from 1, of its repair; the function's lines are known.
fn warehouse_rank(right: &'static str, wrong: &'static str) -> Option<usize> {
    let program = Program { name: "transfer", code: WAREHOUSE, right, wrong };
    assert_eq!(languages::check(FILE, WAREHOUSE), Ok(()));
    rank(FILE, &program, &ran(&format!("lib/{FILE}"), lines_around(WAREHOUSE, right)), MOST)
}

/// The lines between the empty ones around a part of a program.
fn lines_around(code: &str, part: &str) -> std::ops::RangeInclusive<u32> {
    let at = code.find(part).expect("a part of the program");
    let line_of = |at: usize| u32::try_from(code[..at].lines().count()).expect("a line");
    let from = code[..at].rfind("\n\n").map_or(1, line_of);
    let to = code[at..].find("\n\n").map_or(100, |next| line_of(at + next));
    from + 1..=to
}

/// Maximum rank of a repair.
const MOST: usize = 1_200;

#[track_caller]
fn assert_all_within(most: usize, faults: &[(&'static str, &'static str)]) {
    let ranks: Vec<_> = faults.iter().map(|(right, wrong)| (wrong, warehouse_rank(right, wrong))).collect();
    assert!(ranks.iter().all(|(_, rank)| rank.is_some_and(|rank| rank <= most)), "{ranks:?}");
}

#[test]
fn names() {
    assert_all_within(
        200,
        &[("target.add(name, taken)", "target.add(name, amount)"), ("best = name;", "best = totals;")],
    );
}

#[test]
fn attributes() {
    assert_all_within(
        200,
        &[("> this.capacity", "> this.owner"), ("return this.moves.slice", "return this.items.slice")],
    );
}

#[test]
fn callees() {
    assert_all_within(200, &[("Math.min(", "Math.max("), ("char.toUpperCase()", "char.toLowerCase()")]);
}

#[test]
fn constants() {
    assert_all_within(
        200,
        &[("return false;", "return true;"), ("    return 0;", "    return 1;"), ("let most = 0", "let most = 1")],
    );
}

#[test]
fn comparisons() {
    assert_all_within(200, &[("amount <= 0", "amount < 0"), ("totals[name] > most", "totals[name] < most")]);
}

#[test]
fn booleans() {
    assert_all_within(
        200,
        &[
            ("<= 0 || this", "<= 0 && this"),
            ("if (!target", "if (target"),
            ("!(name in this.items)", "name in this.items"),
        ],
    );
}

#[test]
fn off_by_one() {
    assert_all_within(
        200,
        &[("start < names.length", "start < names.length - 1"), ("text.slice(1)", "text.slice(1 + 1)")],
    );
}

#[test]
fn arithmetic() {
    assert_all_within(
        200,
        &[("this.count() + amount", "this.count() - amount"), ("start, start + width", "start, start * width")],
    );
}

#[test]
fn arguments() {
    assert_all_within(
        200,
        &[("source.take(name, amount)", "source.take(amount, name)"), ("push([name, amount])", "push([amount, name])")],
    );
}

#[test]
fn wrappers() {
    assert_all_within(
        MOST,
        &[
            ("Math.abs(amount)", "amount"),
            ("Object.keys(this.items).sort()", "Object.keys(this.items)"),
            ("name.trim().toLowerCase()", "name.toLowerCase()"),
        ],
    );
}

#[test]
fn indexing() {
    assert_all_within(
        MOST,
        &[("names.slice(start, start + width)", "names.slice(start, width)"), ("slice(-number)", "slice(number)")],
    );
}

#[test]
fn returns_and_initial_values() {
    assert_all_within(
        200,
        &[("return best;", "return most;"), ("return rows;", "rows;"), ("const rows = []", "const rows = ''")],
    );
}

#[test]
fn assignments() {
    assert_all_within(200, &[("-= taken", "+= taken"), ("start += width", "start = width")]);
}

#[test]
fn guards_placement_and_insertion() {
    assert_all_within(
        MOST,
        &[("      rows.push(row);\n    }\n", "    }\n    rows.push(row);\n"), ("      rows.push(row);\n", "")],
    );
}

#[test]
fn jumps_and_loops() {
    assert_all_within(
        200,
        &[
            ("        continue;", "        break;"),
            ("const name in totals", "const name of totals"),
            ("while (row", "if (row"),
        ],
    );
}

#[test]
fn wider_repairs() {
    let program =
        Program { name: "smallest", code: SMALLEST, right: "smallest(above, k - same)", wrong: "smallest(above, k)" };
    assert!(rank("smallest.js", &program, &ran("lib/smallest.js", 1..10), 1_000).is_some());
}

const SMALLEST: &str = "\
function smallest(items, k) {
  const pivot = items[0];
  const above = items.filter((x) => x > pivot);
  const same = items.length - above.length;
  if (k >= same) return smallest(above, k - same);
  return pivot;
}

module.exports = { smallest };
";

#[test]
fn chaining_and_patterns() {
    assert_all_within(
        500,
        &[("options?.prefix ?", "options.prefix ?"), ("/^[a-z0-9]$/", "/^[a-z0-9]/"), ("}-${text}", "}${text}")],
    );
}

const QUEUE: &str = r"
function Queue(size) {
  if (!(this instanceof Queue)) {
    return new Queue(size);
  }
  this.waiting = [];
  this.size = size;
}

Queue.prototype.add = function (job, delay) {
  if (!isJob(job)) {
    throw new Error('no job');
  }
  const wait = delay || 0;
  const entry = [job, wait];
  this.waiting.push(entry);
  return this.waiting.length;
};

Queue.prototype.remove = function (task) {
  if (!isJob(task)) {
    throw new Error('no job');
  }
  const at = this.waiting.findIndex((one) => one[0] === task);
  return at;
};

function isJob(value) {
  return typeof value === 'function' && value.length === 0;
}

function drain(queue, done) {
  while (queue.waiting.length > 0) {
    step(queue.waiting.shift());
  }
  done(queue);
}

function step(entry) {
  entry[0]();
}

module.exports = { Queue, drain };
";

/// Breaks the queue and returns the rank, from 1, of its repair; the function's lines are known.
fn queue_rank(right: &'static str, wrong: &'static str) -> Option<usize> {
    let program = Program { name: "drain", code: QUEUE, right, wrong };
    rank("queue.js", &program, &ran("lib/queue.js", lines_around(QUEUE, right)), MOST)
}

#[test]
fn what_is_lost_and_stands_elsewhere_is_found_with_the_names_of_its_place() {
    let check = "  if (!isJob(task)) {\n    throw new Error('no job');\n  }\n  const at";
    let faults = [
        (check, "  const at"),
        ("  if (!(this instanceof Queue)) {\n    return new Queue(size);\n  }\n", ""),
        ("    step(queue.waiting.shift());\n", "    queue.waiting.shift();\n"),
        ("delay || 0", "delay"),
    ];
    let ranks: Vec<_> = faults.iter().map(|(right, wrong)| (wrong, queue_rank(right, wrong))).collect();
    assert!(ranks.iter().all(|(_, rank)| rank.is_some_and(|rank| rank <= 600)), "{ranks:?}");
}
