"""Reads requests, gives out work, and ends what takes too long."""

import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time

from .jobs import write
from .processes import run_fresh, serve_collected
from .project import JOBS, RUNNER

# How many times as long as it may compute a process may take.
PATIENCE = 5

# How many times as long as before loading the tests anew may take.
LOADING = 3


class Server:
    def __init__(self, out):
        self.out = out
        self.waiting = []
        self.running = {}
        self.plan = {}

    def answer(self, **message):
        write(self.out, message)

    def start(self):
        """Loads the tests in the process that is forked from."""
        if RUNNER == "pytest":
            importlib.import_module("pytest")
        self.channel, theirs = socket.socketpair()
        if os.fork() == 0:
            self.channel.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            serve_collected(theirs)
        theirs.close()
        data = b""
        while not data.endswith(b"\n"):
            piece = self.channel.recv(1 << 16)
            if not piece:
                self.answer(**{"is": "broken", "why": "the interpreter ended while the tests were loaded"})
                sys.exit(1)
            data += piece
        collected = json.loads(data)
        if "why" in collected:
            self.answer(**{"is": "broken", "why": collected["why"]})
            sys.exit(1)
        # For processes that load the project anew.
        for name in collected["modules"]:
            try:
                importlib.import_module(name)
            except BaseException:
                pass
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.load = collected["load"]
        self.answer(**{"is": "ready", "tests": collected["tests"]})

    def serve(self):
        self.start()
        buffer = b""
        while True:
            readers = [0] + [work.pipe for work in self.running.values()]
            ready, _, _ = select.select(readers, [], [], 0.1 if self.running else None)
            for pipe in ready:
                if pipe != 0:
                    self.hear(self.running[pipe])
            self.end_late()
            if 0 in ready:
                data = os.read(0, 1 << 20)
                if not data:
                    self.end_all()
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    self.take(json.loads(line))
            while self.waiting and self.has_room_for(self.waiting[0]):
                self.begin(self.waiting.pop(0))

    def has_room_for(self, job):
        is_alone = job.get("alone") or any(work.job.get("alone") for work in self.running.values())
        return not self.running if is_alone else len(self.running) < JOBS

    def take(self, request):
        if request["do"] == "plan":
            self.plan = request
            self.pass_on(request, [])
        else:
            if request.get("fresh"):
                # First the failing tests alone: most changes go no further, and the whole suite takes long to load.
                request["rest"] = []
            self.waiting.append(request)

    def begin(self, job):
        mine, theirs = os.pipe()
        job = dict(job, folder=tempfile.mkdtemp(prefix="autoheal-"))
        work = Work(job, mine, job.get("seconds", self.plan.get("seconds", 0)))
        self.running[mine] = work
        if job.get("fresh"):
            work.extend(self.plan["seconds"] + self.load)
            if os.fork() == 0:
                os.close(mine)
                run_fresh(dict(self.plan, load=LOADING * self.load, **job), theirs)
        else:
            self.pass_on(job, [theirs])
        os.close(theirs)

    def pass_on(self, message, descriptors):
        """To the collected process."""
        data = json.dumps(message).encode()
        socket.send_fds(self.channel, [b"%8d" % len(data)], descriptors)
        self.channel.sendall(data)

    def hear(self, work):
        data = os.read(work.pipe, 1 << 16)
        *lines, work.buffer = (work.buffer + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "pid" in message:
                work.pid = message["pid"]
            elif "more" in message:
                work.extend(message["more"])
            elif "done" in message:
                self.finish(work, "done")
                return
            else:
                work.said.append(message)
        if not data:
            self.finish(work, "died")

    def finish(self, work, how):
        os.close(work.pipe)
        del self.running[work.pipe]
        work.end()
        job = work.job
        if job["do"] != "try":
            self.answer(**{"is": job["do"], "tests": work.said, "complete": how == "done"})
            return
        # A process that is done and says nothing could not load the tests.
        said = work.said[-1] if work.said else {"outcome": "failed" if how == "done" else how}
        if said["outcome"] == "passed" and job.get("rest") == []:
            del job["rest"]
            self.waiting.insert(0, job)
        elif said["outcome"] == "broke" and not job.get("alone"):
            # Two tests of two processes may have met: in a folder, at a port.
            self.waiting.insert(0, dict(job, alone=True))
        else:
            way = "fresh" if job.get("fresh") else "patched"
            self.answer(**dict(said, **{"is": "tried", "number": job["number"], "way": way}))

    def end_late(self):
        now = time.monotonic()
        for work in list(self.running.values()):
            if now >= work.deadline:
                self.finish(work, "timeout")

    def end_all(self):
        for work in self.running.values():
            work.end()


class Work:
    """A piece of work in another process."""

    def __init__(self, job, pipe, seconds):
        self.job, self.pipe = job, pipe
        self.pid = None
        self.buffer = b""
        self.said = []
        self.extend(seconds)

    def extend(self, seconds):
        # A try may wait for something; what is done once has its time and no more.
        patience = PATIENCE if self.job["do"] == "try" else 1
        self.deadline = time.monotonic() + patience * seconds

    def end(self):
        if self.pid is not None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        shutil.rmtree(self.job["folder"], ignore_errors=True)
