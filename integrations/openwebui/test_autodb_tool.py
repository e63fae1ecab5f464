"""The tool as Open WebUI loads it, against a running server. `cargo nextest run -p autoheal-cli openwebui` starts one."""

import asyncio
import os
import socket
import unittest

import autodb_tool

SERVER = os.environ["AUTOHEAL_TEST_SERVER"]
MANUAL = os.environ["AUTOHEAL_TEST_MANUAL"]
TOKEN = os.environ["AUTOHEAL_TEST_TOKEN"]


def tool(**valves):
    made = autodb_tool.Tools()
    settings = {"AUTODB_BASE_URL": MANUAL, "AUTOHEAL_URL": SERVER, "AUTOHEAL_TOKEN": TOKEN, "MODEL": "none"}
    made.valves = made.Valves(**{**settings, **valves})
    return made


class AutodbTest(unittest.TestCase):
    def ask(self, made, query, events=None, **vehicle):
        async def emit(event):
            events.append(event)

        vehicle = {"year": "2012", "make": "Jeep", "model": "Liberty", **vehicle}
        user = {"id": "7", "email": "reader@example.com"}
        emitter = emit if events is not None else None
        return asyncio.run(made.autodb(query=query, __user__=user, __event_emitter__=emitter, **vehicle))

    def test_the_valves_have_the_names_of_the_specification_and_its_defaults_but_for_the_model(self):
        valves = autodb_tool.Tools.Valves()
        self.assertEqual(valves.REQUEST_TIMEOUT, 120)
        self.assertEqual(valves.AUTODB_BASE_URL, "http://automotive.aurora-sentient.net/autodb")
        # The specification names a model here. The server has the key and knows what it costs, so it has the choice, too.
        self.assertEqual(valves.MODEL, "")

    def test_an_answer_stands_with_its_source_and_progress_is_told(self):
        events = []
        answer = self.ask(tool(), os.environ["AUTOHEAL_TEST_QUERY"], events)
        self.assertIn(os.environ["AUTOHEAL_TEST_ANSWER"], answer)
        self.assertIn("(2012 Jeep Liberty)", answer)
        self.assertIn("\nSource: ", answer)
        self.assertIn(MANUAL, answer)
        self.assertTrue(all(event["type"] == "status" for event in events))
        told = [event["data"]["description"] for event in events]
        self.assertGreater(len(told), 3, told)
        self.assertEqual(events[-1]["data"], {"description": "Found", "done": True})
        self.assertEqual([event["data"]["done"] for event in events[:-1]], [False] * (len(events) - 1))

    def test_what_is_not_there_is_not_made_up(self):
        answer = self.ask(tool(), "warp drive plasma injector pressure")
        self.assertIn("Not found", answer)
        self.assertNotIn("not found: ", answer)
        self.assertIn("Do not guess", answer)

    def test_the_model_of_the_server_chooses_the_links_unless_it_is_told_not_to(self):
        # The server's model says at once that the manual does not hold it, which a search would find.
        self.assertIn("Not found", self.ask(tool(MODEL=""), os.environ["AUTOHEAL_TEST_QUERY"]))

    def test_a_model_is_not_chosen_here(self):
        answer = self.ask(tool(MODEL="gemini-2.0-flash"), os.environ["AUTOHEAL_TEST_QUERY"])
        self.assertIn("can only be left empty", answer)
        self.assertNotIn(os.environ["AUTOHEAL_TEST_ANSWER"], answer)

    def test_an_address_that_is_none_is_said_and_raises_nothing(self):
        for address in ("localhost", "http://", "http://127.0.0.1:port", "http://127.0.0.1:99999", "http://[::1"):
            self.assertIn("AUTOHEAL_URL", self.ask(tool(AUTOHEAL_URL=address), "oil capacity"), address)

    def test_a_wrong_token_a_missing_server_and_a_slow_one_are_said(self):
        self.assertIn("token", self.ask(tool(AUTOHEAL_TOKEN="wrong"), "oil capacity"))
        self.assertIn("could not be asked", self.ask(tool(AUTOHEAL_URL="http://127.0.0.1:1"), "oil capacity"))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            made = tool(AUTOHEAL_URL=f"http://127.0.0.1:{silent.getsockname()[1]}", REQUEST_TIMEOUT=1)
            self.assertIn("within 1 seconds", self.ask(made, "oil capacity"))


if __name__ == "__main__":
    unittest.main()
