"""Any bytes as a page, any text as a selector: every error is an exception with a class of its own."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autoheal

PIECES = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<table>", "<tr>", "<td>", "<template>", "<svg>", "<math>", "<script>", "</script>", "<!--", "-->", "<", ">",
         "&amp;", "&#0;", "&#xd800;", "\x00", "\ud800", "a", " ", "\n", "<h1 class=t>", "<a href='", "'>", "<select>", "<frameset>"]
    ),
    max_size=40,
).map("".join)

SELECTORS = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(["h1", ".t", "#x", "*", " ", ">", "~", "+", ",", "::text", "::attr(href)", "::attr(", ":not(", ")", "[", "]",
                         "[href]", ":nth-child(2n+1)", ":has(p)", "//", "/", "@href", "text()", ".", "..", "|", "\\", "'", '"']),
        max_size=12,
    ).map("".join),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile") / "scraper.heal.db"


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(html=st.one_of(PIECES, st.binary(max_size=200)), css=SELECTORS, xpath=SELECTORS)
def test_any_page_and_any_selector(place, html, css, xpath):
    with autoheal.Page(html, store=place, name="hostile") as page:
        for ask, selector in ((page.css, css), (page.xpath, xpath)):
            try:
                found = ask(selector, name="field")
            except (autoheal.SelectorError, UnicodeEncodeError):
                continue
            assert all(isinstance(text, str) for text in found.getall())
            for one in found:
                one.css("*::text").getall()
                assert isinstance(one.attrib, dict)
        page.report()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(recipe=st.one_of(st.text(max_size=60), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3)), html=PIECES)
def test_any_recipe(recipe, html):
    for call in (lambda: autoheal.apply_recipe(recipe, html), lambda: autoheal.relocate(html, recipe, html)):
        with pytest.raises((autoheal.RecipeError, UnicodeEncodeError)):
            call()


def test_deep_and_wide_pages_end(place):
    for html in ("<div>" * 50_000, "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">", "<b>" * 3000 + "x", "<a>x</a>" * 50_000):
        page = autoheal.Page(html, store=place, name="deep")
        assert page.css("b::text, a::text, div::text").get() in (None, "x")
        page.css("p:has(a ~ b) > a").getall()
        assert isinstance(autoheal.extract(html), dict)
        page.close()
