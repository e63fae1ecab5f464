"""Text that no longer parses."""

from __future__ import annotations

import ast
import keyword
import random
import string
import tokenize

from module import Edit, Module, Places, cut, kind, typo


@kind("SYNTAX")
def delete_colon(module: Module, rng: random.Random) -> Places:
    for token, following in zip(module.tokens, module.tokens[1:]):
        if token.string == ":" and following.type in (tokenize.NEWLINE, tokenize.COMMENT):
            yield cut(module, token)


@kind("SYNTAX")
def delete_bracket(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type == tokenize.OP and token.string in "()[]{}":
            yield cut(module, token)


@kind("SYNTAX")
def other_bracket(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type == tokenize.OP and token.string in ")]}":
            yield cut(module, token, rng.choice([other for other in ")]}" if other != token.string]))


@kind("SYNTAX")
def double_bracket(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type == tokenize.OP and token.string in ")]}(":
            yield cut(module, token, token.string * 2)


@kind("SYNTAX")
def delete_quote(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type == tokenize.STRING and len(token.string) > 2 and not token.string.endswith(('"""', "'''")):
            end = module.offset(token.end)
            start = module.offset(token.start) + len(token.string) - len(token.string.lstrip(string.ascii_letters))
            yield rng.choice([Edit(end - 1, end, ""), Edit(start, start + 1, "")])


@kind("SYNTAX")
def delete_triple_quote(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type == tokenize.STRING and token.string.endswith(('"""', "'''")):
            end = module.offset(token.end)
            yield Edit(end - 3, end, rng.choice(["", token.string[-1], token.string[-2:]]))


@kind("SYNTAX")
def delete_comma(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.string == ",":
            yield cut(module, token)


@kind("SYNTAX")
def typo_in_keyword(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type == tokenize.NAME and token.string in keyword.kwlist and token.string.islower():
            yield cut(module, token, typo(token.string, rng))


@kind("SYNTAX")
def assign_for_compare(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.string == "==":
            yield cut(module, token, "=")


@kind("SYNTAX")
def compare_for_assign(module: Module, rng: random.Random) -> Places:
    for statement in module.nodes(ast.AugAssign):
        start, end = module.span(statement.target)[1], module.span(statement.value)[0]
        operator = module.text[start:end]
        if operator.strip().endswith("="):
            yield Edit(start, end, operator.replace("=", " =", 1))


@kind("SYNTAX")
def conflict_markers(module: Module, rng: random.Random) -> Places:
    for statement in module.nodes(ast.Assign, ast.Return, ast.Expr, ast.If, ast.Import, ast.ImportFrom):
        if not module.is_whole_line(statement) or statement.end_lineno - statement.lineno > 8:
            continue
        start, end = module.starts[statement.lineno - 1], module.starts[statement.end_lineno]
        ours = module.text[start:end]
        words = ours.split()
        theirs = ours.replace(words[-1], words[-1] + "  # changed", 1) if rng.random() < 0.5 else ""
        sides = [ours, theirs]
        rng.shuffle(sides)
        yield Edit(start, end, f"<<<<<<< HEAD\n{sides[0]}=======\n{sides[1]}>>>>>>> feature\n")


@kind("SYNTAX")
def old_print(module: Module, rng: random.Random) -> Places:
    for statement in module.nodes(ast.Expr, ast.Assign, ast.Return):
        if module.is_whole_line(statement):
            line = module.starts[statement.lineno - 1]
            indent = " " * statement.col_offset
            name = rng.choice(["value", "here", "%s done"])
            yield Edit(line, line, f'{indent}print "{name}"\n')


@kind("SYNTAX")
def old_except(module: Module, rng: random.Random) -> Places:
    for handler in module.nodes(ast.ExceptHandler):
        if handler.type is not None:
            end = module.span(handler.type)[1]
            rest = module.text[end : module.text.index(":", end)]
            yield Edit(end, end + len(rest), f", {handler.name or 'error'}")


@kind("SYNTAX")
def delete_token(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        yield cut(module, token)


@kind("SYNTAX")
def insert_token(module: Module, rng: random.Random) -> Places:
    strings = [token.string for token in module.code if len(token.string) < 12]
    for token in module.code:
        at = module.offset(token.start)
        yield Edit(at, at, rng.choice(strings) + " ")


@kind("SYNTAX")
def swap_tokens(module: Module, rng: random.Random) -> Places:
    for left, right in zip(module.code, module.code[1:]):
        if left.end[0] == right.start[0] and left.string != right.string:
            between = module.text[module.offset(left.end) : module.offset(right.start)]
            yield Edit(module.offset(left.start), module.offset(right.end), right.string + between + left.string)


@kind("SYNTAX")
def slip_of_a_key(module: Module, rng: random.Random) -> Places:
    for token in module.code:
        if token.type in (tokenize.OP, tokenize.NUMBER):
            yield cut(module, token, rng.choice(token.string * 2 + "';/=[]\\.,"))
