"""The tests, as each runner loads and runs them."""

import importlib.util
import sys

from .project import ARGUMENTS, RUNNER

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

# Files that pytest loads for others.
SHARED = ("conftest.py", "__init__.py")


def quicken_properties():
    """A property that fails, fails: nobody reads the smallest example, and a busy machine must not fail one that holds."""
    if importlib.util.find_spec("hypothesis") is None:
        return
    from hypothesis import Phase, settings

    project = settings.default
    phases = [phase for phase in project.phases if phase not in (Phase.shrink, getattr(Phase, "explain", None))]
    settings.register_profile("autoheal", parent=project, phases=phases, deadline=None)
    settings.load_profile("autoheal")


def untold(*_, **__):
    """How a test failed: nobody reads it, and to say it well takes longer than most tests do."""
    return "failed"


def run_pytest(work, wanted):
    import pytest

    files = wanted and {id.split("::")[0] for id in wanted}

    class Plugin:
        def __init__(self):
            self.failed = self.skipped = False

        def pytest_configure(self):
            # Not before: pytest wants to be the first to import what it watches.
            quicken_properties()

        if files and int(pytest.__version__.split(".")[0]) >= 7:

            def pytest_ignore_collect(self, collection_path, config):
                if collection_path.suffix == ".py" and collection_path.name not in SHARED:
                    try:
                        return collection_path.relative_to(config.rootpath).as_posix() not in files or None
                    except ValueError:
                        return None
                return None

        def pytest_collection_modifyitems(self, items):
            if wanted:
                items[:] = [item for item in items if item.nodeid in wanted]
            for item in items:
                item.repr_failure = item._repr_failure_py = untold

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session):
            work(PytestTests(session, self))
            return True

        def pytest_runtest_logreport(self, report):
            self.failed |= report.failed
            self.skipped |= report.skipped

    ours = ["-p", "autoheal_hang", "-p", "no:cacheprovider", "-p", "no:randomly", "--continue-on-collection-errors", "--assert=plain"]
    # Plugins that would run the tests in other processes, or watch the lines that run.
    for module, option in (("xdist", "-n0"), ("pytest_cov", "--no-cov")):
        if importlib.util.find_spec(module) is not None:
            ours.append(option)
    pytest.main(ARGUMENTS + ours, plugins=[Plugin()])


class PytestTests:
    def __init__(self, session, plugin):
        self.session = session
        self.plugin = plugin
        self.items = {item.nodeid: item for item in session.items}

    def run(self, ids, before, after):
        """Runs the tests in this order, until `after` says to stop."""
        items = [self.items[id] for id in ids if id in self.items]
        for item, following in zip(items, items[1:] + [None]):
            self.plugin.failed = self.plugin.skipped = False
            before(item.nodeid)
            self.session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            outcome = FAILED if self.plugin.failed else SKIPPED if self.plugin.skipped else PASSED
            if after(item.nodeid, outcome):
                break


def run_unittest(work, wanted):
    import unittest

    if "" not in sys.path:
        sys.path.insert(0, "")

    class Runner:
        def __init__(self, **_):
            pass

        def run(self, suite):
            work(UnittestTests(suite))
            return unittest.TestResult()

    quicken_properties()
    unittest.main(module=None, argv=["python3 -m unittest"] + ARGUMENTS, testRunner=Runner, exit=False)


class UnittestTests:
    def __init__(self, suite):
        self.items = {}
        self.collect(suite)

    def collect(self, suite):
        try:
            members = list(suite)
        except TypeError:
            self.items[suite.id()] = suite
        else:
            for member in members:
                self.collect(member)

    def run(self, ids, before, after):
        import unittest

        from autoheal_hang import limit

        tests = self

        class Result(unittest.TestResult):
            outcome = PASSED

            def startTest(self, test):
                super().startTest(test)
                self.outcome = PASSED
                before(test.id())
                limit.__enter__()

            def stopTest(self, test):
                limit.__exit__()
                super().stopTest(test)
                if test.id() in tests.items and after(test.id(), self.outcome):
                    self.stop()

            # A fixture of a class or module that fails is no test: its tests do not run, which is seen.

            def addError(self, test, err):
                self.outcome = FAILED

            def addFailure(self, test, err):
                self.outcome = FAILED

            def addSubTest(self, test, subtest, err):
                if err is not None:
                    self.outcome = FAILED

            def addUnexpectedSuccess(self, test):
                self.outcome = FAILED

            def addSkip(self, test, reason):
                if self.outcome == PASSED:
                    self.outcome = SKIPPED

        unittest.TestSuite([self.items[id] for id in ids if id in self.items]).run(Result())


def run_tests(work, wanted=None):
    """Loads the tests, or those alone that are wanted, and calls `work` with them."""
    {"pytest": run_pytest, "unittest": run_unittest}[RUNNER](work, wanted)
