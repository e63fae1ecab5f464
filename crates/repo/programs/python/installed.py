"""Prints the distributions of this environment as JSON: names, versions, the modules that each brings, and what each requires.

installed.py [EXTRA...]: extras of the project itself whose requirements are wanted, too.
"""

import json
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


def is_project(distribution):
    """A distribution that was installed from a folder, as the project itself is."""
    try:
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    except ValueError:
        return False
    return "dir_info" in origin


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


def described(distribution, extras):
    own = is_project(distribution)
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
    found = {}
    for distribution in metadata.distributions() if metadata else ():
        name = distribution.metadata["Name"]
        # The first on the import path is the one that is imported.
        if name and name.lower() not in found:
            found[name.lower()] = described(distribution, sys.argv[1:])
    json.dump(sorted(found.values(), key=lambda one: one["name"].lower()), sys.stdout)


main()
