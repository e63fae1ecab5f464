"""Runs before the tests do, in every Python of theirs: notes on what they depend that changes from run to run, and holds it still
or makes it another.

AUTOHEAL_TREE      the repository: only what its own code asks for is noted
AUTOHEAL_TOUCHED   the file that notes go to, a word a line
AUTOHEAL_CLOCK     the clock begins at this second and goes on by what the program sleeps
AUTOHEAL_SEED      whatever is random comes from this number
AUTOHEAL_THREADS   first: who starts something waits a moment for it; late: what is started begins a moment later
"""
import os
import sys

TREE = os.environ.get("AUTOHEAL_TREE", "")
TOUCHED = os.environ.get("AUTOHEAL_TOUCHED")
CLOCK = os.environ.get("AUTOHEAL_CLOCK")
SEED = os.environ.get("AUTOHEAL_SEED")
THREADS = os.environ.get("AUTOHEAL_THREADS")

# How far up the stack the caller is looked for: what a test calls of the standard library calls on.
DEPTH = 8
# Libraries of the network lie deeper.
DEEP = 60
# How long what was started is waited for, or waits.
MOMENT = 0.25
# No longer wait than this is changed: it is a limit and no rhythm.
LONGEST = 1.0

noted = set()


def is_asked_by_tests(depth):
    frame = sys._getframe(2)
    for _ in range(depth):
        if frame is None:
            return False
        name = frame.f_code.co_filename
        if name.startswith(TREE) and "site-packages" not in name and "/.venv/" not in name:
            return True
        frame = frame.f_back
    return False


def note(what, depth=DEPTH):
    if TOUCHED and what not in noted and is_asked_by_tests(depth):
        noted.add(what)
        write(what)


def write(what):
    file = os.open(TOUCHED, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(file, what.encode() + b"\n")
    os.close(file)


def is_foreign(host):
    if isinstance(host, bytes):
        host = host.decode("utf-8", "replace")
    if not isinstance(host, str) or not host:
        return False
    return not (host.startswith("127.") or host in ("localhost", "::1", "0.0.0.0", "::"))


def hear(event, arguments):
    if event == "socket.connect" or event == "socket.sendto":
        address = arguments[1]
        if isinstance(address, tuple) and is_foreign(address[0]):
            note("network", DEEP)
    elif event == "socket.getaddrinfo" or event == "socket.gethostbyname":
        if is_foreign(arguments[0]):
            note("network", DEEP)
    elif event == "socket.bind":
        address = arguments[1]
        if isinstance(address, tuple) and len(address) > 1 and address[1]:
            note("ports", DEEP)
    elif event == "os.mkdir" or event == "open" and arguments[2] & os.O_CREAT:
        path = arguments[0]
        if isinstance(path, str) and os.path.join(os.getcwd(), path).startswith((TREE, "/tmp/")) and "pytest-of-" not in path:
            note("files", 2)
    elif event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
        note("threads")


def watch():
    if TOUCHED and hasattr(sys, "addaudithook"):
        sys.addaudithook(hear)


# --- time ---


def change_time():
    import datetime
    import time

    real = {name: getattr(time, name) for name in ("time", "sleep", "localtime", "gmtime", "ctime", "strftime")}
    begin = float(CLOCK) if CLOCK else None
    state = {"slept": 0.0, "asked": 0}

    def now():
        if begin is None:
            return real["time"]()
        state["asked"] += 1
        return begin + state["slept"] + state["asked"] * 1e-5

    def clock():
        note("clock")
        return now()

    def clock_ns():
        note("clock")
        return int(now() * 1e9)

    def sleep(seconds):
        note("speed")
        state["slept"] += max(float(seconds), 0.0)
        return real["sleep"](seconds)

    def of_moment(name):
        def told(seconds=None):
            note("clock")
            return real[name](now() if seconds is None else seconds)

        return told

    def strftime(form, moment=None):
        note("clock")
        return real["strftime"](form, real["localtime"](now()) if moment is None else moment)

    def stopwatch(name):
        real_one = getattr(time, name)

        def told():
            note("speed")
            return real_one()

        return told

    time.time, time.time_ns, time.sleep, time.strftime = clock, clock_ns, sleep, strftime
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, of_moment(name))
    for name in ("perf_counter", "monotonic"):
        setattr(time, name, stopwatch(name))

    real_date, real_datetime = datetime.date, datetime.datetime

    def alike(base):
        class Alike(type(base)):
            def __instancecheck__(cls, value):
                return isinstance(value, base) if cls.__dict__.get("_is_ours") else type.__instancecheck__(cls, value)

            def __subclasscheck__(cls, other):
                return issubclass(other, base) if cls.__dict__.get("_is_ours") else type.__subclasscheck__(cls, other)

        return Alike

    class date(real_date, metaclass=alike(real_date)):
        _is_ours = True

        @classmethod
        def today(cls):
            note("clock")
            return cls.fromtimestamp(now())

        def __repr__(self):
            return "datetime." + super().__repr__()

    class OurDatetime(real_datetime, metaclass=alike(real_datetime)):
        _is_ours = True

        @classmethod
        def now(cls, tz=None):
            note("clock")
            return super().fromtimestamp(now(), tz)

        @classmethod
        def today(cls):
            note("clock")
            return super().fromtimestamp(now())

        @classmethod
        def utcnow(cls):
            note("clock")
            return super().fromtimestamp(now(), datetime.timezone.utc).replace(tzinfo=None)

        @classmethod
        def fromtimestamp(cls, seconds, tz=None):
            note("clock")
            return super().fromtimestamp(seconds, tz)

        def timestamp(self):
            note("clock")
            return super().timestamp()

        def astimezone(self, tz=None):
            note("clock")
            return super().astimezone(tz)

        def __repr__(self):
            return "datetime." + super().__repr__()

    for ours, name in ((date, "date"), (OurDatetime, "datetime")):
        ours.__module__, ours.__name__, ours.__qualname__ = "datetime", name, name
        setattr(datetime, name, ours)


