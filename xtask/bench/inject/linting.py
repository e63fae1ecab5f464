"""What runs and a linter refuses."""

from __future__ import annotations

import ast
import random

from module import Edit, Module, Places, blocks, imports, kind


@kind("LINTING")
def unused_import(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        if module.is_whole_line(node) and node.col_offset == 0:
            name = rng.choice(["os", "sys", "json", "re", "math", "itertools"])
            at = module.starts[node.lineno - 1]
            yield Edit(at, at, rng.choice([f"import {name}\n", f"import {name} as {name}_\n"]))


@kind("LINTING")
def unused_variable(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.FunctionDef):
        for statement in node.body:
            if module.is_whole_line(statement) and not isinstance(statement, ast.Expr):
                at = module.starts[statement.lineno - 1]
                value = rng.choice(["None", "0", "[]", "''"])
                yield Edit(at, at, " " * statement.col_offset + f"leftover = {value}\n")


@kind("LINTING")
def compare_to_singleton(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Compare):
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            start, end = module.span(node.left)[1], module.span(node.comparators[0])[0]
            yield Edit(start, end, " == " if isinstance(node.ops[0], ast.Is) else " != ")


@kind("LINTING")
def negated_membership(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Compare):
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.NotIn, ast.IsNot)):
            word = " in " if isinstance(node.ops[0], ast.NotIn) else " is "
            yield Edit(*module.span(node), f"not {module.source(node.left)}{word}{module.source(node.comparators[0])}")


@kind("LINTING")
def white_space_at_end(module: Module, rng: random.Random) -> Places:
    for statement in module.nodes(ast.stmt):
        if module.is_whole_line(statement):
            at = module.starts[statement.end_lineno] - 1
            yield Edit(at, at, " " * rng.randint(1, 4))


@kind("LINTING")
def lost_newline_at_end(module: Module, rng: random.Random) -> Places:
    if module.text.endswith("\n") and module.text.strip():
        yield Edit(len(module.text.rstrip("\n")), len(module.text), "")


@kind("LINTING")
def two_statements_on_a_line(module: Module, rng: random.Random) -> Places:
    simple = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
    for _, body in blocks(module):
        for left, right in zip(body, body[1:]):
            is_short = left.lineno == left.end_lineno and right.lineno == right.end_lineno == left.lineno + 1
            if isinstance(left, simple) and isinstance(right, simple) and is_short:
                yield Edit(module.span(left)[1], module.span(right)[0], "; ")


@kind("LINTING")
def useless_semicolon(module: Module, rng: random.Random) -> Places:
    for statement in module.nodes(ast.Assign, ast.Return):
        if module.is_whole_line(statement):
            end = module.span(statement)[1]
            yield Edit(end, end, ";")


@kind("LINTING")
def empty_format(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Constant):
        source = module.source(node) if isinstance(node.value, str) else ""
        if source[:1] in "'\"" and source and not source.startswith(('"""', "'''")) and not set(source) & set("{}\\"):
            start = module.span(node)[0]
            yield Edit(start, start, "f")


@kind("LINTING")
def bare_except(module: Module, rng: random.Random) -> Places:
    for handler in module.nodes(ast.ExceptHandler):
        if handler.type is not None and handler.name is None:
            yield Edit(module.span(handler)[0] + len("except"), module.span(handler.type)[1], "")


@kind("LINTING")
def compare_types(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2:
            value, expected = module.source(node.args[0]), module.source(node.args[1])
            if isinstance(node.args[1], ast.Name):
                yield Edit(*module.span(node), f"type({value}) == {expected}")


@kind("LINTING")
def duplicate_definition(module: Module, rng: random.Random) -> Places:
    for node in imports(module):
        if module.is_whole_line(node) and node.col_offset == 0:
            at = module.starts[node.end_lineno]
            yield Edit(at, at, module.text[module.starts[node.lineno - 1] : at])


@kind("LINTING")
def unsorted_imports(module: Module, rng: random.Random) -> Places:
    for left, right in zip(module.tree.body, module.tree.body[1:]):
        is_plain = (
            isinstance(left, ast.Import) and isinstance(right, ast.Import) and right.lineno == left.end_lineno + 1
        )
        if is_plain or (
            isinstance(left, ast.ImportFrom) and isinstance(right, ast.ImportFrom) and left.module != "__future__"
        ):
            start, end = module.span(left)[0], module.span(right)[1]
            between = module.text[module.span(left)[1] : module.span(right)[0]]
            yield Edit(start, end, module.source(right) + between + module.source(left))


@kind("LINTING")
def undefined_export(module: Module, rng: random.Random) -> Places:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple)) and node.value.elts:
            if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
                start = module.span(node.value.elts[0])[0]
                yield Edit(start, start, '"left_over", ')
