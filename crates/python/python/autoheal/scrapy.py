"""A downloader middleware for Scrapy: the selectors of an unchanged spider are found again when the site changes.

    DOWNLOADER_MIDDLEWARES = {"autoheal.scrapy.AutohealMiddleware": 50}

Settings: ``AUTOHEAL_ENABLED``, ``AUTOHEAL_STORE`` (a file or an address), ``AUTOHEAL_ON_BREAK`` (``"heal"``, ``"raise"``,
``"none"`` or a function). Stats: ``autoheal/pages``, ``autoheal/field/STATUS``. Signal: :data:`selector_broken`, with ``url``, ``field``
and ``spider``, once for each field and page.
"""

from __future__ import annotations

import weakref
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.loader import ItemLoader

import autoheal
from autoheal.parsel import Selector

#: Sent for each field of a page whose selector no longer finds it.
selector_broken: object = object()


class Session:
    """What autoheal knows of one response."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.page: autoheal.Page | None = None
        self.is_ended = False


class HealingResponse(HtmlResponse):
    """A response whose selectors are found again."""

    autoheal: Session

    @property
    def selector(self) -> Selector:  # type: ignore[override]
        if self._cached_selector is None:
            options = self.autoheal.options
            selector = Selector(text=self.text, base_url=self.url, type="html", url=self.url, **options)
            self.autoheal.page = selector.page
            self._cached_selector = selector  # type: ignore[assignment]
        return self._cached_selector  # type: ignore[return-value]


class LoaderSelector(scrapy.Selector):
    """The selector that an item loader makes of a response: of a response that heals, its own."""

    def __new__(cls, response: Any = None, *args: Any, **options: Any) -> Any:
        if isinstance(response, HealingResponse) and not args and not options:
            return response.selector
        return scrapy.Selector(response, *args, **options)


class AutohealMiddleware:
    """Makes the responses of a spider heal."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("AUTOHEAL_ENABLED", True):
            raise NotConfigured
        self.crawler = crawler
        self.options: dict[str, Any] = {"store": settings.get("AUTOHEAL_STORE"), "on_break": settings.get("AUTOHEAL_ON_BREAK")}
        self.open: set[Session] = set()
        if ItemLoader.default_selector_class is scrapy.Selector:
            ItemLoader.default_selector_class = LoaderSelector

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AutohealMiddleware:
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        if type(response) is not HtmlResponse:
            return response
        healing = response.replace(cls=HealingResponse)
        healing.autoheal = Session(self.options)
        self.open.add(healing.autoheal)
        # The page ends with its response: what the spider has asked for by then is its result.
        weakref.finalize(healing, self._end, healing.autoheal)
        return healing

    def spider_closed(self) -> None:
        for session in list(self.open):
            self._end(session)
        autoheal.flush()

    def _end(self, session: Session) -> None:
        self.open.discard(session)
        page = session.page
        if page is None or session.is_ended:
            return
        session.is_ended = True
        self.crawler.stats.inc_value("autoheal/pages")
        for field in page.report():
            self.crawler.stats.inc_value(f"autoheal/field/{field['status']}")
            if field["status"] not in ("kept", "unknown"):
                self.crawler.signals.send_catch_log(
                    selector_broken, url=page.url, field=field, spider=self.crawler.spider
                )
        page.close()
