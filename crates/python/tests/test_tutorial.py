"""The tutorials of the documentation: their files are written and their commands are run, and what they print is what is said."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

TUTORIALS = sorted((pathlib.Path(__file__).parents[3] / "docs").glob("tutorial-*.md"))
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.S | re.M)


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda tutorial: tutorial.stem)
def test_every_command_of_a_tutorial_prints_what_it_says(tutorial, tmp_path):
    program = os.environ.get("AUTOHEAL_BINARY") or shutil.which("autoheal")
    if not program:
        pytest.skip("no `autoheal` on PATH, and AUTOHEAL_BINARY does not name it")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "autoheal").symlink_to(program)
    (tools / "python").symlink_to(sys.executable)
    work = tmp_path / "work"
    work.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUTOHEAL_")}
    environment |= {"HOME": str(tmp_path), "PATH": f"{tools}:{os.environ['PATH']}"}
    # The interpreter behind a link finds its environment by this.
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    commands = 0
    for language, title, text in BLOCK.findall(tutorial.read_text()):
        if title:
            (work / title).write_text(text)
        elif language == "console":
            for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
                done = subprocess.run(["bash", "-c", command], cwd=work, env=environment, capture_output=True, text=True)
                assert (done.returncode, done.stdout) == (0, printed), f"{command}: {done.stderr}"
                commands += 1
    # None is left out, whatever its block is called.
    assert commands == len(re.findall(r"^\$ ", tutorial.read_text(), re.M)) >= 5
