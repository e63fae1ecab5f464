"""Selectors that are found again when a site changes.

    import autoheal

    page = autoheal.Page(html, url="https://shop.example/1")
    title = page.css("h1.title::text").get()
    page.report()

While a selector works, what it finds is learnt. When it breaks, all fields of the page are found again together; where that is not
sure, nothing is given.
"""

import atexit as _atexit
import os as _os
from typing import Any

from autoheal import errors
from autoheal._native import Page as Page
from autoheal._native import Selector as Selector
from autoheal._native import SelectorList as SelectorList
from autoheal._native import apply_recipe as apply_recipe
from autoheal._native import diff as diff
from autoheal._native import extract as extract
from autoheal._native import finish as _finish
from autoheal._native import flush as flush
from autoheal._native import relocate as relocate
from autoheal._native import suspend as _suspend
from autoheal._site import configure as configure
from autoheal.errors import AutohealError as AutohealError
from autoheal.errors import BrokenSelectorError as BrokenSelectorError
from autoheal.errors import RecipeError as RecipeError
from autoheal.errors import SelectorError as SelectorError
from autoheal.errors import StoreError as StoreError

__all__ = [
    "AutohealError",
    "BrokenSelectorError",
    "Page",
    "RecipeError",
    "Selector",
    "SelectorError",
    "SelectorList",
    "StoreError",
    "apply_recipe",
    "configure",
    "diff",
    "errors",
    "extract",
    "flush",
    "page_of",
    "relocate",
]


def page_of(response: Any, **options: Any) -> Page:
    """The page of a response of httpx, requests or Scrapy, or of a page of Playwright.

    Text that the library has decoded is taken as it is. ``options`` are those of :class:`Page`.
    """
    html = getattr(response, "text", None)
    if html is None or callable(html):
        content = getattr(response, "content", None)
        html = content() if callable(content) else getattr(response, "body", content)
    if not isinstance(html, (str, bytes)):
        raise TypeError(f"{type(response).__name__} holds no text of a page: write Page(html, url=...)")
    return Page(html, str(response.url), **options)


# What is registered last is called first.
_atexit.register(_suspend)
_atexit.register(_finish)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(before=_suspend)