# --- what is random ---


def change_random():
    import random

    if SEED is not None:
        source = random.Random(int(SEED))
        real_seed = random.Random.seed

        def urandom(count):
            note("random")
            return source.getrandbits(8 * count).to_bytes(count, "little") if count else b""

        def seed(self, a=None, version=2):
            return real_seed(self, source.getrandbits(64) if a is None else a, version)

        os.urandom = random._urandom = urandom
        random.Random.seed = seed
        random.seed(int(SEED))
    else:
        real_urandom = os.urandom

        def urandom(count):
            note("random")
            return real_urandom(count)

        os.urandom = urandom

    real_init = random.Random.__init__

    def init(self, x=None):
        if x is None:
            note("random")
        real_init(self, x)

    random.Random.__init__ = init

    def told(real_one):
        def asked(*arguments, **named):
            note("random")
            return real_one(*arguments, **named)

        asked.__name__ = getattr(real_one, "__name__", "asked")
        return asked

    names = (
        "random uniform triangular randint choice randrange sample shuffle choices normalvariate lognormvariate "
        "expovariate gammavariate gauss betavariate getrandbits randbytes vonmisesvariate paretovariate"
    )
    for name in names.split():
        if hasattr(random, name):
            setattr(random, name, told(getattr(random, name)))


# --- what runs beside it ---


def change_threads():
    import threading
    import time

    real_start = threading.Thread.start
    # Ours sleeps on the real clock, and is not the tests' sleep.
    pause = time.sleep

    def start(self):
        note("threads")
        if THREADS == "late":
            run = self.run

            def late():
                pause(MOMENT)
                run()

            self.run = late
        real_start(self)
        if THREADS == "first":
            self.join(MOMENT)

    threading.Thread.start = start
    if THREADS is None:
        return
    sys.setswitchinterval(10 if THREADS == "first" else 1e-6)
    try:
        import asyncio
        import subprocess
    except ImportError:
        return
    real_sleep, count = asyncio.sleep, [0]

    async def sleep(delay, result=None, **named):
        if 0 < delay <= LONGEST:
            count[0] += 1
            delay = 0.05 if THREADS == "first" else max(0.4 - 0.04 * count[0], 0.001)
        return await real_sleep(delay, result, **named)

    asyncio.sleep = asyncio.tasks.sleep = sleep
    real_init = subprocess.Popen.__init__

    def init(self, *arguments, **named):
        real_init(self, *arguments, **named)
        if THREADS == "first":
            pause(MOMENT)

    subprocess.Popen.__init__ = init


def load_next():
    """The `sitecustomize` that this one stands before."""
    import importlib.machinery
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    paths = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


# A module of the repository that is called like one of these may be in the way: then that one thing stays as it is.
for step in (change_threads, change_time, change_random, watch, load_next):
    try:
        step()
    except Exception:
        pass
