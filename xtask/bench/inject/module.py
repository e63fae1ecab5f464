"""A source file read once, and the edits that break it."""

from __future__ import annotations

import ast
import io
import keyword
import pathlib
import random
import re
import string
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LETTERS = string.ascii_lowercase
TRIVIA = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Module:
    """One source file, read once: text, lines, tokens, tree."""

    def __init__(self, root: pathlib.Path, path: pathlib.Path) -> None:
        self.root = root
        self.path = path
        self.text = text = (root / path).read_bytes().decode()
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.tree = ast.parse(text)
        self.tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        self.code = [token for token in self.tokens if token.type not in TRIVIA]

    def offset(self, position: tuple[int, int]) -> int:
        """The character offset of a token's (line, column)."""
        return self.starts[position[0] - 1] + position[1]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The character offsets of a node, whose columns count UTF-8 bytes."""
        return self._from_bytes(node.lineno, node.col_offset), self._from_bytes(node.end_lineno, node.end_col_offset)

    def _from_bytes(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def nodes(self, *types: type) -> Iterator[ast.AST]:
        """Every node of these types whose place in the text is known: not inside a format string."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, types):
                yield node
            if not isinstance(node, ast.JoinedStr):
                waiting.extend(ast.iter_child_nodes(node))

    def is_whole_line(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines for itself."""
        start, end = self.span(statement)
        before = self.text[self.starts[statement.lineno - 1] : start]
        after = self.text[end : self.starts[statement.end_lineno]]
        return not before.strip() and not after.split("#")[0].strip()


@dataclass(frozen=True)
class Edit:
    """Replace the characters from `start` to `end`."""

    start: int
    end: int
    new: str


Places = Iterator[Edit]
KINDS: dict[str, tuple[str, Callable[[Module, random.Random], Places]]] = {}


def kind(defect_class: str) -> Callable:
    """Registers a function that gives every place where its defect could be put."""

    def register(function: Callable) -> Callable:
        KINDS[function.__name__] = (defect_class, function)
        return function

    return register


def typo(word: str, rng: random.Random) -> str:
    """The word as a hurried person types it: a letter too few, too many, wrong, or two swapped."""
    spots = list(range(len(word)))
    for _ in range(20):
        at = rng.choice(spots)
        changed = rng.choice(
            [
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[:at] + rng.choice(LETTERS) + word[at + 1 :],
                word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :],
            ]
        )
        if changed != word and changed.isidentifier() and not keyword.iskeyword(changed):
            return changed
    return word + word[-1]


def cut(module: Module, token: tokenize.TokenInfo, new: str = "") -> Edit:
    return Edit(module.offset(token.start), module.offset(token.end), new)


def delete_lines(module: Module, statement: ast.stmt) -> Edit:
    return Edit(module.starts[statement.lineno - 1], module.starts[statement.end_lineno], "")


def blocks(module: Module) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    for node in module.nodes(ast.stmt, ast.ExceptHandler):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if body and body[0].lineno > node.lineno and module.is_whole_line(body[0]):
                yield node, body


def imports(module: Module) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in module.nodes(ast.Import, ast.ImportFrom):
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            yield node
