"""Requests that are begun and never ended are closed; others are not."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("uvicorn")
import uvicorn

from discreet.app.server import connection


async def answered(scope, receive, send):
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


async def talk(first):
    """What the server answers to some bytes, until it closes the connection."""
    config = uvicorn.Config(
        answered, http=connection.Connection, ws="none", lifespan="off", log_config=None, port=0,
        timeout_keep_alive=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(first)
    try:
        return await asyncio.wait_for(reader.read(), 10)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()
        server.should_exit = True
        await task


def answer(first):
    """In a thread of its own: a browser of other tests may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(talk(first))).result()


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
    ],
)
def test_half_a_request_is_closed(monkeypatch, first):
    monkeypatch.setattr(connection, "IDLE", 0.2)
    assert b"200" not in answer(first)  # and it ends: talk() waits for that


def test_a_whole_request_is_answered(monkeypatch):
    monkeypatch.setattr(connection, "IDLE", 0.5)
    assert answer(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").endswith(b"ok")
