"""Pages: parsel's words, learning, healing, errors."""

import gc
import logging
import os
import subprocess
import sys
import threading

import parsel
import pytest
from site_pages import GOODS, new, old

import autoheal

HTML = """<html><body><h1 class="t">Soup <b>of the</b> day</h1><ul><li class="a"><a href="/1" title="one">One 1</a></li>
<li class="b"><a href="/2">Two &amp; 2</a></li><li>-</li></ul><p>caf&eacute;<br>x</p><a name="bare">bare</a></body></html>"""


def scrape(html, **options):
    with autoheal.Page(html, "https://shop.example/1", **options) as page:
        title = page.css("h1.title::text").get()
        price = page.css(".price::text").get()
        return (title, price), {field["field"]: field for field in page.report()}


def learn():
    for name, price in GOODS[:3]:
        assert scrape(old(name, price))[0] == (name, price)


@pytest.mark.parametrize(
    "selector",
    ["h1::text", "h1 ::text", "h1 *::text", "li a::attr(href)", "a::attr(title)", "li a::text", "p::text", "li", "h1", "x::text",
     "li:nth-child(2) a::text", "li a::text, p::text"],
)
def test_css_gives_what_parsel_gives(store, selector):
    ours, theirs = autoheal.Page(HTML), parsel.Selector(text=HTML)
    assert ours.css(selector).getall() == theirs.css(selector).getall()
    assert ours.css(selector).get() == theirs.css(selector).get()
    assert ours.css(selector).get("none") == theirs.css(selector).get("none")


@pytest.mark.parametrize("path", ["//h1/text()", "//h1//text()", "//li/a/@href", "//li[2]/a/text()", "//a[@title]/@title"])
def test_xpath_gives_what_parsel_gives(store, path):
    ours, theirs = autoheal.Page(HTML), parsel.Selector(text=HTML)
    assert ours.xpath(path).getall() == theirs.xpath(path).getall()


def test_selectors_within_elements(store):
    page = autoheal.Page(HTML)
    rows = [(row.css("a::text").get(), row.css("a::attr(href)").get(), row.attrib.get("class")) for row in page.css("li")]
    assert rows == [("One 1", "/1", "a"), ("Two & 2", "/2", "b"), (None, None, None)]
    assert page.css("ul").css("a::text").re(r"(\w+) (?:& )?(\d)") == ["One", "1", "Two", "2"]
    assert page.css("a::text").re_first(r"(?P<extract>\d)") == "1"
    assert page.css("li")[-1].get() == "<li>-</li>"
    with pytest.raises(IndexError):
        page.css("li")[3]


def test_fields_are_found_again(store, caplog):
    learn()
    with caplog.at_level(logging.WARNING, "autoheal"):
        values, fields = scrape(new(*GOODS[3]))
    assert values == GOODS[3]
    assert fields["price"]["status"] == "healed"
    assert fields["price"]["selector"] == ".price::text"
    assert fields["price"]["file"].endswith("test_page.py")
    assert "`.price::text` is broken: found again by" in caplog.text


def test_what_is_gone_is_not_guessed(store):
    learn()
    name, price = GOODS[3]
    values, fields = scrape(old(name, price).replace(f'<p>Price <span class="price">{price}</span></p>', ""))
    assert values == (name, None)
    assert fields["price"]["status"] in ("gone", "unsure")


def test_on_break_raises(store):
    learn()
    with pytest.raises(autoheal.BrokenSelectorError, match="h1.title::text") as error:
        scrape(new(*GOODS[3]), on_break="raise")
    assert error.value.field["status"] == "healed"


def test_on_break_gives_nothing(store):
    learn()
    assert scrape(new(*GOODS[3]), on_break="none")[0] == (None, None)


def test_on_break_asks_a_function(store):
    learn()
    asked = []

    def takes_titles(field):
        asked.append(field["field"])
        return field["field"] == "title"

    assert scrape(new(*GOODS[3]), on_break=takes_titles)[0] == (GOODS[3][0], None)
    assert asked == ["title", "price"]


def test_another_process_knows(store, tmp_path):
    program = tmp_path / "shop.py"
    # Its last page is there until the process ends.
    program.write_text(
        "import sys\nimport autoheal\n\nfor name in sys.argv[1:]:\n    page = autoheal.Page(open(name).read())\n"
        "    title = page.css('h1.title::text').get()\n    print(title)\n"
    )
    files = []
    for number, good in enumerate(GOODS):
        files.append(tmp_path / f"{number}.html")
        files[-1].write_text((new if number == 3 else old)(*good))

    def run(*names):
        command = [sys.executable, str(program), *map(str, names)]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split("\n")[:-1]

    assert [run(file) for file in files[:3]] == [[name] for name, _ in GOODS[:3]]
    assert not store.with_name(store.name + "-wal").exists()
    assert run(files[3]) == [GOODS[3][0]]


