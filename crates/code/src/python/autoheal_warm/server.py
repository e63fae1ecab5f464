"""Reads requests, gives out work, and ends what takes too long."""

import importlib
import json
import os
import select
import signal
import socket
import sys
import time

from .jobs import write
from .processes import run_fresh, serve_collected
from .project import JOBS, RUNNER


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
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
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
            while self.waiting and len(self.running) < JOBS:
                self.begin(self.waiting.pop(0))

    def take(self, request):
        if request["do"] == "plan":
            self.plan = request
            return
        if request["do"] == "try":
            request = dict(self.plan, **request)
        self.waiting.append(request)

    def begin(self, job):
        mine, theirs = os.pipe()
        work = Work(job, mine)
        self.running[mine] = work
        if job.get("fresh"):
            if os.fork() == 0:
                os.close(mine)
                run_fresh(job, theirs)
        else:
            data = json.dumps(job).encode()
            socket.send_fds(self.channel, [b"%8d" % len(data)], [theirs])
            self.channel.sendall(data)
        os.close(theirs)

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
        work.kill()
        job = work.job
        if job["do"] != "try":
            self.answer(**{"is": job["do"], "tests": work.said, "complete": how == "done"})
            return
        # A process that is done and says nothing could not load the tests.
        said = work.said[-1] if work.said else {"outcome": "failed" if how == "done" else how}
        if said["outcome"] == "unfit":
            # First the failing tests alone: most changes go no further, and the whole suite takes long to load.
            self.waiting.insert(0, dict(job, fresh=True, arguments=said["arguments"], rest=[], later=job["rest"]))
        elif said["outcome"] == "passed" and job.get("later"):
            self.waiting.insert(0, dict(job, rest=job["later"], later=[]))
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
            work.kill()


class Work:
    """A piece of work in another process."""

    # How many times as long as it may compute a process may take: it may wait for something.
    PATIENCE = 5

    def __init__(self, job, pipe):
        self.job, self.pipe = job, pipe
        self.pid = None
        self.buffer = b""
        self.said = []
        self.extend(job["seconds"])

    def extend(self, seconds):
        self.deadline = time.monotonic() + self.PATIENCE * seconds

    def kill(self):
        if self.pid is not None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
