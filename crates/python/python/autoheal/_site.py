"""What the compiled part asks of Python: the place of a program, the place of its store."""

from __future__ import annotations

import ast
import functools
import itertools
import logging
import os
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

LOGGER = logging.getLogger("autoheal")

SETTINGS: dict[str, Any] = {"store": None, "on_break": "heal"}

STORE_FILE = "scraper.heal.db"


def configure(*, store: str | os.PathLike[str] | None = None, on_break: Any = None) -> None:
    """Set what pages use where they are not told: the store, and what is done when a selector breaks."""
    if store is not None:
        SETTINGS["store"] = os.fspath(store)
    if on_break is not None:
        SETTINGS["on_break"] = on_break


def default_on_break() -> Any:
    return SETTINGS["on_break"]


def store_place(store: str | os.PathLike[str] | None) -> str:
    """The address or the absolute path of the store: as given, as configured, or beside the program."""
    place = store if store is not None else SETTINGS["store"] or os.environ.get("AUTOHEAL_STORE")
    if place is None:
        return _beside(getattr(sys.modules.get("__main__"), "__file__", None), os.getcwd())
    text = os.fspath(place)
    return text if "://" in text or text.startswith("sqlite:") else _absolute(text, os.getcwd())


# Each page asks: the file system is asked once.
@functools.lru_cache(maxsize=64)
def _absolute(path: str, folder: str) -> str:
    return str(Path(folder, path).resolve())


@functools.lru_cache(maxsize=64)
def _beside(program: str | None, folder: str) -> str:
    return str((Path(folder, program).resolve().parent if program else Path(folder)) / STORE_FILE)


#: Packages between a program and its selectors: their frames are not the place of the program.
_BETWEEN = {"autoheal", "bs4", "itemloaders", "parsel", "scrapy"}


def program_frame() -> FrameType:
    """The frame of the program that called an adapter."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame = frame.f_back
    return frame


def describe(frame: FrameType) -> tuple[str, str, int, str]:
    """The function, the file, the line and the variable that takes the value, of a frame."""
    code = frame.f_code
    file = code.co_filename
    function = getattr(code, "co_qualname", code.co_name).replace(".<locals>", "")
    stem = Path(file).stem
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        file = str(path.relative_to(Path.cwd()))
    position = _position(frame)
    inside = [(end, start, name) for start, end, name in _variables(code.co_filename) if start <= position <= end]
    # The narrowest statement around the call.
    name = min(inside, key=lambda one: (one[0][0] - one[1][0], one[0][1] - one[1][1]))[2] if inside else ""
    return f"{stem}.{function}", file, frame.f_lineno, name


def _position(frame: FrameType) -> tuple[int, int]:
    """Line and column of the call; before Python 3.11 only the line is known."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is not None and frame.f_lasti >= 0:
        line, _, column, _ = next(itertools.islice(positions(), frame.f_lasti // 2, None), (None,) * 4)
        if line is not None and column is not None:
            return line, column
    return frame.f_lineno, 0


@functools.lru_cache(maxsize=256)
def _variables(file: str) -> list[tuple[tuple[int, int], tuple[int, int], str]]:
    """The values of a file that a variable or a key takes: where they begin and end, and its name."""
    names: list[tuple[tuple[int, int], tuple[int, int], str]] = []
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return names
    has_columns = sys.version_info >= (3, 11)
    for node in ast.walk(tree):
        for name, value in _targets(node):
            if name and value is not None:
                start = (value.lineno, value.col_offset if has_columns else 0)
                end = (value.end_lineno or value.lineno, value.end_col_offset or 0 if has_columns else 0)
                names.append((start, end, name))
    return names


def _targets(node: ast.AST) -> list[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        return [(_name(target), node.value) for target in node.targets]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        return [(_name(node.target), node.value)]
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [(_name(node.target), node.iter)]
    if isinstance(node, ast.comprehension):
        return [(_name(node.target), node.iter)]
    if isinstance(node, ast.Dict):
        return [(_name(key), value) for key, value in zip(node.keys, node.values) if key is not None]
    if isinstance(node, ast.keyword):
        return [(node.arg or "", node.value)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("add_"):
        # Item loaders: loader.add_css("title", "h1::text")
        first = node.args[0] if node.args else None
        return [(_name(first), node)] if first is not None else []
    return []


def _name(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Constant) and isinstance(target.value, str):
        return target.value
    if isinstance(target, ast.Subscript):
        return _name(target.slice)
    return ""


_WARNED: set[str] = set()

_MOST_WARNED = 1000


def warn_once(message: str) -> None:
    """Write a warning to the logger ``autoheal``, once for each place and outcome in a process."""
    key = message.split(" (confidence", 1)[0]
    if key not in _WARNED and len(_WARNED) < _MOST_WARNED:
        _WARNED.add(key)
        LOGGER.warning("%s", message)


def regex_matches(regex: str | re.Pattern[str], text: str) -> list[str]:
    """The matches of a regular expression as parsel gives them."""
    pattern = re.compile(regex, re.UNICODE) if isinstance(regex, str) else regex
    if "extract" in pattern.groupindex:
        match = pattern.search(text)
        return [] if match is None or match.group("extract") is None else [match.group("extract")]
    found: list[str] = []
    for match in pattern.findall(text):
        found.extend(match if isinstance(match, tuple) else [match])
    return found
