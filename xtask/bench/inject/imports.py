"""Modules and names that cannot be imported."""

from __future__ import annotations

import ast
import random
import sys
import tokenize

from module import Edit, Module, Places, cut, delete_lines, imports, kind, typo


def words_of(module: Module, node: ast.AST) -> list[tokenize.TokenInfo]:
    start, end = module.span(node)
    return [
        token
        for token in module.code
        if token.type == tokenize.NAME
        and start <= module.offset(token.start) < end
        and token.string not in ("import", "from", "as")
    ]


def after_import(module: Module, node: ast.ImportFrom) -> int:
    return module.text.index("import", module.span(node)[0])


@kind("IMPORT")
def typo_in_module(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        for token in words_of(module, node):
            if isinstance(node, ast.Import) or module.offset(token.start) < after_import(module, node):
                yield cut(module, token, typo(token.string, rng))


@kind("IMPORT")
def typo_in_imported_name(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name != "*":
                    start = module.span(alias)[0]
                    yield Edit(start, start + len(alias.name), typo(alias.name, rng))


@kind("IMPORT")
def lost_import(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        if module.is_whole_line(node):
            yield delete_lines(module, node)


@kind("IMPORT")
def lost_imported_name(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        for left, right in zip(node.names, node.names[1:]):
            yield Edit(module.span(left)[0], module.span(right)[0], "")
            yield Edit(module.span(left)[1], module.span(right)[1], "")


@kind("IMPORT")
def wrong_module(module: Module, rng: random.Random) -> Places:
    siblings = [
        path.stem
        for path in (module.root / module.path).parent.glob("*.py")
        if path.stem not in ("__init__", module.path.stem)
    ]
    for node in imports(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            start = module.text.index(node.module, module.span(node)[0])
            base, _, last = node.module.rpartition(".")
            others = (
                [name for name in siblings if name != last] if node.level or base else list(sys.stdlib_module_names)
            )
            if others:
                new = rng.choice(sorted(others))
                yield Edit(start, start + len(node.module), f"{base}.{new}" if base else new)


@kind("IMPORT")
def wrong_level(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = module.text.index(".", module.span(node)[0])
            yield Edit(start, start + 1, rng.choice(["", ".."]) if node.module else "..")


@kind("IMPORT")
def lost_alias(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        for alias in node.names:
            if alias.asname and alias.asname != alias.name:
                start, end = module.span(alias)
                yield Edit(start, end, alias.name)


@kind("IMPORT")
def renamed_definition(module: Module, rng: random.Random) -> Places:
    for node in module.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            start = module.text.index(node.name, module.span(node)[0])
            yield Edit(start, start + len(node.name), typo(node.name, rng))
