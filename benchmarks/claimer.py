"""One of the processes that empty a queue: `claimer.py wiki|bare FOLDER`, let go by stdin."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def main(way: str, folder: Path) -> None:
    claim = _of_wiki(folder) if way == "wiki" else _of_bare(folder)
    print("ready", flush=True)
    sys.stdin.readline()
    begin = time.monotonic()
    taken = list(_until_none(claim))
    print(json.dumps({"begin": begin, "end": time.monotonic(), "taken": taken}))


def _until_none(claim: Callable[[], int | None]) -> Iterator[int]:
    while (job := claim()) is not None:
        yield job


def _of_wiki(folder: Path) -> Callable[[], int | None]:
    """Claims by the service, with as small a packet as there is."""
    from wikis import CALL, opened

    from lwc.services import ingest
    from lwc.services.packet import PacketSize

    wiki = opened(folder)
    size = PacketSize(pages=1, source_chars=1)

    def claim() -> int | None:
        job = ingest.next_job(wiki, CALL, size=size).job
        return None if job is None else job.source.id

    return claim


def _of_bare(folder: Path) -> Callable[[], int | None]:
    import bare

    connection = bare.connected(folder / "jobs.db")
    return lambda: bare.claimed(connection)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
