"""Tries changes of a project's files against its tests without starting the interpreter and the test runner for each.

usage: autoheal_warm/__main__.py pytest|unittest JOBS ROOT [arguments of the test runner]

Requests are lines of JSON on standard input, answers are lines of JSON on standard output (see `crate::warm`, which has
their types). Four kinds of process:

- the *server* reads requests, gives work to at most JOBS processes at a time, and ends those that take too long;
- the *collected* process, forked once, has loaded the tests as the runner does, and forks for every piece of work;
- a *patched* process, forked from it, gives loaded functions the code that the changed text compiles to;
- a *fresh* process, forked from the server, loads the tests anew with the changed text: for changes of what runs while
  modules are loaded. Modules that are not the project's are loaded already.
"""

import importlib
import os
import socket
import sys


def main():
    out = os.dup(1)
    os.set_inheritable(out, False)
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    if not hasattr(socket, "send_fds"):
        os.write(out, b'{"is": "broken", "why": "it needs Python 3.9 or later"}\n')
        return
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, os.path.dirname(here))
    server = importlib.import_module("autoheal_warm.server")
    # As `python3 -m` has it: the current folder first, not the folder of this file.
    sys.path[:] = [os.getcwd()] + [path for path in sys.path[1:] if os.path.abspath(path or ".") != here]
    server.Server(out).serve()


if __name__ == "__main__":
    main()