def test_a_forked_process_has_its_own_store(store):
    learn()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if scrape(new(*GOODS[3]))[0] == GOODS[3] else 2
            autoheal.flush()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_share_what_is_learnt(store):
    learn()
    found = []
    threads = [threading.Thread(target=lambda: found.append(scrape(new(*GOODS[3]))[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [GOODS[3]] * 8


def test_a_page_that_is_not_closed_is_learnt_at_its_end(store):
    for good in GOODS[:3]:
        page = autoheal.Page(old(*good))
        page.css("h1.title::text").get()
    del page
    gc.collect()
    autoheal.flush()
    assert store.stat().st_size > 0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda page: page.css("h1["), autoheal.SelectorError),
        (lambda page: page.css("h1::before"), autoheal.SelectorError),
        (lambda page: page.xpath("//h1["), autoheal.SelectorError),
        (lambda page: page.css("a" * 5000), autoheal.SelectorError),
        (lambda page: page.css(1), TypeError),
        (lambda page: autoheal.Page(1), TypeError),
        (lambda page: autoheal.Page("", "not an address"), ValueError),
        (lambda page: autoheal.Page("", on_break="perhaps"), ValueError),
        (lambda page: autoheal.Page("", store="/nowhere/scraper.heal.db"), autoheal.StoreError),
        (lambda page: autoheal.apply_recipe({"version": 1, "fields": {}}, ""), autoheal.RecipeError),
        (lambda page: autoheal.apply_recipe("{", ""), autoheal.RecipeError),
        (lambda page: autoheal.extract("", "not an address"), ValueError),
        (lambda page: autoheal.extract(1), TypeError),
    ],
)
def test_errors_have_classes(store, call, error):
    page = autoheal.Page(HTML)
    with pytest.raises(error) as raised:
        call(page)
    assert str(raised.value)


def test_functions_without_a_store():
    recipe = {"version": 1, "fields": {"title": {"select": "h1.title"}, "price": {"select": ".price"}}}
    assert autoheal.apply_recipe(recipe, old(*GOODS[0])) == dict(zip(("title", "price"), GOODS[0]))
    fields = autoheal.relocate(old(*GOODS[0]), recipe, new(*GOODS[0]))
    assert (fields["price"]["status"], fields["price"]["values"]) == ("moved", [GOODS[0][1]])
    item = autoheal.extract("<h1>Oak table</h1><p>Solid oak.</p>", "https://shop.example/1")
    assert (item["title"], item["url"]) == ("Oak table", "https://shop.example/1")
    assert "h2" in autoheal.diff(old(*GOODS[0]), new(*GOODS[0]))


def test_responses_of_libraries(store):
    class Response:
        url = "https://shop.example/1"
        text = old(*GOODS[0])

    assert autoheal.page_of(Response()).css("h1.title::text").get() == GOODS[0][0]
    with pytest.raises(TypeError, match="holds no text"):
        autoheal.page_of(object())


def rows(items, layout):
    if layout == "old":
        body = "".join(
            f'<li class="row"><a class="name" href="/x/{name}">{name}</a> <b class="price">{price}</b></li>' for name, price in items
        )
        return f'<html><body><h1>Our furniture</h1><ul class="rows">{body}</ul><p>All of it by hand.</p></body></html>'
    body = "".join(
        f'<article class="card"><h3 class="card-name"><a href="/x/{name}">{name}</a></h3><em class="amount">{price}</em></article>'
        for name, price in items
    )
    return f'<html><body><h1>Our furniture</h1><div class="grid">{body}</div><p>All of it by hand.</p></body></html>'


def scrape_rows(html):
    with autoheal.Page(html) as page:
        return [(row.css("a.name::text").get(), row.css(".price::text").get()) for row in page.css("li.row")]


def test_lists_are_found_again_with_what_is_in_them(store):
    assert scrape_rows(rows(GOODS, "old")) == GOODS
    later = [("Ash desk", "$99.00"), *GOODS[1:]]
    assert scrape_rows(rows(later, "new")) == later
    assert scrape_rows(rows(GOODS[:2], "new")) == GOODS[:2]


def test_one_item_may_lack_a_field(store):
    html = rows(GOODS, "old")
    assert scrape_rows(html) == GOODS
    without = html.replace(' <b class="price">$45.50</b>', "")
    assert scrape_rows(without) == [GOODS[0], ("Pine chair", None), *GOODS[2:]]
    changed = rows(GOODS, "new")
    assert scrape_rows(changed) == GOODS
    without = changed.replace('<em class="amount">$45.50</em>', "")
    assert scrape_rows(without) == [GOODS[0], ("Pine chair", None), *GOODS[2:]]
