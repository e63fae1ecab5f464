"""Selectors on pages with public tools, timed: a JSON object a line of standard input (a page in UTF-8, a recipe), and one a
line of standard output, with the time and the values of each tool. Time is that of the processor; reading the file is not
part of it, parsing, selecting and reading the values is."""

import json
import sys
import time

import lxml.html
import parsel
from lxml.cssselect import CSSSelector
from selectolax.lexbor import LexborHTMLParser

# As often as ours. The shortest time counts: whatever else the machine does only adds to it.
REPEATS = 5

PARSER = lxml.html.HTMLParser(encoding="utf-8")
COMPILED = {}


def with_selectolax(page, text, fields):
    tree = LexborHTMLParser(page)
    for select, attribute, many in fields:
        nodes = tree.css(select) if many else [node for node in [tree.css_first(select)] if node is not None]
        yield [node.text() if attribute is None else node.attributes.get(attribute) for node in nodes]


def with_parsel(page, text, fields):
    selector = parsel.Selector(text=text)
    for select, attribute, many in fields:
        nodes = selector.css(select)
        nodes = nodes if many else nodes[:1]
        yield [node.xpath("string()").get() if attribute is None else node.attrib.get(attribute) for node in nodes]


def with_lxml(page, text, fields):
    tree = lxml.html.document_fromstring(page, parser=PARSER)
    for select, attribute, many in fields:
        nodes = compiled(select)(tree)
        nodes = nodes if many else nodes[:1]
        yield [node.text_content() if attribute is None else node.get(attribute) for node in nodes]


def compiled(select):
    if select not in COMPILED:
        COMPILED[select] = CSSSelector(select, translator="html")
    return COMPILED[select]


TOOLS = {"selectolax": with_selectolax, "parsel": with_parsel, "lxml": with_lxml}


def timed(tool, page, text, fields):
    seconds = float("inf")
    for _ in range(REPEATS):
        start = time.thread_time()
        values = list(tool(page, text, fields))
        seconds = min(seconds, time.thread_time() - start)
    return seconds, values


def attribute_of(take):
    return take.removeprefix("attr:") if take.startswith("attr:") else None


for line in sys.stdin:
    job = json.loads(line)
    with open(job["page"], "rb") as file:
        page = file.read()
    text = page.decode()
    recipe = job["recipe"]["fields"]
    fields = [
        (field["select"], attribute_of(field.get("take", "text")), field.get("many", False))
        for field in recipe.values()
    ]
    seconds, values = {}, {}
    for name, tool in TOOLS.items():
        try:
            seconds[name], found = timed(tool, page, text, fields)
            values[name] = dict(zip(recipe, found))
        except Exception as error:  # A selector or a page that one tool rejects is left out for all.
            seconds[name] = None
            print(f"{name}: {job['page']}: {error}", file=sys.stderr)
    print(json.dumps({"seconds": seconds, "values": values}), flush=True)
