"""Where the project is, and how its tests are run."""

import functools
import os
import sys

RUNNER, JOBS, ROOT = sys.argv[1], int(sys.argv[2]), os.path.realpath(sys.argv[3])
ARGUMENTS = sys.argv[4:]


@functools.lru_cache(maxsize=None)
def path_in_root(path):
    """`path` relative to the project with `/`, or None when it lies elsewhere."""
    if not os.path.isabs(path):
        # `<frozen os>`, `<string>`: what is loaded from a file has an absolute name.
        return None
    path = os.path.realpath(path)
    return os.path.relpath(path, ROOT).replace(os.sep, "/") if path.startswith(ROOT + os.sep) else None
