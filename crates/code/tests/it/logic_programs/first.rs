//! The first half of the programs.

use super::Program;

#[rustfmt::skip]
pub(super) const PROGRAMS: &[Program] = &[
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
];
