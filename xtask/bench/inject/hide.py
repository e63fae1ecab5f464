"""Takes a share of the tests out of a repository, so that they can judge what was healed without them."""

from __future__ import annotations

import ast
import hashlib
import pathlib

SHARE = 3


def is_hidden(file: str, name: str, seed: str) -> bool:
    return hashlib.sha256(f"{seed}/{file}/{name}".encode()).digest()[0] % SHARE == 0


def classes(node: ast.Module | ast.ClassDef) -> list[ast.ClassDef]:
    """Those that stand in nothing but classes: what is in a function goes with it."""
    inner = [child for child in node.body if isinstance(child, ast.ClassDef)]
    return inner + [deeper for child in inner for deeper in classes(child)]


def hide(root: pathlib.Path, seed: str) -> int:
    """Removes every third test function, chosen by its name and the seed; gives how many."""
    hidden = 0
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if not any(part == "tests" or part.startswith("test_") for part in relative.parts):
            continue
        text = path.read_bytes().decode()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        lines = text.split("\n")
        for body in [tree.body] + [node.body for node in classes(tree)]:
            tests = [node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
            tests = [node for node in tests if "fixture" not in "".join(map(ast.dump, node.decorator_list))]
            tests = [
                node
                for node in tests
                if node.name.startswith("test") and is_hidden(relative.as_posix(), node.name, seed)
            ]
            for node in tests:
                first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
                # A statement in its place, so that nothing moves and no class is empty.
                lines[first - 1 : node.end_lineno] = [" " * node.col_offset + "pass"] + [""] * (node.end_lineno - first)
                hidden += 1
        path.write_bytes("\n".join(lines).encode())
    return hidden
