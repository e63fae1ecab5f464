"""Copies a virtual environment: copy_environment.py OLD NEW. The scripts of the copy start the interpreter of the copy."""

import os
import shutil
import sys


def main():
    old, new = sys.argv[1:]
    shutil.copytree(old, new, symlinks=True, dirs_exist_ok=True)
    scripts = os.path.join(new, "bin")
    for name in os.listdir(scripts):
        path = os.path.join(scripts, name)
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            text = file.read()
        if text.startswith(b"#!" + os.fsencode(old)):
            with open(path, "wb") as file:
                file.write(text.replace(os.fsencode(old), os.fsencode(new), 1))


main()
