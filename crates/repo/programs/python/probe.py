"""Tells what this interpreter can import, as one line of JSON after a marker.

usage: probe.py [--path FOLDER]... [MODULE]...
"""
import builtins
import collections
import datetime
import importlib
import io
import json
import os
import pathlib
import pkgutil
import re
import sys
import types

MARKER = "AUTOHEAL-PROBE "

# The types that error messages name most; a project's own types are read from its text.
TYPES = [
    getattr(builtins, name)
    for name in dir(builtins)
    if isinstance(getattr(builtins, name), type) and not issubclass(getattr(builtins, name), BaseException)
]
TYPES += [BaseException, Exception, OSError, KeyError, ValueError, StopIteration, UnicodeDecodeError, SyntaxError]
TYPES += [type(None), type(lambda: 0), type(len), type(sys), types.MethodType, types.GeneratorType, types.CodeType]
TYPES += [types.SimpleNamespace, types.MappingProxyType, types.TracebackType, types.FrameType, types.CoroutineType]
TYPES += [type({}.keys()), type({}.values()), type({}.items()), type(re.compile("")), type(re.match("", ""))]
TYPES += [collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter, collections.ChainMap]
TYPES += [datetime.datetime, datetime.date, datetime.time, datetime.timedelta, datetime.timezone]
TYPES += [io.StringIO, io.BytesIO, io.TextIOWrapper, io.BufferedReader, pathlib.Path, pathlib.PosixPath, pathlib.PurePath]


def attributes(thing):
    try:
        return sorted(name for name in dir(thing) if isinstance(name, str))
    except Exception:
        return []


def main():
    folders = []
    modules = []
    arguments = sys.argv[1:]
    while arguments:
        argument = arguments.pop(0)
        if argument == "--path" and arguments:
            folders.append(os.path.abspath(arguments.pop(0)))
        else:
            modules.append(argument)
    here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else None
    sys.path[:] = folders + [path for path in sys.path if path not in ("", here)]

    standard = set(getattr(sys, "stdlib_module_names", ())) | set(sys.builtin_module_names)
    if not standard - set(sys.builtin_module_names):
        library = os.path.dirname(os.__file__)
        standard |= {entry.name for entry in pkgutil.iter_modules([library, os.path.join(library, "lib-dynload")])}
    installed = set()
    for entry in pkgutil.iter_modules([path for path in sys.path if path not in folders]):
        if entry.name not in standard:
            installed.add(entry.name)

    exports = {}
    types_found = {}
    for name in modules:
        try:
            module = importlib.import_module(name)
        except BaseException:
            continue
        names = set(attributes(module))
        try:
            names |= {entry.name for entry in pkgutil.iter_modules(module.__path__)}
        except Exception:
            pass
        exports[name] = sorted(names)
        for attribute in attributes(module):
            try:
                value = getattr(module, attribute)
            except BaseException:
                continue
            if isinstance(value, type) and not issubclass(value, BaseException):
                types_found.setdefault(value.__name__, value)
    for name in ("types", "typing", "functools", "itertools", "collections", "os", "os.path", "re", "sys"):
        if name not in exports:
            try:
                exports[name] = attributes(importlib.import_module(name))
            except BaseException:
                pass

    members = {kind.__name__: attributes(kind) for name, kind in list(types_found.items())[:400]}
    for kind in TYPES:
        members[kind.__name__] = attributes(kind)
    members["function"] = attributes(main)
    answer = {
        "version": list(sys.version_info[:2]),
        "standard_library": sorted(standard),
        "installed": sorted(installed),
        "exports": exports,
        "builtins": sorted(dir(builtins)),
        "members": members,
    }
    sys.stdout.flush()
    print("\n" + MARKER + json.dumps(answer, sort_keys=True))
    sys.stdout.flush()
    # Threads that imported modules started must not keep the probe alive.
    os._exit(0)


if __name__ == "__main__":
    main()
