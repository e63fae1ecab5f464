"""The processes that are not the server."""

import gc
import importlib.machinery
import json
import os
import signal
import socket
import sys
import threading
import time

from .jobs import WORK, allow, attempt, enter, write
from .loaded import Patcher, Text, Unfit, apply, identity, path_of
from .project import ROOT, path_in_root
from .suites import run_tests


def loads_like(file, text):
    """From now on the file is loaded as if it held `text`."""
    path, read = os.path.realpath(os.path.join(ROOT, file)), importlib.machinery.SourceFileLoader.get_data

    def get_data(self, name):
        return text if os.path.realpath(name) == path else read(self, name)

    importlib.machinery.SourceFileLoader.get_data = get_data
    # The test runner may be one of those who use it.
    for name in [name for name, module in sys.modules.items() if is_of_project(module)]:
        del sys.modules[name]


def run_fresh(job, out):
    tell = enter(out, job)
    try:
        with open(os.path.join(ROOT, job["file"]), "rb") as file:
            loads_like(job["file"], apply(file.read(), job["edits"]))

        def work(tests):
            allow(job["seconds"])
            attempt(tests, job, tell)

        # Of most changes the failing tests alone are loaded: they go no further.
        run_tests(work, None if job["rest"] else job["first"])
        tell({"done": True})
    finally:
        os._exit(0)


def serve_collected(channel):
    """Loads the tests once, and forks for every piece of work that comes."""
    ran = set()

    def on_event(frame, event, _):
        if event == "call" and path_of(frame.f_code):
            ran.add(identity(frame.f_code))

    def work(tests):
        sys.setprofile(None)
        threading.setprofile(None)
        modules = [name for name, module in sys.modules.items() if not is_of_project(module)]
        patcher = Patcher(ran)
        texts, plan = {}, {}
        gc.freeze()
        load = time.process_time()
        write(channel.fileno(), {"tests": len(tests.items), "modules": modules, "load": load})
        # Not while the tests are loaded: they may ask how a process of theirs ended.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            message, descriptors, _, _ = socket.recv_fds(channel, 8, 1)
            if not message:
                os._exit(0)
            job = json.loads(receive(channel, int(message)))
            if job["do"] == "plan":
                plan = job
                continue
            file, out = job.get("file"), descriptors[0]
            if file and file not in texts:
                texts[file] = text_of(file)
            if os.fork() == 0:
                run_patched(tests, patcher, texts.get(file), dict(plan, **job), out)
            os.close(out)

    sys.setprofile(on_event)
    threading.setprofile(on_event)
    why = "the test runner ended before it had loaded the tests"
    try:
        run_tests(work)
    except BaseException as error:
        why = "loading the tests failed: %r" % error
    write(channel.fileno(), {"why": why[:500]})
    os._exit(1)


def text_of(file):
    """None when a change of it cannot be put in force: it is gone, or no program text."""
    try:
        return Text(file)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def run_patched(tests, patcher, text, job, out):
    tell = enter(out, job)
    try:
        if job["do"] == "try":
            try:
                if text is None:
                    raise Unfit("the file is no program text")
                patcher.patch(job["file"], text, job["edits"])
            except (Unfit, SyntaxError, ValueError):
                tell({"outcome": "unfit"})
                tell({"done": True})
                return
        WORK[job["do"]](tests, job, tell)
        tell({"done": True})
    finally:
        os._exit(0)


def is_of_project(module):
    origin = getattr(module, "__file__", None)
    return origin is not None and path_in_root(origin) is not None


def receive(channel, length):
    data = b""
    while len(data) < length:
        piece = channel.recv(length - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data
