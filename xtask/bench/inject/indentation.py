"""Lines that stand too far left or right."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

from module import Edit, Module, Places, blocks, delete_lines, kind


def indented(module: Module) -> Iterator[tuple[int, int]]:
    """Number and indent of each line that begins a statement inside a block."""
    for statement in module.nodes(ast.stmt):
        if statement.col_offset > 0 and module.is_whole_line(statement):
            yield statement.lineno, statement.col_offset


@kind("INDENTATION")
def space_too_many(module: Module, rng: random.Random) -> Places:
    for line, _ in indented(module):
        yield Edit(module.starts[line - 1], module.starts[line - 1], " " * rng.randint(1, 3))


@kind("INDENTATION")
def space_too_few(module: Module, rng: random.Random) -> Places:
    for line, indent in indented(module):
        start = module.starts[line - 1]
        yield Edit(start, start + rng.randint(1, min(3, indent)), "")


@kind("INDENTATION")
def level_too_many(module: Module, rng: random.Random) -> Places:
    for line, _ in indented(module):
        yield Edit(module.starts[line - 1], module.starts[line - 1], "    ")


@kind("INDENTATION")
def level_too_few(module: Module, rng: random.Random) -> Places:
    for line, indent in indented(module):
        start = module.starts[line - 1]
        yield Edit(start, start + min(4, indent), "")


@kind("INDENTATION")
def tab_for_spaces(module: Module, rng: random.Random) -> Places:
    for line, indent in indented(module):
        start = module.starts[line - 1]
        yield Edit(start, start + indent, rng.choice(["\t", "\t" * (indent // 4 or 1), " \t"]))


def shifted(module: Module, first: int, last: int, change: Callable[[str], str]) -> Edit:
    start, end = module.starts[first - 1], module.starts[last]
    lines = module.text[start:end].splitlines(keepends=True)
    return Edit(start, end, "".join(change(line) if line.strip() else line for line in lines))


@kind("INDENTATION")
def flat_block(module: Module, rng: random.Random) -> Places:
    for node, body in blocks(module):
        width = body[0].col_offset - node.col_offset
        yield shifted(module, body[0].lineno, body[-1].end_lineno, lambda line: line[width:])


@kind("INDENTATION")
def tail_of_block_shifted(module: Module, rng: random.Random) -> Places:
    for _, body in blocks(module):
        if len(body) > 1:
            at = rng.randrange(1, len(body))
            pad = " " * rng.randint(1, 4)
            yield shifted(module, body[at].lineno, body[-1].end_lineno, lambda line: pad + line)


@kind("INDENTATION")
def lost_body(module: Module, rng: random.Random) -> Places:
    for _, body in blocks(module):
        if len(body) == 1 and isinstance(body[0], (ast.Pass, ast.Continue, ast.Break)):
            yield delete_lines(module, body[0])
