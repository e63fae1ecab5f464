"""Holds the running server against its description, `openapi.json`, with schemathesis.

First every operation is brought to succeed once, in a story that a person might live through: a repository is healed, pages are added,
change, and are healed, fixes are decided about. Every answer is validated. Then schemathesis asks every operation what it makes up, valid
and not. Nothing leaves this machine: stored pages stand for the web, and one repository may be healed, the story's own.

Usage: check.py PATH-OF-AUTOHEAL
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from pathlib import Path

import jsonschema_rs
import requests
import schemathesis

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# How long anything may take that is waited for, in seconds, and what schemathesis makes up as a whole: half a minute where nothing else runs.
PATIENCE = 90
LONGEST = 240
# How many cases schemathesis makes up for an operation beside those that follow from its description, and how many requests a second it
# may make.
EXAMPLES = 6
RATE = "200/s"

TOKEN = secrets.token_hex(16)
SECRET = secrets.token_hex(16)

PAGE = """<!doctype html><html><head><title>{title} | Shop</title></head><body><header><a href="/">Shop</a></header>
<main class="product"><h1 class="name">{title}</h1><p class="price">{price}</p>
<div class="text"><p>{title} of solid oak, made by hand in a small workshop by the sea, for many years of use.</p></div></main>
<footer>Open from nine to five</footer></body></html>"""

# The same after a redesign.
REDESIGNED = """<!doctype html><html><head><title>{title} | Shop</title></head><body><nav><ul><li><a href="/">Shop</a></li></ul></nav>
<section id="detail"><div class="card"><h2 data-role="title">{title}</h2><span class="amount">{price}</span>
<article><p>{title} of solid oak, made by hand in a small workshop by the sea, for many years of use.</p></article></div></section>
<footer><span>Open from nine to five</span></footer></body></html>"""

PAGES = {"chair": ("A chair", "129.00 EUR"), "table": ("A table", "349.00 EUR"), "lamp": ("A lamp", "59.50 EUR"), "shelf": ("A shelf", "89.00 EUR")}

BROKEN = {
    "shop.py": "def total(prices)\n    return sum(prices)\n",
    "test_shop.py": "import unittest\n\nfrom shop import total\n\n\nclass Total(unittest.TestCase):\n"
    "    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n",
}

# Red, and never done before it is cancelled.
SLOW = {
    "test_slow.py": "import time\nimport unittest\n\n\nclass Slow(unittest.TestCase):\n"
    "    def test_slow(self):\n        time.sleep(600)\n",
}


def repository(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Begin"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    return folder


class Server:
    """`autoheal serve` in a folder of its own."""

    def __init__(self, binary: str, folder: Path):
        self.web = folder / "web" / "shop.example"
        self.web.mkdir(parents=True)
        self.repositories = folder / "repositories"
        repository(self.repositories / "broken", BROKEN)
        repository(self.repositories / "slow", SLOW)
        settings = {
            "AUTOHEAL_TOKEN": TOKEN,
            "AUTOHEAL_GITHUB_WEBHOOK_SECRET": SECRET,
            "AUTOHEAL_SNAPSHOTS": str(folder / "web"),
            "AUTOHEAL_REPOSITORIES": json.dumps([str(self.repositories)]),
            "AUTOHEAL_ALLOW_PUSH": "false",
            "AUTOHEAL_HOST_INTERVAL_MILLIS": "0",
            "AUTOHEAL_REQUESTS_PER_SECOND": "0",
            "AUTOHEAL_CONCURRENCY": "1",
        }
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LLVM_PROFILE_FILE") if name in os.environ}
        self.log = open(folder / "server.log", "w+")
        self.process = subprocess.Popen(
            [binary, "serve", "--addr", "127.0.0.1:0", "--sandbox", "bubblewrap", "--log", "warn"],
            env={**kept, **settings, "HOME": str(folder)},
            cwd=folder,
            stderr=self.log,
            text=True,
        )
        self.url = self.wait_for_address()

    def told(self) -> str:
        self.log.flush()
        return Path(self.log.name).read_text()

    def wait_for_address(self) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.told().splitlines():
                if "listening at " in line:
                    return line.split("listening at ")[1].split(";")[0]
            time.sleep(0.05)
        raise RuntimeError(f"the server does not listen:\n{self.told()}")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def show(self, name: str, layout: str) -> str:
        """Puts a page where the server looks for it; its address."""
        title, price = PAGES[name]
        (self.web / f"{name}.html").write_text(layout.format(title=title, price=price))
        return f"http://shop.example/{name}"


class Story:
    """Operations with their validated answers."""

    def __init__(self, server: Server):
        self.server = server
        self.schema = schemathesis.openapi.from_path(ROOT / "openapi.json")
        self.document = json.loads((ROOT / "openapi.json").read_text())
        self.reached: set[tuple[str, str]] = set()
        self.faults: list[str] = []

    def ask(self, method: str, path: str, *, headers=None, sent=None, **parts):
        """Asks an operation for a success, and gives its document."""
        case = self.schema[path][method].Case(**parts)
        headers = {"Authorization": f"Bearer {TOKEN}", **(headers or {})}
        if sent is not None:
            # Signed as it is, so sent as it is.
            url = self.server.url + path
            response = requests.request(method, url, data=sent, headers={**headers, "Content-Type": "application/json"}, timeout=PATIENCE)
        else:
            response = case.call(base_url=self.server.url, headers=headers, timeout=PATIENCE)
        name = f"{method} {path}"
        if not 200 <= response.status_code < 300:
            self.faults.append(f"{name}: {response.status_code}: {response.text[:500]}")
            return None
        try:
            case.validate_response(response, headers=headers)
        except BaseExceptionGroup as fault:
            self.faults.append(f"{name}: " + "; ".join(str(cause) for cause in fault.exceptions))
        self.reached.add((method, path))
        is_json = "json" in str(response.headers.get("content-type", ""))
        return response.json() if is_json else response.text

    def check_events(self, run: str) -> None:
        """What a description cannot say: the data of every event of a stream but the last is a RunEvent, and a run that has ended ends it."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        stream = requests.get(f"{self.server.url}/api/runs/{run}/events", headers=headers, timeout=PATIENCE).text
        described = {"$ref": "#/components/schemas/RunEvent", "components": self.document["components"]}
        told = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
        validator = jsonschema_rs.validator_for(described)
        faults = [f"{error}: {data}" for data in told[:-1] for error in validator.iter_errors(json.loads(data))]
        self.faults += faults if told[-1:] == ["{}"] and len(told) > 10 else [f"the stream is no whole one: {stream}"]

    def wait(self, what: str, asked):
        """Asks again until there is an answer that is not empty."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = asked()
            if answer:
                return answer
            time.sleep(0.1)
        raise RuntimeError(f"waited in vain: {what}\n{self.server.told()}")

    def source(self, name: str) -> dict:
        return self.ask("GET", "/api/sources/{name}", path_parameters={"name": name})["source"]

    def ended(self, task: int) -> dict:
        def ask():
            told = self.ask("GET", "/api/tasks/{task_id}", path_parameters={"task_id": task})["task"]
            return told if told["state"] not in ("PENDING", "IN_PROGRESS") else None

        return self.wait(f"the end of task {task}", ask)

    def tell(self) -> dict:
        """The whole story; what is there to be asked about when it is over."""
        for path in ("/healthz", "/readyz", "/api/overview", "/api/needs", "/api/sources", "/api/alerts", "/api/usage", "/api/tasks", "/api/trends"):
            self.ask("GET", path)
        run = self.heal_a_repository()
        self.cancel_and_retry()
        snapshot = self.live_with_sources()
        self.ask("GET", "/api/workflows/{kind}", path_parameters={"kind": "HEAL_REPO"})
        self.use_tools()
        ping = json.dumps({"zen": "Keep it logically awesome."}).encode()
        signature = hmac.new(SECRET.encode(), ping, hashlib.sha256).hexdigest()
        signed = {"X-GitHub-Event": "ping", "X-Hub-Signature-256": f"sha256={signature}"}
        self.ask("POST", "/api/webhooks/github", headers=signed, sent=ping, body={}, media_type="application/json")
        job = self.job["jobId"]
        task = self.ask("GET", "/api/jobs/{job_id}", path_parameters={"job_id": job})["task"]["taskId"]
        return {"run_id": run, "job_id": job, "task_id": task, "name": "table", "snapshot_id": snapshot, "kind": "FIX_SOURCE"}

    def heal_a_repository(self) -> str:
        asked = {"repositoryUrl": str(self.server.repositories / "broken"), "teamName": "Blue Team", "leaderName": "Ada L"}
        self.job = self.ask("POST", "/api/heal", body=asked, media_type="application/json")

        healed = self.wait("a healed repository", self.ended_job)
        if healed.get("results", {}).get("ciStatus") != "PASSED" or not healed["results"]["fixes"]:
            self.faults.append(f"the repository was not healed: {healed}")
        run = self.ask("GET", "/api/runs", query={"kind": "HEAL_REPO"})["runs"][0]["runId"]
        for path in ("", "/diagnostics", "/fixes", "/outputs", "/events"):
            self.ask("GET", "/api/runs/{run_id}" + path, path_parameters={"run_id": run})
        self.check_events(run)
        self.job = self.ask("POST", "/api/runs/{run_id}/again", path_parameters={"run_id": run})
        self.wait("another run of the repository", self.ended_job)
        return run

    def ended_job(self) -> dict | None:
        told = self.ask("GET", "/api/status/{job_id}", path_parameters={"job_id": self.job["jobId"]})
        return told if told["status"] in ("completed", "failed") else None

    def cancel_and_retry(self) -> None:
        slow = str(self.server.repositories / "slow")
        self.ask("POST", "/api/heal", body={"repositoryUrl": slow, "teamName": "a", "leaderName": "b"}, media_type="application/json")

        def open_run():
            runs = self.ask("GET", "/api/runs", query={"target": slow})["runs"]
            return runs[0]["runId"] if runs else None

        run = self.wait("a run of the slow repository", open_run)
        # The one worker is busy, so this has to wait.
        url = self.server.show("shelf", PAGE)
        waiting = self.ask("POST", "/api/sources", body={"url": url, "name": "shelf"}, media_type="application/json")["task"]["taskId"]
        for what in ("cancel", "retry"):
            self.ask("POST", "/api/tasks/{task_id}/" + what, path_parameters={"task_id": waiting})
        self.ask("POST", "/api/runs/{run_id}/cancel", path_parameters={"run_id": run})
        self.ended(waiting)

    def live_with_sources(self) -> int:
        for name in PAGES:
            url = self.server.show(name, PAGE)
            title, price = PAGES[name]
            asked = {"url": url, "name": name, "healPolicy": "review", "examples": {"title": title, "price": price}}
            if name == "shelf":
                continue
            added = self.ask("POST", "/api/sources", body=asked, media_type="application/json")
            self.ended(added["task"]["taskId"])
        of = lambda name: {"path_parameters": {"name": name}}
        self.ended(self.ask("POST", "/api/sources/{name}/run", **of("chair"))["taskId"])
        for name, decision in (("table", "approve"), ("lamp", "reject")):
            self.server.show(name, REDESIGNED)
            self.ask("POST", "/api/sources/{name}/run", **of(name))
            self.wait(f"a fix of {name}", lambda: self.source(name)["waitsForApproval"])
            self.ask("POST", "/api/sources/{name}/" + decision, **of(name))
        self.ask("POST", "/api/sources/{name}/reconsider", body={"version": None}, media_type="application/json", **of("lamp"))
        self.ask("POST", "/api/sources/{name}/reject", body={"reason": "not yet"}, media_type="application/json", **of("lamp"))
        self.ended(self.ask("POST", "/api/sources/{name}/run", **of("table"))["taskId"])
        self.accept_values("chair")
        self.ask("POST", "/api/sources/{name}/rollback", body={"to": None}, media_type="application/json", **of("table"))
        self.ask("POST", "/api/sources/{name}/heal", **of("table"))
        self.ask("POST", "/api/sources/{name}/release", **of("lamp"))
        self.ask("PATCH", "/api/sources/{name}", body={"intervalSeconds": 3600}, media_type="application/json", **of("table"))
        for path in ("recipes", "values", "fixes", "decisions", "diagnostics", "timeline", "snapshots"):
            self.ask("GET", "/api/sources/{name}/" + path, **of("table"))
        self.ask("GET", "/api/sources/statistics")
        snapshot = self.ask("GET", "/api/sources/{name}/snapshots", **of("table"))["snapshots"][0]["snapshotId"]
        page = {"path_parameters": {"name": "table", "snapshot_id": snapshot}}
        shown = self.ask("GET", "/api/sources/{name}/snapshots/{snapshot_id}/page", query={"numbers": "true"}, **page)
        self.edit_recipe("table", snapshot, shown)
        self.ask("DELETE", "/api/sources/{name}", **of("shelf"))
        return snapshot

    def accept_values(self, name: str) -> None:
        """The price is a sentence from now on, and the user says that this is right."""
        self.server.show(name, PAGE.replace("{price}", "Ask in the shop what it costs this week"))
        source = {"path_parameters": {"name": name}}
        self.ended(self.ask("POST", "/api/sources/{name}/run", **source)["taskId"])
        accepted = self.ask("POST", "/api/sources/{name}/accept", **source)
        if not accepted or accepted["state"] != "ACTIVE":
            self.faults.append(f"the values were not accepted: {accepted}")

    def edit_recipe(self, name: str, snapshot: int, shown: str) -> None:
        """The user points at the price on a stored page, tries the rule, and activates it."""
        number = re.search(r'data-autoheal-element="(\d+)"[^<]*>' + re.escape(PAGES[name][1]), shown or "")
        if not number:
            self.faults.append(f"no element of the page can be pointed at: {shown}")
            return
        asked = {"field": "amount", "snapshotId": snapshot, "elements": [int(number[1])]}
        recipe = self.edit("POST", "rules", name, asked)["rules"][0]["recipe"]
        self.edit("POST", "trial", name, {"recipe": recipe})
        self.edit("PUT", "recipe", name, {"recipe": recipe, "replaces": self.source(name)["recipeVersion"]})

    def edit(self, method: str, part: str, name: str, body: dict):
        path = {"path_parameters": {"name": name}, "media_type": "application/json"}
        return self.ask(method, "/api/sources/{name}/" + part, body=body, **path)

    def use_tools(self) -> None:
        """What an assistant asks for."""
        names = {tool["name"] for tool in self.ask("GET", "/api/tools")["tools"]}
        chair = self.server.show("chair", PAGE)
        asked = {
            "extract": {"url": chair},
            "navigate": {"goal": "price of the chair", "start": chair, "context": [["room", "kitchen"]]},
            "source_list": {},
            "source_run": {"name": "chair"},
            "heal": {"source": "table"},
        }
        if names != asked.keys():
            self.faults.append(f"there are other tools than those that are used: {names}")
        for name, given in asked.items():
            self.ask("POST", f"/api/tools/{name}", body=given, media_type="application/json")

    def missing(self) -> list[str]:
        """The operations that never succeeded."""
        operations = {(method.upper(), path) for path, item in self.document["paths"].items() for method in item}
        return [f"{method} {path}: never succeeded" for method, path in sorted(operations - self.reached)]


def make_up(server: Server, known: dict, folder: Path) -> tuple[int, int]:
    """Lets schemathesis make up requests; how many operations stood that, and how many did not."""
    report = folder / "report.xml"
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(HERE / "schemathesis.toml"), "run"]
    command += [str(ROOT / "openapi.json"), "--url", server.url, "--header", f"Authorization: Bearer {TOKEN}"]
    command += ["--max-examples", str(EXAMPLES), "--rate-limit", RATE, "--report-junit-path", str(report), "--seed", "1"]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AUTOHEAL_")},
        "SCHEMATHESIS_HOOKS": "hooks",
        "PYTHONPATH": str(HERE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "KNOWN": json.dumps(known),
    }
    with tempfile.TemporaryDirectory() as work:
        try:
            subprocess.run(command, env=environment, cwd=work, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            print(f"schemathesis did not end within {LONGEST} seconds", file=sys.stderr)
            return 0, 1
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase")) if report.exists() else []
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    # Nothing asked is nothing shown.
    return (len(cases) - len(failed), len(failed)) if cases else (0, 1)


def missing_part(binary: str) -> str | None:
    """What of this machine is needed to heal a repository, and cannot be used."""
    told = subprocess.run([binary, "check", "--quick", "--json"], capture_output=True, text=True, check=False).stdout
    usable = [part["name"] for part in json.loads(told) if part["usable"]]
    return None if "bubblewrap" in usable else "bubblewrap does not work here"


def main() -> int:
    binary = str(Path(sys.argv[1]).resolve())
    if reason := missing_part(binary):
        print(f"SKIPPED: {reason}", file=sys.stderr)
        print("schemathesis: 0 passed, 0 failed, 1 skipped")
        return 0
    folder = Path(tempfile.mkdtemp(prefix="autoheal-schemathesis-"))
    server = None
    try:
        server = Server(binary, folder)
        story = Story(server)
        known = story.tell()
        faults = story.faults + story.missing()
        for fault in faults:
            print(f"FAILED: {fault}", file=sys.stderr)
        passed, failed = make_up(server, known, folder)
        if server.process.poll() is not None:
            faults.append("the server ended")
            print("FAILED: the server ended", file=sys.stderr)
        if failed or faults:
            print(server.told(), file=sys.stderr)
        failed += len(faults)
        passed += len(story.reached)
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"schemathesis: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
