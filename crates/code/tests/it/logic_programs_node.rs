//! Small JavaScript and TypeScript programs with one fault each, written for the test of the search.

use crate::logic_programs::Program;

/// Every program with the name of its file.
#[rustfmt::skip]
pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("gcd.js", Program {
        name: "gcd",
        right: "gcd(b, a % b)",
        wrong: "gcd(a % b, b)",
        code: r"
function gcd(a, b) {
  if (b === 0) return a;
  return gcd(b, a % b);
}

module.exports = gcd;
",
    }),
    ("search.js", Program {
        name: "binarySearch",
        right: "low = middle + 1;",
        wrong: "low = middle;",
        code: r"
function binarySearch(values, wanted) {
  let low = 0;
  let high = values.length - 1;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    if (values[middle] === wanted) return middle;
    if (values[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return -1;
}

module.exports = { binarySearch };
",
    }),
    ("merge.mjs", Program {
        name: "merge",
        right: "left[i] <= right[j]",
        wrong: "left[i] >= right[j]",
        code: r"
export function merge(left, right) {
  const merged = [];
  let i = 0, j = 0;
  while (i < left.length && j < right.length) {
    if (left[i] <= right[j]) {
      merged.push(left[i++]);
    } else {
      merged.push(right[j++]);
    }
  }
  return merged.concat(left.slice(i), right.slice(j));
}
",
    }),
    ("balanced.ts", Program {
        name: "balanced",
        right: "return stack.length === 0;",
        wrong: "return true;",
        code: r"
const PAIRS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

export function balanced(text: string): boolean {
  const stack: string[] = [];
  for (const char of text) {
    if ('([{'.includes(char)) {
      stack.push(char);
    } else if (char in PAIRS) {
      if (stack.pop() !== PAIRS[char]) return false;
    }
  }
  return stack.length === 0;
}
",
    }),
    ("runs.js", Program {
        name: "runLength",
        right: "count = 1;\n",
        wrong: "count = 0;\n",
        code: r"
exports.runLength = function runLength(text) {
  const runs = [];
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    if (i > 0 && text[i] === text[i - 1]) {
      count++;
    } else {
      if (count > 0) runs.push(text[i - 1] + count);
      count = 1;
    }
  }
  if (count > 0) runs.push(text[text.length - 1] + count);
  return runs.join('');
};
",
    }),
    ("clamp.js", Program {
        name: "clamp",
        right: "Math.max(low, Math.min(high, value))",
        wrong: "Math.max(low, Math.max(high, value))",
        code: r"
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

export default clamp;
",
    }),
    ("chunk.js", Program {
        name: "chunk",
        right: "values.slice(i, i + size)",
        wrong: "values.slice(i, size)",
        code: r"
function chunk(values, size) {
  const chunks = [];
  for (let i = 0; i < values.length; i += size) {
    chunks.push(values.slice(i, i + size));
  }
  return chunks;
}

module.exports = chunk;
",
    }),
    ("leap.js", Program {
        name: "isLeapYear",
        right: "year % 4 === 0 && ",
        wrong: "year % 4 === 0 || ",
        code: r"
export function isLeapYear(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
",
    }),
    ("flatten.js", Program {
        name: "flatten",
        right: "out.push(...flatten(value));",
        wrong: "out.push(...value);",
        code: r"
function flatten(values) {
  const out = [];
  for (const value of values) {
    if (Array.isArray(value)) {
      out.push(...flatten(value));
    } else {
      out.push(value);
    }
  }
  return out;
}

module.exports = { flatten };
",
    }),
    ("words.js", Program {
        name: "wordCount",
        right: "counts[word] || 0",
        wrong: "counts[word] || 1",
        code: r"
exports.wordCount = function (text) {
  const counts = {};
  for (const word of text.toLowerCase().split(/\s+/)) {
    if (!word) continue;
    counts[word] = (counts[word] || 0) + 1;
  }
  return counts;
};
",
    }),
    ("capital.js", Program {
        name: "capitalize",
        right: "text.charAt(0).toUpperCase() + text.slice(1)",
        wrong: "text.charAt(0).toUpperCase() + text",
        code: r"
export function capitalize(text) {
  if (!text) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
",
    }),
    ("range.js", Program {
        name: "range",
        right: "value < end;",
        wrong: "value <= end;",
        code: r"
function range(start, end, step = 1) {
  const values = [];
  for (let value = start; value < end; value += step) {
    values.push(value);
  }
  return values;
}

module.exports = range;
",
    }),
    ("debounce.js", Program {
        name: "once",
        right: "      called = true;\n",
        wrong: "",
        code: r"
export function once(f) {
  let called = false;
  let result;
  return function (...args) {
    if (!called) {
      called = true;
      result = f.apply(this, args);
    }
    return result;
  };
}

export function never() {
  let called = false;
  called = true;
  return called;
}
",
    }),
    ("group.js", Program {
        name: "groupBy",
        right: "groups[key] = [];",
        wrong: "groups[key] = {};",
        code: r"
export function groupBy(values, keyOf) {
  const groups = {};
  for (const value of values) {
    const key = keyOf(value);
    if (!(key in groups)) groups[key] = [];
    groups[key].push(value);
  }
  return groups;
}
",
    }),
    ("account.js", Program {
        name: "Account",
        right: "this.balance -= amount",
        wrong: "this.balance += amount",
        code: r"
class Account {
  constructor(owner, balance = 0) {
    this.owner = owner;
    this.balance = balance;
    this.history = [];
  }

  withdraw(amount) {
    if (amount > this.balance) throw new Error('not enough');
    this.balance -= amount;
    this.history.push({ kind: 'withdraw', amount });
    return this.balance;
  }
}

module.exports = Account;
",
    }),
    ("stack.ts", Program {
        name: "Stack",
        right: "return this.items[this.items.length - 1];",
        wrong: "return this.items[this.items.length];",
        code: r"
export class Stack<T> {
  private items: T[] = [];

  push(item: T): void {
    this.items.push(item);
  }

  peek(): T | undefined {
    return this.items[this.items.length - 1];
  }

  get size(): number {
    return this.items.length;
  }
}
",
    }),
    ("query.js", Program {
        name: "parseQuery",
        right: "decodeURIComponent(value)",
        wrong: "value",
        code: r"
exports.parseQuery = function (text) {
  const found = {};
  for (const pair of text.replace(/^\?/, '').split('&')) {
    const [key, value = ''] = pair.split('=');
    found[decodeURIComponent(key)] = decodeURIComponent(value);
  }
  return found;
};
",
    }),
    ("slug.js", Program {
        name: "slug",
        right: "/[^a-z0-9]+/g",
        wrong: "/[^a-z0-9]+/",
        code: r"
export const slug = (title) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
",
    }),
    ("hex.js", Program {
        name: "isHex",
        right: "/^[0-9a-f]+$/i",
        wrong: "/^[0-9a-f]+/i",
        code: r"
const isHex = (text) => /^[0-9a-f]+$/i.test(text);

module.exports = isHex;
",
    }),
    ("pick.js", Program {
        name: "pick",
        right: "if (key in source) {",
        wrong: "if (key in picked) {",
        code: r"
export function pick(source, keys) {
  const picked = {};
  for (const key of keys) {
    if (key in source) {
      picked[key] = source[key];
    }
  }
  return picked;
}
",
    }),
    ("average.js", Program {
        name: "average",
        right: "  if (values.length === 0) return 0;\n",
        wrong: "",
        code: r"
function average(values) {
  if (values.length === 0) return 0;
  let total = 0;
  for (const value of values) total += value;
  return total / values.length;
}

function middle(values) {
  if (values.length < 2) return values[0];
  return values[Math.floor(values.length / 2)];
}

module.exports = { average, middle };
",
    }),
    ("fibonacci.js", Program {
        name: "fibonacci",
        right: "return fibonacci(n - 1) + fibonacci(n - 2);",
        wrong: "return fibonacci(n - 1) + fibonacci(n - 1);",
        code: r"
const fibonacci = (n) => {
  if (n < 2) return n;
  return fibonacci(n - 1) + fibonacci(n - 2);
};

module.exports = fibonacci;
",
    }),
    ("transpose.js", Program {
        name: "transpose",
        right: "row[column]",
        wrong: "row[row]",
        code: r"
export function transpose(matrix) {
  return matrix[0].map((_, column) => matrix.map((row) => row[column]));
}
",
    }),
    ("format.ts", Program {
        name: "money",
        right: "`${sign}${whole}.${cents}`",
        wrong: "`${sign}${whole}${cents}`",
        code: r"
export function money(amount: number): string {
  const sign = amount < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(amount) / 100);
  const cents = String(Math.abs(amount) % 100).padStart(2, '0');
  return `${sign}${whole}.${cents}`;
}
",
    }),
    ("sign.js", Program {
        name: "sign",
        right: "value < 0 ? -1 : 1",
        wrong: "value < 0 ? 1 : -1",
        code: r"
function sign(value) {
  if (value === 0) return 0;
  return value < 0 ? -1 : 1;
}

module.exports = sign;
",
    }),
    ("unique.js", Program {
        name: "unique",
        right: "if (seen.has(value)) continue;",
        wrong: "if (seen.has(value)) break;",
        code: r"
export function unique(values) {
  const seen = new Set();
  const out = [];
  for (const value of values) {
    if (seen.has(value)) continue;
    seen.add(value);
    out.push(value);
  }
  return out;
}
",
    }),
    ("path.js", Program {
        name: "extension",
        right: "name.lastIndexOf('.')",
        wrong: "name.indexOf('.')",
        code: r"
exports.extension = (name) => {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1);
};
",
    }),
    ("fetch.mjs", Program {
        name: "load",
        right: "await response.json()",
        wrong: "response.json()",
        code: r"
export async function load(address, get) {
  const response = await get(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const body = await response.json();
  return body.items;
}
",
    }),
    ("sorted.js", Program {
        name: "sorted",
        right: ".sort((a, b) => a - b)",
        wrong: ".sort((a, b) => b - a)",
        code: r"
export function sorted(values) {
  return values.slice().sort((a, b) => a - b);
}
",
    }),
    ("total.jsx", Program {
        name: "Total",
        right: "total + item.price * item.count",
        wrong: "total + item.price + item.count",
        code: r"
export function Total({ items, currency = 'EUR' }) {
  const total = items.reduce((total, item) => total + item.price * item.count, 0);
  return <p className='total'>{total} {currency}</p>;
}
",
    }),
    ("matches.js", Program {
        name: "matches",
        right: "startsWith(prefix)",
        wrong: "endsWith(prefix)",
        code: r"
export function matches(names, prefix) {
  return names.filter((name) => name.startsWith(prefix));
}
",
    }),
    ("deep.js", Program {
        name: "get",
        right: "value = value?.[part]",
        wrong: "value = value?.[path]",
        code: r"
export function get(value, path, fallback) {
  for (const part of path.split('.')) {
    value = value?.[part];
  }
  return value ?? fallback;
}
",
    }),
    ("keys.js", Program {
        name: "invert",
        right: "for (const key in source) {",
        wrong: "for (const key of source) {",
        code: r"
module.exports = function invert(source) {
  const inverted = {};
  for (const key in source) {
    inverted[source[key]] = key;
  }
  return inverted;
};
",
    }),
    ("greet.js", Program {
        name: "greet",
        right: "{ name = '', greeting }",
        wrong: "{ name, greeting }",
        code: r"
function greet({ name = '', greeting }) {
  return `${greeting}, ${name}!`;
}

module.exports = greet;
",
    }),
    ("queue.js", Program {
        name: "Queue",
        right: "return this.items.shift();",
        wrong: "return this.items.pop();",
        code: r"
export class Queue {
  constructor() {
    this.items = [];
  }

  add(item) {
    this.items.push(item);
    return this.items.length;
  }

  take() {
    return this.items.shift();
  }
}
",
    }),
    ("retry.js", Program {
        name: "retries",
        right: "attempt <= limit && !done",
        wrong: "attempt <= limit",
        code: r"
function retries(run, limit) {
  let done = false;
  let attempt = 1;
  while (attempt <= limit && !done) {
    done = run(attempt);
    attempt += 1;
  }
  return done;
}

module.exports = retries;
",
    }),
];
