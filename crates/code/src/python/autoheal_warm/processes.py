"""The processes that are not the server."""

import gc
import importlib.machinery
import json
import os
import socket
import sys
import threading

from .jobs import WORK, attempt, enter
from .loaded import Patcher, Text, Unfit, apply, identity, path_of
from .project import ARGUMENTS, ROOT, path_in_root
from .suites import run_tests


def loads_like(file, text):
    """From now on the file is loaded as if it held `text`."""
    path, read = os.path.join(ROOT, file), importlib.machinery.SourceFileLoader.get_data

    def get_data(self, name):
        return text if os.path.realpath(name) == path else read(self, name)

    importlib.machinery.SourceFileLoader.get_data = get_data


def run_fresh(job, out):
    tell = enter(out, job)
    try:
        with open(os.path.join(ROOT, job["file"]), "rb") as file:
            loads_like(job["file"], apply(file.read(), job["edits"]))
        arguments = ARGUMENTS if job["rest"] else job["arguments"]
        run_tests(arguments, lambda tests: attempt(tests, job, tell))
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
        texts = {}
        gc.freeze()
        channel.send(json.dumps({"tests": len(tests.items), "modules": modules}).encode() + b"\n")
        while True:
            message, descriptors, _, _ = socket.recv_fds(channel, 8, 1)
            if not message:
                os._exit(0)
            job = json.loads(receive(channel, int(message)))
            out = descriptors[0]
            if job.get("file") and job["file"] not in texts:
                texts[job["file"]] = Text(job["file"])
            if os.fork() == 0:
                run_patched(tests, patcher, texts, job, out)
            os.close(out)

    sys.setprofile(on_event)
    threading.setprofile(on_event)
    why = "the test runner ended before it had loaded the tests"
    try:
        run_tests(ARGUMENTS, work)
    except BaseException as error:
        why = "loading the tests failed: %r" % error
    channel.send(json.dumps({"why": why[:500]}).encode() + b"\n")
    os._exit(1)


def run_patched(tests, patcher, texts, job, out):
    tell = enter(out, job)
    try:
        if job["do"] == "try":
            try:
                patcher.patch(job["file"], texts[job["file"]], job["edits"])
            except (Unfit, SyntaxError, UnicodeDecodeError):
                tell({"outcome": "unfit", "arguments": tests.arguments_for(job["first"])})
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
