//! The second half of the programs.

use super::Program;

#[rustfmt::skip]
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        name: "median",
        right: "(ordered[middle - 1] + ordered[middle]) / 2",
        wrong: "ordered[middle - 1] + ordered[middle] / 2",
        code: r"
def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
",
    },
    Program {
        name: "variance",
        right: "(value - mean) ** 2",
        wrong: "(value - mean) * 2",
        code: r"
def variance(values):
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)
",
    },
    Program {
        name: "clamp",
        right: "return max(low, min(value, high))",
        wrong: "return max(low, max(value, high))",
        code: r#"
def clamp(value, low, high):
    if low > high:
        raise ValueError("empty interval")
    return max(low, min(value, high))
"#,
    },
    Program {
        name: "chunks",
        right: "range(0, len(items), size)",
        wrong: "range(0, len(items))",
        code: r"
def chunks(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]
",
    },
    Program {
        name: "rotate",
        right: "items[steps:] + items[:steps]",
        wrong: "items[:steps] + items[steps:]",
        code: r"
def rotate(items, steps):
    if not items:
        return items
    steps %= len(items)
    return items[steps:] + items[:steps]
",
    },
    Program {
        name: "unique",
        right: "seen.add(key(item))",
        wrong: "seen.add(item)",
        code: r"
def unique(items, key):
    seen = set()
    result = []
    for item in items:
        if key(item) not in seen:
            seen.add(key(item))
            result.append(item)
    return result
",
    },
    Program {
        name: "to_binary",
        right: "str(number % 2) + digits",
        wrong: "digits + str(number % 2)",
        code: r#"
def to_binary(number):
    if number == 0:
        return "0"
    digits = ""
    while number > 0:
        digits = str(number % 2) + digits
        number //= 2
    return digits
"#,
    },
    Program {
        name: "roman",
        right: "number >= value",
        wrong: "number > value",
        code: r#"
def roman(number):
    numerals = [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    result = ""
    for value, symbol in numerals:
        while number >= value:
            result += symbol
            number -= value
    return result
"#,
    },
    Program {
        name: "caesar",
        right: "(ord(char) - ord(\"a\") + shift) % 26",
        wrong: "(ord(char) - ord(\"a\") + shift)",
        code: r#"
def caesar(text, shift):
    result = ""
    for char in text:
        if char.islower():
            result += chr((ord(char) - ord("a") + shift) % 26 + ord("a"))
        else:
            result += char
    return result
"#,
    },
    Program {
        name: "is_leap_year",
        right: "year % 100 != 0 or year % 400 == 0",
        wrong: "year % 100 != 0 and year % 400 == 0",
        code: r"
def is_leap_year(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
",
    },
    Program {
        name: "power",
        right: "    if exponent == 0:\n        return 1\n",
        wrong: "",
        code: r"
def power(base, exponent):
    if exponent == 0:
        return 1
    half = power(base, exponent // 2)
    if exponent % 2:
        return half * half * base
    return half * half
",
    },
    Program {
        name: "parse_pairs",
        right: "line.split(\"=\", 1)",
        wrong: "line.split(\"=\")",
        code: r##"
def parse_pairs(text):
    pairs = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key, value = line.split("=", 1)
        pairs[key.strip()] = value.strip()
    return pairs
"##,
    },
    Program {
        name: "skip_comments",
        right: "            continue\n",
        wrong: "            break\n",
        code: r##"
def skip_comments(lines):
    kept = []
    for line in lines:
        if line.startswith("#"):
            continue
        kept.append(line.rstrip())
    return kept
"##,
    },
    Program {
        name: "largest_sum",
        right: "best = max(best, current)",
        wrong: "best = max(best, value)",
        code: r"
def largest_sum(values):
    best = current = values[0]
    for value in values[1:]:
        current = max(value, current + value)
        best = max(best, current)
    return best
",
    },
    Program {
        name: "stack",
        right: "return self.items[-1]",
        wrong: "return self.items[0]",
        code: r#"
class Stack:
    def __init__(self):
        self.items = []
        self.limit = 100

    def push(self, item):
        if len(self.items) >= self.limit:
            raise OverflowError("full")
        self.items.append(item)

    def peek(self):
        if not self.items:
            return None
        return self.items[-1]
"#,
    },
    Program {
        name: "account",
        right: "self.balance -= amount",
        wrong: "self.balance += amount",
        code: r#"
class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("too much")
        self.balance -= amount
        self.history.append(-amount)
        return self.balance
"#,
    },
    Program {
        name: "linked_list",
        right: "current = current.next",
        wrong: "current = current",
        code: r"
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def length(head):
    count = 0
    current = head
    while current is not None:
        count += 1
        current = current.next
    return count
",
    },
    Program {
        name: "tree_depth",
        right: "depth(node.right)",
        wrong: "depth(node.left)",
        code: r"
def depth(node):
    if node is None:
        return 0
    return 1 + max(depth(node.left), depth(node.right))
",
    },
    Program {
        name: "knapsack",
        right: "range(capacity, weight - 1, -1)",
        wrong: "range(weight, capacity + 1)",
        code: r"
def knapsack(items, capacity):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]
",
    },
    Program {
        name: "discount",
        right: "total >= 100 and is_member",
        wrong: "total >= 100",
        code: r"
def discount(total, is_member):
    if total >= 100 and is_member:
        return total * 0.9
    return total
",
    },
    Program {
        name: "average",
        right: "    if not values:\n        return 0\n",
        wrong: "",
        code: r"
def average(values):
    if not values:
        return 0
    return sum(values) / len(values)
",
    },
    Program {
        name: "matrix_product",
        right: "zip(*right)",
        wrong: "right",
        code: r"
def matrix_product(left, right):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*right)] for row in left]
",
    },
    Program {
        name: "mask",
        right: "value[-4:]",
        wrong: "value[:4]",
        code: r#"
def mask(value):
    if len(value) <= 4:
        return value
    return "*" * (len(value) - 4) + value[-4:]
"#,
    },
    Program {
        name: "find_all",
        right: "start = at + len(part)",
        wrong: "start = len(part)",
        code: r"
def find_all(text, part):
    places = []
    start = 0
    while True:
        at = text.find(part, start)
        if at == -1:
            return places
        places.append(at)
        start = at + len(part)
",
    },
];
