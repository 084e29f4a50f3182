"""Server-sent events: every page hears every message, and the oldest go where a page is slow."""

import asyncio
import json

import pytest

from planetree.studio import events
from planetree.studio.events import Events


async def heard(stream, n):
    return [await anext(stream) for _ in range(n)]


def test_all_pages_hear_the_same_messages_in_order():
    async def talk():
        told = Events()
        pages = [told.listen() for _ in range(2)]
        first = [await heard(page, 1) for page in pages]
        told.tell("state", {"revision": 1})
        told.tell("progress", {"done": 3})
        return first, [await heard(page, 2) for page in pages]

    first, found = asyncio.run(talk())
    assert first == [["retry: 1000\n\n"]] * 2
    assert found[0] == found[1]
    kinds, contents = zip(*(each.strip().split("\n") for each in found[0]), strict=True)
    assert kinds == ("event: state", "event: progress")
    assert [json.loads(each.removeprefix("data: ")) for each in contents] == [
        {"revision": 1}, {"done": 3},
    ]  # fmt: skip


def test_a_page_that_does_not_listen_misses_the_oldest(monkeypatch):
    monkeypatch.setattr(events, "_WAITING", 3)

    async def talk():
        told = Events()
        page = told.listen()
        await anext(page)
        for number in range(5):
            told.tell("state", number)
        return await heard(page, 3)

    assert [each[-3] for each in asyncio.run(talk())] == ["2", "3", "4"]


def test_silence_is_a_comment_and_the_end_ends_every_page(monkeypatch):
    monkeypatch.setattr(events, "_QUIET", 0.01)

    async def talk():
        told = Events()
        page = told.listen()
        await anext(page)
        quiet = await anext(page)
        waiting = asyncio.create_task(anext(page))
        await asyncio.sleep(0)
        told.close()
        last = await waiting
        with pytest.raises(StopAsyncIteration):
            await anext(page)
        assert not told._pages
        return quiet, last

    quiet, last = asyncio.run(talk())
    assert quiet == ": here\n\n"
    assert last.startswith("event: closed")
