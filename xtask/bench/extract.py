"""What public tools extract from pages: a question a line of standard input ({"page": file, "url": address, "kind": ...}), an
answer a line of standard output ({tool: {"fields": {...}, "seconds": ...}}). Each tool is asked as its documentation says; time is
that of the processor, reading the file is not part of it."""

import contextlib
import io
import json
import logging
import sys
import time

import extruct
import newspaper
import recipe_scrapers
import trafilatura

logging.disable(logging.CRITICAL)


def first(value, *names):
    """The first text below one of the names, of objects their name."""
    if isinstance(value, list):
        return next((text for one in value if (text := first(one, *names))), None)
    if isinstance(value, dict):
        return next((text for name in names if (text := first(value.get(name), "name", "@value", "url"))), None)
    return value if isinstance(value, str) and not names or isinstance(value, str) else None


def things(value):
    if isinstance(value, list):
        for one in value:
            yield from things(one)
    elif isinstance(value, dict):
        yield value
        yield from things(value.get("@graph", []))


# What a page is hardly ever about.
BESIDE = {"WebSite", "Organization", "BreadcrumbList", "Person", "ImageObject", "WebPage", "ItemList", "SearchAction"}


def by_extruct(html, url, kind):
    data = extruct.extract(html, base_url=url, uniform=True, errors="ignore")
    stated = [thing for syntax in ("json-ld", "microdata", "rdfa") for thing in things(data.get(syntax, []))]
    about = [thing for thing in stated if isinstance(thing.get("@type"), str) and thing["@type"] not in BESIDE]
    recipes = [thing for thing in stated if "Recipe" in (thing.get("@type") or "")]
    thing = (recipes or about or [{}])[0]
    graph = next(iter(data.get("opengraph", [])), {})
    ingredients = thing.get("recipeIngredient") or thing.get("ingredients") or []
    return {
        "title": first(thing, "headline", "name") or first(graph, "og:title"),
        "author": first(thing, "author", "creator") or first(graph, "article:author"),
        "description": first(thing, "description") or first(graph, "og:description"),
        "image": first(thing, "image") or first(graph, "og:image"),
        "publish_date": first(thing, "datePublished") or first(graph, "article:published_time"),
        "ingredients": [text for text in ingredients if isinstance(text, str)] if isinstance(ingredients, list) else [],
    }


def by_trafilatura(html, url, kind):
    document = trafilatura.bare_extraction(html, url=url, with_metadata=True)
    if document is None:
        metadata = trafilatura.extract_metadata(html, default_url=url)
        return {"title": metadata.title, "author": metadata.author} if metadata else {}
    return {
        "title": document.title,
        "author": document.author,
        "description": document.description,
        "image": document.image,
        "publish_date": document.date,
        "main_content": document.text,
    }


def by_newspaper(html, url, kind):
    article = newspaper.Article(url, fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return {
        "title": article.title,
        "author": ", ".join(article.authors),
        "description": article.meta_description,
        "image": article.top_image,
        "publish_date": article.publish_date.date().isoformat() if article.publish_date else None,
        "main_content": article.text,
    }


def by_recipe_scrapers(html, url, kind):
    """Any page, by its schema.org: the wild mode, never the rules for one site."""
    if kind != "recipe":
        return None
    scraper = recipe_scrapers.SchemaScraperFactory.generate(html=html, url=url)

    def said(name):
        try:
            return getattr(scraper, name)()
        except Exception:
            return None

    return {
        "title": said("title"),
        "author": said("author"),
        "description": said("description"),
        "image": said("image"),
        "ingredients": said("ingredients") or [],
        "instructions_list": said("instructions_list") or [],
    }


TOOLS = {
    "extruct": by_extruct,
    "trafilatura": by_trafilatura,
    "newspaper4k": by_newspaper,
    "recipe-scrapers": by_recipe_scrapers,
}

for line in sys.stdin:
    question = json.loads(line)
    with open(question["page"], encoding="utf-8") as file:
        html = file.read()
    url = question["url"] if "://" in question["url"] else "https://" + question["url"]
    answer = {}
    for name, ask in TOOLS.items():
        start = time.thread_time()
        try:
            # Some write notices to standard output.
            with contextlib.redirect_stdout(io.StringIO()):
                fields = ask(html, url, question["kind"])
        except Exception as error:
            fields = {"error": repr(error)}
        seconds = time.thread_time() - start
        if fields is not None:
            answer[name] = {"fields": fields, "seconds": seconds}
    print(json.dumps(answer), flush=True)
