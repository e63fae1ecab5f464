"""Links of the documentation that lead out of `docs/` or to a folder: to the address of the sources if there is one (AUTOHEAL_SOURCES), else they
become their text. They are checked here: a file that is not there fails the build."""

import logging
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
log = logging.getLogger("mkdocs.hooks.links")


def on_page_markdown(markdown, *, page, **_):
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def link(match):
        text, address = match.groups()
        if re.match(r"[a-z]+:|#", address):
            return match[0]
        path, _, anchor = address.partition("#")
        file = (folder / path).resolve()
        if file.is_relative_to(ROOT / "docs") and not file.is_dir():
            return match[0]
        if not file.is_relative_to(ROOT) or not file.exists():
            log.warning("%s links to %s, which is not there", page.file.src_uri, address)
        sources = os.environ.get("AUTOHEAL_SOURCES", "").rstrip("/")
        return f"[{text}]({sources}/{file.relative_to(ROOT)}{'#' + anchor if anchor else ''})" if sources else text

    # Code is not Markdown.
    parts = re.split(r"(^```.*?^```)", markdown, flags=re.S | re.M)
    return "".join(part if place % 2 else LINK.sub(link, part) for place, part in enumerate(parts))
