"""The exceptions of the package. Each is an :class:`AutohealError`."""

from typing import Any


class AutohealError(Exception):
    """Any error of the package."""


class SelectorError(AutohealError, ValueError):
    """A selector is not understood, or would take too long on the page."""


class RecipeError(AutohealError, ValueError):
    """A recipe is not valid."""


class StoreError(AutohealError):
    """The store cannot be read or written."""


class BrokenSelectorError(AutohealError):
    """A selector no longer finds its field, and ``on_break`` is ``"raise"``.

    :ivar field: the outcome for the field, as in :meth:`autoheal.Page.report`.
    """

    field: dict[str, Any]
