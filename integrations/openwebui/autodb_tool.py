"""
title: Service manuals
description: Finds the answer to a question in an online service manual, by asking an autoheal server.
version: 0.1.0
license: MIT OR Apache-2.0
requirements: pydantic
"""

import asyncio
import contextlib
import http.client
import json
import socket
import threading
from typing import Any, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Optional
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

EventEmitter = Callable[[dict], Awaitable[None]]


class Tools:
    """What Open WebUI offers to a model."""

    class Valves(BaseModel):
        """The settings, as an administrator sees them."""

        AUTODB_BASE_URL: str = Field(
            default="http://automotive.aurora-sentient.net/autodb",
            description="The home page of the manual",
        )
        MODEL: str = Field(
            default="",
            description="What chooses the links: empty for the language model of the autoheal server, `none` for a search",
        )
        REQUEST_TIMEOUT: int = Field(default=120, description="Seconds that an answer may take")
        AUTOHEAL_URL: str = Field(default="http://127.0.0.1:8080", description="Where `autoheal serve` listens")
        AUTOHEAL_TOKEN: str = Field(default="", description="The token of that server, when it has one")

    def __init__(self) -> None:
        self.valves = self.Valves()

    async def autodb(
        self,
        year: str,
        make: str,
        model: str,
        query: str,
        engine: str = "",
        __user__: Optional[dict] = None,
        __event_emitter__: Optional[EventEmitter] = None,
    ) -> str:
        """
        Query a service manual for automotive information: capacities, torques, procedures, trouble codes.

        :param year: The year of the vehicle, such as 2012
        :param make: Its make, such as Jeep
        :param model: Its model, such as Liberty
        :param query: What to find, such as "oil capacity"
        :param engine: Its engine, when it matters
        :return: The passage of the manual with its source, or that it was not found
        """

        async def tell(description: str, done: bool = False) -> None:
            if __event_emitter__ is not None:
                await __event_emitter__({"type": "status", "data": {"description": description, "done": done}})

        asked = {
            "goal": query,
            "start": self.valves.AUTODB_BASE_URL,
            "year": year,
            "make": make,
            "model": model,
            "engine": engine,
            "ask_model": self.valves.MODEL != "none",
        }
        if self.valves.MODEL not in ("", "none"):
            return (
                f"The manual could not be asked: the valve MODEL is {self.valves.MODEL!r}, and can only be left empty, or be "
                "`none`: the model is that of the server (`autoheal serve --model`). Do not guess an answer."
            )
        vehicle = " ".join(part for part in (year, make, model, engine) if part)
        await tell(f"Looking for {query} ({vehicle})")
        try:
            async with asyncio.timeout(self.valves.REQUEST_TIMEOUT):
                async with contextlib.aclosing(self._events("navigate", asked, __user__ or {})) as events:
                    async for event, data in events:
                        if event == "progress":
                            await tell(data["message"])
                        elif event == "answer":
                            result = data["data"]
                            await tell("Found" if result["success"] else "Not found", done=True)
                            return format_response(query, vehicle, result)
                        elif event == "error":
                            raise ServerError(data["message"])
            raise ServerError("the server ended without an answer")
        except TimeoutError:
            await tell("Took too long", done=True)
            return f"No answer within {self.valves.REQUEST_TIMEOUT} seconds. Do not guess one."
        except (ServerError, OSError) as error:
            await tell("Failed", done=True)
            return f"The manual could not be asked: {error}. Do not guess an answer."

    async def _events(self, tool: str, asked: dict, user: dict) -> AsyncIterator[tuple[str, dict]]:
        """What the server says of a call, as pairs of an event's name and its data."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue = asyncio.Queue()
        connection = self._connection()
        await asyncio.to_thread(connection.connect)
        # The response takes it over.
        wire = connection.sock

        def put(item: Any) -> None:
            with contextlib.suppress(RuntimeError):  # The loop has ended: nobody waits.
                loop.call_soon_threadsafe(queue.put_nowait, item)

        def read() -> None:
            try:
                path = urlsplit(self.valves.AUTOHEAL_URL).path.rstrip("/")
                connection.request("POST", f"{path}/api/tools/{tool}", json.dumps(asked), self._headers(user))
                response = connection.getresponse()
                if response.status != 200:
                    raise ServerError(message_of(response))
                for pair in server_sent_events(response):
                    put(pair)
                put(None)
            except (ServerError, OSError, http.client.HTTPException, ValueError) as error:
                put(error if isinstance(error, ServerError) else ServerError(str(error) or type(error).__name__))
            finally:
                connection.close()

        threading.Thread(target=read, daemon=True).start()
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, ServerError):
                    raise item
                yield item
        finally:
            # The thread hears the end of the stream, and the server that nobody waits any more.
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def _connection(self) -> http.client.HTTPConnection:
        try:
            address = urlsplit(self.valves.AUTOHEAL_URL)
            host, port = address.hostname, address.port
        except ValueError:  # A bracket without its other, a port that is no number.
            host = None
        if not host or address.scheme not in ("http", "https"):
            raise ServerError("the valve AUTOHEAL_URL is no address such as http://127.0.0.1:8080")
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        # The whole answer has a limit already: this one ends a thread that nobody waits for.
        return kind(host, port, timeout=self.valves.REQUEST_TIMEOUT + 5)

    def _headers(self, user: dict) -> dict:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if self.valves.AUTOHEAL_TOKEN:
            headers["Authorization"] = f"Bearer {self.valves.AUTOHEAL_TOKEN}"
        name = user.get("email") or user.get("id")
        if name:
            headers["X-Autoheal-User"] = str(name).encode("ascii", "replace").decode()
        return headers


class ServerError(Exception):
    """The server has no answer."""


def message_of(response: http.client.HTTPResponse) -> str:
    """What the server says is wrong."""
    try:
        return json.loads(response.read())["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return f"the server answers {response.status}"


def server_sent_events(lines: Iterable[bytes]) -> Iterator[tuple[str, dict]]:
    """The events of a stream, as pairs of a name and data (WHATWG HTML, "Server-sent events")."""
    name, data = "message", []
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield name, json.loads("\n".join(data))
            name, data = "message", []


def format_response(query: str, vehicle: str, result: dict) -> str:
    """The answer for a chat: what the manual says, and where it says so."""
    heading = f"**{query}** ({vehicle})" if vehicle else f"**{query}**"
    if result["success"]:
        return f"{heading}\n\n{result['content']}\n\nSource: {result['breadcrumb']}\n{result['url']}"
    error = result["error"].removeprefix("not found: ")
    parts = [heading, f"Not found: {error}. Do not guess an answer."]
    if result.get("content"):
        parts.append(f"The last page that was looked at, which is no answer: {result['url']}\n\n{result['content']}")
    return "\n\n".join(parts)
