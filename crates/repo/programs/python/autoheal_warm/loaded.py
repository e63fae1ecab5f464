"""Gives functions that are loaded the code of another text."""

import __future__
import ast
import gc
import os
import types

from .project import ROOT, path_in_root


class Unfit(Exception):
    """What is loaded cannot be changed to what the text says."""


class Patcher:
    """Knows the functions that are loaded, and which of them have run already."""

    def __init__(self, ran):
        self.ran = ran
        self.functions = {}
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and path_of(thing.__code__):
                self.functions.setdefault(identity(thing.__code__), []).append(thing)

    def patch(self, file, text, edits):
        """Puts the changed text in force."""
        new_text = apply(text.data, edits).decode()
        first, last = lines_of(text.data, edits)
        statement = next((each for each in text.statements if each[0] <= first and last <= each[1]), None)
        if statement is None:
            raise Unfit("it is not inside of a function")
        (start, end), added = statement, new_text.count("\n") + 1 - len(text.lines)
        path = os.path.join(ROOT, file)
        old, new = (
            # The same lines as in the file: that is what code is known by.
            compile("\n" * (start - 1) + "\n".join(lines[start - 1 : end]), path, "exec", text.futures, True)
            for lines, end in ((text.lines, end), (new_text.split("\n"), end + added))
        )
        self.change_body(old, new)

    def change_body(self, old, new):
        """Of a module or a class: it has run, so only what is in it may differ."""
        if own(old) != own(new):
            raise Unfit("it changes what runs while the module is loaded")
        for old_part, new_part in changed_parts(old, new):
            if is_function(old_part) and is_function(new_part):
                self.change_function(old_part, new_part, False)
            else:
                self.change_body(old_part, new_part)

    def change_function(self, old, new, is_inner):
        found = self.functions.get(identity(old), [])
        if identity(old) in self.ran:
            raise Unfit("it changes a function that ran while modules were loaded")
        if not found and not is_inner:
            raise Unfit("the function is not loaded as it stands in the text")
        for function in found:
            try:
                function.__code__ = new
            except ValueError as error:
                raise Unfit(str(error))
        # Of a function that makes others, those that it made already.
        for old_part, new_part in changed_parts(old, new):
            if is_function(old_part) and is_function(new_part):
                self.change_function(old_part, new_part, True)


class Text:
    """A file as it is: what is asked of it for every change is found out once."""

    def __init__(self, file):
        with open(os.path.join(ROOT, file), "rb") as source:
            self.data = source.read()
        self.lines = self.data.decode().split("\n")
        body = ast.parse(self.data).body
        #: First and last line of every function and class that stands in nothing.
        self.statements = [
            (min([each.lineno] + [decorator.lineno for decorator in each.decorator_list]), each.end_lineno)
            for each in body
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ]
        self.futures = 0
        for each in body:
            if isinstance(each, ast.ImportFrom) and each.module == "__future__":
                for alias in each.names:
                    self.futures |= getattr(__future__, alias.name).compiler_flag


def path_of(code):
    return path_in_root(code.co_filename)


def identity(code):
    return path_of(code), code.co_name, code.co_firstlineno


def is_function(code):
    return bool(code.co_flags & 0x2)  # CO_NEWLOCALS: a class's body has it not.


def parts(code):
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def constant_key(constant):
    """The same for the same constants: `1`, `1.0` and `True` are equal and not the same."""
    if isinstance(constant, types.CodeType):
        return "code"
    kind = type(constant).__name__
    if isinstance(constant, tuple):
        return kind, tuple(map(constant_key, constant))
    if isinstance(constant, frozenset):
        return kind, frozenset(map(constant_key, constant))
    return kind, repr(constant)


def own(code):
    """What a piece of code does, without the pieces in it and without its place."""
    return (
        code.co_code,
        tuple(map(constant_key, code.co_consts)),
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        getattr(code, "co_exceptiontable", b""),
    )


def is_same(old, new):
    return own(old) == own(new) and all(is_same(*pair) for pair in zip(parts(old), parts(new)))


def changed_parts(old, new):
    """Pairs of the pieces of code in two that differ."""
    if len(parts(old)) != len(parts(new)):
        return
    known = [identity(part) for part in parts(old)]
    for old_part, new_part in zip(parts(old), parts(new)):
        if not is_same(old_part, new_part):
            if known.count(identity(old_part)) > 1:
                raise Unfit("which of several functions of one line it changes is not known")
            yield old_part, new_part


def apply(text, edits):
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement.encode() + text[end:]
    return text


def lines_of(text, edits):
    """The first and the last line that edits change."""
    start, end = min(edit[0] for edit in edits), max(edit[1] for edit in edits)
    return text[:start].count(b"\n") + 1, text[: max(start, end - 1)].count(b"\n") + 1
