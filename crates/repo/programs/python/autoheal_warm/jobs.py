"""What a process does with its tests."""

import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time

from .project import path_in_root
from .suites import PASSED


def all_outcomes(tests, job, tell):
    started = [0.0]

    def before(_):
        started[0] = time.perf_counter()

    def after(id, outcome):
        tell({"test": id, "outcome": outcome, "seconds": time.perf_counter() - started[0]})

    tests.run(list(tests.items), before, after)


def coverage(tests, job, tell):
    """The lines of the project that each test runs."""
    lines, names = set(), {}

    def on_line(frame, event, _):
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame, event, _):
        name = frame.f_code.co_filename
        if name not in names:
            names[name] = path_in_root(name)
        if names[name] is None:
            return None
        lines.add((name, frame.f_lineno))
        return on_line

    def before(_):
        lines.clear()
        threading.settrace(on_call)
        sys.settrace(on_call)

    def after(id, outcome):
        sys.settrace(None)
        threading.settrace(None)
        files = {}
        for name, line in lines:
            files.setdefault(names[name], []).append(line)
        tell({"test": id, "lines": files})

    tests.run(job["tests"], before, after)


def attempt(tests, job, tell):
    """The failing tests, then all others, until one that has to pass does not."""
    passing = set(job["passing"])
    seen, broken = set(), []

    def after_needed(id, outcome):
        if outcome == PASSED:
            seen.add(id)
        return outcome != PASSED

    def after_other(id, outcome):
        if outcome == PASSED:
            seen.add(id)
        elif id in passing:
            broken.append(id)
        return bool(broken)

    tests.run(job["first"], nothing, after_needed)
    if not seen.issuperset(job["first"]):
        tell({"outcome": "failed"})
        return
    if job["rest"]:
        allow(job["rest_seconds"])
        tell({"more": job["rest_seconds"]})
        tests.run(job["rest"], nothing, after_other)
    # A test that is skipped or does not run any more is no better than one that fails.
    lost = [id for id in job["rest"] if id not in seen]
    is_broken = broken or passing.intersection(lost)
    tell({"outcome": "broke"} if is_broken else {"outcome": "passed", "still": lost})


def nothing(_):
    pass


WORK = {"all": all_outcomes, "coverage": coverage, "try": attempt}

# What a changed program may take beyond what the unchanged one has: less than would end all of them.
MEMORY = 1 << 30


def allow(seconds):
    """Time that it computes, not time that passes: a busy machine must not decide."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def enter(out, job):
    """Makes a process that was just forked one that works on its own."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ["TMPDIR"] = job["folder"]
    tempfile.tempdir = None
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    # Also where nothing is tried: a test that needs more does not pass there, and is not missed later.
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, most))
    if job["do"] == "try":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        allow(job["seconds"] + job.get("load", 0))

    def tell(answer):
        write(out, answer)

    tell({"pid": os.getpid()})
    return tell


def write(out, message):
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(out, data) :]
