"""Parsel's own selectors, found again when a site changes.

    from autoheal.parsel import Selector  # instead of: from parsel import Selector

What parsel finds is what parsel gives, of all of XPath and CSS. Only where it finds nothing any more, or something that is no longer
the field, the result is made of what was found again, or is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import lxml.html  # type: ignore[import-untyped]
import parsel

import autoheal
from autoheal._site import program_frame
from autoheal.errors import SelectorError

class SelectorList(parsel.SelectorList["Selector"]):
    """As in parsel; notes whether the program takes one match or all."""

    ours: autoheal.SelectorList | None = None

    def _takes_list(self) -> None:
        if self.ours is not None:
            self.ours._takes_list()

    def __iter__(self) -> Iterator[Selector]:
        self._takes_list()
        return super().__iter__()

    def __len__(self) -> int:
        self._takes_list()
        return super().__len__()

    def __bool__(self) -> bool:
        return super().__len__() > 0

    def _all(self) -> list[Selector]:
        return [one for one in super().__iter__()]

    def getall(self) -> list[str]:
        self._takes_list()
        return [one.get() for one in self._all()]

    def get(self, default: Any = None) -> Any:
        for one in self._all():
            return one.get()
        return default

    extract = getall
    extract_first = get

    @property
    def attrib(self) -> dict[str, str]:
        for one in self._all():
            return dict(one.attrib)
        return {}

    def css(self, query: str) -> SelectorList:
        return self._joined([one.css(query) for one in self._all()])

    def xpath(self, xpath: str, namespaces: Any = None, **kwargs: Any) -> SelectorList:
        return self._joined([one.xpath(xpath, namespaces=namespaces, **kwargs) for one in self._all()])

    def _joined(self, lists: list[SelectorList]) -> SelectorList:
        joined = self.__class__([one for found in lists for one in found._all()])
        joined.ours = lists[0].ours if len(lists) == 1 else None
        return joined


class Selector(parsel.Selector):
    """As in parsel, with ``url``, ``store``, ``name`` and ``on_break`` of :class:`autoheal.Page`."""

    __slots__ = ("page", "peer")
    selectorlist_cls = SelectorList  # type: ignore[assignment]

    def __init__(
        self,
        text: str | None = None,
        *args: Any,
        url: str | None = None,
        store: Any = None,
        name: str | None = None,
        on_break: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(text, *args, **options)
        self.page: autoheal.Page | None = None
        #: The same page or element to autoheal.
        self.peer: autoheal.Page | autoheal.Selector | None = None
        if text is not None and self.type == "html":
            self.page = autoheal.Page(text, url, store=store, name=name, on_break=on_break)
            self.peer = self.page

    # The list is one of these selectors, as in parsel: its own type says only that it is one of parsel's.
    def css(self, query: str) -> SelectorList:  # pyright: ignore[reportIncompatibleMethodOverride]
        if self.peer is None:
            return super().css(query)  # type: ignore[return-value]
        return self._asked("css", query, super().xpath(self._css2xpath(query)))  # type: ignore[arg-type]

    def xpath(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, query: str, namespaces: Any = None, **kwargs: Any
    ) -> SelectorList:
        found = super().xpath(query, namespaces, **kwargs)
        # Variables and prefixes are the program's own: without them the expression means something else.
        if self.peer is None or namespaces or kwargs:
            return found  # type: ignore[return-value]
        return self._asked("xpath", query, found)  # type: ignore[arg-type]

    def _asked(self, language: str, query: str, theirs: SelectorList) -> SelectorList:
        ask = getattr(self.peer, language)
        try:
            ours = ask(query, _frame=program_frame(), _heal=not theirs)
        except SelectorError:
            return theirs
        theirs.ours = ours
        if ours.healed:
            return self._rebuilt(ours)
        if ours._withheld:
            nothing = self.selectorlist_cls([])
            nothing.ours = ours
            return nothing
        matches = ours._matches()
        mine = theirs._all()
        if len(matches) == len(mine):
            for one, peer in zip(mine, matches):
                one.peer = peer if peer.is_element else None
        return theirs

    def _rebuilt(self, ours: autoheal.SelectorList) -> SelectorList:
        found = []
        for match in ours._matches():
            if match.is_element:
                one = self.__class__(root=lxml.html.fragment_fromstring(match.get() or ""), type="html")
                one.peer = match
                found.append(one)
            else:
                found.extend(self.__class__(root=text, type="html") for text in match.getall())
        rebuilt = self.selectorlist_cls(found)
        rebuilt.ours = ours
        return rebuilt
