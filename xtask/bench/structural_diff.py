"""The structural diff of the specification, timed: a page pair a line of standard input (two files, tab between), a JSON
object a line of standard output. Time is that of the processor; reading and decoding the files is not part of it."""

import difflib
import json
import sys
import time

from bs4 import BeautifulSoup


# As often as ours. The shortest time counts: whatever else the machine does only adds to it.
REPEATS = 5


def css_path(element):
    """`div.container > table.stats > tr`: the specification names this and leaves it open; this is the plain way."""
    steps = []
    while element is not None and element.name != "[document]":
        steps.append(".".join([element.name, *element.get("class", [])]))
        element = element.parent
    return " > ".join(reversed(steps))


def extract_structure(soup):
    lines = []
    for element in soup.find_all():
        path = css_path(element)
        if element.string and element.string.strip():
            lines.append(f"{path}: {element.string.strip()[:50]}")
        else:
            lines.append(path)
    return "\n".join(lines)


def compute_html_diff(original, current):
    orig_soup = BeautifulSoup(original, "html.parser")
    curr_soup = BeautifulSoup(current, "html.parser")
    for soup in [orig_soup, curr_soup]:
        for tag in soup(["script", "style", "svg", "noscript"]):
            tag.decompose()
    diff = difflib.unified_diff(
        extract_structure(orig_soup).splitlines(),
        extract_structure(curr_soup).splitlines(),
        lineterm="",
        fromfile="original",
        tofile="current",
    )
    return "\n".join(diff)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


for line in sys.stdin:
    original, current = (read(path) for path in line.rstrip("\n").split("\t"))
    seconds = float("inf")
    for _ in range(REPEATS):
        start = time.thread_time()
        diff = compute_html_diff(original, current)
        seconds = min(seconds, time.thread_time() - start)
    print(json.dumps({"seconds": seconds, "lines": diff.count("\n")}), flush=True)
