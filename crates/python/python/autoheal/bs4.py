"""Beautiful Soup, whose selectors are found again when a site changes.

    from autoheal.bs4 import BeautifulSoup  # instead of: from bs4 import BeautifulSoup

What ``select`` and ``select_one`` find is learnt. Where they find nothing any more, and the element is found again, it is given, as
an element of a soup of its own. ``find`` and ``find_all`` are Beautiful Soup's.
"""

from __future__ import annotations

import threading
from typing import Any

import bs4

import autoheal
from autoheal._site import program_frame
from autoheal.errors import SelectorError


#: The page that a thread has read last. A soup is a circle of references and is freed late: its page ends with the next one.
_LAST = threading.local()


class BeautifulSoup(bs4.BeautifulSoup):
    """As in Beautiful Soup, with ``url``, ``store``, ``name`` and ``on_break`` of :class:`autoheal.Page`."""

    def __init__(
        self,
        markup: Any = "",
        features: Any = None,
        *args: Any,
        url: str | None = None,
        store: Any = None,
        name: str | None = None,
        on_break: Any = None,
        **options: Any,
    ) -> None:
        text = markup.read() if hasattr(markup, "read") else markup
        super().__init__(text, features, *args, **options)
        last = getattr(_LAST, "page", None)
        if last is not None:
            last.close()
        #: The page to autoheal.
        self.page: autoheal.Page = autoheal.Page(text, url, store=store, name=name, on_break=on_break)
        _LAST.page = self.page

    def select(self, selector: str, *args: Any, **options: Any) -> Any:
        theirs = super().select(selector, *args, **options)
        if args or options:
            return theirs
        ours = self._asked(selector, not theirs)
        if ours is None:
            return theirs
        # Of one element it cannot be told: Beautiful Soup gives a list also to a program that takes the first.
        if len(theirs) > 1:
            ours._takes_list()
        return self._elements(ours) if ours.healed or ours._withheld else theirs

    def select_one(self, selector: str, *args: Any, **options: Any) -> Any:
        theirs = super().select_one(selector, *args, **options)
        if args or options:
            return theirs
        ours = self._asked(selector, theirs is None)
        if ours is None or not (ours.healed or ours._withheld):
            return theirs
        return next(iter(self._elements(ours)), None)

    def _asked(self, selector: str, heal: bool) -> autoheal.SelectorList | None:
        try:
            return self.page.css(selector, _frame=program_frame(), _heal=heal)
        except SelectorError:
            return None

    def _elements(self, ours: autoheal.SelectorList) -> list[Any]:
        soups = (bs4.BeautifulSoup(match.get() or "", "html.parser") for match in ours._matches())
        return [soup.find() for soup in soups if soup.find() is not None]
