"""Names, attributes, arguments and types that do not fit."""

from __future__ import annotations

import ast
import random

from module import Edit, Module, Places, kind, typo


@kind("TYPE_ERROR")
def typo_in_attribute(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Attribute):
        end = module.span(node)[1]
        yield Edit(end - len(node.attr), end, typo(node.attr, rng))


@kind("TYPE_ERROR")
def typo_in_name(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Name):
        if isinstance(node.ctx, ast.Load):
            yield Edit(*module.span(node), typo(node.id, rng))


@kind("TYPE_ERROR")
def typo_in_keyword_argument(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.keyword):
        if node.arg:
            start = module.span(node)[0]
            yield Edit(start, start + len(node.arg), typo(node.arg, rng))


@kind("TYPE_ERROR")
def lost_argument(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        if len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.GeneratorExp):
            yield Edit(*module.span(node.args[0]), "")
        for left, right in zip(node.args, node.args[1:]):
            yield Edit(module.span(left)[1], module.span(right)[1], "")


@kind("TYPE_ERROR")
def swapped_arguments(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        for left, right in zip(node.args, node.args[1:]):
            (start, middle), (other, end) = module.span(left), module.span(right)
            new = module.source(right) + module.text[middle:other] + module.source(left)
            yield Edit(start, end, new)


@kind("TYPE_ERROR")
def argument_too_many(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        if node.args and not isinstance(node.args[-1], (ast.GeneratorExp, ast.Starred)):
            end = module.span(node.args[-1])[1]
            yield Edit(end, end, ", " + rng.choice(["None", "0", module.source(node.args[0])]))


@kind("TYPE_ERROR")
def lost_conversion(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        if isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
            if node.func.id in ("str", "int", "float", "list", "tuple", "iter", "len", "dict", "set", "bytes"):
                yield Edit(*module.span(node), module.source(node.args[0]))


@kind("TYPE_ERROR")
def wrong_conversion(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.BinOp):
        operand = rng.choice([node.left, node.right])
        if not isinstance(operand, ast.BinOp):
            function = rng.choice(["str", "list", "len"])
            yield Edit(*module.span(operand), f"{function}({module.source(operand)})")


@kind("TYPE_ERROR")
def lost_self(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.FunctionDef):
        arguments = node.args.args
        if arguments and arguments[0].arg in ("self", "cls"):
            end = module.span(arguments[1])[0] if len(arguments) > 1 else module.span(arguments[0])[1]
            yield Edit(module.span(arguments[0])[0], end, "")


@kind("TYPE_ERROR")
def lost_receiver(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            start, end = module.span(node)
            yield Edit(start, end, node.attr)


@kind("TYPE_ERROR")
def lost_call(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        if not node.args and not node.keywords:
            yield Edit(module.span(node.func)[1], module.span(node)[1], "")


@kind("TYPE_ERROR")
def call_too_many(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Attribute):
        if isinstance(node.ctx, ast.Load):
            end = module.span(node)[1]
            if module.text[end : end + 1] != "(":
                yield Edit(end, end, "()")


@kind("TYPE_ERROR")
def lost_parameter(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.FunctionDef):
        for left, right in zip(node.args.args, node.args.args[1:]):
            if not node.args.defaults:
                yield Edit(module.span(left)[1], module.span(right)[1], "")
