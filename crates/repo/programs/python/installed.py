"""Prints the distributions of this environment as JSON: names, versions, the modules that each brings, and what each requires.

installed.py FOLDER [EXTRA...]: the folder of the project itself, and its extras whose requirements are wanted, too.
"""

import json
import os
import sys

try:
    from importlib import metadata
except ImportError:
    metadata = None

# Namespaces are shared: `google` is several distributions, `google.protobuf` one.
DEEPEST = 2
MOST_MODULES = 400


def modules(distribution):
    """The modules that a distribution brings, the shortest names first."""
    names = set((distribution.read_text("top_level.txt") or "").split())
    for file in distribution.files or ():
        parts = list(file.parts)
        if not parts[-1].endswith((".py", ".so", ".pyd")) or parts[0] in ("..", "__pycache__"):
            continue
        parts[-1] = parts[-1].split(".")[0]
        if parts[-1] == "__init__":
            parts.pop()
        for depth in range(1, min(DEEPEST, len(parts)) + 1):
            names.add(".".join(parts[:depth]))
    return sorted(names, key=lambda name: (name.count("."), name))[:MOST_MODULES]


def is_from_folder(distribution):
    """A distribution that was installed from a folder, as the project itself is."""
    try:
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    except ValueError:
        return False
    return "dir_info" in origin


def is_in_folder(distribution, folder):
    """A distribution whose modules are all in the folder, and that was not a wheel: `setup.py install` does not record from where it installs."""
    names = [name for name in modules(distribution) if "." not in name]
    paths = lambda name: (os.path.join(folder, place, name) for place in ("", "src", "lib"))
    has = lambda name: any(os.path.isdir(path) or os.path.isfile(path + ".py") for path in paths(name))
    return bool(names) and all(map(has, names)) and distribution.read_text("RECORD") is None


def requirements(distribution, extras):
    """The requirements that hold in this environment."""
    from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

    for text in distribution.requires or ():
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        marker = requirement.marker
        if requirement.url is None and (marker is None or any(marker.evaluate({"extra": extra}) for extra in ["", *extras])):
            requirement.marker = None
            yield requirement


def described(distribution, own, extras):
    needs = list(requirements(distribution, extras if own else []))
    return {
        "name": distribution.metadata["Name"],
        "version": distribution.version,
        "modules": modules(distribution),
        "requires": [requirement.name for requirement in needs],
        "requirements": [str(requirement) for requirement in needs] if own else [],
        "is_project": own,
    }


def main():
    folder, extras = sys.argv[1], sys.argv[2:]
    found = {}
    for distribution in metadata.distributions() if metadata else ():
        name = distribution.metadata["Name"]
        # The first on the import path is the one that is imported.
        if name and name.lower() not in found:
            found[name.lower()] = distribution
    own = {name for name, distribution in found.items() if is_from_folder(distribution)}
    own = own or {name for name, distribution in found.items() if is_in_folder(distribution, folder)}
    told = [described(distribution, name in own, extras) for name, distribution in sorted(found.items())]
    json.dump(told, sys.stdout)


main()
