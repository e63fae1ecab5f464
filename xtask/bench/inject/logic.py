"""Programs that run and do the wrong thing: one small edit each."""

from __future__ import annotations

import ast
import random

from module import Edit, Module, Places, delete_lines, kind

COMPARISONS = {
    ast.Lt: ["<=", ">"],
    ast.LtE: ["<", ">="],
    ast.Gt: [">=", "<"],
    ast.GtE: [">", "<="],
    ast.Eq: ["!="],
    ast.NotEq: ["=="],
    ast.Is: ["is not"],
    ast.IsNot: ["is"],
    ast.In: ["not in"],
    ast.NotIn: ["in"],
}
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "//", ast.Pow: "*"}


def operator_between(module: Module, left: ast.AST, right: ast.AST) -> tuple[int, int] | None:
    """The operator's own characters; none when brackets stand beside it."""
    start, end = module.span(left)[1], module.span(right)[0]
    text = module.text[start:end]
    if any(char in "()#\\\n" for char in text):
        return None
    return start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))


def functions(module: Module) -> list[ast.FunctionDef]:
    return list(module.nodes(ast.FunctionDef, ast.AsyncFunctionDef))


@kind("LOGIC")
def other_comparison(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Compare):
        span = operator_between(module, node.left, node.comparators[0])
        if span and len(node.ops) == 1:
            yield Edit(*span, rng.choice(COMPARISONS[type(node.ops[0])]))


@kind("LOGIC")
def other_operator(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.BinOp):
        span = operator_between(module, node.left, node.right)
        if span and type(node.op) in OPERATORS and not isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            yield Edit(*span, OPERATORS[type(node.op)])


@kind("LOGIC")
def off_by_one(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.BinOp):
        if isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant) and node.right.value == 1:
            yield Edit(module.span(node.left)[1], module.span(node.right)[1], "")
    for node in module.nodes(ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in ("len", "range") and len(node.args) == 1:
            end = module.span(node)[1] if node.func.id == "len" else module.span(node.args[0])[1]
            yield Edit(end, end, rng.choice([" + 1", " - 1"]))


@kind("LOGIC")
def other_number(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Constant):
        if type(node.value) is int:
            yield Edit(*module.span(node), str(node.value + rng.choice([1, -1, 2])) if node.value > 0 else "1")


@kind("LOGIC")
def other_truth(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Constant):
        if node.value is True or node.value is False:
            yield Edit(*module.span(node), str(not node.value))


@kind("LOGIC")
def other_connective(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.BoolOp):
        span = operator_between(module, *node.values[:2])
        if span:
            yield Edit(*span, "or" if isinstance(node.op, ast.And) else "and")


@kind("LOGIC")
def lost_condition(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.BoolOp):
        yield Edit(module.span(node.values[-2])[1], module.span(node.values[-1])[1], "")


@kind("LOGIC")
def negation(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.If, ast.While, ast.IfExp):
        start, end = module.span(node.test)
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            yield Edit(start, module.span(node.test.operand)[0], "")
        elif isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
            yield Edit(start, start, "not ")


@kind("LOGIC")
def other_variable(module: Module, rng: random.Random) -> Places:
    for function in functions(module):
        names = sorted(
            {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
            | {argument.arg for argument in function.args.args if argument.arg not in ("self", "cls")}
        )
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and len(names) > 1:
                if module.source(node) == node.id:
                    yield Edit(*module.span(node), rng.choice([name for name in names if name != node.id]))


@kind("LOGIC")
def other_attribute(module: Module, rng: random.Random) -> Places:
    names = sorted(
        {
            node.attr
            for node in module.nodes(ast.Attribute)
            if isinstance(node.value, ast.Name) and node.value.id == "self"
        }
    )
    for node in module.nodes(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id == "self" and len(names) > 1:
            end = module.span(node)[1]
            yield Edit(end - len(node.attr), end, rng.choice([name for name in names if name != node.attr]))


@kind("LOGIC")
def lost_call(module: Module, rng: random.Random) -> Places:
    """`int(x)` becomes `x`, and `x.strip()` becomes `x`."""
    for node in module.nodes(ast.Call):
        if isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
            yield Edit(*module.span(node), module.source(node.args[0]))
        elif isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
            yield Edit(module.span(node.func.value)[1], module.span(node)[1], "")


@kind("LOGIC")
def other_bound(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Slice):
        for bound in (node.lower, node.upper):
            if bound is not None:
                start, end = module.span(bound)
                yield Edit(start, end, rng.choice(["", module.source(bound) + " + 1"]))


@kind("LOGIC")
def lost_guard(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.If):
        is_exit = len(node.body) == 1 and isinstance(node.body[0], (ast.Return, ast.Continue, ast.Break))
        if is_exit and not node.orelse and module.is_whole_line(node) and not module.source(node).startswith("elif"):
            yield delete_lines(module, node)


@kind("LOGIC")
def lost_statement(module: Module, rng: random.Random) -> Places:
    for function in functions(module):
        for node in ast.walk(function):
            body = getattr(node, "body", None)
            if isinstance(body, list) and len(body) > 1:
                for statement in body:
                    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
                    if (
                        isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr))
                        and not is_text
                        and module.is_whole_line(statement)
                    ):
                        yield delete_lines(module, statement)


@kind("LOGIC")
def other_result(module: Module, rng: random.Random) -> Places:
    for function in functions(module):
        names = sorted(
            {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        )
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                others = [name for name in names if name != module.source(node.value)] + ["None"]
                yield Edit(*module.span(node.value), rng.choice(others))


@kind("LOGIC")
def exchanged_arguments(module: Module, rng: random.Random) -> Places:
    for node in module.nodes(ast.Call):
        for left, right in zip(node.args, node.args[1:]):
            if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
                (start, middle), (other, end) = module.span(left), module.span(right)
                yield Edit(start, end, module.source(right) + module.text[middle:other] + module.source(left))


@kind("LOGIC")
def statement_moved_out(module: Module, rng: random.Random) -> Places:
    """The last statement of a loop or condition stands behind it."""
    for node in module.nodes(ast.For, ast.While, ast.If):
        last = node.body[-1]
        alone = not getattr(node, "orelse", None) and len(node.body) > 1 and last.lineno == last.end_lineno
        if alone and module.is_whole_line(last) and not isinstance(last, (ast.Break, ast.Continue)):
            start = module.starts[last.lineno - 1]
            yield Edit(start, start + last.col_offset, " " * node.col_offset)
