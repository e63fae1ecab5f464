//! Small classic programs with one fault each, written for the test of the search.

/// A program, and how it was broken.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// The program that works.
    pub(crate) code: &'static str,
    /// The part of it, once in it, that the fault is in.
    pub(crate) right: &'static str,
    /// What stands there instead.
    pub(crate) wrong: &'static str,
}

#[rustfmt::skip]
pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        name: "gcd",
        right: "gcd(b, a % b)",
        wrong: "gcd(a % b, b)",
        code: r"
def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)
",
    },
    Program {
        name: "binary_search",
        right: "low = middle + 1",
        wrong: "low = middle",
        code: r"
def binary_search(values, wanted):
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1
",
    },
    Program {
        name: "merge",
        right: "merged + left[i:] + right[j:]",
        wrong: "merged + left[i:]",
        code: r"
def merge(left, right):
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]
",
    },
    Program {
        name: "balanced",
        right: "return not stack",
        wrong: "return True",
        code: r"
def balanced(text):
    pairs = {')': '(', ']': '[', '}': '{'}
    stack = []
    for char in text:
        if char in pairs.values():
            stack.append(char)
        elif char in pairs:
            if not stack or stack.pop() != pairs[char]:
                return False
    return not stack
",
    },
    Program {
        name: "run_length",
        right: "current, count = char, 1",
        wrong: "current, count = char, 0",
        code: r"
def run_length(text):
    runs = []
    current, count = None, 0
    for char in text:
        if char == current:
            count += 1
        else:
            if current is not None:
                runs.append((current, count))
            current, count = char, 1
    if current is not None:
        runs.append((current, count))
    return runs
",
    },
    Program {
        name: "moving_average",
        right: "len(values) - size + 1",
        wrong: "len(values) - size",
        code: r"
def moving_average(values, size):
    averages = []
    for start in range(len(values) - size + 1):
        window = values[start:start + size]
        averages.append(sum(window) / size)
    return averages
",
    },
    Program {
        name: "is_palindrome",
        right: "text[len(text) - i - 1]",
        wrong: "text[len(text) - i]",
        code: r"
def is_palindrome(text):
    for i in range(len(text) // 2):
        if text[i] != text[len(text) - i - 1]:
            return False
    return True
",
    },
    Program {
        name: "fibonacci",
        right: "b, a + b",
        wrong: "b, a + 1",
        code: r"
def fibonacci(count):
    numbers = []
    a, b = 0, 1
    while len(numbers) < count:
        numbers.append(a)
        a, b = b, a + b
    return numbers
",
    },
    Program {
        name: "factorial",
        right: "range(2, n + 1)",
        wrong: "range(2, n)",
        code: r"
def factorial(n):
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result
",
    },
    Program {
        name: "is_prime",
        right: "divisor * divisor <= n",
        wrong: "divisor * divisor < n",
        code: r"
def is_prime(n):
    if n < 2:
        return False
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 1
    return True
",
    },
    Program {
        name: "sieve",
        right: "range(i * i, limit + 1, i)",
        wrong: "range(i * i, limit, i)",
        code: r"
def sieve(limit):
    is_composite = [False] * (limit + 1)
    primes = []
    for i in range(2, limit + 1):
        if is_composite[i]:
            continue
        primes.append(i)
        for multiple in range(i * i, limit + 1, i):
            is_composite[multiple] = True
    return primes
",
    },
    Program {
        name: "flatten",
        right: "flat.extend(flatten(item))",
        wrong: "flat.append(flatten(item))",
        code: r"
def flatten(items):
    flat = []
    for item in items:
        if isinstance(item, list):
            flat.extend(flatten(item))
        else:
            flat.append(item)
    return flat
",
    },
    Program {
        name: "transpose",
        right: "[[row[i] for row in rows] for i in range(len(rows[0]))]",
        wrong: "[[row[i] for row in rows] for i in range(len(rows))]",
        code: r"
def transpose(rows):
    if not rows:
        return []
    return [[row[i] for row in rows] for i in range(len(rows[0]))]
",
    },
    Program {
        name: "bubble_sort",
        right: "values[j] > values[j + 1]",
        wrong: "values[j] < values[j + 1]",
        code: r"
def bubble_sort(values):
    values = list(values)
    for i in range(len(values)):
        for j in range(len(values) - i - 1):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
    return values
",
    },
    Program {
        name: "insertion_sort",
        right: "while j >= 0 and ",
        wrong: "while j > 0 and ",
        code: r"
def insertion_sort(values):
    for i in range(1, len(values)):
        key = values[i]
        j = i - 1
        while j >= 0 and values[j] > key:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = key
    return values
",
    },
    Program {
        name: "quicksort",
        right: "[x for x in rest if x >= pivot]",
        wrong: "[x for x in rest if x > pivot]",
        code: r"
def quicksort(values):
    if not values:
        return []
    pivot, *rest = values
    lower = [x for x in rest if x < pivot]
    upper = [x for x in rest if x >= pivot]
    return quicksort(lower) + [pivot] + quicksort(upper)
",
    },
    Program {
        name: "breadth_first",
        right: "queue.popleft()",
        wrong: "queue.pop()",
        code: r"
from collections import deque


def breadth_first(graph, start):
    seen = {start}
    order = []
    queue = deque([start])
    while queue:
        node = queue.popleft()
        order.append(node)
        for neighbour in graph[node]:
            if neighbour not in seen:
                seen.add(neighbour)
                queue.append(neighbour)
    return order
",
    },
    Program {
        name: "depth_first",
        right: "                seen.add(neighbour)\n",
        wrong: "",
        code: r"
def depth_first(graph, start):
    seen = {start}
    stack = [start]
    order = []
    while stack:
        node = stack.pop()
        order.append(node)
        for neighbour in graph[node]:
            if neighbour not in seen:
                seen.add(neighbour)
                stack.append(neighbour)
    return order
",
    },
    Program {
        name: "topological",
        right: "if not waiting[child]:",
        wrong: "if waiting[child]:",
        code: r"
def topological(graph):
    waiting = {node: 0 for node in graph}
    for node in graph:
        for child in graph[node]:
            waiting[child] += 1
    ready = [node for node in graph if not waiting[node]]
    order = []
    while ready:
        node = ready.pop()
        order.append(node)
        for child in graph[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return order
",
    },
    Program {
        name: "levenshtein",
        right: "table[i][0] = i",
        wrong: "table[i][0] = 0",
        code: r"
def levenshtein(left, right):
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) + 1):
        table[i][0] = i
    for j in range(len(right) + 1):
        table[0][j] = j
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            cost = 0 if left[i - 1] == right[j - 1] else 1
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
    return table[-1][-1]
",
    },
    Program {
        name: "common_prefix",
        right: "    return prefix\n",
        wrong: "        return prefix\n",
        code: r"
def common_prefix(words):
    prefix = words[0]
    for word in words[1:]:
        while not word.startswith(prefix):
            prefix = prefix[:-1]
    return prefix
",
    },
    Program {
        name: "count_words",
        right: "counts.get(word, 0) + 1",
        wrong: "counts.get(word, 0)",
        code: r"
def count_words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts
",
    },
    Program {
        name: "most_common",
        right: "max(counts, key=counts.get)",
        wrong: "max(counts)",
        code: r"
def most_common(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return max(counts, key=counts.get)
",
    },
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
