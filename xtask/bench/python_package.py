"""Selectors on redesigned pages with the Python package and with public tools: a JSON object a line of standard input, and one a
line of standard output.

`heal`: each tool learns the fields on the old page, by selector (or by value, as AutoScraper does), and reads them on the new
one. `hot`: the same pages again and again, as a spider reads them, in processor time of the whole process, threads included.
`memory`: resident memory after some pages and after all of them, each tool in a process of its own."""

import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import time

import autoheal
import lxml.html
import parsel
from autoscraper import AutoScraper
from pyscrappy.generic.adaptive_store import AdaptiveStore
from pyscrappy.generic.selector import Selector as PyScrappy
from scrapling.parser import Selector as Scrapling
from selectolax.lexbor import LexborHTMLParser

logging.disable(logging.CRITICAL)

# Selectors of a spider on any page: few, and one of each kind.
TEXTS = ["title::text", "h1::text", "p::text", "li a::text", "div span::text"]
LINKS = "a::attr(href)"


def text_of(html):
    """The text of an element: the same way for all tools, so that only the element counts."""
    if not html.lstrip().startswith("<"):
        return html
    return lxml.html.fragment_fromstring(html, create_parent="div").text_content()


def taken(elements, attribute, html, attributes):
    if attribute is None:
        return [text_of(html(element)) for element in elements]
    return [value for value in (attributes(element).get(attribute) for element in elements) if value is not None]


class Autoheal:
    def __init__(self, folder):
        self.store = f"{folder}/autoheal.db"

    def read(self, html, url, fields):
        with autoheal.Page(html, url, store=self.store, name="bench", on_break="heal") as page:
            values = {}
            for field in fields:
                ask = page.xpath if field["xpath"] else page.css
                end = "" if field["attribute"] is None else ("/@{}" if field["xpath"] else "::attr({})").format(field["attribute"])
                found = ask(field["selector"] + end, name=field["name"])
                found = found.getall() if field["many"] else [value for value in [found.get()] if value is not None]
                values[field["name"]] = found if end else [text_of(value) for value in found]
        return values

    def learn(self, html, url, fields):
        self.read(html, url, fields)
        autoheal.flush()


class OfScrapling:
    def __init__(self, folder):
        self.storage = {"storage_file": f"{folder}/scrapling.db", "url": ""}

    def read(self, html, url, fields, learns=False):
        page = Scrapling(html, url=url, adaptive=True, storage_args={**self.storage, "url": url})
        values = {}
        for field in fields:
            ask = page.xpath if field["xpath"] else page.css
            found = list(ask(field["selector"], identifier=field["name"], adaptive=not learns, auto_save=learns))
            found = found if field["many"] else found[:1]
            values[field["name"]] = taken(found, field["attribute"], lambda one: str(one.html_content), lambda one: one.attrib)
        return values

    def learn(self, html, url, fields):
        self.read(html, url, fields, learns=True)


class OfPyScrappy:
    def __init__(self, folder):
        self.store = AdaptiveStore(f"{folder}/pyscrappy.json")

    def read(self, html, url, fields, learns=False):
        page = PyScrappy(html, url=url, adaptive_store=self.store)
        values = {}
        for field in fields:
            if field["xpath"]:
                found = list(page.xpath(field["selector"]))
            else:
                found = list(page.css(field["selector"], adaptive=not learns, auto_save=learns, adaptive_id=field["name"]))
            found = found if field["many"] else found[:1]
            values[field["name"]] = taken(found, field["attribute"], lambda one: one.html(), lambda one: one.attrs)
        return values

    def learn(self, html, url, fields):
        self.read(html, url, fields, learns=True)


class OfAutoScraper:
    """It learns from values, not from selectors."""

    def __init__(self, folder):
        self.models = {}

    def learn(self, html, url, fields):
        for field in fields:
            model = AutoScraper()
            model.build(html=html, wanted_list=field["values"][:3] if field["many"] else field["values"][:1])
            self.models[field["name"]] = model

    def read(self, html, url, fields):
        values = {}
        for field in fields:
            model = self.models[field["name"]]
            ask = model.get_result_similar if field["many"] else model.get_result_exact
            found = ask(html=html) or []
            values[field["name"]] = [str(value) for value in (found if field["many"] else found[:1])]
        return values


