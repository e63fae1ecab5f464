"""Compiles Python files without running them and prints one JSON object per error.

usage: compile_check.py FILE...      or: compile_check.py - < LIST-OF-FILES
"""
import json
import sys
import warnings


def check(path):
    with open(path, "rb") as source:
        text = source.read()
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return {
            "file": path,
            "line": error.lineno,
            "column": error.offset,
            "message": error.msg,
            "is_indentation": isinstance(error, IndentationError),
        }
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return {"file": path, "line": None, "column": None, "message": str(error), "is_indentation": False}
    return None


def main():
    # A warning (an invalid escape, `is` with a literal) is the linter's business.
    warnings.simplefilter("ignore")
    paths = sys.argv[1:]
    if paths == ["-"]:
        paths = [line for line in sys.stdin.read().splitlines() if line]
    for path in paths:
        try:
            error = check(path)
        except OSError as problem:
            print("cannot read %s: %s" % (path, problem), file=sys.stderr)
            continue
        if error is not None:
            print(json.dumps(error))


if __name__ == "__main__":
    main()
