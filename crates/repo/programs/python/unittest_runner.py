"""Runs unittest and writes a JUnit XML report with the interpreter's own tracebacks.

usage: unittest_runner.py REPORT.xml [--test=NAME ...] [arguments of `python3 -m unittest`]

With names, these tests are run of those that the arguments stand for.

The tests run in a child process that tells each result as soon as it is known, so that a test that ends the process
(os._exit, a crash) costs the tests after it and not the report.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

# Beside the import path, as for every command.
from autoheal_hang import limit

EVENTS = "AUTOHEAL_UNITTEST_EVENTS"
# In the place of the class of an example in a docstring.
EXAMPLE = "doctest"
# The first argument where examples alone are run, those of the files that follow.
EXAMPLES = "--doctest"
# Before each name of a test.
TEST = "--test="
UNITTEST_DIR = os.path.dirname(unittest.__file__)


# --- the child: runs the tests ---


def is_load_failure(test):
    return type(test).__module__ == "unittest.loader" and type(test).__name__ == "_FailedTest"


def identity(test):
    """The class and the name of a test; a module that could not be loaded has no class."""
    kind = type(test)
    if is_load_failure(test):
        return "", getattr(test, "_testMethodName", str(test))
    name = getattr(test, "_testMethodName", None)
    if name is None:
        # setUpClass (pkg.mod.Class).
        return "", str(test.id() if hasattr(test, "id") else test)
    if kind.__module__ == "doctest":
        # All examples are of one class, and one method.
        return EXAMPLE, test.id()
    return "%s.%s" % (kind.__module__, kind.__qualname__), name


def file_of(test):
    module = sys.modules.get(type(test).__module__)
    path = getattr(module, "__file__", None)
    if not path or path.startswith(UNITTEST_DIR):
        return None
    return os.path.relpath(path)


def error_text(error):
    kind, value, trace = error
    # The frames of unittest itself say nothing about the fault.
    while trace is not None and "__unittest" in trace.tb_frame.f_globals:
        trace = trace.tb_next
    if isinstance(value, AssertionError):
        length = 0
        entry = trace
        while entry is not None and "__unittest" not in entry.tb_frame.f_globals:
            length += 1
            entry = entry.tb_next
        if entry is not None and length:
            lines = traceback.format_exception(kind, value, None)
            stack = traceback.format_tb(trace, length)
            return "".join(["Traceback (most recent call last):\n"] + stack + lines)
    return "".join(traceback.format_exception(kind, value, trace))


class Result(unittest.TestResult):
    def __init__(self, out):
        super().__init__()
        self.out = out
        self.started = time.time()
        self.forget_parts()

    def forget_parts(self):
        self.red_part = None
        self.skipped_part = None

    def tell(self, **event):
        self.out.write(json.dumps(event) + "\n")
        self.out.flush()

    def end(self, test, outcome, message="", text=""):
        classname, name = identity(test)
        self.tell(
            event="end",
            classname=classname,
            name=name,
            file=file_of(test),
            time=time.time() - self.started,
            outcome=outcome,
            message=message,
            text=text,
        )

    def startTest(self, test):
        super().startTest(test)
        self.started = time.time()
        self.forget_parts()
        classname, name = identity(test)
        self.tell(event="start", classname=classname, name=name, file=file_of(test))
        limit.__enter__()

    def red(self, test, outcome, error):
        kind, value, _ = error
        if is_load_failure(test):
            # The loader caught the exception and kept its text only.
            return self.end(test, "collection", "collection failure", str(value))
        message = "%s: %s" % (kind.__name__, value)
        self.end(test, outcome, message, error_text(error))

    def addError(self, test, err):
        super().addError(test, err)
        self.red(test, "error", err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.red(test, "failure", err)

    # One entry per test, so that the same tests are seen whether its parts (`subTest`) pass, fail or are skipped.

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None and self.red_part is None:
            self.red_part = (subtest, "failure" if issubclass(err[0], test.failureException) else "error", err)

    def stopTest(self, test):
        limit.__exit__()
        super().stopTest(test)
        if self.red_part is not None:
            subtest, outcome, error = self.red_part
            message = "%s: %s %s" % (error[0].__name__, error[1], subtest._subDescription())
            self.end(test, outcome, message, error_text(error))
        elif self.skipped_part is not None:
            self.end(test, "skipped", self.skipped_part)
        self.forget_parts()

    def addSuccess(self, test):
        super().addSuccess(test)
        # Some versions of unittest also call a test a success that skipped a part of itself.
        if self.skipped_part is None:
            self.end(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if hasattr(test, "test_case"):
            self.skipped_part = str(reason)
        else:
            self.end(test, "skipped", str(reason))

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.end(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.end(test, "failure", "unexpected success", "AssertionError: unexpected success")


class Named(unittest.TestLoader):
    """Loads tests by their names, found as discovery finds them: a folder that it begins in is one to import from."""

    def __init__(self, names):
        super().__init__()
        self.names = names

    def discover(self, start_dir, pattern="test*.py", top_level_dir=None):
        # What is no folder is the name of a package, which is found already.
        top = start_dir if top_level_dir is None else top_level_dir
        if os.path.isdir(top):
            sys.path.insert(0, os.path.abspath(top))
        return super().loadTestsFromNames(self.names)

    def loadTestsFromNames(self, names, module=None):
        return super().loadTestsFromNames(self.names, module)


class Runner:
    def __init__(self, **_):
        self.result = Result(open(os.environ[EVENTS], "a", encoding="utf-8", errors="backslashreplace"))

    def run(self, test):
        start = getattr(self.result, "startTestRun", None)
        if start:
            start()
        test(self.result)
        self.result.tell(event="done", count=self.result.testsRun)
        return self.result


def child(arguments):
    if "" not in sys.path:
        sys.path.insert(0, "")
    # As `python3 -m unittest` has it: the current folder first, not the folder of this file.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here or path == ""]
    if arguments[:1] == [EXAMPLES]:
        # One run, as `python3 -m doctest` has it.
        only = [argument[len(EXAMPLE) + 1 :] for argument in arguments if argument.startswith(EXAMPLE + ".")]
        files = [argument for argument in arguments[1:] if not argument.startswith(("-", EXAMPLE + "."))]
        Runner().run(examples(files, only))
        return
    names = [argument[len(TEST) :] for argument in arguments if argument.startswith(TEST)]
    others = [argument for argument in arguments if not argument.startswith(TEST)]
    loader = Named(names) if names else unittest.defaultTestLoader
    unittest.main(module=None, argv=["python3 -m unittest"] + others, testRunner=Runner, testLoader=loader)


def examples(files, only):
    """The examples in docstrings of modules, and in files of text."""
    import doctest

    suite = unittest.TestSuite()
    for file in files:
        if file.endswith(".py"):
            folder, name = os.path.split(file)
            sys.path.insert(0, folder)
            try:
                module = __import__(name[:-3])
            except Exception:
                failed = unittest.loader._FailedTest(file[:-3].replace("/", "."), ImportError(traceback.format_exc()))
                suite.addTest(failed)
                continue
            finally:
                del sys.path[0]
            found = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]
            found.sort()
            suite.addTests(doctest.DocTestCase(test) for test in found)
        else:
            suite.addTest(doctest.DocFileSuite(file, module_relative=False))
    return suite if not only else unittest.TestSuite(test for test in suite if test.id() in only)


# --- the parent: writes the report ---


def attribute(value):
    text = "".join(char if is_xml(char) else "#x%02X" % ord(char) for char in str(value))
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\n", "&#10;"), ("\t", "&#9;")):
        text = text.replace(char, entity)
    return '"%s"' % text


def body(value):
    text = "".join(char if is_xml(char) else "#x%02X" % ord(char) for char in str(value))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def is_xml(char):
    code = ord(char)
    return code in (9, 10) or 32 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def testcase(event):
    head = "<testcase classname=%s name=%s time=%s" % (
        attribute(event["classname"]),
        attribute(event["name"]),
        attribute("%.6f" % event.get("time", 0.0)),
    )
    if event.get("file"):
        head += " file=%s" % attribute(event["file"])
    outcome = event["outcome"]
    if outcome == "passed":
        return head + "/>"
    tag = {"failure": "failure", "skipped": "skipped"}.get(outcome, "error")
    return "%s><%s message=%s>%s</%s></testcase>" % (
        head,
        tag,
        attribute(event.get("message", "")),
        body(event.get("text", "")),
        tag,
    )


def parent(report, arguments):
    handle, path = tempfile.mkstemp(prefix="unittest-events-")
    os.close(handle)
    environment = dict(os.environ)
    environment[EVENTS] = path
    command = [sys.executable, os.path.abspath(__file__), report] + arguments
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    tail = b""
    for line in process.stderr:
        sys.stderr.write(line.decode("utf-8", "replace"))
        tail = (tail + line)[-20000:]
    code = process.wait()
    events = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                events.append(json.loads(line))
            except ValueError:
                pass
    os.unlink(path)
    cases = []
    running = None
    for event in events:
        if event["event"] == "start":
            running = event
        elif event["event"] == "end":
            # A class fixture's result belongs to no started test.
            if running and (running["classname"], running["name"]) == (event["classname"], event["name"]):
                running = None
            cases.append(event)
    passed_or_red = {(case["classname"], case["name"]) for case in cases}
    if not any(event["event"] == "done" for event in events):
        lost = running or {"classname": "", "name": "unittest", "file": None}
        if (lost["classname"], lost["name"]) not in passed_or_red:
            how = "signal %d" % -code if code < 0 else "exit code %d" % code
            lost["outcome"] = "error" if lost["classname"] else "collection"
            lost["message"] = "the interpreter ended with %s" % how if lost["classname"] else "collection failure"
            lost["text"] = "the interpreter ended with %s before the tests were done\n%s" % (
                how,
                tail.decode("utf-8", "replace"),
            )
            cases.append(lost)
    temporary = report + ".part"
    with open(temporary, "w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite name="unittest" tests="%d">\n' % len(cases))
        for case in cases:
            out.write(testcase(case) + "\n")
        out.write("</testsuite></testsuites>\n")
    os.replace(temporary, report)
    if not cases:
        return 5
    return 1 if any(case["outcome"] in ("failure", "error", "collection") for case in cases) else 0


if __name__ == "__main__":
    if EVENTS in os.environ:
        child(sys.argv[2:])
    else:
        sys.exit(parent(sys.argv[1], sys.argv[2:]))