class OfParsel:
    """Plain selectors: what does not heal."""

    def __init__(self, folder):
        pass

    def learn(self, html, url, fields):
        pass

    def read(self, html, url, fields):
        page = parsel.Selector(text=html)
        values = {}
        for field in fields:
            found = list((page.xpath if field["xpath"] else page.css)(field["selector"]))
            found = found if field["many"] else found[:1]
            values[field["name"]] = taken(found, field["attribute"], lambda one: one.get() or "", lambda one: one.attrib)
        return values


TOOLS = {
    "autoheal": Autoheal,
    "Scrapling": OfScrapling,
    "PyScrappy": OfPyScrappy,
    "AutoScraper": OfAutoScraper,
    "parsel": OfParsel,
}


def heal(question):
    answers = {}
    for name, tool in TOOLS.items():
        with tempfile.TemporaryDirectory() as folder:
            one = tool(folder)
            values, error = {}, None
            start = time.perf_counter()
            learnt = start
            try:
                one.learn(question["old"], question["url"], question["fields"])
                learnt = time.perf_counter()
                values = one.read(question["new"], question["url"], question["fields"])
            except Exception as problem:  # noqa: BLE001 a tool that fails has found nothing
                error = f"{type(problem).__name__}: {problem}"[:200]
            healed = time.perf_counter()
            answers[name] = {"values": values, "learn": learnt - start, "heal": healed - learnt, "error": error}
    return answers


def hot_autoheal(html, number, store):
    with autoheal.Page(html, f"https://bench.example/{number}", store=store, name=f"page{number}") as page:
        for selector in TEXTS:
            page.css(selector).getall()
        page.css(LINKS).getall()


def hot_parsel(html, number, store):
    page = parsel.Selector(text=html)
    for selector in TEXTS:
        page.css(selector).getall()
    page.css(LINKS).getall()


def hot_selectolax(html, number, store):
    page = LexborHTMLParser(html)
    for selector in TEXTS:
        for node in page.css(selector.removesuffix("::text")):
            node.text(deep=False)
    for node in page.css("a"):
        node.attributes.get("href")


HOT = {"autoheal": hot_autoheal, "parsel": hot_parsel, "selectolax": hot_selectolax}


def hot(question):
    """The shortest of the rounds counts: whatever else the machine does only adds to it."""
    pages = [pathlib.Path(file).read_text("utf-8", "replace") for file in question["pages"]]
    seconds = {name: [float("inf")] * len(pages) for name in HOT}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(question["rounds"]):
            for name, read in HOT.items():
                for number, html in enumerate(pages):
                    start = time.process_time()
                    read(html, number, f"{folder}/hot.db")
                    seconds[name][number] = min(seconds[name][number], time.process_time() - start)
        autoheal.flush()
    return {"seconds": {name: sum(times) for name, times in seconds.items()}, "bytes": sum(len(page.encode()) for page in pages)}


def resident():
    line = next(line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def memory_of(name, files, count):
    """In a process of its own."""
    pages = [pathlib.Path(file).read_text("utf-8", "replace") for file in files]
    with tempfile.TemporaryDirectory() as folder:
        early = 0
        for number in range(count):
            HOT[name](pages[number % len(pages)], number % len(pages), f"{folder}/memory.db")
            if number == count // 10:
                early = resident()
        print(json.dumps({"early": early, "late": resident()}))


def memory(question):
    answers = {}
    for name in HOT:
        arguments = [sys.executable, __file__, "memory", name, str(question["count"]), *question["pages"]]
        answers[name] = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    return answers


if len(sys.argv) > 1:
    memory_of(sys.argv[2], sys.argv[4:], int(sys.argv[3]))
else:
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps({"heal": heal, "hot": hot, "memory": memory}[question["kind"]](question)), flush=True)
