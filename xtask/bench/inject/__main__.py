"""Puts one seeded defect into a Python package.

    python3 inject ROOT --kind KIND --seed SEED --try N SOURCE...    changes one file, prints what it did as JSON
    python3 inject ROOT --hide --seed SEED                   takes a third of the tests out
    python3 inject --kinds                                   prints the kinds of each class as JSON

A kind is a way in which people break programs. It lists every place of the sources where it could happen; the seed
shuffles the places, and the N-th one is broken. Nothing is filtered here but edits that change nothing: whoever calls
this judges by running the package's own checks before and after.

This file shares no code and no table with the program that is measured by it.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random

import imports
import indentation
import linting
import logic
import syntax
import type_errors
from hide import hide
from module import KINDS, Module

# Importing a module of kinds registers them.
_ = (syntax, indentation, imports, type_errors, linting, logic)


def read_sources(root: pathlib.Path, sources: list[str]) -> list[Module]:
    """Every file of the sources that is program text: tests lie elsewhere or are named as such."""
    modules = []
    for source in sources:
        top = root / source
        for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            relative = path.relative_to(root)
            if any(part in ("test", "tests") for part in relative.parts) or path.name.startswith(("test_", "conftest")):
                continue
            modules.append(Module(root, relative))
    return modules


def choose(modules: list[Module], name: str, seed: str, attempt: int) -> tuple[dict, Module, str] | None:
    """What would be broken where, and the text then; `None` when there are fewer places."""
    defect_class, places_of = KINDS[name]
    rng = random.Random(f"{seed}/{name}")
    places = []
    for module in modules:
        places += [(module, edit) for edit in places_of(module, rng) if module.text[edit.start : edit.end] != edit.new]
    rng.shuffle(places)
    if attempt >= len(places):
        return None
    module, edit = places[attempt]
    broken = module.text[: edit.start] + edit.new + module.text[edit.end :]
    try:
        compile(broken, str(module.path), "exec", dont_inherit=True)
        parses = True
    except (SyntaxError, ValueError):
        parses = False
    defect = {
        "class": defect_class,
        "kind": name,
        "file": module.path.as_posix(),
        "line": module.text.count("\n", 0, edit.start) + 1,
        "parses": parses,
        "old": module.text[edit.start : edit.end],
        "new": edit.new,
        "places": len(places),
    }
    return defect, module, broken


def inject(root: pathlib.Path, modules: list[Module], name: str, seed: str, attempt: int) -> dict | None:
    """Breaks the place that seed and attempt choose."""
    chosen = choose(modules, name, seed, attempt)
    if chosen is None:
        return None
    defect, module, broken = chosen
    (root / module.path).write_bytes(broken.encode())
    return defect


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--kind", choices=sorted(KINDS))
    parser.add_argument("--seed", default="1")
    parser.add_argument("--try", dest="attempt", type=int, default=0)
    parser.add_argument("--hide", action="store_true", help="take a third of the tests out, and tell how many")
    parser.add_argument("--kinds", action="store_true", help="print the kinds of each class")
    parser.add_argument("--preview", action="store_true", help="print what each kind would do, and do nothing")
    arguments = parser.parse_args()
    if arguments.kinds:
        print(json.dumps([{"class": defect_class, "kind": name} for name, (defect_class, _) in KINDS.items()]))
        return
    if arguments.hide:
        print(hide(arguments.root, arguments.seed))
        return
    modules = read_sources(arguments.root, arguments.sources)
    seed, attempt = arguments.seed, arguments.attempt
    if arguments.preview:
        chosen = {name: choose(modules, name, seed, attempt) for name in KINDS}
        print(json.dumps({name: choice and choice[0] for name, choice in chosen.items()}))
    else:
        print(json.dumps(inject(arguments.root, modules, arguments.kind, seed, attempt)))


if __name__ == "__main__":
    main()
