"""Ends a test that hangs: it costs its own result, and not those of all others.

A test may take `AUTOHEAL_ONE_TEST_SECONDS`, or twenty times as long as the slowest before it. After one that hung, the others get no more than that,
or a second. What cannot be interrupted (a call into C, another thread that is waited for without end) is left to the time limit of the suite.

As a plugin of pytest: `-p autoheal_hang`.
"""

import os
import signal
import sys
import threading
import time

PATIENCE = 20
SHORTEST = 1.0


# No `Exception`: a loop that tries again on every error would go on.
class TestHangs(BaseException):
    __test__ = False


class Limit:
    def __init__(self, seconds):
        self.seconds = seconds
        self.slowest = 0.0
        self.began = 0.0
        self.is_set = False
        self.has_hung = False

    def __enter__(self):
        is_free = self.seconds > 0 and threading.current_thread() is threading.main_thread()
        # A project that uses the alarm itself knows why.
        if is_free and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN):
            self.is_set = True
            self.has_hung = False
            self.began = time.monotonic()
            signal.signal(signal.SIGALRM, self.interrupt)
            # Again and again: it may be caught.
            signal.setitimer(signal.ITIMER_REAL, max(self.seconds, PATIENCE * self.slowest), 1.0)
        return self

    def __exit__(self, *_):
        if not self.is_set:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.is_set = False
        if not self.has_hung:
            self.slowest = max(self.slowest, time.monotonic() - self.began)

    def interrupt(self, *_):
        self.has_hung = True
        self.seconds = min(self.seconds, SHORTEST)
        # The same words however long it was: it is the same failure.
        raise TestHangs("the test did not end")


limit = Limit(float(os.environ.get("AUTOHEAL_ONE_TEST_SECONDS") or 0))

# As `pytest` itself imports it, pytest is there.
if "pytest" in sys.modules:

    # Python 3.8 takes only names as decorators.
    hookimpl = sys.modules["pytest"].hookimpl

    @hookimpl(hookwrapper=True)
    def pytest_runtest_call(item):
        with limit:
            yield
